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
#include "cuda/kernels/attention_math.cuh"
#include "cuda/kernels/attention_view.cuh"

enum { EIGHT = 8, SIXTEEN = 16, GROUP = 32, TILE = 32 }; // keys of a maximum; rows, backward

// of a block: warps, sixteens of rows of each, rows of a tile; blocks at once. Brief sequences have
// small blocks
template <int SIZE, bool BRIEF> struct plan_of {
    enum { WARPS = BRIEF ? 2 : 4, THREADS = WARPS * SLT_WARP };
    enum { FORWARD = BRIEF ? 1 : 2, BACKWARD = BRIEF || SIZE > 32 ? 1 : 2 };
    enum { KEYS = BRIEF || SIZE > 32 ? 32 : 64, BLOCKS = (SIZE <= 16 ? 16 : 8) / WARPS };
};

// a warp's place: rows `first` on of a head
typedef struct {
    slt_attention_view v;
    int first; // row of the warp
    int begin; // row of the block
    int g, t;
    float factor; // scale·log2(e)
} place;

// blocks of a sequence are next to each other: they read the same rows
SLT_DEVICE_INLINE int block_sequence(const slt_cuda_args &a, int chunks) {
    return (int)blockIdx.x / (chunks * a.n[SLT_ATTENTION_HEADS]);
}
SLT_DEVICE_INLINE place place_at(const slt_cuda_args &a, int chunks, int warps, int sixteens) {
    int lane = (int)threadIdx.x % SLT_WARP, own = (int)blockIdx.x;
    place p;
    p.v = slt_attention_view_at(a, block_sequence(a, chunks),
                                own / chunks % a.n[SLT_ATTENTION_HEADS]);
    p.begin = own % chunks * warps * 16 * sixteens;
    p.first = p.begin + (int)threadIdx.x / SLT_WARP * 16 * sixteens;
    p.g = lane / 4;
    p.t = lane % 4;
    p.factor = p.v.scale * 1.44269504f;
    return p;
}

// ---- rows

// numbers c .. c+3 of a row, zeros beyond it; sizes are multiples of four
template <class T>
SLT_DEVICE_INLINE typename slt_four_in<T>::type load_four(const T *row, int c, int size) {
    typedef typename slt_four_in<T>::type four;
    four none = {};
    return c < size ? *(const four *)(row + c) : none;
}

// so many rows of a head on their way to shared memory, a thread's fours of pairs of them
template <class M, int ROWS, int THREADS> struct rows_ahead {
    enum { FOURS = M::SIZE / 4, ALL = ROWS / 2 * FOURS, EACH = (ALL + THREADS - 1) / THREADS };
    typename slt_four_in<typename M::row>::type x[EACH][2];
    __device__ __forceinline__ void load(const typename M::row *from, int64_t stride, int first,
                                         int end, int size) {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            int i = (int)threadIdx.x + k * THREADS, l = first + i / FOURS * 2, c = i % FOURS * 4;
            if (ALL % THREADS && i >= ALL) break;
            x[k][0] = load_four(from + slt_least(l, end - 1) * stride, c, size);
            x[k][1] = load_four(from + slt_least(l + 1, end - 1) * stride, c, size);
        }
    }
    template <class T> __device__ __forceinline__ void store(T *tile) const {
#pragma unroll
        for (int k = 0; k < EACH; k++) {
            int i = (int)threadIdx.x + k * THREADS;
            if (ALL % THREADS && i >= ALL) break;
            tile->put(i / FOURS, i % FOURS * 4, x[k][0], x[k][1]);
        }
    }
};

// rows of memory as left factors, sixteens
template <class M, int N>
SLT_DEVICE_INLINE void load_factors(typename M::left *a, const place &p,
                                    const typename M::row *from, int64_t stride) {
#pragma unroll
    for (int i = 0; i < N * (M::SIZE / 16); i++) {
        int m = i / (M::SIZE / 16), c = i % (M::SIZE / 16), l = p.first + 16 * m + p.g;
        const typename M::row *first = from + slt_least(l, p.v.run.computed - 1) * stride;
        const typename M::row *second = from + slt_least(l + 8, p.v.run.computed - 1) * stride;
        a[m].put(c, load_four(first, 16 * c + 4 * p.t, p.v.size),
                 load_four(second, 16 * c + 4 * p.t, p.v.size));
    }
}

// rows of a result times `by`, those before `end`
template <int SIZE, class T>
SLT_DEVICE_INLINE void store_rows(T *to, int64_t stride, const place &p, int m, const float (*x)[4],
                                  const float *by, bool add) {
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = p.first + 16 * m + 8 * r + p.g;
        if (l >= p.v.run.computed) continue;
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++)
            if (8 * n + 2 * p.t < p.v.size)
                slt_put_pair(to + l * stride + 8 * n + 2 * p.t, add, x[n][2 * r] * by[r],
                             x[n][2 * r + 1] * by[r]);
    }
}

// ---- forward

// sums of a warp's queries so far
template <class M, int N> struct query_sums {
    float most[N][2], sum[N][2], out[N][M::SIZE / 8][4];
};

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
            z[j][m][i % 4] = slt_power(z[j][m][i % 4] * p.factor - s->most[m][r] * p.factor);
            s->sum[m][r] += z[j][m][i % 4];
        }
        if (j % 2) values.template sums<N>(s->out, z + j - 1, row + EIGHT * (j - 1), p.g, p.t);
    }
}

template <class M, int N>
SLT_DEVICE_INLINE void finish_queries(const slt_cuda_args &a, const place &p,
                                      const query_sums<M, N> &s) {
    typename M::row *out = slt_rows_at<typename M::row>(a.out[0]) + slt_attention_out(p.v, 0);
#pragma unroll
    for (int m = 0; m < N; m++) {
        float inverse[2];
#pragma unroll
        for (int r = 0; r < 2; r++) {
            int l = p.first + 16 * m + 8 * r + p.g;
            float sum = slt_row_sum(s.sum[m][r]);
            inverse[r] = 1 / sum;
            if (p.t == 0 && l < p.v.run.computed)
                slt_at(a.aux)[slt_attention_kept(p.v, l)] = s.most[m][r] * p.factor + log2f(sum);
        }
        store_rows<M::SIZE>(out, p.v.width, p, m, s.out[m], inverse, false);
    }
}

template <class M, bool BRIEF>
SLT_KERNEL __launch_bounds__(plan_of<M::SIZE, BRIEF>::THREADS, plan_of<M::SIZE, BRIEF>::BLOCKS)
    forward(const __grid_constant__ slt_cuda_args a, int chunks) {
    slt_begin();
    using plan = plan_of<M::SIZE, BRIEF>;
    using row = typename M::row;
    enum { N = plan::FORWARD, KEYS = plan::KEYS };
    alignas(16) __shared__ typename M::template tile<KEYS, SLT_FOR_SCORES> keys[2];
    alignas(16) __shared__ typename M::template tile<KEYS, SLT_FOR_SUMS> values[2];
    slt_clear_tail(slt_rows_at<row>(a.out[0]), slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0),
                   a.out_rows[0], a.out_width[0]);
    if (!slt_attention_there(a, block_sequence(a, chunks))) return;
    place p = place_at(a, chunks, plan::WARPS, N);
    if (p.begin >= p.v.run.computed) return;
    const row *q = slt_rows_at<row>(a.in[0]) + slt_attention_place(p.v, 0, 0);
    const row *k = q + p.v.width, *v = k + p.v.width;
    int64_t stride = 3 * p.v.width;
    typename M::left left[N];
    query_sums<M, N> s = {};
#pragma unroll
    for (int i = 0; i < 2 * N; i++) s.most[i / 2][i % 2] = -INFINITY;
    load_factors<M, N>(left, p, q, stride);
    rows_ahead<M, KEYS, plan::THREADS> next_k, next_v;
    next_k.load(k, stride, 0, p.v.keys, p.v.size);
    next_v.load(v, stride, 0, p.v.keys, p.v.size);
    for (int tile = 0, at = 0; tile < p.v.keys; tile += KEYS, at ^= 1) {
        next_k.store(&keys[at]);
        next_v.store(&values[at]);
        __syncthreads();
        if (tile + KEYS < p.v.keys) {
            next_k.load(k, stride, tile + KEYS, p.v.keys, p.v.size);
            next_v.load(v, stride, tile + KEYS, p.v.keys, p.v.size);
        }
        for (int i = 0; i < KEYS && p.first < p.v.run.computed; i += GROUP)
            if (tile + i < p.v.keys) attend<M, N>(p, left, keys[at], values[at], i, tile + i, &s);
    }
    if (p.first < p.v.run.computed) finish_queries<M, N>(a, p, s);
}

// ---- backward: p = 2^(z·factor - kept), ds = p(do·v - o·do)·scale

// o·do of the warp's queries, left for the keys' blocks
template <int N, class T>
SLT_DEVICE_INLINE void load_along(const slt_cuda_args &a, const place &p, float (*log)[2],
                                  float (*along)[2]) {
#pragma unroll
    for (int i = 0; i < 2 * N; i++) {
        int l = p.first + 16 * (i / 2) + 8 * (i % 2) + p.g;
        int there = slt_least(l, p.v.run.computed - 1);
        int64_t at = slt_attention_out(p.v, there);
        float sum = 0, *kept = slt_at(a.aux) + slt_attention_kept(p.v, there);
        for (int c = 4 * p.t; c < p.v.size; c += 16) {
            float4 x = slt_four_of(load_four(slt_rows_at<T>(a.out[0]) + at, c, p.v.size));
            float4 y = slt_four_of(load_four(slt_rows_at<T>(a.out_grad[0]) + at, c, p.v.size));
            sum += (x.x * y.x + x.y * y.y) + (x.z * y.z + x.w * y.w);
        }
        along[i / 2][i % 2] = slt_row_sum(sum);
        log[i / 2][i % 2] = kept[0];
        if (p.t == 0 && l == there) kept[1] = along[i / 2][i % 2];
    }
}

// the share of 16 keys, from `row` of the tiles on, in dq
template <class M, int N, class K, class V>
SLT_DEVICE_INLINE void add_keys(const place &p, const typename M::left *q,
                                const typename M::left *dout, const K &keys, const V &values,
                                int row, int key, const float (*log)[2], const float (*along)[2],
                                float (*dq)[M::SIZE / 8][4]) {
    float ds[2][N][4];
#pragma unroll
    for (int j = 0; j < 2; j++) {
        float z[N][4];
        keys.template scores<N>(z, q, row + EIGHT * j, p.g, p.t);
        values.template scores<N>(ds[j], dout, row + EIGHT * j, p.g, p.t);
#pragma unroll
        for (int i = 0; i < 4 * N; i++) {
            int m = i / 4, e = i % 4;
            float x = slt_power(z[m][e] * p.factor - log[m][e / 2]);
            bool there = key + EIGHT * j + 2 * p.t + e % 2 < p.v.keys;
            ds[j][m][e] = there ? x * (ds[j][m][e] - along[m][e / 2]) : 0;
        }
    }
    keys.template sums<N>(dq, ds, row, p.g, p.t);
}

template <class M, bool BRIEF>
SLT_KERNEL __launch_bounds__(plan_of<M::SIZE, BRIEF>::THREADS, plan_of<M::SIZE, BRIEF>::BLOCKS)
    backward_queries(const __grid_constant__ slt_cuda_args a, int chunks) {
    slt_begin();
    using plan = plan_of<M::SIZE, BRIEF>;
    using row = typename M::row;
    enum { N = plan::BACKWARD };
    alignas(16) __shared__ typename M::template tile<TILE, SLT_FOR_SCORES | SLT_FOR_SUMS> keys[2];
    alignas(16) __shared__ typename M::template tile<TILE, SLT_FOR_SCORES> values[2];
    if (!a.add[0])
        slt_clear_tail(slt_rows_at<row>(a.in_grad[0]),
                       slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0), a.in_rows[0],
                       a.in_width[0]);
    if (!slt_attention_there(a, block_sequence(a, chunks))) return;
    place p = place_at(a, chunks, plan::WARPS, N);
    if (p.begin >= p.v.run.computed) return;
    const row *q = slt_rows_at<row>(a.in[0]) + slt_attention_place(p.v, 0, 0);
    const row *k = q + p.v.width, *v = k + p.v.width;
    int64_t stride = 3 * p.v.width;
    typename M::left left[N], dout[N];
    float dq[N][M::SIZE / 8][4] = {}, log[N][2], along[N][2], by[2] = {p.v.scale, p.v.scale};
    load_factors<M, N>(left, p, q, stride);
    load_factors<M, N>(dout, p, slt_rows_at<row>(a.out_grad[0]) + slt_attention_out(p.v, 0),
                       p.v.width);
    load_along<N, row>(a, p, log, along);
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
#pragma unroll
        for (int j = 0; j < TILE; j += SIXTEEN)
            if (tile + j < p.v.keys && p.first < p.v.run.computed)
                add_keys<M, N>(p, left, dout, keys[at], values[at], j, tile + j, log, along, dq);
    }
#pragma unroll
    for (int m = 0; m < N; m++)
        store_rows<M::SIZE>(slt_rows_at<row>(a.in_grad[0]) + slt_attention_place(p.v, 0, 0), stride,
                            p, m, dq[m], by, a.add[0]);
}

// what is kept of a tile's queries on its way: the logarithm, o·do; queries that are not there
// count nothing
SLT_DEVICE_INLINE float2 load_kept(const slt_cuda_args &a, const place &p, int l) {
    float2 kept = {INFINITY, 0};
    if (l < p.v.run.computed) kept = *(const float2 *)(slt_at(a.aux) + slt_attention_kept(p.v, l));
    return kept;
}

// the share of 16 queries, from `row` of the tiles on, in dk and dv
template <class M, int N, class T>
SLT_DEVICE_INLINE void add_queries(const place &p, const typename M::left *k,
                                   const typename M::left *v, const T &queries, const T &douts,
                                   const float2 *kept, int row, float (*dk)[M::SIZE / 8][4],
                                   float (*dv)[M::SIZE / 8][4]) {
    float z[2][N][4], ds[2][N][4];
#pragma unroll
    for (int j = 0; j < 2; j++) {
        int own = row + EIGHT * j + 2 * p.t;
        float2 of[2] = {kept[own], kept[own + 1]};
        queries.template scores<N>(z[j], k, row + EIGHT * j, p.g, p.t);
        douts.template scores<N>(ds[j], v, row + EIGHT * j, p.g, p.t);
#pragma unroll
        for (int i = 0; i < 4 * N; i++) {
            int m = i / 4, e = i % 4;
            z[j][m][e] = slt_power(z[j][m][e] * p.factor - of[e % 2].x);
            ds[j][m][e] = z[j][m][e] * (ds[j][m][e] - of[e % 2].y);
        }
    }
    queries.template sums<N>(dk, ds, row, p.g, p.t);
    douts.template sums<N>(dv, z, row, p.g, p.t);
}

template <class M, bool BRIEF>
SLT_KERNEL __launch_bounds__(plan_of<M::SIZE, BRIEF>::THREADS, plan_of<M::SIZE, BRIEF>::BLOCKS)
    backward_keys(const __grid_constant__ slt_cuda_args a, int chunks) {
    slt_begin();
    using plan = plan_of<M::SIZE, BRIEF>;
    using row = typename M::row;
    enum { N = plan::BACKWARD };
    alignas(16) __shared__ typename M::template tile<TILE, SLT_FOR_SCORES | SLT_FOR_SUMS>
        queries[2], douts[2];
    alignas(16) __shared__ float2 kept[2][TILE];
    if (!slt_attention_there(a, block_sequence(a, chunks))) return;
    place p = place_at(a, chunks, plan::WARPS, N);
    if (p.begin >= p.v.run.computed) return;
    const row *q = slt_rows_at<row>(a.in[0]) + slt_attention_place(p.v, 0, 0);
    const row *dout = slt_rows_at<row>(a.out_grad[0]) + slt_attention_out(p.v, 0);
    int64_t stride = 3 * p.v.width;
    typename M::left k[N], v[N];
    float dk[N][M::SIZE / 8][4] = {}, dv[N][M::SIZE / 8][4] = {};
    load_factors<M, N>(k, p, q + p.v.width, stride);
    load_factors<M, N>(v, p, q + 2 * p.v.width, stride);
    rows_ahead<M, TILE, plan::THREADS> next_q, next_d;
    float2 next_kept = load_kept(a, p, (int)threadIdx.x % TILE);
    int end = p.begin < p.v.keys ? p.v.run.computed : 0; // rows that are no keys have no part
    next_q.load(q, stride, 0, p.v.run.computed, p.v.size);
    next_d.load(dout, p.v.width, 0, p.v.run.computed, p.v.size);
    for (int tile = 0, at = 0; tile < end; tile += TILE, at ^= 1) {
        next_q.store(&queries[at]);
        next_d.store(&douts[at]);
        if (threadIdx.x < TILE) kept[at][threadIdx.x] = next_kept;
        __syncthreads();
        if (tile + TILE < end) {
            next_q.load(q, stride, tile + TILE, end, p.v.size);
            next_d.load(dout, p.v.width, tile + TILE, end, p.v.size);
            next_kept = load_kept(a, p, tile + TILE + (int)threadIdx.x % TILE);
        }
#pragma unroll
        for (int j = 0; j < TILE; j += SIXTEEN)
            if (tile + j < end && p.first < p.v.keys)
                add_queries<M, N>(p, k, v, queries[at], douts[at], kept[at], j, dk, dv);
    }
    row *to = slt_rows_at<row>(a.in_grad[0]) + slt_attention_place(p.v, 1, 0);
#pragma unroll
    for (int m = 0; m < N; m++) {
        float one[2], by[2];
#pragma unroll
        for (int r = 0; r < 2; r++) {
            bool key = p.first + 16 * m + 8 * r + p.g < p.v.keys;
            one[r] = key ? 1 : 0;
            by[r] = key ? p.v.scale : 0;
        }
        store_rows<M::SIZE>(to, stride, p, m, dk[m], by, a.add[0]);
        store_rows<M::SIZE>(to + p.v.width, stride, p, m, dv[m], one, a.add[0]);
    }
}

// ---- launches

static dim3 grid_of(const slt_cuda_args *args, int chunks) {
    int slots = args->n[SLT_ATTENTION_SPACE] == SLT_SLOT_TOKENS ? args->slots : 1;
    return dim3((unsigned)(args->trajectories * slots * args->n[SLT_ATTENTION_HEADS] * chunks), 1,
                (unsigned)args->members);
}

template <class M, bool BRIEF> static void launch(const slt_cuda_args *args, bool back) {
    using plan = plan_of<M::SIZE, BRIEF>;
    int rows = plan::WARPS * 16 * (back ? plan::BACKWARD : plan::FORWARD);
    int chunks = slt_pieces(args->length, rows);
    dim3 grid = grid_of(args, chunks);
    if (!back) {
        SLT_LAUNCH(args, (forward<M, BRIEF>), grid, plan::THREADS, 0, chunks);
        return;
    }
    SLT_LAUNCH(args, (backward_queries<M, BRIEF>), grid, plan::THREADS, 0, chunks);
    SLT_LAUNCH(args, (backward_keys<M, BRIEF>), grid, plan::THREADS, 0, chunks);
}

// of a size: tf32, bf16, and rows that are in bf16; usual sequences and brief ones
typedef void (*launcher)(const slt_cuda_args *args, bool back);
enum { TF32, BF16, BF16_ROWS, KINDS };
template <int SIZE> struct launchers {
    static constexpr launcher of[KINDS][2] = {
        {launch<slt_tf32_math<SIZE>, false>, launch<slt_tf32_math<SIZE>, true>},
        {launch<slt_bf16_math<SIZE, float>, false>, launch<slt_bf16_math<SIZE, float>, true>},
        {launch<slt_bf16_math<SIZE, slt_bf16>, false>,
         launch<slt_bf16_math<SIZE, slt_bf16>, true>}};
};

static const struct {
    int size; // at most
    const launcher (*of)[2];
} sizes[] = {{16, launchers<16>::of},
             {32, launchers<32>::of},
             {48, launchers<48>::of},
             {64, launchers<64>::of}};

enum { SIZES = sizeof sizes / sizeof *sizes, USUAL = 48 }; // rows of brief sequences

static int size_number(const slt_cuda_args *args) {
    int i = 0, size = args->out_width[0] / args->n[SLT_ATTENTION_HEADS];
    while (i < SIZES && sizes[i].size < size) i++;
    return size % 4 == 0 ? i : SIZES;
}

bool slt_cuda_tiled_fits(const slt_cuda_args *args) {
    return size_number(args) < SIZES && !slt_cuda_is_fp32(args->cuda);
}

void slt_cuda_tiled_attention(const slt_cuda_args *args, bool backward) {
    int slots = args->n[SLT_ATTENTION_SPACE] == SLT_SLOT_TOKENS ? args->slots : 1;
    bool brief = args->in_rows[0] <= USUAL * args->trajectories * slots;
    int kind = slt_in_bf16(args, 0) ? BF16_ROWS : slt_cuda_is_tf32(args->cuda) ? TF32 : BF16;
    sizes[size_number(args)].of[kind][brief](args, backward);
}
