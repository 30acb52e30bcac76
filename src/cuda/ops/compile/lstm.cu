// An LSTM over whole sequences, states times a mask (equations: ops/compile/lstm.c). A block walks
// a group of trajectories from the first step to the last: one launch per sequence. Of the
// recurrent product, which is all that is inside the loop, a thread has one column, and keeps its
// first weights in registers; the next lie in shared memory, and what does not fit is read from the
// caches. Backward does the same with the kernel turned round; the gradient of U is one product
// over all rows after it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/trajectory_group.cuh"

enum { GX, U, MASK };
enum { STORES_MASKED };
enum { GATES = 4, KEPT = 6 }; // of a row of aux, in widths: i f g o cell' tanh
enum { OWN = 64, GROUP = 4 }; // weights in registers; trajectories of a block, at most
enum { MOST_THREADS = 512 };

// ---- the recurrent product

// d rows of 4d numbers: U forward, turned round backward. `near` rows are in shared memory
typedef struct {
    const float *far, *near;
    int d, own, rows; // rows in registers, rows in shared memory
} kernel;

// registers of a thread hold its column; block.x threads, one column each, where that is enough
SLT_DEVICE_INLINE void load_kernel(kernel *k, const float *from, float *near, float *own) {
    int wide = GATES * k->d;
    k->far = from;
    k->near = near;
#pragma unroll
    for (int r = 0; r < OWN; r++)
        own[r] = r < k->own && (int)threadIdx.x < wide ? from[r * wide + (int)threadIdx.x] : 0;
    for (int i = (int)threadIdx.x; i < k->rows * wide; i += (int)blockDim.x)
        near[i] = from[k->own * wide + i];
}

// Σ_r in_j[r]·kernel[r][c] for the group
template <int N>
SLT_DEVICE_INLINE void column(const kernel &k, const float *own, const float *in, int stride, int c,
                              float *sum) {
    int wide = GATES * k.d, split = k.own + k.rows;
    bool fours = k.d % 4 == 0;
#pragma unroll
    for (int j = 0; j < N; j++) sum[j] = 0;
    if (k.own) {
#pragma unroll
        for (int r = 0; r < OWN; r += 4) slt_add_four<N>(in, stride, r, own + r, sum);
    }
    slt_add_rows<N>(k.near + c, wide, k.own, split, fours, in, stride, sum);
    slt_add_rows<N>(k.far + (int64_t)split * wide + c, wide, split, k.d, fours, in, stride, sum);
}

// ---- masks

SLT_DEVICE_INLINE float mask_at(const slt_cuda_args &a, int row) {
    return a.in[MASK].at ? slt_at(a.in[MASK])[row] : 1;
}
SLT_DEVICE_INLINE bool stores_masked(const slt_cuda_args &a) {
    return a.n[STORES_MASKED] && a.in[MASK].at;
}

// ---- forward

// gates and cell of number k of a row from its sums; s and cell become the states that continue
SLT_DEVICE_INLINE void cell_forward(const slt_cuda_args &a, int row, int k, const float *pre,
                                    float *s, float *cell) {
    int d = a.out_width[0];
    float *kept = slt_at(a.aux) + (int64_t)row * KEPT * d + k, mask = mask_at(a, row);
    float i = slt_sigmoid(pre[k]), f = slt_sigmoid(pre[d + k]), g = tanhf(pre[2 * d + k]);
    float o = slt_sigmoid(pre[3 * d + k]), c = f * *cell + i * g, h = tanhf(c), out = o * h;
    const float all[KEPT] = {i, f, g, o, c, h};
#pragma unroll
    for (int j = 0; j < KEPT; j++) kept[(int64_t)j * d] = all[j];
    slt_at(a.out[0])[(int64_t)row * d + k] = (stores_masked(a) ? mask : 1) * out;
    *s = mask * out;
    *cell = mask * c;
}

// dynamic shared memory: states (N, d), cells (N, d), sums (N, 4d), rows of the kernel
template <int N>
SLT_KERNEL __launch_bounds__(MOST_THREADS)
    forward(const slt_cuda_args a, int own_rows, int near_rows) {
    slt_begin();
    SLT_DYNAMIC_SHARED(memory);
    int d = a.out_width[0], wide = GATES * d, tid = (int)threadIdx.x, threads = (int)blockDim.x;
    float *s = memory, *cell = s + N * d, *pre = cell + N * d, own[OWN], sum[N];
    slt_clear_tail(slt_at(a.out[0]), slt_count(a, SLT_TOKENS, 0), a.out_rows[0], d);
    slt_trajectory_group<N> c;
    slt_find_group(a, &c);
    if (c.most == 0) return;
    kernel k = {NULL, NULL, d, own_rows, near_rows};
    load_kernel(&k, slt_at(a.in[U]), pre + N * wide, own);
    for (int i = tid; i < 2 * N * d; i += threads) s[i] = 0;
    __syncthreads();
    for (int t = 0; t < c.most; t++) {
        for (int o = tid; o < wide; o += threads) {
            float seen[N]; // on its way while the product is made
#pragma unroll
            for (int j = 0; j < N; j++) {
                int row = slt_group_row(c, j, t);
                seen[j] = row < 0 ? 0 : slt_at(a.in[GX])[(int64_t)row * wide + o];
            }
            column<N>(k, own, s, d, o, sum);
#pragma unroll
            for (int j = 0; j < N; j++) pre[j * wide + o] = seen[j] + sum[j];
        }
        __syncthreads();
        for (int i = tid; i < N * d; i += threads) {
            int j = i / d, row = slt_group_row(c, j, t);
            if (row >= 0) cell_forward(a, row, i % d, pre + j * wide, &s[i], &cell[i]);
        }
        __syncthreads();
    }
}

// ---- backward

// what backward writes for all rows: sums' gradients, states before the step; and the turned kernel
typedef struct {
    slt_cuda_view dpre, before, turned;
} work;

static __host__ __device__ work work_of(const slt_cuda_args &a) {
    int64_t rows = a.out_rows[0], d = a.out_width[0], stride = a.shared.stride;
    float *dpre = a.shared.at, *before = dpre + rows * GATES * d;
    work w = {{dpre, stride}, {before, stride}, {before + rows * d, stride}};
    return w;
}

// turned[j][q·d + r] = U[r][q·d + j]: column (q, r) has the share of gate q in ds_r
SLT_KERNEL turn(const slt_cuda_args a) {
    slt_begin();
    int d = a.out_width[0], wide = GATES * d;
    const float *u = slt_at(a.in[U]);
    float *turned = slt_at(work_of(a).turned);
    for (int i = (int)slt_thread(); i < d * wide; i += (int)slt_stride()) {
        int r = i / wide, q = i % wide / d, j = i % d;
        turned[(int64_t)j * wide + q * d + r] = u[i];
    }
}

// number k of a row: ds arrives at the state that continued, dc leaves for the step before
SLT_DEVICE_INLINE float cell_backward(const slt_cuda_args &a, int row, bool first, int k, float ds,
                                      float *dc, float *dpre) {
    int d = a.out_width[0];
    const float *kept = slt_at(a.aux) + (int64_t)row * KEPT * d + k;
    float i = kept[0], f = kept[d], g = kept[2 * d], o = kept[3 * d], c = kept[4 * d];
    float h = kept[5 * d], earlier = first ? 0 : kept[(4 - KEPT) * d];
    float mask = mask_at(a, row), before = first ? 0 : mask_at(a, row - 1);
    float denc = slt_at(a.out_grad[0])[(int64_t)row * d + k], direct = stores_masked(a) ? 0 : 1;
    if (stores_masked(a)) ds += denc;
    float dmask = o * h * ds + c * *dc, dout = mask * ds + direct * denc;
    float dcell = dout * o * (1 - h * h) + mask * *dc;
    dpre[k] = dcell * g * i * (1 - i);
    dpre[d + k] = dcell * before * earlier * f * (1 - f);
    dpre[2 * d + k] = dcell * i * (1 - g * g);
    dpre[3 * d + k] = dout * h * o * (1 - o);
    *dc = dcell * f;
    return dmask;
}

// number k of a row's gradients to where the products find them, and to gx
SLT_DEVICE_INLINE void hand_out(const slt_cuda_args &a, const work &w, int row, bool first, int k,
                                const float *dpre) {
    int d = a.out_width[0];
    float *to = slt_at(w.dpre) + (int64_t)row * GATES * d + k, *dgx = slt_at(a.in_grad[GX]);
    const float *out = slt_at(a.out[0]) + (int64_t)row * d + k;
    float mask = first || stores_masked(a) ? 1 : mask_at(a, row - 1);
    slt_at(w.before)[(int64_t)row * d + k] = first ? 0 : mask * out[-d];
#pragma unroll
    for (int q = 0; q < GATES; q++) {
        to[q * d] = dpre[q * d + k];
        if (dgx) slt_put(&dgx[(int64_t)row * GATES * d + q * d + k], a.add[GX], dpre[q * d + k]);
    }
}

SLT_DEVICE_INLINE void clear_tails(const slt_cuda_args &a, const work &w) {
    int d = a.out_width[0], count = slt_count(a, SLT_TOKENS, 0), rows = a.out_rows[0];
    slt_clear_tail(slt_at(w.dpre), count, rows, GATES * d);
    slt_clear_tail(slt_at(w.before), count, rows, d);
    if (a.in_grad[GX].at && !a.add[GX])
        slt_clear_tail(slt_at(a.in_grad[GX]), count, rows, GATES * d);
    if (a.in_grad[MASK].at && !a.add[MASK]) slt_clear_tail(slt_at(a.in_grad[MASK]), count, rows, 1);
}

// dM_t of trajectory j, by warp j
template <int N>
SLT_DEVICE_INLINE void mask_gradient(const slt_cuda_args &a, const slt_trajectory_group<N> &c,
                                     int t, const float *dmask) {
    int d = a.out_width[0], lane = (int)(threadIdx.x % SLT_WARP),
        warps = (int)blockDim.x / SLT_WARP;
    if (!a.in_grad[MASK].at) return;
    for (int j = (int)threadIdx.x / SLT_WARP; j < N; j += warps) {
        int row = slt_group_row(c, j, t);
        float sum = 0;
        for (int k = lane; k < d; k += SLT_WARP) sum += dmask[j * d + k];
        sum = slt_warp_sum(sum);
        if (row >= 0 && lane == 0) slt_put(&slt_at(a.in_grad[MASK])[row], a.add[MASK], sum);
    }
}

// dynamic shared memory: gradients of cells (N, d), of masks (N, d), of sums (N, 4d), shares of the
// gates in ds (N, 4d), rows of the kernel
template <int N>
SLT_KERNEL __launch_bounds__(MOST_THREADS)
    backward(const slt_cuda_args a, int own_rows, int near_rows) {
    slt_begin();
    SLT_DYNAMIC_SHARED(memory);
    int d = a.out_width[0], wide = GATES * d, tid = (int)threadIdx.x, threads = (int)blockDim.x;
    float *dc = memory, *dmask = dc + N * d, *dpre = dmask + N * d, *ds = dpre + N * wide;
    float own[OWN], sum[N];
    work w = work_of(a);
    clear_tails(a, w);
    slt_trajectory_group<N> c;
    slt_find_group(a, &c);
    if (c.most == 0) return;
    kernel k = {NULL, NULL, d, own_rows, near_rows};
    load_kernel(&k, slt_at(w.turned), ds + N * wide, own);
    for (int i = tid; i < N * d * (2 + 2 * GATES); i += threads) memory[i] = 0;
    __syncthreads();
    for (int t = c.most - 1; t >= 0; t--) {
        for (int i = tid; i < N * d; i += threads) {
            int j = i / d, n = i % d, row = slt_group_row(c, j, t);
            if (row < 0) continue;
            const float *shares = ds + j * wide + n;
            float all = shares[0] + shares[d] + shares[2 * d] + shares[3 * d];
            dmask[i] = cell_backward(a, row, t == 0, n, all, &dc[i], dpre + j * wide);
            hand_out(a, w, row, t == 0, n, dpre + j * wide);
        }
        __syncthreads();
        mask_gradient(a, c, t, dmask);
        for (int o = tid; o < wide && t > 0; o += threads) {
            column<N>(k, own, dpre + o / d * d, wide, o, sum);
#pragma unroll
            for (int j = 0; j < N; j++) ds[j * wide + o] = sum[j];
        }
        __syncthreads();
    }
}

// ---- launches

// how blocks are made: a function of the sizes alone
typedef struct {
    int group, threads, own, near;
    dim3 grid;
    size_t bytes;
} plan;

static plan plan_of(const slt_cuda_args *args, int states) {
    int d = args->out_width[0], wide = GATES * d, blocks = args->trajectories * args->members;
    plan p = {1, (wide + SLT_WARP - 1) / SLT_WARP * SLT_WARP, 0, 0, dim3(1, 1, 1), 0};
    while (p.group < GROUP && blocks > slt_enough_blocks() * p.group) p.group *= 2;
    if (p.threads > MOST_THREADS) p.threads = MOST_THREADS;
    p.bytes = (size_t)p.group * (size_t)(states * d) * sizeof(float);
    if (wide <= p.threads && d >= OWN && d % 4 == 0) p.own = OWN;
    size_t row = (size_t)wide * sizeof(float), room = slt_shared_room() - p.bytes;
    p.near = (int)(room / row) / 4 * 4; // rows are read by fours
    if (p.near > d - p.own) p.near = d - p.own;
    p.bytes += (size_t)p.near * row;
    p.grid = slt_grid(args, args->trajectories, p.group);
    return p;
}

void slt_cuda_lstm_forward(const slt_cuda_args *args) {
    plan p = plan_of(args, 2 + GATES);
    if (p.group == 1)
        SLT_LAUNCH_LARGE(args, forward<1>, p.grid, p.threads, p.bytes, p.own, p.near);
    else if (p.group == 2)
        SLT_LAUNCH_LARGE(args, forward<2>, p.grid, p.threads, p.bytes, p.own, p.near);
    else
        SLT_LAUNCH_LARGE(args, forward<GROUP>, p.grid, p.threads, p.bytes, p.own, p.near);
}

void slt_cuda_lstm_backward(const slt_cuda_args *args) {
    plan p = plan_of(args, 2 + 2 * GATES);
    int d = args->out_width[0];
    work w = work_of(*args);
    slt_cuda_view none = {NULL, 0};
    SLT_LAUNCH(args, turn, slt_grid(args, (int64_t)GATES * d * d, SLT_THREADS), SLT_THREADS, 0);
    if (p.group == 1)
        SLT_LAUNCH_LARGE(args, backward<1>, p.grid, p.threads, p.bytes, p.own, p.near);
    else if (p.group == 2)
        SLT_LAUNCH_LARGE(args, backward<2>, p.grid, p.threads, p.bytes, p.own, p.near);
    else
        SLT_LAUNCH_LARGE(args, backward<GROUP>, p.grid, p.threads, p.bytes, p.own, p.near);
    slt_cuda_weight_gradient(args, d, GATES * d, args->out_rows[0], w.before, w.dpre,
                             args->in_grad[U], args->add[U], none, false);
}
