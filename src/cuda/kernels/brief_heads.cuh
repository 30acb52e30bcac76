// Self-attention of rows in bf16 for trajectories of at most 128 steps, a head at a time by four
// warps: what the launches of brief_attention.cu and summed_attention.cu are made of.
//
// Most sequences are one tile of 64 rows. Results go to memory by way of shared memory, 16 bytes of
// a lane. Sequences of two tiles compute probabilities again for dk and dv.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_BRIEF_HEADS_CUH
#define SLT_CUDA_BRIEF_HEADS_CUH

#include "cuda/kernels/large_block.cuh"
#include "cuda/kernels/tile_shares.cuh"

enum { TILES = SLT_BRIEF_LENGTH / TILE }; // of a sequence, at most

// ---- heads of all sequences, or one of each, those of a block one after the other: each block has
// as much to do

typedef struct {
    place p;
    int number, apart, first; // in order; heads `first`, `first` + `apart`, ... of all
    int cost, at, end;        // what the block's have cost, and may
    int most;                 // cost of a sequence of two tiles; that of one is 1
    bool there;
} head;

SLT_DEVICE_INLINE int cost_of(int rows, int most) { return rows > TILE ? most : 1; }

SLT_DEVICE_INLINE void look(const slt_cuda_args &a, head *h) {
    h->there = h->at < h->end;
    if (!h->there) return;
    h->p = place_at(a, h->first + h->number * h->apart, 1, 4, 1);
    h->cost = cost_of(h->p.v.run.computed, h->most);
}
SLT_DEVICE_INLINE void step(const slt_cuda_args &a, head *h) {
    h->number++, h->at += h->cost;
    look(a, h);
}

SLT_DEVICE_INLINE int sum_of_warp(int x) {
    for (int d = SLT_WARP / 2; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}
SLT_DEVICE_INLINE int sum_up_to_lane(int x) {
    for (int d = 1; d < SLT_WARP; d *= 2) {
        int other = __shfl_up_sync(0xffffffffu, x, d);
        if ((int)threadIdx.x % SLT_WARP >= d) x += other;
    }
    return x;
}
SLT_DEVICE_INLINE int of_lane(int x, int lane) { return __shfl_sync(0xffffffffu, x, lane); }

// of a trajectory's sequence; 0: it is not there
SLT_DEVICE_INLINE int trajectory_cost(const slt_cuda_args &a, int b, int most) {
    const int32_t *offset = slt_offset(a);
    return b < slt_header(a)->count ? cost_of(offset[b + 1] - offset[b], most) : 0;
}

// the first head of block `own` of so many; warps add costs up, a lane those of a trajectory.
// `only`: head of every sequence; -1: all of them
SLT_DEVICE_INLINE head first_head(const slt_cuda_args &a, int slots, int only, int own, int blocks,
                                  int most) {
    int heads = a.n[SLT_ATTENTION_HEADS], each = only < 0 ? slots * heads : slots;
    int lane = (int)threadIdx.x % SLT_WARP, count = slt_header(a)->count, all = 0, before = 0;
    for (int b = lane; b < count; b += SLT_WARP) all += trajectory_cost(a, b, most);
    all = sum_of_warp(all) * each;
    int share = (all + blocks - 1) / blocks, begin = own * share;
    head h = {};
    h.most = most;
    h.apart = only < 0 ? 1 : heads;
    h.first = only < 0 ? 0 : only;
    h.at = h.end = slt_least(begin + share, all);
    for (int b = 0; begin < all; b += SLT_WARP) {
        int cost = trajectory_cost(a, b + lane, most), after = before + sum_up_to_lane(cost) * each;
        unsigned past = __ballot_sync(0xffffffffu, after > begin);
        before = of_lane(after, SLT_WARP - 1);
        if (!past) continue;
        int first = __ffs((int)past) - 1;
        cost = of_lane(cost, first);
        int at = of_lane(after, first) - cost * each, skipped = (begin - at + cost - 1) / cost;
        h.number = (b + first) * each + skipped;
        h.at = at + skipped * cost;
        break;
    }
    look(a, &h);
    return h;
}

// ---- a head's rows in shared memory

enum { Q, K, V, OUT, DOUT };

// a result of the warp's rows to shared memory
template <int SIZE>
SLT_DEVICE_INLINE void put_tile(float *tile, const place &p, const float (*x)[4], const float *by) {
    typedef slt_head_tile<SIZE> rows;
    int first = slt_opaque(rows::place(p.first + p.g, 0) + p.t);
#pragma unroll
    for (int i = 0; i < SIZE / 4; i++) {
        int n = i / 2, r = i % 2;
        uint32_t *to = (uint32_t *)tile + rows::beside(first, n) + rows::EIGHT * r;
        *to = by[r] == 0 ? 0 : slt_pair(x[n][2 * r] * by[r], x[n][2 * r + 1] * by[r]);
    }
}

SLT_DEVICE_INLINE uint32_t added(uint32_t x, uint32_t y) {
    return slt_pair(slt_low(x) + slt_low(y), slt_high(x) + slt_high(y));
}

// and on to memory, times `by`; rows where that is 0 are zeros. Nobody else reads the warp's rows
template <int SIZE>
SLT_DEVICE_INLINE void store_tile(float *tile, slt_bf16 *to, int stride, const place &p,
                                  const float (*x)[4], const float *by, bool add) {
    enum { CHUNKS = slt_head_tile<SIZE>::CHUNKS };
    put_tile<SIZE>(tile, p, x, by);
    __syncwarp();
#pragma unroll
    for (int k = 0; k < CHUNKS / 2; k++) {
        int i = (int)threadIdx.x % SLT_WARP + k * SLT_WARP, c = i % CHUNKS;
        int l = p.first + i / CHUNKS;
        if (l >= p.v.run.computed || 8 * c >= p.v.size) continue;
        uint4 own = *(const uint4 *)(tile + slt_head_tile<SIZE>::place(l, c));
        uint4 *at = (uint4 *)(to + l * stride + 8 * c);
        if (add) {
            uint4 there = *at;
            own.x = added(own.x, there.x), own.y = added(own.y, there.y);
            own.z = added(own.z, there.z), own.w = added(own.w, there.w);
        }
        *at = own;
    }
}

// ---- forward

// scores of N tiles of keys to probabilities, but for the sum of a row
template <int N>
SLT_DEVICE_INLINE void weigh(const place &p, float (*z)[4], float *log, float *inverse) {
    float most[2] = {-INFINITY, -INFINITY}, sum[2] = {0, 0};
#pragma unroll
    for (int i = 0; i < 4 * N * EIGHTS; i++) {
        float *own = &z[i / 4][i % 4];
        if (i / 4 * 8 + 2 * p.t + i % 2 >= p.v.keys) *own = -INFINITY;
        most[i % 4 / 2] = fmaxf(most[i % 4 / 2], *own);
    }
#pragma unroll
    for (int r = 0; r < 2; r++) most[r] = slt_row_most(most[r]) * p.factor;
#pragma unroll
    for (int i = 0; i < 4 * N * EIGHTS; i++) {
        z[i / 4][i % 4] = slt_power(z[i / 4][i % 4] * p.factor - most[i % 4 / 2]);
        sum[i % 4 / 2] += z[i / 4][i % 4];
    }
#pragma unroll
    for (int r = 0; r < 2; r++) {
        sum[r] = slt_row_sum(sum[r]);
        inverse[r] = 1 / sum[r];
        log[r] = most[r] + log2f(sum[r]);
    }
}
SLT_DEVICE_INLINE void keep_logs(const slt_cuda_args &a, const place &p, const float *log) {
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = p.first + 8 * r + p.g;
        if (p.t == 0 && l < p.v.run.computed) slt_at(a.aux)[slt_attention_kept(p.v, l)] = log[r];
    }
}

// ---- sequences of two tiles

// rows of a head, tiles of a kind next to each other: `place` of a tile is right for both
template <int SIZE> struct long_rows {
    typedef slt_head_tile<SIZE> tile;
    float *memory;
    int count, keys; // tiles of rows, of keys
    __device__ __forceinline__ float *at(int kind, int i) const {
        return memory + (kind * TILES + i) * tile::FLOATS;
    }
};

// all of them on their way; kinds: queries, keys, values and, backward, gradients of outputs
enum { LONG_DOUT = V + 1 };
template <int SIZE>
SLT_DEVICE_INLINE long_rows<SIZE> ask_long(const slt_cuda_args &a, const place &p, float *memory,
                                           int kinds) {
    long_rows<SIZE> rows = {memory, TILES, (p.v.keys + TILE - 1) / TILE};
    for (int kind = 0; kind < kinds; kind++) {
        bool key = kind == K || kind == V, dout = kind == LONG_DOUT;
        typename slt_head_tile<SIZE>::template source<SLT_GROUP> from(
            dout ? slt_rows_at<slt_bf16>(a.out_grad[0]) + slt_attention_out(p.v, 0)
                 : slt_rows_at<slt_bf16>(a.in[0]) + slt_attention_place(p.v, kind, 0),
            (dout ? 1 : 3) * p.v.width, key ? p.v.keys : p.v.run.computed, p.v.size);
        for (int i = 0; i < TILES; i++) from.copy(rows.at(kind, i), i * TILE);
    }
    slt_copy_group();
    return rows;
}
SLT_DEVICE_INLINE void await_rows(void) {
    slt_copy_wait<0>();
    slt_group_publish();
    __syncthreads();
}

template <int SIZE>
SLT_DEVICE_INLINE void attend_long(const slt_cuda_args &a, place p, float *memory) {
    typedef slt_head_tile<SIZE> tile;
    long_rows<SIZE> rows = ask_long<SIZE>(a, p, memory, V + 1);
    slt_bf16 *to = slt_rows_at<slt_bf16>(a.out[0]) + slt_attention_out(p.v, 0);
    await_rows();
#pragma unroll 1
    for (int i = 0; i < TILES; i++, p.first += TILE) {
        float z[TILES * EIGHTS][4], out[SIZE / 8][4] = {}, log[2], inverse[2];
        uint32_t factor[TILES][SIXTEENS][4];
        slt_group_fence();
#pragma unroll
        for (int j = 0; j < TILES; j++) tile::scores(z + j * EIGHTS, rows.at(Q, i), rows.at(K, j));
        slt_group_start();
        slt_group_await();
        slt_group_pin<TILES * EIGHTS>(z);
        weigh<TILES>(p, z, log, inverse);
        slt_group_fence();
#pragma unroll
        for (int j = 0; j < TILES; j++) {
            slt_tile_factor(factor[j], z + j * EIGHTS);
            tile::sums(out, factor[j], rows.at(V, j));
        }
        slt_group_start();
        keep_logs(a, p, log);
        slt_group_await();
        slt_group_pin<SIZE / 8>(out);
        __syncthreads(); // nobody reads these queries any more
        store_tile<SIZE>(rows.at(Q, 0), to, p.v.width, p, out, inverse, false);
    }
}

// dq of tile i, and what its probabilities need for dk and dv
template <int SIZE>
SLT_DEVICE_INLINE void long_queries(const slt_cuda_args &a, const place &p,
                                    const long_rows<SIZE> &rows, int i, float2 *kept) {
    typedef slt_bf16_math<SIZE, slt_bf16> M;
    typedef slt_head_tile<SIZE> tile;
    float z[EIGHTS][4], ds[EIGHTS][4];
    query_gradients<M, 1> s = {};
    uint32_t factor[SIXTEENS][4], factor_ds[SIXTEENS][4];
#pragma unroll
    for (int r = 0; r < 2; r++) {
        s.log[0][r] = kept[p.first + 8 * r + p.g].x;
        s.along[0][r] = kept[p.first + 8 * r + p.g].y;
    }
#pragma unroll 1
    for (int j = 0; j < rows.keys; j++) {
        slt_group_fence();
        tile::scores(z, rows.at(Q, i), rows.at(K, j));
        tile::scores(ds, rows.at(LONG_DOUT, i), rows.at(V, j));
        slt_group_start();
        slt_group_await();
        slt_group_pin<EIGHTS>(z);
        slt_group_pin<EIGHTS>(ds);
        key_shares<true>(p, z, ds, j * TILE, s.log[0], s.along[0], s.rest[0], factor, factor_ds);
        slt_group_fence();
        tile::sums(s.dq[0], factor_ds, rows.at(K, j));
        tile::sums(s.mean[0], factor, rows.at(K, j));
        slt_group_start();
        slt_group_await();
        slt_group_pin<SIZE / 8>(s.dq[0]);
        slt_group_pin<SIZE / 8>(s.mean[0]);
    }
    store_queries<M, 1>(a, p, &s);
    __syncwarp(); // its lanes have read what was there
#pragma unroll
    for (int r = 0; r < 2; r++)
        if (p.t == 0) kept[p.first + 8 * r + p.g].y = s.along[0][r];
}

// dk and dv of tile j
template <int SIZE>
SLT_DEVICE_INLINE void long_keys(const place &p, const long_rows<SIZE> &rows, int j,
                                 const float2 *kept, float (*dk)[4], float (*dv)[4]) {
    typedef slt_head_tile<SIZE> tile;
    float z[EIGHTS][4], ds[EIGHTS][4];
    uint32_t factor[SIXTEENS][4], factor_ds[SIXTEENS][4];
#pragma unroll 1
    for (int i = 0; i < rows.count; i++) {
        slt_group_fence();
        tile::scores(z, rows.at(K, j), rows.at(Q, i));
        tile::scores(ds, rows.at(V, j), rows.at(LONG_DOUT, i));
        slt_group_start();
        slt_group_await();
        slt_group_pin<EIGHTS>(z);
        slt_group_pin<EIGHTS>(ds);
        query_shares<true>(p, z, ds, kept + i * TILE, factor, factor_ds);
        slt_group_fence();
        tile::sums(dv, factor, rows.at(LONG_DOUT, i));
        tile::sums(dk, factor_ds, rows.at(Q, i));
        slt_group_start();
        slt_group_await();
        slt_group_pin<SIZE / 8>(dk);
        slt_group_pin<SIZE / 8>(dv);
    }
}

template <int SIZE>
SLT_DEVICE_INLINE void gradients_long(const slt_cuda_args &a, place p, float *memory) {
    typedef slt_bf16_math<SIZE, slt_bf16> M;
    long_rows<SIZE> rows = ask_long<SIZE>(a, p, memory, LONG_DOUT + 1);
    // the logarithm, o·do; zeros after the last row
    float2 *kept = (float2 *)rows.at(LONG_DOUT + 1, 0);
    int first = p.first;
    for (int i = 0; i < TILES; i++, p.first += TILE) {
        float log[1][2], along[1][2];
        load_along<M, 1>(a, p, log, along);
#pragma unroll
        for (int r = 0; r < 2; r++) {
            int l = p.first + 8 * r + p.g;
            bool there = l < p.v.run.computed;
            float2 own = {there ? log[0][r] : 0, there ? along[0][r] : 0};
            if (p.t == 0) kept[l] = own;
        }
    }
    await_rows();
    p.first = first;
#pragma unroll 1
    for (int i = 0; i < TILES; i++, p.first += TILE) long_queries<SIZE>(a, p, rows, i, kept);
    __syncthreads();
    p.first = first;
#pragma unroll 1
    for (int j = 0; j < TILES; j++, p.first += TILE) {
        float dk[1][SIZE / 8][4] = {}, dv[1][SIZE / 8][4] = {};
        if (j < rows.keys) long_keys<SIZE>(p, rows, j, kept, dk[0], dv[0]);
        store_keys<M, 1>(a, p, dk, dv);
    }
}

#endif
