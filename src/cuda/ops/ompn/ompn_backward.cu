// OMPN backward: kernels turned round, one launch for all steps from the last to the first, then
// the gradient of x and those of the weights as products over all rows. Equations are those of
// ops/ompn/ompn_backward.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/ops/ompn/ompn.cuh"

enum { X = SLT_OMPN_X, W = SLT_OMPN_W };
enum { LEAF = SLT_OMPN_LEAF, P_HAT = SLT_OMPN_P_HAT };

// ---- kernels turned round, by tiles

enum { TILE = 32, LANES = 8 };

typedef struct {
    int64_t from, to; // among the weights, in the scratch
    int rows, columns;
} turn;

// matrix 2·cell is the second kernel of a cell, 2·cell + 1 its first without x; then the gate's
SLT_DEVICE_INLINE turn turn_of(const slt_ompn_dims &o, int matrix) {
    int d = o.d, number = matrix / 2;
    slt_ompn_cell cell = slt_ompn_cell_number(o, number);
    turn second = {(int64_t)cell.w2, slt_ompn_turned2(o, number), 4 * d, (cell.inputs + 2) * d};
    turn first = {(int64_t)cell.w1, slt_ompn_turned1(o, number), cell.inputs * d, 4 * d};
    turn gate = {(int64_t)slt_ompn_gate_at(o.n, d).w1 + 2 * (int64_t)d * d, slt_ompn_turned_gate(o),
                 2 * d, d};
    return number == slt_ompn_cells(o) ? gate : matrix % 2 ? first : second;
}

SLT_KERNEL turn_kernels(const slt_cuda_args a) {
    slt_begin();
    __shared__ float tile[TILE][TILE + 1];
    turn m = turn_of(slt_ompn_dims_of(a), (int)blockIdx.y);
    int across = (m.columns + TILE - 1) / TILE, down = (m.rows + TILE - 1) / TILE;
    const float *from = slt_at(a.in[W]) + m.from;
    float *to = slt_at(a.shared) + m.to;
    for (int i = (int)blockIdx.x; i < across * down; i += (int)gridDim.x) {
        int row = i / across * TILE, column = i % across * TILE, x = (int)threadIdx.x;
        for (int y = (int)threadIdx.y; y < TILE; y += LANES)
            if (row + y < m.rows && column + x < m.columns)
                tile[y][x] = from[(int64_t)(row + y) * m.columns + column + x];
        __syncthreads();
        for (int y = (int)threadIdx.y; y < TILE; y += LANES)
            if (column + y < m.columns && row + x < m.rows)
                to[(int64_t)(column + y) * m.rows + row + x] = tile[x][y];
        __syncthreads();
    }
}

// ---- the group's memory, by trajectory

typedef struct {
    slt_ompn_dims o;
    bool fours;
    const float *w;
    int t, row, j;                           // row of this warp's trajectory; -1: it has none
    float *dmemory, *dstate, *dchild;        // [N][n·d] [N][(2n+1)d] [N][n·d]
    float *dparent, *dsecond, *dhidden;      // [N][d] [N][4d] [N][4d]
    float *parts, *chance, *dp, *dcp, *drcp; // chance [N][2n+1], the last three [N][n]
} walk;

// numbers of a trajectory
static __host__ __device__ int walk_size(slt_ompn_dims o) {
    return slt_ompn_state_size(o) + (2 * o.n + 9) * o.d + slt_ompn_parts(o) + 3 * o.n +
           slt_ompn_chances(o.n);
}

template <int N> SLT_DEVICE_INLINE void open_walk(const slt_cuda_args &a, float *memory, walk *k) {
    int n = slt_ompn_dims_of(a).n, d = slt_ompn_dims_of(a).d;
    k->o = slt_ompn_dims_of(a);
    k->fours = d % 4 == 0;
    k->w = slt_at(a.in[W]);
    k->j = (int)threadIdx.x / SLT_WARP;
    k->dmemory = memory;
    k->dstate = k->dmemory + N * n * d;
    k->dchild = k->dstate + N * slt_ompn_state_size(k->o);
    k->dparent = k->dchild + N * n * d;
    k->dsecond = k->dparent + N * d;
    k->dhidden = k->dsecond + N * 4 * d;
    k->parts = k->dhidden + N * 4 * d;
    k->chance = k->parts + N * slt_ompn_parts(k->o);
    k->dp = k->chance + N * slt_ompn_chances(n);
    k->dcp = k->dp + N * n;
    k->drcp = k->dcp + N * n;
}

SLT_DEVICE_INLINE const float *kept_row(const slt_cuda_args &a, const walk &k, int row) {
    return slt_at(a.aux) + row * slt_ompn_kept_width(k.o);
}
// row `row` of an array of backward
SLT_DEVICE_INLINE float *work_row(const slt_cuda_args &a, int64_t array, int row, int width) {
    return slt_at(a.shared) + array + (int64_t)row * width;
}
SLT_DEVICE_INLINE float *my_dstate(const walk &k) {
    return k.dstate + k.j * slt_ompn_state_size(k.o);
}
SLT_DEVICE_INLINE float *my_chance(const walk &k) {
    return k.chance + k.j * slt_ompn_chances(k.o.n);
}
// the child of a level as forward left it
SLT_DEVICE_INLINE const float *child_of(const slt_cuda_args &a, const walk &k, int level) {
    return kept_row(a, k, k.row) + slt_ompn_family(k.o, level - 1) + k.o.d;
}

// ---- a cell

// the row of this warp: from dout (given up) to the gradient of the second layer; din grows
SLT_DEVICE_INLINE void unmix(const slt_cuda_args &a, const walk &k, int number, const float *in,
                             const float *out, float *dout, float *din) {
    slt_ompn_cell cell = slt_ompn_cell_number(k.o, number);
    int d = k.o.d, inputs = cell.inputs, wide = (inputs + 1) * d;
    const float *hat = kept_row(a, k, k.row) + slt_ompn_record(k.o, number), *gate = hat + wide;
    const float *inverse = slt_at(a.aux) + slt_ompn_small(k.o, k.row) + 2 * number;
    float *dsecond = k.dsecond + k.j * 4 * d;
    float *dgates = work_row(a, slt_ompn_dgates(k.o, number), k.row, wide);
    float *kept = work_row(a, slt_ompn_dsecond(k.o, number), k.row, wide + d);
    slt_warp_unnormalise(dout, out, inverse[1], d);
    for (int i = 0; i <= inputs; i++) {
        const float *from = i < inputs ? in + i * d : gate + wide;
        for (int c = slt_lane(); c < d; c += SLT_WARP) {
            float g = gate[i * d + c], ds = dout[c] * from[c] * g * (1 - g);
            dgates[i * d + c] = ds;
            dsecond[i * d + c] = ds * k.w[cell.gamma + i * d + c];
            if (i < inputs)
                din[i * d + c] += dout[c] * g;
            else
                dsecond[wide + c] = dout[c] * g;
        }
    }
    __syncwarp();
    slt_warp_unnormalise(dsecond, hat, inverse[0], wide);
    __syncwarp();
    for (int c = slt_lane(); c < wide + d; c += SLT_WARP) kept[c] = dsecond[c];
}

// in and out: places in a kept row; dout and din of trajectory 0, and how far apart
template <int N>
SLT_DEVICE_INLINE void cell_backward(const slt_cuda_args &a, const walk &k,
                                     const slt_trajectory_group<N> &group, int number, int64_t in,
                                     int64_t out, float *dout, int dout_stride, float *din,
                                     int din_stride) {
    int d = k.o.d, inputs = number < k.o.n ? 2 : 1, skip = slt_ompn_skip(k.o, number);
    int left = inputs * d - skip;
    const float *turned = slt_at(a.shared);
    if (k.row >= 0)
        unmix(a, k, number, kept_row(a, k, k.row) + in, kept_row(a, k, k.row) + out,
              dout + k.j * dout_stride, din + k.j * din_stride);
    __syncthreads();
    slt_ompn_product<N>(turned + slt_ompn_turned2(k.o, number), 4 * d, (inputs + 2) * d, 4 * d,
                        k.dsecond, 4 * d, k.fours, k.parts);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < N * 4 * d; i += SLT_OMPN_THREADS) {
        int j = i / (4 * d), c = i % (4 * d), row = slt_group_row(group, j, k.t);
        float dh = 0;
        if (row >= 0) {
            bool on = kept_row(a, k, row)[slt_ompn_hidden(k.o, number) + c] > 0;
            dh = on ? slt_ompn_total<N>(k.parts, 4 * d, k.fours, j, c) : 0;
            work_row(a, slt_ompn_dhidden(k.o, number), row, 4 * d)[c] = dh;
        }
        k.dhidden[i] = dh;
    }
    __syncthreads();
    slt_ompn_product<N>(turned + slt_ompn_turned1(k.o, number) + skip, inputs * d, 4 * d, left,
                        k.dhidden, 4 * d, k.fours, k.parts);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < N * left; i += SLT_OMPN_THREADS)
        din[i / left * din_stride + skip + i % left] +=
            slt_ompn_total<N>(k.parts, left, k.fours, i / left, i % left);
    __syncthreads();
}

// ---- from the new memory to its terms, by the warp of the trajectory

SLT_DEVICE_INLINE void split_level(const slt_cuda_args &a, const walk &k, const slt_ompn_shares &s,
                                   int i) {
    int d = k.o.d, n = k.o.n, place = slt_ompn_pair_place(k.o, i) + d, at = k.j * n + i;
    const float *memory = kept_row(a, k, k.row) + slt_ompn_state(k.o) + place;
    const float *candidate = memory + d, *before = k.o.alias ? candidate : memory;
    const float *child = i > 0 ? child_of(a, k, i) : NULL, *outside = slt_at(a.out_grad[LEAF]);
    float *dmemory = my_dstate(k) + place, *dcandidate = dmemory + d, *dchild = k.dchild + at * d;
    float stay = 1 - s.cp[i], fresh = s.p[i] + (k.o.alias ? stay : 0), down = 1 - s.rcp[i];
    float dp = 0, dcp = 0, drcp = 0;
    if (i < n - 1) outside = NULL;
    for (int c = slt_lane(); c < d; c += SLT_WARP) {
        float dm = k.dmemory[at * d + c] + (outside ? outside[(int64_t)k.row * d + c] : 0);
        dmemory[c] = k.o.alias ? 0 : stay * dm;
        dcandidate[c] = fresh * dm;
        dchild[c] = down * dm;
        dp += dm * candidate[c];
        dcp -= dm * before[c];
        if (child) drcp -= dm * child[c];
    }
    dp = slt_warp_sum(dp);
    dcp = slt_warp_sum(dcp);
    drcp = slt_warp_sum(drcp);
    if (slt_lane() > 0) return;
    k.dp[at] = dp;
    k.dcp[at] = dcp;
    k.drcp[at] = drcp;
}

// from the parent of level i to its candidate, its own parent's child and its share
SLT_DEVICE_INLINE void bequeath(const slt_cuda_args &a, const walk &k, float share, int i) {
    int d = k.o.d, place = slt_ompn_pair_place(k.o, i) + 2 * d, at = k.j * k.o.n + i;
    const float *candidate = kept_row(a, k, k.row) + slt_ompn_state(k.o) + place;
    const float *child = i > 0 ? child_of(a, k, i) : NULL, *dparent = k.dparent + k.j * d;
    float *dcandidate = my_dstate(k) + place, *dchild = k.dchild + at * d, along = 0;
    for (int c = slt_lane(); c < d; c += SLT_WARP) {
        dcandidate[c] += share * dparent[c];
        dchild[c] += (1 - share) * dparent[c];
        along += dparent[c] * (candidate[c] - (child ? child[c] : 0));
    }
    along = slt_warp_sum(along);
    if (slt_lane() == 0) k.drcp[at] += along;
}

template <int N>
SLT_DEVICE_INLINE void undecompose(const slt_cuda_args &a, const walk &k,
                                   const slt_trajectory_group<N> &group, const slt_ompn_shares &s) {
    int d = k.o.d, n = k.o.n;
    for (int i = n - 2; i >= 0; i--) {
        int64_t family = slt_ompn_family(k.o, i);
        for (int c = (int)threadIdx.x; c < N * d; c += SLT_OMPN_THREADS) k.dparent[c] = 0;
        __syncthreads();
        cell_backward<N>(a, k, group, n + i, family, family + d, k.dchild + (i + 1) * d, n * d,
                         k.dparent, d);
        if (k.row >= 0) bequeath(a, k, s.rcp[i], i);
        __syncthreads();
    }
}

// ---- stick and gate

// d logit of every level, instead of dp
SLT_DEVICE_INLINE void unstick(const slt_cuda_args &a, const walk &k, const slt_ompn_shares &s) {
    int n = k.o.n;
    const float *outside = slt_at(a.out_grad[P_HAT]), *record = my_chance(k);
    float dbeta[SLT_OMPN_DEPTH], *dp = k.dp + k.j * n;
    if (outside) outside += (int64_t)k.row * (n + 1);
    slt_ompn_stick_gradient(record, &s, n, dp, k.dcp + k.j * n, k.drcp + k.j * n, outside, dbeta);
    for (int i = 0; i < n; i++) {
        dp[i] = dbeta[i] * record[i] * (1 - record[i]);
        work_row(a, slt_ompn_dlogit(k.o), k.row, n)[i] = dp[i];
    }
}

// one level: through the second layer of the gate and its leaky relu, into hidden; dx grows
SLT_DEVICE_INLINE void undecide_row(const slt_cuda_args &a, const walk &k, int i) {
    int d = k.o.d, n = k.o.n;
    const float *hidden = kept_row(a, k, k.row) + slt_ompn_gate_hidden(k.o, i);
    const float *w2 = k.w + slt_ompn_gate_at(n, d).w2;
    float *kept = work_row(a, slt_ompn_dgate_hidden(k.o), k.row, n * d) + i * d;
    float *dx = work_row(a, slt_ompn_dgate_x(k.o), k.row, d), dlogit = k.dp[k.j * n + i];
    for (int c = slt_lane(); c < d; c += SLT_WARP) {
        float dh = dlogit * w2[c] * (hidden[c] > 0 ? 1 : k.o.slope);
        k.dhidden[k.j * d + c] = kept[c] = dh;
        dx[c] = i > 0 ? dx[c] + dh : dh;
    }
}

template <int N>
SLT_DEVICE_INLINE void undecide(const slt_cuda_args &a, const walk &k, const slt_ompn_shares &s) {
    int d = k.o.d, stride = slt_ompn_state_size(k.o);
    if (k.row >= 0 && slt_lane() == 0) unstick(a, k, s);
    __syncwarp();
    for (int i = 0; i < k.o.n; i++) {
        float *to = k.dstate + slt_ompn_pair_place(k.o, i) + d;
        if (k.row >= 0) undecide_row(a, k, i);
        __syncthreads();
        slt_ompn_product<N>(slt_at(a.shared) + slt_ompn_turned_gate(k.o), 2 * d, d, 2 * d,
                            k.dhidden, d, k.fours, k.parts);
        __syncthreads();
        for (int c = (int)threadIdx.x; c < N * 2 * d; c += SLT_OMPN_THREADS)
            to[c / (2 * d) * stride + c % (2 * d)] +=
                slt_ompn_total<N>(k.parts, 2 * d, k.fours, c / (2 * d), c % (2 * d));
        __syncthreads();
    }
}

// ---- Com

template <int N>
SLT_DEVICE_INLINE void uncombine(const slt_cuda_args &a, const walk &k,
                                 const slt_trajectory_group<N> &group) {
    int d = k.o.d, stride = slt_ompn_state_size(k.o);
    for (int i = 0; i < k.o.n; i++) {
        int pair = slt_ompn_pair_place(k.o, i);
        int64_t in = slt_ompn_state(k.o) + pair;
        cell_backward<N>(a, k, group, i, in, in + 2 * d, k.dstate + pair + 2 * d, stride,
                         k.dstate + pair, stride);
    }
}

SLT_DEVICE_INLINE void clear_row(float *row, int width) {
    for (int c = slt_lane(); c < width; c += SLT_WARP) row[c] = 0;
}

// the first step has no candidates: nothing reaches Com and gate
SLT_DEVICE_INLINE void clear_first(const slt_cuda_args &a, const walk &k) {
    int d = k.o.d, n = k.o.n;
    for (int i = 0; i < n; i++) {
        clear_row(work_row(a, slt_ompn_dhidden(k.o, i), k.row, 4 * d), 4 * d);
        clear_row(work_row(a, slt_ompn_dsecond(k.o, i), k.row, 4 * d), 4 * d);
        clear_row(work_row(a, slt_ompn_dgates(k.o, i), k.row, 3 * d), 3 * d);
    }
    clear_row(work_row(a, slt_ompn_dgate_x(k.o), k.row, d), d);
    clear_row(work_row(a, slt_ompn_dgate_hidden(k.o), k.row, n * d), n * d);
    clear_row(work_row(a, slt_ompn_dlogit(k.o), k.row, n), n);
}

// ---- a step

// the chances of the row, then the terms of all levels
SLT_DEVICE_INLINE slt_ompn_shares split(const slt_cuda_args &a, const walk &k) {
    const float *kept = slt_at(a.aux) + slt_ompn_small(k.o, k.row) + slt_ompn_chance_place(k.o);
    for (int i = slt_lane(); i < slt_ompn_chances(k.o.n); i += SLT_WARP) my_chance(k)[i] = kept[i];
    __syncwarp();
    slt_ompn_shares s = slt_ompn_share(my_chance(k), k.o.n);
    for (int c = slt_lane(); c < k.o.d; c += SLT_WARP) my_dstate(k)[c] = 0;
    for (int i = 0; i < k.o.n; i++) split_level(a, k, s, i);
    return s;
}

// what reaches x by itself, and the memory of the step before
SLT_DEVICE_INLINE void hand_back(const slt_cuda_args &a, const walk &k) {
    int d = k.o.d, n = k.o.n;
    bool cut = k.o.bptt > 0 && k.t % k.o.bptt == 0;
    float *dx = slt_at(a.in_grad[X]);
    for (int c = slt_lane(); dx && c < d; c += SLT_WARP)
        slt_put(&dx[(int64_t)k.row * d + c], a.add[X], my_dstate(k)[c]);
    for (int i = 0; i < n; i++)
        for (int c = slt_lane(); c < d; c += SLT_WARP)
            k.dmemory[(k.j * n + i) * d + c] =
                cut ? 0 : my_dstate(k)[slt_ompn_pair_place(k.o, i) + d + c];
}

// arrays that products run over
SLT_DEVICE_INLINE void clear_tails(const slt_cuda_args &a, const slt_ompn_dims &o) {
    int count = slt_count(a, SLT_TOKENS, 0), d = o.d;
    float *work = slt_at(a.shared);
    if (a.in_grad[X].at && !a.add[X]) slt_clear_tail(slt_at(a.in_grad[X]), count, o.rows, d);
    for (int i = 0; i < slt_ompn_cells(o); i++) {
        slt_clear_tail(work + slt_ompn_dhidden(o, i), count, o.rows, 4 * d);
        slt_clear_tail(work + slt_ompn_dsecond(o, i), count, o.rows, (i < o.n ? 4 : 3) * d);
    }
    slt_clear_tail(work + slt_ompn_dgate_x(o), count, o.rows, d);
    slt_clear_tail(work + slt_ompn_dgate_hidden(o), count, o.rows, o.n * d);
}

template <int N> SLT_KERNEL __launch_bounds__(SLT_OMPN_THREADS) backward(const slt_cuda_args a) {
    slt_begin();
    SLT_DYNAMIC_SHARED(memory);
    walk k;
    slt_trajectory_group<N> group;
    open_walk<N>(a, memory, &k);
    clear_tails(a, k.o);
    slt_find_group(a, &group);
    for (int i = (int)threadIdx.x; i < N * walk_size(k.o); i += SLT_OMPN_THREADS) memory[i] = 0;
    __syncthreads();
    for (k.t = group.most - 1; k.t >= 0; k.t--) {
        slt_ompn_shares s = {{0}, {0}, {0}};
        k.row = slt_group_row(group, k.j, k.t);
        if (k.row >= 0) s = split(a, k);
        __syncthreads();
        undecompose<N>(a, k, group, s);
        if (k.t > 0) {
            undecide<N>(a, k, s);
            uncombine<N>(a, k, group);
        } else if (k.row >= 0)
            clear_first(a, k);
        if (k.row >= 0) hand_back(a, k);
        __syncthreads();
    }
}

// ---- products over all rows

// dx grows by what went through the first layers
static void unobserve(const slt_cuda_args *args, slt_ompn_dims o) {
    int d = o.d;
    float *w = args->in[W].at, *work = args->shared.at;
    int64_t weights = args->in[W].stride, each = args->shared.stride;
    if (!args->in_grad[X].at) return;
    for (int i = 0; i < slt_ompn_cells(o); i++) {
        slt_ompn_cell cell = slt_ompn_cell_number(o, i);
        slt_cuda_view kernel = {w + cell.w1 + (size_t)cell.inputs * 4 * (size_t)d * (size_t)d,
                                weights};
        slt_cuda_view leaf = {args->aux.at + slt_ompn_leaf_kernel(o), args->aux.stride};
        slt_cuda_view dhidden = {work + slt_ompn_dhidden(o, i), each};
        slt_cuda_gemm(args, false, true, o.rows, d, 4 * d, dhidden, 4 * d,
                      slt_ompn_skip(o, i) ? leaf : kernel, 4 * d, true, args->in_grad[X], d);
    }
    slt_cuda_view kernel = {w + slt_ompn_gate_at(o.n, d).w1, weights};
    slt_cuda_view dgate_x = {work + slt_ompn_dgate_x(o), each};
    slt_cuda_gemm(args, false, true, o.rows, d, d, dgate_x, d, kernel, d, true, args->in_grad[X],
                  d);
}

void slt_cuda_ompn_backward(const slt_cuda_args *args) {
    slt_ompn_dims o = slt_ompn_dims_of(*args);
    size_t each = (size_t)walk_size(o);
    int group = slt_ompn_group_size(args, each);
    dim3 grid = slt_grid(args, args->trajectories, group);
    dim3 tiles(16, 2 * (unsigned)slt_ompn_cells(o) + 1, (unsigned)args->members);
    size_t bytes = (size_t)group * each * sizeof(float);
    SLT_LAUNCH(args, turn_kernels, tiles, dim3(TILE, LANES, 1), 0);
    if (group == SLT_OMPN_GROUP)
        SLT_LAUNCH_LARGE(args, backward<SLT_OMPN_GROUP>, grid, SLT_OMPN_THREADS, bytes);
    else if (group == 4)
        SLT_LAUNCH_LARGE(args, backward<4>, grid, SLT_OMPN_THREADS, bytes);
    else
        SLT_LAUNCH_LARGE(args, backward<1>, grid, SLT_OMPN_THREADS, bytes);
    slt_cuda_ompn_weights(args);
    unobserve(args, o);
}
