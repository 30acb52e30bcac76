// OMPN forward: products with x over all rows, then one launch for all steps.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/ops/ompn/ompn.cuh"

enum { X = SLT_OMPN_X, W = SLT_OMPN_W };
enum { LEAF = SLT_OMPN_LEAF, P_HAT = SLT_OMPN_P_HAT, MEMORY = SLT_OMPN_MEMORY };

// ---- weights, where rows of fours begin at multiples of 16 bytes for every member (shared)

SLT_KERNEL copy_weights(const slt_cuda_args a) {
    slt_begin();
    const float *from = slt_at(a.in[W]);
    float *to = slt_at(a.shared);
    for (int i = (int)slt_thread(); i < a.in_width[W]; i += (int)slt_stride()) to[i] = from[i];
}

// ---- what depends on x alone

SLT_KERNEL join_leaf(const slt_cuda_args a) {
    slt_begin();
    slt_ompn_dims o = slt_ompn_dims_of(a);
    int count = 4 * o.d * o.d, i = (int)slt_thread();
    const float *child = slt_at(a.in[W]) + slt_ompn_com(o.d, o.n - 1).w1;
    if (i < count) slt_at(a.aux)[slt_ompn_leaf_kernel(o) + i] = child[i] + child[2 * count + i];
}

static void observe(const slt_cuda_args *args, slt_ompn_dims o) {
    int wide = (int)slt_ompn_kept_width(o), d = o.d;
    float *kept = args->aux.at, *w = args->in[W].at;
    int64_t each = args->aux.stride, weights = args->in[W].stride;
    SLT_LAUNCH(args, join_leaf, slt_grid(args, 4 * (int64_t)d * d, SLT_THREADS), SLT_THREADS, 0);
    for (int i = 0; i < slt_ompn_cells(o); i++) {
        slt_ompn_cell cell = slt_ompn_cell_number(o, i);
        slt_cuda_view kernel = {w + cell.w1 + (size_t)cell.inputs * 4 * (size_t)d * (size_t)d,
                                weights};
        slt_cuda_view leaf = {kept + slt_ompn_leaf_kernel(o), each};
        slt_cuda_view hidden = {kept + slt_ompn_hidden(o, i), each};
        slt_cuda_gemm(args, false, false, o.rows, 4 * d, d, args->in[X], d,
                      slt_ompn_skip(o, i) ? leaf : kernel, 4 * d, false, hidden, wide);
    }
    slt_cuda_view kernel = {w + slt_ompn_gate_at(o.n, d).w1, weights};
    slt_cuda_view gate_x = {kept + slt_ompn_gate_x(o), each};
    slt_cuda_gemm(args, false, false, o.rows, d, d, args->in[X], d, kernel, d, false, gate_x, wide);
}

// ---- the group's memory, by trajectory

typedef struct {
    slt_ompn_dims o;
    bool fours;
    const float *w;
    int t, row, j;                          // row of this warp's trajectory; -1: it has none
    float *state, *child, *parent, *chance; // [N][(2n+1)d] [N][n·d] [N][d] [N][2n+1]
    float *hidden, *second, *parts;         // [N][4d] [N][4d] and slt_ompn_product's
} walk;

// numbers of a trajectory
static __host__ __device__ int walk_size(slt_ompn_dims o) {
    return slt_ompn_state_size(o) + (o.n + 9) * o.d + (slt_ompn_chances(o.n) + 3) / 4 * 4 +
           slt_ompn_parts(o);
}

template <int N> SLT_DEVICE_INLINE void open_walk(const slt_cuda_args &a, float *memory, walk *k) {
    k->o = slt_ompn_dims_of(a);
    k->fours = k->o.d % 4 == 0;
    k->w = slt_at(a.shared);
    k->j = (int)threadIdx.x / SLT_WARP;
    k->state = memory;
    k->child = k->state + N * slt_ompn_state_size(k->o);
    k->parent = k->child + N * k->o.n * k->o.d;
    k->hidden = k->parent + N * k->o.d;
    k->second = k->hidden + N * 4 * k->o.d;
    k->parts = k->second + N * 4 * k->o.d;
    k->chance = k->parts + N * slt_ompn_parts(k->o);
}

SLT_DEVICE_INLINE float *kept_row(const slt_cuda_args &a, const walk &k, int row) {
    return slt_at(a.aux) + row * slt_ompn_kept_width(k.o);
}
SLT_DEVICE_INLINE float *my_state(const walk &k) {
    return k.state + k.j * slt_ompn_state_size(k.o);
}
SLT_DEVICE_INLINE float *my_candidate(const walk &k, int level) {
    return my_state(k) + slt_ompn_pair_place(k.o, level) + 2 * k.o.d;
}
SLT_DEVICE_INLINE float *my_child(const walk &k, int level) {
    return k.child + (k.j * k.o.n + level) * k.o.d;
}
SLT_DEVICE_INLINE float *my_chance(const walk &k) {
    return k.chance + k.j * slt_ompn_chances(k.o.n);
}

// ---- a cell

// the row of this warp: gates and cell from the second layer, then the mixture into out
SLT_DEVICE_INLINE void mix(const slt_cuda_args &a, const walk &k, int number, const float *in,
                           float *out) {
    slt_ompn_cell cell = slt_ompn_cell_number(k.o, number);
    int d = k.o.d, inputs = cell.inputs, wide = (inputs + 1) * d, all = wide + d;
    const float *gamma = k.w + cell.gamma, *beta = k.w + cell.beta;
    float *second = k.second + k.j * 4 * d;
    float *record = kept_row(a, k, k.row) + slt_ompn_record(k.o, number);
    float *inverse = slt_at(a.aux) + slt_ompn_small(k.o, k.row) + 2 * number;
    float deviation = slt_warp_normalise(second, wide, k.o.epsilon);
    for (int c = slt_lane(); c < wide; c += SLT_WARP) {
        record[c] = second[c];
        record[wide + c] = second[c] = slt_sigmoid(gamma[c] * second[c] + beta[c]);
    }
    for (int c = wide + slt_lane(); c < all; c += SLT_WARP) record[wide + c] = second[c];
    __syncwarp();
    for (int c = slt_lane(); c < d; c += SLT_WARP) {
        float sum = second[inputs * d + c] * second[wide + c];
        for (int i = 0; i < inputs; i++) sum += second[i * d + c] * in[i * d + c];
        out[c] = sum;
    }
    float last = slt_warp_normalise(out, d, k.o.epsilon);
    if (slt_lane() > 0) return;
    inverse[0] = deviation;
    inverse[1] = last;
}

// in and out of trajectory 0, `stride` apart from those of the next
template <int N>
SLT_DEVICE_INLINE void cell_forward(const slt_cuda_args &a, const walk &k,
                                    const slt_trajectory_group<N> &group, int number,
                                    const float *in, float *out, int in_stride, int out_stride) {
    slt_ompn_cell cell = slt_ompn_cell_number(k.o, number);
    int d = k.o.d, skip = slt_ompn_skip(k.o, number), out_wide = (cell.inputs + 2) * d;
    slt_ompn_product<N>(k.w + cell.w1 + (int64_t)skip * 4 * d, 4 * d, cell.inputs * d - skip, 4 * d,
                        in + skip, in_stride, k.fours, k.parts);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < N * 4 * d; i += SLT_OMPN_THREADS) {
        int j = i / (4 * d), c = i % (4 * d), row = slt_group_row(group, j, k.t);
        float h = 0;
        if (row >= 0) {
            float *kept = kept_row(a, k, row) + slt_ompn_hidden(k.o, number) + c;
            h = *kept + k.w[cell.c1 + c] + slt_ompn_total<N>(k.parts, 4 * d, k.fours, j, c);
            *kept = h = h > 0 ? h : 0;
        }
        k.hidden[i] = h;
    }
    __syncthreads();
    slt_ompn_product<N>(k.w + cell.w2, out_wide, 4 * d, out_wide, k.hidden, 4 * d, k.fours,
                        k.parts);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < N * out_wide; i += SLT_OMPN_THREADS)
        k.second[i / out_wide * 4 * d + i % out_wide] =
            slt_ompn_total<N>(k.parts, out_wide, k.fours, i / out_wide, i % out_wide) +
            k.w[cell.c2 + i % out_wide];
    __syncthreads();
    if (k.row >= 0) mix(a, k, number, in + k.j * in_stride, out + k.j * out_stride);
    __syncthreads();
}

// ---- a step

// β of one level
template <int N> SLT_DEVICE_INLINE void decide(const slt_cuda_args &a, const walk &k, int level) {
    slt_ompn_gate gate = slt_ompn_gate_at(k.o.n, k.o.d);
    int d = k.o.d, pair = slt_ompn_pair_place(k.o, level) + d;
    slt_ompn_product<N>(k.w + gate.w1 + 2 * (int64_t)d * d, d, 2 * d, d, k.state + pair,
                        slt_ompn_state_size(k.o), k.fours, k.parts);
    __syncthreads();
    if (k.row >= 0) {
        float *row = kept_row(a, k, k.row), *hidden = row + slt_ompn_gate_hidden(k.o, level);
        const float *seen = row + slt_ompn_gate_x(k.o), *w2 = k.w + gate.w2;
        float logit = 0;
        for (int c = slt_lane(); c < d; c += SLT_WARP) {
            float h = slt_ompn_total<N>(k.parts, d, k.fours, k.j, c) + seen[c] + k.w[gate.c1 + c];
            hidden[c] = h = h > 0 ? h : k.o.slope * h;
            logit += h * w2[c];
        }
        logit = slt_warp_sum(logit) + w2[d];
        if (slt_lane() == 0) my_chance(k)[level] = slt_sigmoid(logit);
    }
    __syncthreads();
}

template <int N>
SLT_DEVICE_INLINE void combine(const slt_cuda_args &a, const walk &k,
                               const slt_trajectory_group<N> &group) {
    int stride = slt_ompn_state_size(k.o);
    for (int i = k.o.n - 1; i >= 0; i--) {
        float *pair = k.state + slt_ompn_pair_place(k.o, i);
        cell_forward<N>(a, k, group, i, pair, pair + 2 * k.o.d, stride, stride);
    }
    for (int i = 0; i < k.o.n; i++) decide<N>(a, k, i);
}

// parent of a level, by the warp of the trajectory
SLT_DEVICE_INLINE void inherit(const slt_cuda_args &a, const walk &k, int level, float share) {
    const float *candidate = my_candidate(k, level), *child = my_child(k, level);
    float *parent = k.parent + k.j * k.o.d;
    float *kept = kept_row(a, k, k.row) + slt_ompn_family(k.o, level);
    for (int c = slt_lane(); c < k.o.d; c += SLT_WARP)
        kept[c] = parent[c] = share * candidate[c] + (level > 0 ? (1 - share) * child[c] : 0);
}

template <int N>
SLT_DEVICE_INLINE void decompose(const slt_cuda_args &a, const walk &k,
                                 const slt_trajectory_group<N> &group, const slt_ompn_shares &s) {
    int d = k.o.d;
    for (int i = 0; i + 1 < k.o.n; i++) {
        if (k.row >= 0) inherit(a, k, i, s.rcp[i]);
        __syncthreads();
        cell_forward<N>(a, k, group, k.o.n + i, k.parent, k.child + (i + 1) * d, d, k.o.n * d);
        if (k.row < 0) continue;
        float *kept = kept_row(a, k, k.row) + slt_ompn_family(k.o, i) + d;
        for (int c = slt_lane(); c < d; c += SLT_WARP) kept[c] = my_child(k, i + 1)[c];
    }
}

// what the step leaves: the state before it, then the memory after it
SLT_DEVICE_INLINE void hand_out(const slt_cuda_args &a, const walk &k, const slt_ompn_shares &s) {
    int d = k.o.d, n = k.o.n;
    float *state = my_state(k), *kept = kept_row(a, k, k.row) + slt_ompn_state(k.o);
    float *memory = slt_at(a.out[MEMORY]) + (int64_t)k.row * n * d;
    for (int c = slt_lane(); c < slt_ompn_state_size(k.o); c += SLT_WARP) kept[c] = state[c];
    __syncwarp();
    for (int i = 0; i < n; i++) {
        float *candidate = my_candidate(k, i), *before = candidate - d, *child = my_child(k, i);
        float stay = 1 - s.cp[i], down = i > 0 ? 1 - s.rcp[i] : 0;
        for (int c = slt_lane(); c < d; c += SLT_WARP) {
            float m = (k.o.alias ? candidate[c] : before[c]) * stay + candidate[c] * s.p[i];
            if (i > 0) m += child[c] * down;
            before[c] = memory[i * d + c] = m;
            if (i == n - 1) slt_at(a.out[LEAF])[(int64_t)k.row * d + c] = m;
        }
    }
    const float *record = my_chance(k);
    float *chance = slt_at(a.aux) + slt_ompn_small(k.o, k.row) + slt_ompn_chance_place(k.o);
    float *p_hat = slt_at(a.out[P_HAT]) + (int64_t)k.row * (n + 1);
    for (int i = slt_lane(); i < slt_ompn_chances(n); i += SLT_WARP) chance[i] = record[i];
    for (int i = slt_lane(); i <= n; i += SLT_WARP) p_hat[i] = record[n + i];
}

// x into the state
SLT_DEVICE_INLINE void look(const slt_cuda_args &a, const walk &k) {
    const float *x = slt_at(a.in[X]) + (int64_t)k.row * k.o.d;
    for (int c = slt_lane(); c < k.o.d; c += SLT_WARP) my_state(k)[c] = x[c];
}

// p̂ and the shares; every lane has them
SLT_DEVICE_INLINE slt_ompn_shares choose(const walk &k) {
    if (slt_lane() == 0 && k.row >= 0) {
        if (k.t)
            slt_ompn_stick(my_chance(k), k.o.n);
        else
            slt_ompn_stick_start(my_chance(k), k.o.n);
    }
    __syncwarp();
    slt_ompn_shares s = {{0}, {0}, {0}, 0};
    if (k.row >= 0) s = slt_ompn_share(my_chance(k), k.o.n);
    return s;
}

// of the results, and of what the products of backward read
SLT_DEVICE_INLINE void clear_tails(const slt_cuda_args &a, slt_ompn_dims o) {
    int count = slt_count(a, SLT_TOKENS, 0);
    int64_t wide = slt_ompn_kept_width(o), first = slt_ompn_family(o, 0);
#pragma unroll
    for (int i = LEAF; i <= MEMORY; i++)
        slt_clear_tail(slt_at(a.out[i]), count, a.out_rows[i], a.out_width[i]);
    for (int64_t row = count + (int)blockIdx.x; row < o.rows; row += gridDim.x)
        for (int64_t c = first + (int)threadIdx.x; c < wide; c += SLT_OMPN_THREADS)
            slt_at(a.aux)[row * wide + c] = 0;
}

template <int N> SLT_KERNEL __launch_bounds__(SLT_OMPN_THREADS) forward(const slt_cuda_args a) {
    slt_begin();
    SLT_DYNAMIC_SHARED(memory);
    walk k;
    slt_trajectory_group<N> group;
    open_walk<N>(a, memory, &k);
    clear_tails(a, k.o);
    slt_find_group(a, &group);
    for (int i = (int)threadIdx.x; i < N * walk_size(k.o); i += SLT_OMPN_THREADS) memory[i] = 0;
    __syncthreads();
    for (k.t = 0; k.t < group.most; k.t++) {
        k.row = slt_group_row(group, k.j, k.t);
        if (k.row >= 0) look(a, k);
        __syncthreads();
        if (k.t > 0) combine<N>(a, k, group);
        slt_ompn_shares s = choose(k);
        decompose<N>(a, k, group, s);
        if (k.row >= 0) hand_out(a, k, s);
        __syncthreads();
    }
}

void slt_cuda_ompn_forward(const slt_cuda_args *args) {
    slt_ompn_dims o = slt_ompn_dims_of(*args);
    size_t each = (size_t)walk_size(o);
    int group = slt_ompn_group_size(args, each);
    dim3 grid = slt_grid(args, args->trajectories, group);
    size_t bytes = (size_t)group * each * sizeof(float);
    observe(args, o);
    SLT_LAUNCH(args, copy_weights, slt_grid(args, args->in_width[W], 4 * SLT_THREADS), SLT_THREADS,
               0);
    if (group == SLT_OMPN_GROUP)
        SLT_LAUNCH_LARGE(args, forward<SLT_OMPN_GROUP>, grid, SLT_OMPN_THREADS, bytes);
    else if (group == 4)
        SLT_LAUNCH_LARGE(args, forward<4>, grid, SLT_OMPN_THREADS, bytes);
    else
        SLT_LAUNCH_LARGE(args, forward<1>, grid, SLT_OMPN_THREADS, bytes);
}
