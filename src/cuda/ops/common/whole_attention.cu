// Self-attention on tensor cores for sequences that fit into a block: a warp has 16 of up to 80
// rows of a head, and all keys and values are in shared memory at once. Backward is one launch: dq
// first, from keys and values; then queries and gradients take their place, for dk and dv.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/attention_steps.cuh"

enum { WARPS = 5, ROWS = 16 * WARPS, THREADS = WARPS * SLT_WARP };
template <class M> struct blocks { // of a multiprocessor at once, by the registers of a left factor
    enum { WORDS = sizeof(typename M::left) / 4, OF = WORDS <= 8 ? 4 : WORDS <= 16 ? 3 : 2 };
};

// ---- forward

// a score per key, -infinity where there is none, and the maximum of each row
template <class M, class T>
SLT_DEVICE_INLINE void score_all(const place &p, const typename M::left *q, const T &keys,
                                 float (*z)[1][4], float *most) {
    most[0] = most[1] = -INFINITY;
#pragma unroll
    for (int j = 0; j < ROWS / EIGHT; j++) {
        if (EIGHT * j < p.v.keys) keys.template scores<1>(z[j], q, EIGHT * j, p.g, p.t);
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (EIGHT * j + 2 * p.t + i % 2 >= p.v.keys) z[j][0][i] = -INFINITY;
            most[i / 2] = fmaxf(most[i / 2], z[j][0][i]);
        }
    }
    most[0] = slt_row_most(most[0]);
    most[1] = slt_row_most(most[1]);
}

template <class M, class K, class V>
SLT_DEVICE_INLINE void attend_all(const place &p, const typename M::left *q, const K &keys,
                                  const V &values, query_sums<M, 1> *s) {
    float z[ROWS / EIGHT][1][4];
    score_all<M>(p, q, keys, z, s->most[0]);
#pragma unroll
    for (int j = 0; j < ROWS / EIGHT; j++) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            z[j][0][i] = M::summed(slt_power(z[j][0][i] * p.factor - s->most[0][i / 2] * p.factor));
            s->sum[0][i / 2] += z[j][0][i];
        }
        if (j % 2 && EIGHT * (j - 1) < p.v.keys)
            values.template sums<1>(s->out, z + j - 1, EIGHT * (j - 1), p.g, p.t);
    }
}

template <class M>
SLT_KERNEL __launch_bounds__(THREADS, blocks<M>::OF)
    forward_whole(const __grid_constant__ slt_cuda_args a) {
    slt_begin();
    using row = typename M::row;
    alignas(16) __shared__ typename M::template tile<ROWS, SLT_FOR_SCORES> keys;
    alignas(16) __shared__ typename M::template tile<ROWS, SLT_FOR_SUMS> values;
    slt_clear_tail(slt_rows_at<row>(a.out[0]), slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0),
                   a.out_rows[0], a.out_width[0]);
    if (!slt_attention_there(a, block_sequence(a, (int)blockIdx.x, 1))) return;
    place p = place_at(a, (int)blockIdx.x, 1, WARPS, 1);
    const row *q = slt_rows_at<row>(a.in[0]) + slt_attention_place(p.v, 0, 0);
    int64_t stride = 3 * p.v.width;
    typename M::left left[1];
    query_sums<M, 1> s = {};
    rows_ahead<M, ROWS, THREADS> k, v;
    k.load(q + p.v.width, stride, 0, p.v.keys, p.v.size);
    v.load(q + 2 * p.v.width, stride, 0, p.v.keys, p.v.size);
    load_factors<M, 1>(left, p, q, stride);
    k.store(&keys);
    v.store(&values);
    __syncthreads();
    if (p.first >= p.v.run.computed) return;
    attend_all<M>(p, left, keys, values, &s);
    finish_queries<M, 1>(a, p, s);
}

// ---- backward

// what is in shared memory: first for dq, then for dk and dv
template <class M> union backward_tiles {
    typedef typename M::template tile<ROWS, SLT_FOR_SCORES | SLT_FOR_SUMS> both;
    struct {
        both keys;
        typename M::template tile<ROWS, SLT_FOR_SCORES> values;
    } first;
    struct {
        both queries, douts;
    } second;
};

// dq of the warp's rows, and what their probabilities need for dk and dv
template <class M>
SLT_DEVICE_INLINE void find_queries(const slt_cuda_args &a, const place &p,
                                    const typename M::left *q, const typename M::left *dout,
                                    const backward_tiles<M> &tiles, float2 *kept) {
    query_gradients<M, 1> s = {};
    load_along<M, 1>(a, p, s.log, s.along);
#pragma unroll 1
    for (int j = 0; j < ROWS; j += SIXTEEN)
        if (j < p.v.keys && p.first < p.v.run.computed)
            add_keys<M, 1>(p, q, dout, tiles.first.keys, tiles.first.values, j, j, &s);
    store_queries<M, 1>(a, p, &s);
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = p.first + 8 * r + p.g;
        bool there = l < p.v.run.computed; // others count nothing
        float2 own = {there ? s.log[0][r] : INFINITY, there ? s.along[0][r] : 0};
        if (p.t == 0) kept[l] = own;
    }
}

template <class M>
SLT_KERNEL __launch_bounds__(THREADS, blocks<M>::OF)
    backward_whole(const __grid_constant__ slt_cuda_args a) {
    slt_begin();
    using row = typename M::row;
    alignas(16) __shared__ backward_tiles<M> tiles;
    alignas(16) __shared__ float2 kept[ROWS];
    if (!a.add[0])
        slt_clear_tail(slt_rows_at<row>(a.in_grad[0]),
                       slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0), a.in_rows[0],
                       a.in_width[0]);
    if (!slt_attention_there(a, block_sequence(a, (int)blockIdx.x, 1))) return;
    place p = place_at(a, (int)blockIdx.x, 1, WARPS, 1);
    const row *q = slt_rows_at<row>(a.in[0]) + slt_attention_place(p.v, 0, 0);
    const row *k = q + p.v.width, *v = k + p.v.width;
    const row *dout = slt_rows_at<row>(a.out_grad[0]) + slt_attention_out(p.v, 0);
    int64_t stride = 3 * p.v.width;
    int rows = p.v.run.computed;
    typename M::left left[2];
    rows_ahead<M, ROWS, THREADS> one, other;
    one.load(k, stride, 0, p.v.keys, p.v.size);
    other.load(v, stride, 0, p.v.keys, p.v.size);
    load_factors<M, 1>(left, p, q, stride);
    load_factors<M, 1>(left + 1, p, dout, p.v.width);
    one.store(&tiles.first.keys);
    other.store(&tiles.first.values);
    __syncthreads();
    one.load(q, stride, 0, rows, p.v.size);
    other.load(dout, p.v.width, 0, rows, p.v.size);
    find_queries<M>(a, p, left, left + 1, tiles, kept);
    __syncthreads();
    one.store(&tiles.second.queries);
    other.store(&tiles.second.douts);
    load_factors<M, 1>(left, p, k, stride);
    load_factors<M, 1>(left + 1, p, v, stride);
    __syncthreads();
    float dk[1][M::SIZE / 8][4] = {}, dv[1][M::SIZE / 8][4] = {};
#pragma unroll 1
    for (int j = 0; j < ROWS; j += SIXTEEN)
        if (j < rows && p.first < p.v.keys)
            add_queries<M, 1>(p, left, left + 1, tiles.second.queries, tiles.second.douts, kept, j,
                              dk, dv);
    store_keys<M, 1>(a, p, dk, dv);
}

// ---- launches

template <class M> struct whole {
    static void run(const slt_cuda_args *args, bool back) {
        if (back)
            SLT_LAUNCH(args, backward_whole<M>, grid_of(args, 1), THREADS, 0);
        else
            SLT_LAUNCH(args, forward_whole<M>, grid_of(args, 1), THREADS, 0);
    }
};

// brief sequences would leave most of its warps without rows
bool slt_cuda_whole_fits(const slt_cuda_args *args) {
    return launcher_of<whole>(args) && args->length <= ROWS && !are_brief(args);
}

void slt_cuda_whole_attention(const slt_cuda_args *args, bool backward) {
    launcher_of<whole>(args)(args, backward);
}
