// What a block of fused_slots.cu has at hand: its trajectory, its shared memory, and rows that stay
// there from step to step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_SLOT_WORKSPACE_CUH
#define SLT_CUDA_SLOT_WORKSPACE_CUH

#include "cuda/kernels/norm_row.cuh"
#include "cuda/fused/slots/fused_slots.h"
#include "cuda/kernels/tensor_core.cuh"

#ifdef SLT_EMULATED
enum { THREADS = 4 * SLT_WARP };
#else
enum { THREADS = 16 * SLT_WARP };
#endif
enum { WARPS = THREADS / SLT_WARP, PARTS = SLT_NORM_PARTS };

// of products (slot_stream.cuh): shares of what is summed over, pieces of a warp on their way and
// what each has, in numbers
enum { SHARES = 4, AHEAD = 2, PIECE = 16 * SLT_WARP };
static_assert(WARPS % SHARES == 0, "a warp has a share");

// what a block has at hand; memory is shared
typedef struct {
    int b, K, computed, truth, token; // the trajectory: rows and first row of its tokens
    bool there;
    slt_slot_step *steps;
    float *kept;                      // rows of the run, (R, width) each
    int numbers;                      // of a slot, in `kept`
    float *ring, *parts;              // of products: weights on their way, sums
    float *weights, *dz, *share, *kv; // of attention: (tokens, K), (K, tokens) twice
    float *sums;                      // numbers per slot
    float *prefetched;
} workspace;

SLT_DEVICE_INLINE __host__ int fours_of(int numbers) { return (numbers + 3) / 4 * 4; }

template <int R> static slt_slot_layout layout_of(const slt_fused_slots *run) {
    int tokens = fours_of(run->length), widest = run->widest < tokens ? tokens : run->widest;
    int parts = SHARES * R * widest, weights = run->attend < 0 ? 0 : tokens * run->slots;
    if (parts < R * PARTS) parts = R * PARTS; // of a norm
    slt_slot_layout at;
    at.prefetched = run->steps * (int)(sizeof(slt_slot_step) / sizeof(float));
    at.ring = at.prefetched + run->prefetched;
    at.parts = at.ring + WARPS * AHEAD * PIECE;
    at.weights = at.parts + parts;
    at.dz = at.weights + weights;
    at.share = at.dz + weights;
    at.kv = at.share + weights;
    at.kept = at.kv + run->tokens * run->token_width;
    at.sums = at.kept + R * run->kept;
    at.end = at.sums + R;
    return at;
}

SLT_DEVICE_INLINE workspace workspace_of(const slt_fused_slots &run, float *memory) {
    workspace at = {};
    at.b = (int)blockIdx.x;
    at.K = run.slots;
    at.numbers = run.kept;
    at.steps = (slt_slot_step *)memory;
    at.prefetched = memory + run.at.prefetched;
    at.ring = memory + run.at.ring;
    at.parts = memory + run.at.parts;
    at.weights = memory + run.at.weights;
    at.dz = memory + run.at.dz;
    at.share = memory + run.at.share;
    at.kv = memory + run.at.kv;
    at.kept = memory + run.at.kept;
    at.sums = memory + run.at.sums;
    return at;
}

// a number into shared memory, as slt_copy_fours
SLT_DEVICE_INLINE void copy_one(float *to, const float *from) {
#ifdef SLT_EMULATED
    *to = *from;
#else
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(place), "l"(from) : "memory");
#endif
}

// the list, while the previous kernel still works
SLT_DEVICE_INLINE void copy_steps(const slt_fused_slots &run, workspace &at) {
    const int32_t *from = (const int32_t *)run.step;
    int32_t *to = (int32_t *)at.steps;
    int words = run.steps * (int)(sizeof(slt_slot_step) / sizeof(int32_t));
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < words; i += THREADS) to[i] = from[i];
}

// keys and values that are in shared memory: those of the first attention, if there is room for all
SLT_DEVICE_INLINE const float *staged(const slt_fused_slots &run, const workspace &at) {
    return run.attend >= 0 && at.computed <= run.tokens ? at.steps[run.attend].attend.kv : NULL;
}

// its tokens
SLT_DEVICE_INLINE const slt_cuda_frame_header *head_of(const slt_fused_slots &run) {
    return (const slt_cuda_frame_header *)run.frames.at;
}
SLT_DEVICE_INLINE void find_tokens(const slt_fused_slots &run, workspace &at) {
    const int32_t *offset = (const int32_t *)(run.frames.at + run.frames.offset) + at.b;
    int count = head_of(run)->count, token = offset[0], end = offset[1];
    int length = ((const int32_t *)(run.frames.at + run.frames.length))[at.b];
    at.there = at.b < count;
    if (!at.there) return;
    at.token = token;
    at.computed = end - token;
    at.truth = slt_least(length, at.computed);
}

// their keys and values are on their way into shared memory from here on
SLT_DEVICE_INLINE void fetch_tokens(const slt_fused_slots &run, const workspace &at) {
    if (!at.there || !staged(run, at)) return;
    const float *from = staged(run, at) + at.token * run.token_width;
#pragma unroll 1
    for (int i = 4 * (int)threadIdx.x; i < at.computed * run.token_width; i += 4 * THREADS)
        slt_copy_fours(at.kv + i, from + i);
}

// backward: so are the weights of that step
SLT_DEVICE_INLINE void fetch_weights(const slt_fused_slots &run, const workspace &at) {
    if (!at.there || run.attend < 0) return;
    const float *from = at.steps[run.attend].attend.attention + at.token * at.K;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < at.computed * at.K; i += THREADS)
        copy_one(at.weights + i, from + i);
}

// ---- where the trajectory's slots begin

SLT_DEVICE_INLINE int row_of(const workspace &at, int width) { return at.b * at.K * width; }
SLT_DEVICE_INLINE const float *mine(const workspace &at, const float *x, int width) {
    return x ? x + row_of(at, width) : NULL;
}
SLT_DEVICE_INLINE float *mine(const workspace &at, float *x, int width) {
    return x ? x + row_of(at, width) : NULL;
}
// rows are of fours: what the host knows, and the compiler from here on
SLT_DEVICE_INLINE int whole(int width) { return width & ~3; }
SLT_DEVICE_INLINE bool adds(const slt_slot_step &s, int i) { return s.add >> i & 1; }

// ---- numbers of K rows, `each` at a time by a thread: without a division

typedef struct {
    int row, column;
} spot;

SLT_DEVICE_INLINE void wrap_spot(const workspace &at, spot &i, int width) {
#pragma unroll 1
    while (i.column >= width && i.row < at.K) i.column -= width, i.row++;
}
SLT_DEVICE_INLINE spot spot_of(const workspace &at, int each, int width) {
    spot i = {0, each * (int)threadIdx.x};
    wrap_spot(at, i, width);
    return i;
}
SLT_DEVICE_INLINE void next_spot(const workspace &at, spot &i, int each, int width) {
    i.column += each * THREADS;
    wrap_spot(at, i, width);
}

// ---- rows that are kept

// number i of a step's rows; NULL: they are in memory alone
template <int R>
SLT_DEVICE_INLINE float *kept(const workspace &at, const slt_slot_step &s, int i, int width) {
    int place = 4 * s.place[i];
    return place >= 0 && place + width <= at.numbers ? at.kept + R * place : NULL;
}

// to read
template <int R>
SLT_DEVICE_INLINE const float *rows_in(const workspace &at, const slt_slot_step &s, int i,
                                       const float *memory, int width) {
    const float *here = kept<R>(at, s, i, width);
    return here ? here : mine(at, memory, width);
}

// to write: to both
typedef struct {
    float *memory, *here;
} rows_out;

template <int R>
SLT_DEVICE_INLINE rows_out rows_to(const workspace &at, const slt_slot_step &s, int i,
                                   float *memory, int width) {
    rows_out out = {mine(at, memory, width), kept<R>(at, s, i, width)};
    return out;
}
SLT_DEVICE_INLINE void put(const rows_out &to, int i, bool add, float x) {
    if (!to.memory) return;
    if (add) x += (to.here ? to.here : to.memory)[i];
    if (to.here) to.here[i] = x;
    to.memory[i] = x;
}
// c: the column, of `width`
SLT_DEVICE_INLINE void put4(const rows_out &to, int row, int c, int width, bool add, float4 x) {
    if (!to.memory || c >= width) return;
    int i = row * width + c;
    if (add) x = slt_plus4(x, *(const float4 *)((to.here ? to.here : to.memory) + i));
    if (to.here) *(float4 *)(to.here + i) = x;
    *(float4 *)(to.memory + i) = x;
}

#endif
