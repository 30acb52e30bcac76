// Self-attention inside each sequence on tensor cores, tf32 or bf16, for sequences of any length
// and heads of up to 64 numbers: nothing of L² is stored. A block has 64 or 128 rows of a head, 16
// or 32 of them a warp, as left factors in registers; tiles of the other rows pass through shared
// memory, rounded, the next one on its way while this one is used. Forward has running maxima.
// Backward computes probabilities again: first dq, a block of queries that walks over keys, which
// leaves o·do; then dk and dv, a block of keys that walks over queries. Kept of a row and head: the
// logarithm of its sum, base 2, and room for o·do. The order of terms is as in tensor_attention.cu.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/attention_steps.cuh"

enum { GROUP = 32, BACK = 32 }; // keys of a maximum; rows of a tile, backward

// of a block: warps, sixteens of queries or keys of each, rows of a tile, forward; blocks at once.
// Brief sequences have small blocks
template <class M, bool BRIEF> struct plan_of {
    enum { SIZE = M::SIZE, LEFT = sizeof(typename M::left) / 4 }; // registers of a left factor
    enum { WARPS = BRIEF ? 2 : 4, THREADS = WARPS * SLT_WARP };
    enum { FORWARD = BRIEF ? 1 : 2, BACKWARD = BRIEF || LEFT > 16 ? 1 : 2 };
    enum { KEYS = BRIEF || SIZE > 32 ? 1 : 2 };
    enum { TILE = BRIEF || SIZE > 32 ? 32 : 64, BLOCKS = (SIZE <= 16 ? 16 : 8) / WARPS };
};

// ---- forward

// products of 32 keys, their maxima; of the last ones, -infinity where there is no key
template <class M, int N, bool LAST, class T>
SLT_DEVICE_INLINE void score(const place &p, const typename M::left *q, const T &keys, int row,
                             int key, float (*z)[N][4], float (*most)[2]) {
#pragma unroll
    for (int j = 0; j < GROUP / EIGHT; j++) {
        keys.template scores<N>(z[j], q, row + EIGHT * j, p.g, p.t);
#pragma unroll
        for (int i = 0; i < 4 * N; i++) {
            float *own = &z[j][i / 4][i % 4];
            if (LAST && key + EIGHT * j + 2 * p.t + i % 2 >= p.v.keys) *own = -INFINITY;
            most[i / 4][i % 4 / 2] = fmaxf(most[i / 4][i % 4 / 2], *own);
        }
    }
#pragma unroll
    for (int i = 0; i < 2 * N; i++) most[i / 2][i % 2] = slt_row_most(most[i / 2][i % 2]);
}

// the share of 32 keys, from `row` of the tiles on; the maximum may move
template <class M, int N, class K, class V>
SLT_DEVICE_INLINE void attend(const place &p, const typename M::left *q, const K &keys,
                              const V &values, int row, int key, query_sums<M, N> *s) {
    float z[GROUP / EIGHT][N][4], higher[N][2];
#pragma unroll
    for (int i = 0; i < 2 * N; i++) higher[i / 2][i % 2] = s->most[i / 2][i % 2];
    if (key + GROUP <= p.v.keys)
        score<M, N, false>(p, q, keys, row, key, z, higher);
    else
        score<M, N, true>(p, q, keys, row, key, z, higher);
#pragma unroll
    for (int i = 0; i < 2 * N; i++) {
        int m = i / 2, r = i % 2;
        float shrink = slt_power((s->most[m][r] - higher[m][r]) * p.factor);
        s->most[m][r] = higher[m][r];
        s->sum[m][r] *= shrink;
#pragma unroll
        for (int n = 0; n < M::SIZE / 8; n++)
            s->out[m][n][2 * r] *= shrink, s->out[m][n][2 * r + 1] *= shrink;
    }
#pragma unroll
    for (int j = 0; j < GROUP / EIGHT; j++) {
#pragma unroll
        for (int i = 0; i < 4 * N; i++) {
            int m = i / 4, r = i % 4 / 2;
            z[j][m][i % 4] =
                M::summed(slt_power(z[j][m][i % 4] * p.factor - s->most[m][r] * p.factor));
            s->sum[m][r] += z[j][m][i % 4];
        }
        if (j % 2) values.template sums<N>(s->out, z + j - 1, row + EIGHT * (j - 1), p.g, p.t);
    }
}

template <class M, bool BRIEF>
SLT_KERNEL __launch_bounds__(plan_of<M, BRIEF>::THREADS, plan_of<M, BRIEF>::BLOCKS)
    forward(const __grid_constant__ slt_cuda_args a, int chunks) {
    slt_begin();
    using plan = plan_of<M, BRIEF>;
    using row = typename M::row;
    enum { N = plan::FORWARD, TILE = plan::TILE };
    alignas(16) __shared__ typename M::template tile<TILE, SLT_FOR_SCORES> keys[2];
    alignas(16) __shared__ typename M::template tile<TILE, SLT_FOR_SUMS> values[2];
    slt_clear_tail(slt_rows_at<row>(a.out[0]), slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0),
                   a.out_rows[0], a.out_width[0]);
    if (!slt_attention_there(a, block_sequence(a, (int)blockIdx.x, chunks))) return;
    place p = place_at(a, (int)blockIdx.x, chunks, plan::WARPS, N);
    if (p.begin >= p.v.run.computed) return;
    const row *q = slt_rows_at<row>(a.in[0]) + slt_attention_place(p.v, 0, 0);
    const row *k = q + p.v.width, *v = k + p.v.width;
    int64_t stride = 3 * p.v.width;
    typename M::left left[N];
    query_sums<M, N> s = {};
#pragma unroll
    for (int i = 0; i < 2 * N; i++) s.most[i / 2][i % 2] = -INFINITY;
    load_factors<M, N>(left, p, q, stride);
    rows_ahead<M, TILE, plan::THREADS> next_k, next_v;
    next_k.load(k, stride, 0, p.v.keys, p.v.size);
    next_v.load(v, stride, 0, p.v.keys, p.v.size);
    for (int tile = 0, at = 0; tile < p.v.keys; tile += TILE, at ^= 1) {
        next_k.store(&keys[at]);
        next_v.store(&values[at]);
        __syncthreads();
        if (tile + TILE < p.v.keys) {
            next_k.load(k, stride, tile + TILE, p.v.keys, p.v.size);
            next_v.load(v, stride, tile + TILE, p.v.keys, p.v.size);
        }
        for (int i = 0; i < TILE && p.first < p.v.run.computed; i += GROUP)
            if (tile + i < p.v.keys) attend<M, N>(p, left, keys[at], values[at], i, tile + i, &s);
    }
    if (p.first < p.v.run.computed) finish_queries<M, N>(a, p, s);
}

// ---- backward

template <class M, bool BRIEF>
SLT_KERNEL __launch_bounds__(plan_of<M, BRIEF>::THREADS, plan_of<M, BRIEF>::BLOCKS)
    backward_queries(const __grid_constant__ slt_cuda_args a, int chunks) {
    slt_begin();
    using plan = plan_of<M, BRIEF>;
    using row = typename M::row;
    enum { N = plan::BACKWARD };
    alignas(16) __shared__ typename M::template tile<BACK, SLT_FOR_SCORES | SLT_FOR_SUMS> keys[2];
    alignas(16) __shared__ typename M::template tile<BACK, SLT_FOR_SCORES> values[2];
    if (!a.add[0])
        slt_clear_tail(slt_rows_at<row>(a.in_grad[0]),
                       slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0), a.in_rows[0],
                       a.in_width[0]);
    if (!slt_attention_there(a, block_sequence(a, (int)blockIdx.x, chunks))) return;
    place p = place_at(a, (int)blockIdx.x, chunks, plan::WARPS, N);
    if (p.begin >= p.v.run.computed) return;
    const row *q = slt_rows_at<row>(a.in[0]) + slt_attention_place(p.v, 0, 0);
    const row *k = q + p.v.width, *v = k + p.v.width;
    int64_t stride = 3 * p.v.width;
    typename M::left left[N], dout[N];
    query_gradients<M, N> s = {};
    load_factors<M, N>(left, p, q, stride);
    load_factors<M, N>(dout, p, slt_rows_at<row>(a.out_grad[0]) + slt_attention_out(p.v, 0),
                       p.v.width);
    load_along<M, N>(a, p, s.log, s.along);
    rows_ahead<M, BACK, plan::THREADS> next_k, next_v;
    next_k.load(k, stride, 0, p.v.keys, p.v.size);
    next_v.load(v, stride, 0, p.v.keys, p.v.size);
    for (int tile = 0, at = 0; tile < p.v.keys; tile += BACK, at ^= 1) {
        next_k.store(&keys[at]);
        next_v.store(&values[at]);
        __syncthreads();
        if (tile + BACK < p.v.keys) {
            next_k.load(k, stride, tile + BACK, p.v.keys, p.v.size);
            next_v.load(v, stride, tile + BACK, p.v.keys, p.v.size);
        }
#pragma unroll
        for (int j = 0; j < BACK; j += SIXTEEN)
            if (tile + j < p.v.keys && p.first < p.v.run.computed)
                add_keys<M, N>(p, left, dout, keys[at], values[at], j, tile + j, &s);
    }
    store_queries<M, N>(a, p, &s);
    keep_along<N>(a, p, s.along);
}

// what is kept of a tile's queries on its way: the logarithm, o·do; queries that are not there
// count nothing
SLT_DEVICE_INLINE float2 load_kept(const slt_cuda_args &a, const place &p, int l) {
    float2 kept = {INFINITY, 0};
    if (l < p.v.run.computed) kept = *(const float2 *)(slt_at(a.aux) + slt_attention_kept(p.v, l));
    return kept;
}

template <class M, bool BRIEF>
SLT_KERNEL __launch_bounds__(plan_of<M, BRIEF>::THREADS, plan_of<M, BRIEF>::BLOCKS)
    backward_keys(const __grid_constant__ slt_cuda_args a, int chunks) {
    slt_begin();
    using plan = plan_of<M, BRIEF>;
    using row = typename M::row;
    enum { N = plan::KEYS };
    alignas(16) __shared__ typename M::template tile<BACK, SLT_FOR_SCORES | SLT_FOR_SUMS>
        queries[2], douts[2];
    alignas(16) __shared__ float2 kept[2][BACK];
    if (!slt_attention_there(a, block_sequence(a, (int)blockIdx.x, chunks))) return;
    place p = place_at(a, (int)blockIdx.x, chunks, plan::WARPS, N);
    if (p.begin >= p.v.run.computed) return;
    const row *q = slt_rows_at<row>(a.in[0]) + slt_attention_place(p.v, 0, 0);
    const row *dout = slt_rows_at<row>(a.out_grad[0]) + slt_attention_out(p.v, 0);
    int64_t stride = 3 * p.v.width;
    typename M::left k[N], v[N];
    float dk[N][M::SIZE / 8][4] = {}, dv[N][M::SIZE / 8][4] = {};
    load_factors<M, N>(k, p, q + p.v.width, stride);
    load_factors<M, N>(v, p, q + 2 * p.v.width, stride);
    rows_ahead<M, BACK, plan::THREADS> next_q, next_d;
    float2 next_kept = load_kept(a, p, (int)threadIdx.x % BACK);
    int end = p.begin < p.v.keys ? p.v.run.computed : 0; // rows that are no keys have no part
    next_q.load(q, stride, 0, p.v.run.computed, p.v.size);
    next_d.load(dout, p.v.width, 0, p.v.run.computed, p.v.size);
    for (int tile = 0, at = 0; tile < end; tile += BACK, at ^= 1) {
        next_q.store(&queries[at]);
        next_d.store(&douts[at]);
        if (threadIdx.x < BACK) kept[at][threadIdx.x] = next_kept;
        __syncthreads();
        if (tile + BACK < end) {
            next_q.load(q, stride, tile + BACK, end, p.v.size);
            next_d.load(dout, p.v.width, tile + BACK, end, p.v.size);
            next_kept = load_kept(a, p, tile + BACK + (int)threadIdx.x % BACK);
        }
#pragma unroll
        for (int j = 0; j < BACK; j += SIXTEEN)
            if (tile + j < end && p.first < p.v.keys)
                add_queries<M, N>(p, k, v, queries[at], douts[at], kept[at], j, dk, dv);
    }
    store_keys<M, N>(a, p, dk, dv);
}

// ---- launches

template <class M, bool BRIEF> static void launch(const slt_cuda_args *args, bool back) {
    using plan = plan_of<M, BRIEF>;
    int rows = 16 * plan::WARPS * (back ? plan::BACKWARD : plan::FORWARD);
    int queries = slt_pieces(args->length, rows);
    int keys = slt_pieces(args->length, 16 * plan::WARPS * plan::KEYS);
    dim3 grid = grid_of(args, queries);
    if (!back) {
        SLT_LAUNCH(args, (forward<M, BRIEF>), grid, plan::THREADS, 0, queries);
        return;
    }
    SLT_LAUNCH(args, (backward_queries<M, BRIEF>), grid, plan::THREADS, 0, queries);
    SLT_LAUNCH(args, (backward_keys<M, BRIEF>), grid_of(args, keys), plan::THREADS, 0, keys);
}

template <class M> struct tiled {
    static void run(const slt_cuda_args *args, bool back) {
        (are_brief(args) ? launch<M, true> : launch<M, false>)(args, back);
    }
};

bool slt_cuda_tiled_fits(const slt_cuda_args *args) { return launcher_of<tiled>(args); }

void slt_cuda_tiled_attention(const slt_cuda_args *args, bool backward) {
    launcher_of<tiled>(args)(args, backward);
}
