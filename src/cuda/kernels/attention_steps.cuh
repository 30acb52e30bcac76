// Steps of attention on tensor cores that kernels for whole sequences and for tiles of them share:
// a warp has 16 rows of a head, or N sixteens, as left factors in registers, and walks over rows in
// shared memory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_ATTENTION_STEPS_CUH
#define SLT_CUDA_ATTENTION_STEPS_CUH

#include "cuda/kernels/attention_math.cuh"
#include "cuda/kernels/attention_view.cuh"

enum { EIGHT = 8, SIXTEEN = 16 };

// a warp's place: rows `first` on of a head
typedef struct {
    slt_attention_view v;
    int first; // row of the warp
    int begin; // row of the block
    int g, t;
    float factor; // scale·log2(e)
} place;

// blocks of a sequence are next to each other: they read the same rows. `own`: the block's number
SLT_DEVICE_INLINE int block_sequence(const slt_cuda_args &a, int own, int chunks) {
    return own / (chunks * a.n[SLT_ATTENTION_HEADS]);
}
SLT_DEVICE_INLINE place place_at(const slt_cuda_args &a, int own, int chunks, int warps,
                                 int sixteens) {
    int lane = (int)threadIdx.x % SLT_WARP;
    place p;
    p.v = slt_attention_view_at(a, block_sequence(a, own, chunks),
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

// rows of a result times `by`, those of the sequence; where `by` is 0 zeros, whatever the result is
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
                slt_put_pair(to + l * stride + 8 * n + 2 * p.t, add,
                             by[r] == 0 ? 0 : x[n][2 * r] * by[r],
                             by[r] == 0 ? 0 : x[n][2 * r + 1] * by[r]);
    }
}

// ---- forward

// sums of a warp's queries so far
template <class M, int N> struct query_sums {
    float most[N][2], sum[N][2], out[N][M::SIZE / 8][4];
};

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

// ---- backward: p = 2^(z·factor - kept), ds = p(do·v - o·do)·scale
//
// The ds of a query add up to zero. What is left of the sum by rounding is multiplied with all that
// keys, or queries, have in common, and goes into every layer below: training in bf16 got worse
// after some epochs. In tf32 it is enough to sum rounded probabilities and to take o·do with do as
// the products take it. In bf16 o is rounded, too: BALANCED takes the rest out of o·do, and out of
// dq along the mean key.

// a warp's queries; where BALANCED, rest: Σ ds/scale, mean: Σ p·k
template <class M, int N> struct query_gradients {
    float log[N][2], along[N][2], rest[N][2], dq[N][M::SIZE / 8][4], mean[N][M::SIZE / 8][4];
};

// o·do of a warp's queries, and the logarithms of their sums
template <class M, int N>
SLT_DEVICE_INLINE void load_along(const slt_cuda_args &a, const place &p, float (*log)[2],
                                  float (*along)[2]) {
#pragma unroll
    for (int i = 0; i < 2 * N; i++) {
        typedef typename M::row row;
        int l = p.first + 16 * (i / 2) + 8 * (i % 2) + p.g;
        int there = slt_least(l, p.v.run.computed - 1);
        int64_t at = slt_attention_out(p.v, there);
        float sum = 0;
        for (int c = 4 * p.t; c < p.v.size; c += 16) {
            float4 x = slt_four_of(load_four(slt_rows_at<row>(a.out[0]) + at, c, p.v.size));
            float4 y = slt_four_of(load_four(slt_rows_at<row>(a.out_grad[0]) + at, c, p.v.size));
            sum += (x.x * M::summed(y.x) + x.y * M::summed(y.y)) +
                   (x.z * M::summed(y.z) + x.w * M::summed(y.w));
        }
        along[i / 2][i % 2] = slt_row_sum(sum);
        log[i / 2][i % 2] = slt_at(a.aux)[slt_attention_kept(p.v, there)];
    }
}

// leaves o·do of the warp's queries for the keys' blocks
template <int N>
SLT_DEVICE_INLINE void keep_along(const slt_cuda_args &a, const place &p, const float (*along)[2]) {
#pragma unroll
    for (int i = 0; i < 2 * N; i++) {
        int l = p.first + 16 * (i / 2) + 8 * (i % 2) + p.g;
        if (p.t == 0 && l < p.v.run.computed)
            slt_at(a.aux)[slt_attention_kept(p.v, l) + 1] = along[i / 2][i % 2];
    }
}

// takes the rest out of what there is of sixteen queries
template <int SIZE>
SLT_DEVICE_INLINE void balance(float *rest, float *along, float (*dq)[4], const float (*mean)[4]) {
#pragma unroll
    for (int r = 0; r < 2; r++) {
        rest[r] = slt_row_sum(rest[r]);
        along[r] += rest[r];
    }
#pragma unroll
    for (int i = 0; i < SIZE / 2; i++) dq[i / 4][i % 4] -= rest[i % 4 / 2] * mean[i / 4][i % 4];
}

// the share of 16 keys, from `row` of the tiles on
template <class M, int N, class K, class V>
SLT_DEVICE_INLINE void add_keys(const place &p, const typename M::left *q,
                                const typename M::left *dout, const K &keys, const V &values,
                                int row, int key, query_gradients<M, N> *s) {
    float z[2][N][4], ds[2][N][4];
#pragma unroll
    for (int j = 0; j < 2; j++) {
        keys.template scores<N>(z[j], q, row + EIGHT * j, p.g, p.t);
        values.template scores<N>(ds[j], dout, row + EIGHT * j, p.g, p.t);
#pragma unroll
        for (int i = 0; i < 4 * N; i++) {
            int m = i / 4, e = i % 4;
            bool there = key + EIGHT * j + 2 * p.t + e % 2 < p.v.keys;
            float x = slt_power(z[j][m][e] * p.factor - s->log[m][e / 2]);
            z[j][m][e] = there ? x : 0;
            ds[j][m][e] = there ? x * (ds[j][m][e] - s->along[m][e / 2]) : 0;
            if (M::BALANCED) s->rest[m][e / 2] += ds[j][m][e];
        }
    }
    keys.template sums<N>(s->dq, ds, row, p.g, p.t);
    if (M::BALANCED) keys.template sums<N>(s->mean, z, row, p.g, p.t);
}

// dq of the warp's queries
template <class M, int N>
SLT_DEVICE_INLINE void store_queries(const slt_cuda_args &a, const place &p,
                                     query_gradients<M, N> *s) {
    typedef typename M::row row;
    float by[2] = {p.v.scale, p.v.scale};
#pragma unroll
    for (int m = 0; m < N; m++) {
        if (M::BALANCED) balance<M::SIZE>(s->rest[m], s->along[m], s->dq[m], s->mean[m]);
        store_rows<M::SIZE>(slt_rows_at<row>(a.in_grad[0]) + slt_attention_place(p.v, 0, 0),
                            3 * p.v.width, p, m, s->dq[m], by, a.add[0]);
    }
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

// Those of rows that are no keys are zero. What was added up for them may be infinite: their scores
// are not among those of which a query keeps the greatest.
template <class M, int N>
SLT_DEVICE_INLINE void store_keys(const slt_cuda_args &a, const place &p,
                                  const float (*dk)[M::SIZE / 8][4],
                                  const float (*dv)[M::SIZE / 8][4]) {
    typedef typename M::row row;
    int64_t stride = 3 * p.v.width;
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

static inline dim3 grid_of(const slt_cuda_args *args, int chunks) {
    int slots = args->n[SLT_ATTENTION_SPACE] == SLT_SLOT_TOKENS ? args->slots : 1;
    return dim3((unsigned)(args->trajectories * slots * args->n[SLT_ATTENTION_HEADS] * chunks), 1,
                (unsigned)args->members);
}

// sequences of so many rows on average are brief
enum { BRIEF_ROWS = 48 };
static inline bool are_brief(const slt_cuda_args *args) {
    int slots = args->n[SLT_ATTENTION_SPACE] == SLT_SLOT_TOKENS ? args->slots : 1;
    return args->in_rows[0] <= BRIEF_ROWS * args->trajectories * slots;
}

typedef void (*launcher)(const slt_cuda_args *args, bool back);

// L<M>::run for a node's numbers and size of heads; wider rows in bf16 are those of
// wide_attention.cu
template <template <class M> class L, int SIZE>
launcher launcher_of_size(const slt_cuda_args *args) {
    if constexpr (SIZE == 16)
        if (slt_in_bf16(args, 0)) return L<slt_bf16_math<SIZE, slt_bf16>>::run;
    if (slt_cuda_is_tf32(args->cuda)) return L<slt_tf32_math<SIZE>>::run;
    return L<slt_bf16_math<SIZE, float>>::run;
}
// NULL: fp32, or heads that do not fit tensor cores
template <template <class M> class L> launcher launcher_of(const slt_cuda_args *args) {
    int size = args->out_width[0] / args->n[SLT_ATTENTION_HEADS];
    if (slt_cuda_is_fp32(args->cuda) || size % 4 || size > 64) return NULL;
    return size <= 16   ? launcher_of_size<L, 16>(args)
           : size <= 32 ? launcher_of_size<L, 32>(args)
           : size <= 48 ? launcher_of_size<L, 48>(args)
                        : launcher_of_size<L, 64>(args);
}

#endif
