// Self-attention of rows in bf16 (wide_attention.cu) for trajectories of at most 128 steps. All
// rows of a head are in shared memory; a block of four warps walks over heads.
//
// Most sequences are one tile of 64 rows: nothing is computed twice, and the next head is on its
// way while one is at work. Backward leaves probabilities and gradients of scores in shared memory,
// where products read their columns: they are rows of dk and dv. Results go to memory by way of
// shared memory, 16 bytes of a lane. Sequences of two tiles compute probabilities again for dk and
// dv.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/large_block.cuh"
#include "cuda/kernels/tile_shares.cuh"

enum { TILES = SLT_BRIEF_LENGTH / TILE }; // of a sequence, at most

// ---- heads of all sequences, those of a block one after the other: each has as much to do

enum { LONG_COST = 4 }; // a sequence of two tiles has four times as many scores as one

typedef struct {
    place p;
    int number, cost, at, end; // of all heads; what the block's have cost, and may
    bool there;
} head;

SLT_DEVICE_INLINE int cost_of(int rows) { return rows > TILE ? LONG_COST : 1; }
SLT_DEVICE_INLINE int sum_of_warp(int x) {
    for (int d = SLT_WARP / 2; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}
// of a trajectory's sequence; 0: it is not there
SLT_DEVICE_INLINE int trajectory_cost(const slt_cuda_args &a, int b) {
    const int32_t *offset = slt_offset(a);
    return b < slt_header(a)->count ? cost_of(offset[b + 1] - offset[b]) : 0;
}

SLT_DEVICE_INLINE void look(const slt_cuda_args &a, head *h) {
    h->there = h->at < h->end;
    if (!h->there) return;
    h->p = place_at(a, h->number, 1, 4, 1);
    h->cost = cost_of(h->p.v.run.computed);
}
SLT_DEVICE_INLINE void step(const slt_cuda_args &a, head *h) {
    h->number++, h->at += h->cost;
    look(a, h);
}

// the block's first head: costs are added up by warps, in order; `each`: heads of a trajectory
SLT_DEVICE_INLINE head first_head(const slt_cuda_args &a, int each) {
    int lane = (int)threadIdx.x % SLT_WARP, count = slt_header(a)->count, all = 0, b = 0;
    for (int i = lane; i < count; i += SLT_WARP) all += trajectory_cost(a, i);
    all = sum_of_warp(all) * each;
    int share = (all + (int)gridDim.x - 1) / (int)gridDim.x, begin = (int)blockIdx.x * share;
    head h = {};
    h.end = slt_least(begin + share, all);
    h.at = begin < all ? 0 : all; // where trajectory b begins
    for (int cost; h.at < all; h.at += cost, b++) {
        int several = b % SLT_WARP ? 0 : sum_of_warp(trajectory_cost(a, b + lane)) * each;
        if (several && h.at + several <= begin) {
            cost = several, b += SLT_WARP - 1;
            continue;
        }
        cost = trajectory_cost(a, b) * each;
        if (h.at + cost > begin) break;
    }
    int cost = trajectory_cost(a, b), skipped = cost ? (begin - h.at + cost - 1) / cost : 0;
    h.number = b * each + skipped;
    h.at += skipped * cost;
    look(a, &h);
    return h;
}

// ---- a head's rows in shared memory, of two heads in turn

enum { Q, K, V, OUT, DOUT, FORWARD_KINDS = 3, BACKWARD_KINDS = 5 };

template <int SIZE, int KINDS> struct head_rows {
    typedef slt_head_tile<SIZE> tile;
    enum { ONE = KINDS * tile::FLOATS, SQUARE = slt_head_tile<TILE>::FLOATS };
    // backward: a number for every query and key, and what is kept of queries
    enum { FLOATS = 2 * ONE + (KINDS == BACKWARD_KINDS ? SQUARE + 2 * TILE : 0) };
    float *memory;
    __device__ __forceinline__ float *at(int turn, int kind) const {
        return memory + turn % 2 * ONE + kind * tile::FLOATS;
    }
    // probabilities have the place of values and outputs, which are read before
    __device__ __forceinline__ float *shares(int turn) const { return at(turn, V); }
    __device__ __forceinline__ float *score_gradients(void) const { return memory + 2 * ONE; }
    __device__ __forceinline__ float *kept(int turn) const {
        return memory + 2 * ONE + SQUARE + turn % 2 * TILE;
    }

    __device__ __forceinline__ void ask(const slt_cuda_args &a, const place &p, int turn) const {
        int rows = p.v.run.computed;
#pragma unroll
        for (int kind = 0; kind < KINDS; kind++) {
            slt_cuda_view view = kind < OUT ? a.in[0] : kind == OUT ? a.out[0] : a.out_grad[0];
            int64_t first =
                kind < OUT ? slt_attention_place(p.v, kind, 0) : slt_attention_out(p.v, 0);
            typename tile::template source<SLT_GROUP> from(
                slt_rows_at<slt_bf16>(view) + first, (kind < OUT ? 3 : 1) * p.v.width,
                kind == K || kind == V ? p.v.keys : rows, p.v.size);
            from.copy(at(turn, kind), 0);
        }
        int l = (int)threadIdx.x;
        if (KINDS == BACKWARD_KINDS && l < TILE)
            slt_copy_word_if(kept(turn) + l,
                             slt_at(a.aux) + slt_attention_kept(p.v, l < rows ? l : 0), l < rows);
    }
};

// a result of the warp's rows to shared memory
template <int SIZE>
SLT_DEVICE_INLINE void put_tile(float *tile, const place &p, const float (*x)[4], const float *by) {
#pragma unroll
    for (int i = 0; i < SIZE / 4; i++) {
        int n = i / 2, r = i % 2, l = p.first + 8 * r + p.g;
        uint32_t *to = (uint32_t *)(tile + slt_head_tile<SIZE>::place(l, n)) + p.t;
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

template <int SIZE>
SLT_DEVICE_INLINE void take_head(const slt_cuda_args &a, const place &p,
                                 const head_rows<SIZE, FORWARD_KINDS> &rows, int turn) {
    typedef slt_head_tile<SIZE> tile;
    float z[EIGHTS][4], out[SIZE / 8][4] = {}, log[2], inverse[2];
    uint32_t factor[SIXTEENS][4];
    slt_group_fence();
    tile::scores(z, rows.at(turn, Q), rows.at(turn, K));
    slt_group_start();
    slt_group_await();
    slt_group_pin<EIGHTS>(z);
    weigh<1>(p, z, log, inverse);
    slt_tile_factor(factor, z);
    slt_group_fence();
    tile::sums(out, factor, rows.at(turn, V));
    slt_group_start();
    keep_logs(a, p, log);
    __syncthreads(); // nobody reads queries any more
    slt_group_await();
    slt_group_pin<SIZE / 8>(out);
    store_tile<SIZE>(rows.at(turn, Q), slt_rows_at<slt_bf16>(a.out[0]) + slt_attention_out(p.v, 0),
                     p.v.width, p, out, inverse, false);
}

// ---- backward (attention_steps.cuh says what is taken out of ds)

// z to probabilities, ds to gradients of scores; queries and keys that are not there have none
SLT_DEVICE_INLINE void take_shares(const place &p, float (*z)[4], float (*ds)[4], const float *log,
                                   const float *along) {
    float rest[2] = {0, 0};
#pragma unroll
    for (int i = 0; i < 4 * EIGHTS; i++) {
        int j = i / 4, e = i % 4, r = e / 2;
        z[j][e] = slt_power(z[j][e] * p.factor - log[r]);
        if (8 * j + 2 * p.t + e % 2 >= p.v.keys) z[j][e] = 0;
        ds[j][e] = z[j][e] * (ds[j][e] - along[r]);
        rest[r] += ds[j][e];
    }
#pragma unroll
    for (int r = 0; r < 2; r++) rest[r] = slt_row_sum(rest[r]);
#pragma unroll
    for (int i = 0; i < 4 * EIGHTS; i++) ds[i / 4][i % 4] -= z[i / 4][i % 4] * rest[i % 4 / 2];
}

// o·do of the lane's rows
template <int SIZE>
SLT_DEVICE_INLINE void sum_along(const place &p, const float *out, const float *dout,
                                 float *along) {
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float sum = 0;
#pragma unroll
        for (int n = 0; n < SIZE / 8; n++) {
            int at = slt_head_tile<SIZE>::place(p.first + 8 * r + p.g, n) + p.t;
            uint32_t x = ((const uint32_t *)out)[at], y = ((const uint32_t *)dout)[at];
            sum += slt_low(x) * slt_low(y) + slt_high(x) * slt_high(y);
        }
        along[r] = slt_row_sum(sum);
    }
}

template <int SIZE>
SLT_DEVICE_INLINE void take_head(const slt_cuda_args &a, const place &p,
                                 const head_rows<SIZE, BACKWARD_KINDS> &rows, int turn) {
    typedef slt_head_tile<SIZE> tile;
    float z[EIGHTS][4], ds[EIGHTS][4], log[2], along[2], one[2], by[2];
    float dq[SIZE / 8][4] = {}, dk[SIZE / 8][4] = {}, dv[SIZE / 8][4] = {};
    const float scale[2] = {p.v.scale, p.v.scale}, plain[2] = {1, 1};
    uint32_t factor[SIXTEENS][4];
    slt_bf16 *to = slt_rows_at<slt_bf16>(a.in_grad[0]) + slt_attention_place(p.v, 0, 0);
    int stride = 3 * p.v.width;
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int l = p.first + 8 * r + p.g;
        log[r] = rows.kept(turn)[l]; // of rows that are not there 0, as all their numbers
        one[r] = l < p.v.keys ? 1 : 0;
        by[r] = l < p.v.keys ? p.v.scale : 0;
    }
    slt_group_fence();
    tile::scores(z, rows.at(turn, Q), rows.at(turn, K));
    tile::scores(ds, rows.at(turn, DOUT), rows.at(turn, V));
    slt_group_start();
    sum_along<SIZE>(p, rows.at(turn, OUT), rows.at(turn, DOUT), along);
    slt_group_await();
    slt_group_pin<EIGHTS>(z);
    slt_group_pin<EIGHTS>(ds);
    take_shares(p, z, ds, log, along);
    __syncthreads(); // nobody reads values and outputs any more
    put_tile<TILE>(rows.shares(turn), p, z, plain);
    put_tile<TILE>(rows.score_gradients(), p, ds, plain);
    slt_tile_factor(factor, ds);
    slt_group_publish();
    slt_group_fence();
    tile::sums(dq, factor, rows.at(turn, K));
    slt_group_start();
    slt_group_await();
    slt_group_pin<SIZE / 8>(dq);
    __syncthreads(); // nor keys
    store_tile<SIZE>(rows.at(turn, K), to, stride, p, dq, scale, a.add[0]);
    slt_group_fence();
    tile::turned(dv, rows.shares(turn), rows.at(turn, DOUT));
    tile::turned(dk, rows.score_gradients(), rows.at(turn, Q));
    slt_group_start();
    slt_group_await();
    slt_group_pin<SIZE / 8>(dk);
    slt_group_pin<SIZE / 8>(dv);
    __syncthreads(); // nor the other rows
    store_tile<SIZE>(rows.at(turn, DOUT), to + p.v.width, stride, p, dk, by, a.add[0]);
    store_tile<SIZE>(rows.at(turn, Q), to + 2 * p.v.width, stride, p, dv, one, a.add[0]);
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
SLT_DEVICE_INLINE void take_long(const slt_cuda_args &a, place p,
                                 const head_rows<SIZE, FORWARD_KINDS> &room) {
    typedef slt_head_tile<SIZE> tile;
    long_rows<SIZE> rows = ask_long<SIZE>(a, p, room.memory, V + 1);
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
SLT_DEVICE_INLINE void take_long(const slt_cuda_args &a, place p,
                                 const head_rows<SIZE, BACKWARD_KINDS> &room) {
    typedef slt_bf16_math<SIZE, slt_bf16> M;
    long_rows<SIZE> rows = ask_long<SIZE>(a, p, room.memory, LONG_DOUT + 1);
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

// ---- kernels

// of a multiprocessor
template <int SIZE> struct blocks_of {
    enum { FORWARD = SIZE == 32 ? 4 : 3, BACKWARD = SIZE == 32 ? 3 : 2 };
};

template <int SIZE, int KINDS>
SLT_DEVICE_INLINE void walk(const slt_cuda_args &a, float *memory, int slots) {
    head_rows<SIZE, KINDS> rows = {slt_group_begin(memory)};
    head h = first_head(a, slots * a.n[SLT_ATTENTION_HEADS]);
    bool asked = false;
    for (int turn = 0; h.there; turn++) {
        place p = h.p;
        bool one = h.cost == 1;
        if (one && !asked) rows.ask(a, p, turn);
        slt_copy_group();
        step(a, &h);
        if (one) await_rows(); // and nobody is at work on the head before
        asked = one && h.there && h.cost == 1;
        if (asked) rows.ask(a, h.p, turn + 1);
        slt_copy_group();
        if (one) {
            take_head<SIZE>(a, p, rows, turn);
        } else {
            __syncthreads();
            take_long<SIZE>(a, p, rows);
            __syncthreads();
        }
    }
}

template <int SIZE>
SLT_KERNEL __launch_bounds__(SLT_GROUP, blocks_of<SIZE>::FORWARD)
    forward(const __grid_constant__ slt_cuda_args a, int slots) {
    slt_begin();
    SLT_DYNAMIC_SHARED(memory);
    slt_clear_tail(slt_rows_at<slt_bf16>(a.out[0]),
                   slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0), a.out_rows[0],
                   a.out_width[0]);
    walk<SIZE, FORWARD_KINDS>(a, memory, slots);
}

template <int SIZE>
SLT_KERNEL __launch_bounds__(SLT_GROUP, blocks_of<SIZE>::BACKWARD)
    backward(const __grid_constant__ slt_cuda_args a, int slots) {
    slt_begin();
    SLT_DYNAMIC_SHARED(memory);
    if (!a.add[0])
        slt_clear_tail(slt_rows_at<slt_bf16>(a.in_grad[0]),
                       slt_count(a, (slt_space)a.n[SLT_ATTENTION_SPACE], 0), a.in_rows[0],
                       a.in_width[0]);
    walk<SIZE, BACKWARD_KINDS>(a, memory, slots);
}

// ---- launches

template <int SIZE> static void launch(const slt_cuda_args *args, bool back) {
    int slots = args->n[SLT_ATTENTION_SPACE] == SLT_SLOT_TOKENS ? args->slots : 1;
    int blocks = back ? blocks_of<SIZE>::BACKWARD : blocks_of<SIZE>::FORWARD;
    unsigned most = (unsigned)(blocks * slt_enough_blocks());
    typedef head_rows<SIZE, FORWARD_KINDS> less;
    typedef head_rows<SIZE, BACKWARD_KINDS> more;
    size_t floats = back ? (size_t)more::FLOATS : (size_t)less::FLOATS;
    size_t bytes = floats * sizeof(float) + SLT_GROUP_ALIGN;
    dim3 grid = grid_of(args, 1);
    if (grid.x > most) grid.x = most;
    if (back)
        SLT_LAUNCH_LARGE(args, backward<SIZE>, grid, SLT_GROUP, bytes, slots);
    else
        SLT_LAUNCH_LARGE(args, forward<SIZE>, grid, SLT_GROUP, bytes, slots);
}

void slt_cuda_brief_attention(const slt_cuda_args *args, bool backward) {
    int size = args->out_width[0] / args->n[SLT_ATTENTION_HEADS];
    (size <= 32 ? launch<32> : launch<64>)(args, backward);
}
