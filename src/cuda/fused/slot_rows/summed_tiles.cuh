// What a block of summed_attention.cu has in shared memory: a head's tiles of positions, and up to
// 64 sequences with a slot each.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_SUMMED_TILES_CUH
#define SLT_CUDA_SUMMED_TILES_CUH

#include "cuda/fused/slot_rows/slot_rows.h"
#include "cuda/kernels/brief_heads.cuh"
#include "cuda/kernels/norm_row.cuh"

enum { THREADS = SLT_GROUP, WARPS = THREADS / SLT_WARP, KINDS = 3, MOST = TILE };

// ---- a block's shared memory

typedef struct {
    int first[MOST], computed[MOST], keys[MOST];
} spans;

// tiles: of positions; of slots' queries, a row of each sequence. U: the scores of sequences
template <int SIZE, bool BACK> struct workspace {
    typedef slt_head_tile<SIZE> tile;
    enum { SQUARE = slt_head_tile<TILE>::FLOATS, TURNS = 3 };
    enum {
        SLOTS = KINDS * tile::FLOATS,
        ROWS = SLOTS + tile::FLOATS, // of an output; backward of its gradients, of three in turn
        DX = ROWS + (BACK ? TURNS : 1) * tile::FLOATS, // of two in turn
        SHARES = DX + (BACK ? 2 : 0) * tile::FLOATS,
        DU = SHARES + (BACK ? SQUARE : 0),
        U = DU + (BACK ? SQUARE : 0),
        KEPT = U + MOST * TILE,
        SUMS = KEPT + (BACK ? TURNS * TILE : 0),
        SPANS = SUMS + (BACK ? WARPS * TILE : 0),
        FLOATS = SPANS + sizeof(spans) / sizeof(float)
    };
    float *memory;

    __device__ __forceinline__ float *at(int kind) const { return memory + kind * tile::FLOATS; }
    __device__ __forceinline__ float *slots(void) const { return memory + SLOTS; }
    __device__ __forceinline__ float *rows(int turn) const {
        return memory + ROWS + turn % TURNS * tile::FLOATS;
    }
    __device__ __forceinline__ float *dx(int turn) const {
        return memory + DX + turn % 2 * tile::FLOATS;
    }
    __device__ __forceinline__ float *shares(void) const { return memory + SHARES; }
    __device__ __forceinline__ float *du(void) const { return memory + DU; }
    __device__ __forceinline__ float *u(int i) const { return memory + U + i * TILE; }
    __device__ __forceinline__ float *kept(int turn) const {
        return memory + KEPT + turn % TURNS * TILE;
    }
    // what a warp has of a sequence's du
    __device__ __forceinline__ float *sums(int warp) const { return memory + SUMS + warp * TILE; }
    __device__ __forceinline__ spans *sequences(void) const { return (spans *)(memory + SPANS); }
};

// ---- rows

// where a head's part of a row of slots or positions begins
SLT_DEVICE_INLINE int64_t part_of(const slt_attention_view &v, int64_t row, int kind) {
    return (row * KINDS + kind) * v.width + v.head * v.size;
}

typedef struct {
    float4 low, high;
} eight;
SLT_DEVICE_INLINE eight eight_at(const float *from) {
    return {((const float4 *)from)[0], ((const float4 *)from)[1]};
}
SLT_DEVICE_INLINE eight added(const eight &x, const eight &y) {
    return {slt_plus4(x.low, y.low), slt_plus4(x.high, y.high)};
}
SLT_DEVICE_INLINE uint4 pairs_of(const eight &x) {
    uint2 low = slt_pairs_of(x.low), high = slt_pairs_of(x.high);
    return {low.x, low.y, high.x, high.y};
}
// eight channels of position l, with the bias
SLT_DEVICE_INLINE eight position_of(const slt_summed_rows &rows, const slt_attention_view &v, int l,
                                    int kind, int c) {
    eight x = eight_at(slt_at(rows.positions) + part_of(v, l, kind) + 8 * c);
    const float *bias = slt_at(rows.bias);
    return bias ? added(eight_at(bias + part_of(v, 0, kind) + 8 * c), x) : x;
}

// a tile of a head's rows of slots or positions, `stride` numbers from one to the next; bias may be
// NULL. Rows that are not there are zeros
template <int SIZE>
SLT_DEVICE_INLINE void make_tile(float *tile, const float *from, const float *bias, int stride,
                                 int rows, int size) {
    enum { CHUNKS = SIZE / 8, STEP = THREADS / CHUNKS, EACH = TILE / STEP };
    int first = (int)threadIdx.x / CHUNKS, c = (int)threadIdx.x % CHUNKS;
    bool there = 8 * c < size && rows > 0;
    eight x[EACH], more = {};
    uint4 none = {0, 0, 0, 0};
    if (there && bias) more = eight_at(bias + 8 * c);
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int l = slt_least(first + k * STEP, rows - 1);
        x[k] = there ? eight_at(from + l * stride + 8 * c) : more;
    }
#pragma unroll
    for (int k = 0; k < EACH; k++) {
        int l = first + k * STEP;
        *(uint4 *)(tile + slt_head_tile<SIZE>::place(l, c)) =
            there && l < rows ? pairs_of(added(x[k], more)) : none;
    }
}

// tiles of the positions that there are
template <int SIZE, bool BACK>
SLT_DEVICE_INLINE void make_tiles(const slt_summed_rows &rows, const slt_attention_view &v,
                                  int positions, const workspace<SIZE, BACK> &to) {
    const float *bias = slt_at(rows.bias);
    for (int kind = 0; kind < KINDS; kind++)
        make_tile<SIZE>(to.at(kind), slt_at(rows.positions) + part_of(v, 0, kind),
                        bias ? bias + part_of(v, 0, kind) : NULL, KINDS * v.width, positions,
                        v.size);
}

// rows of a long sequence in memory
SLT_DEVICE_INLINE void make_rows(const slt_cuda_args &a, const slt_summed_rows &rows,
                                 const place &p, int number) {
    enum { ONCE = 4 };
    int chunks = p.v.size / 8, all = p.v.run.computed * KINDS * chunks;
    slt_bf16 *to = slt_rows_at<slt_bf16>(a.in[0]);
    for (int first = (int)threadIdx.x; first < all; first += ONCE * THREADS) {
        eight x[ONCE], slot[ONCE];
        int64_t at[ONCE];
#pragma unroll
        for (int k = 0; k < ONCE; k++) {
            int i = slt_least(first + k * THREADS, all - 1);
            int l = i / (KINDS * chunks), kind = i / chunks % KINDS, c = i % chunks;
            at[k] = slt_attention_place(p.v, kind, l) + 8 * c;
            slot[k] = eight_at(slt_at(rows.slots) + part_of(p.v, number, kind) + 8 * c);
            x[k] = position_of(rows, p.v, l, kind, c);
        }
#pragma unroll
        for (int k = 0; k < ONCE; k++) // the last one more than once
            *(uint4 *)(to + at[k]) = pairs_of(added(slot[k], x[k]));
    }
}

// ---- up to 64 sequences of one tile

// those from the head at hand on, and the tile of their slots' queries; the result: how many. A
// barrier is before and after
template <int SIZE, bool BACK>
SLT_DEVICE_INLINE int take_sequences(const slt_cuda_args &a, const slt_summed_rows &rows,
                                     const head &h, const workspace<SIZE, BACK> &to) {
    int lane = (int)threadIdx.x % SLT_WARP, count = 0;
    spans *found = to.sequences();
    __syncthreads();
    for (int half = 0; half < MOST / SLT_WARP && count == half * SLT_WARP; half++) {
        int i = half * SLT_WARP + lane; // every warp looks, the first one writes
        bool there = h.at + i < h.end && slt_attention_there(a, h.number + i);
        slt_attention_view v = h.p.v;
        if (there) v = slt_attention_view_at(a, h.number + i, h.p.v.head);
        there = there && cost_of(v.run.computed, h.most) == 1;
        if (threadIdx.x < SLT_WARP) {
            found->first[i] = v.run.first;
            found->computed[i] = v.run.computed;
            found->keys[i] = v.keys;
        }
        unsigned marks = __ballot_sync(0xffffffffu, there);
        count += __popc(marks & ~(marks + 1)); // those before the first that is not
    }
    make_tile<SIZE>(to.slots(), slt_at(rows.slots) + part_of(h.p.v, h.number, Q), NULL,
                    KINDS * h.p.v.width, count, h.p.v.size);
    slt_group_publish();
    __syncthreads();
    return of_lane(count, 0); // the compiler sees that it is the same in all lanes
}
SLT_DEVICE_INLINE place place_of(place p, const spans *found, int i) {
    p.v.run.first = found->first[i];
    p.v.run.computed = found->computed[i];
    p.v.keys = found->keys[i];
    return p;
}

// scores of two tiles of positions, or of slots and positions
template <int SIZE>
SLT_DEVICE_INLINE void multiply(float (*z)[4], const float *rows, const float *tile) {
    slt_group_fence();
    slt_head_tile<SIZE>::scores(z, rows, tile);
    slt_group_start();
    slt_group_await();
    slt_group_pin<EIGHTS>(z);
}
// scores of all sequences with a slot each, a row of each; keys that it does not have have none
template <int SIZE, bool BACK>
SLT_DEVICE_INLINE void put_scores(const place &p, const workspace<SIZE, BACK> &to,
                                  const float (*z)[4]) {
#pragma unroll
    for (int r = 0; r < 2; r++) {
        int row = p.first + 8 * r + p.g, keys = to.sequences()->keys[row];
#pragma unroll
        for (int n = 0; n < EIGHTS; n++) {
            int c = 8 * n + 2 * p.t;
            float2 x = {c < keys ? z[n][2 * r] : -INFINITY,
                        c + 1 < keys ? z[n][2 * r + 1] : -INFINITY};
            *(float2 *)(to.u(row) + c) = x;
        }
    }
}
// the scores of a sequence
SLT_DEVICE_INLINE void add_slot(const place &p, float (*z)[4], const float (*positions)[4],
                                const float *u) {
#pragma unroll
    for (int n = 0; n < EIGHTS; n++) {
        float2 x = *(const float2 *)(u + 8 * n + 2 * p.t);
#pragma unroll
        for (int e = 0; e < 4; e++) z[n][e] = positions[n][e] + (e % 2 ? x.y : x.x);
    }
}

// the place of the block's head, of no sequence
SLT_DEVICE_INLINE place place_of_head(const slt_cuda_args &a, int own) {
    place p = {};
    int lane = (int)threadIdx.x % SLT_WARP;
    p.v.head = own;
    p.v.heads = a.n[SLT_ATTENTION_HEADS];
    p.v.width = a.out_width[0];
    p.v.size = p.v.width / p.v.heads;
    p.v.scale = 1 / sqrtf((float)p.v.size);
    p.first = (int)threadIdx.x / SLT_WARP * 16;
    p.g = lane / 4;
    p.t = lane % 4;
    p.factor = p.v.scale * 1.44269504f;
    return p;
}

// past trajectories whose sequences are as long
SLT_DEVICE_INLINE void skip(const slt_cuda_args &a, head *h) {
    do {
        int left = a.slots - h->number % a.slots;
        h->number += left, h->at += left * h->cost;
    } while (h->at < h->end && trajectory_cost(a, h->number / a.slots, h->most) == h->cost);
    look(a, h);
}

#endif
