// What a block of slot_run.cu has at hand: its trajectory, its shared memory, rows that stay there
// from step to step, and weights that are on their way to the next product.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_SLOT_BENCH_CUH
#define SLT_CUDA_SLOT_BENCH_CUH

#include "cuda/few_rows.cuh"
#include "cuda/norm_row.cuh"
#include "cuda/slot_run.h"
#include "cuda/tensor_core.cuh"

#ifdef SLT_EMULATED
enum { THREADS = 4 * SLT_WARP };
#else
enum { THREADS = 16 * SLT_WARP };
#endif
enum { WARPS = THREADS / SLT_WARP, PARTS = SLT_NORM_PARTS };

// something that a step reads, in memory and in the block's (slot_bring.cuh)
typedef struct {
    const float **field; // of the block's list of steps
    const float *from;
    float *to;
    int numbers;
    bool own;   // the trajectory's
    bool fresh; // the kernel in front may have written it
} piece;

enum { PIECES = 4 }; // of a step

// what a block has at hand; memory is shared
typedef struct {
    int b, K, computed, truth, token; // the trajectory: rows and first row of its tokens
    bool there;
    slt_slot_step *steps;
    slt_few_cut *cuts;                     // of the products among them, forward
    float *kept;                           // rows of the run, (R, width) each
    int numbers;                           // of a slot, in `kept`
    float *rows, *parts;                   // of a product: (R, widest), sums
    float *weights, *dz, *sums, *own, *kv; // of attention; (computed, K) twice, numbers per slot
    piece *pieces;                         // of all steps
    float *brought;
} bench;

// numbers of each, rounded so that fours stay aligned
typedef struct {
    int steps, cuts, rows, parts, weights, own, kv, kept, pieces, brought;
} layout;

SLT_DEVICE_INLINE __host__ int fours_of(int numbers) { return (numbers + 3) / 4 * 4; }

template <int R> SLT_DEVICE_INLINE __host__ layout layout_of(const slt_slot_run &run) {
    layout l;
    l.steps = fours_of(run.steps * (int)(sizeof(slt_slot_step) / sizeof(float)));
    l.cuts = run.steps * (int)(sizeof(slt_few_cut) / sizeof(float));
    l.rows = R * run.widest;
    l.parts = WARPS * R * SLT_FEW_COLUMNS;
    l.weights = fours_of(run.batch.length * run.batch.slots);
    l.own = 2 * R * WARPS;
    l.kv = run.batch.length * run.token_width;
    l.kept = R * run.kept;
    l.pieces = run.brought ? run.steps * PIECES * (int)(sizeof(piece) / sizeof(float)) : 0;
    l.brought = run.brought;
    return l;
}

template <int R> SLT_DEVICE_INLINE bench bench_of(const slt_slot_run &run, float *memory) {
    layout l = layout_of<R>(run);
    bench at = {};
    at.b = (int)blockIdx.x;
    at.K = run.batch.slots;
    at.steps = (slt_slot_step *)memory;
    at.cuts = (slt_few_cut *)(memory + l.steps);
    at.pieces = (piece *)(memory + l.steps + l.cuts);
    at.brought = memory + l.steps + l.cuts + l.pieces;
    at.rows = at.brought + l.brought;
    at.parts = at.rows + l.rows;
    at.weights = at.parts + l.parts;
    at.dz = at.weights + l.weights;
    at.kv = at.dz + l.weights;
    at.kept = at.kv + l.kv;
    at.numbers = run.kept;
    at.sums = at.kept + l.kept;
    at.own = at.sums + 2 * R;
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

// the list, while the kernel in front still works
SLT_DEVICE_INLINE void copy_steps(const slt_slot_run &run, bench &at) {
    const int32_t *from = (const int32_t *)run.step;
    int32_t *to = (int32_t *)at.steps;
    int words = run.steps * (int)(sizeof(slt_slot_step) / sizeof(int32_t));
    for (int i = (int)threadIdx.x; i < words; i += THREADS) to[i] = from[i];
}

// a thread has a product; called by all of them
SLT_DEVICE_INLINE void cut_products(const slt_slot_run &run, bench &at) {
    int n = (int)threadIdx.x;
    if (n < run.steps && at.steps[n].kind == SLT_SLOT_PRODUCT)
        at.cuts[n] = slt_few_cut_of(at.steps[n].in, at.steps[n].out);
    __syncthreads();
}
SLT_DEVICE_INLINE slt_few_share share_of(const bench &at, const slt_slot_step &s) {
    return slt_few_share_of(at.cuts[&s - at.steps], s.in);
}

// keys and values that are in shared memory: those of the first attention
SLT_DEVICE_INLINE const float *staged(const slt_slot_run &run, const bench &at) {
    return run.attend >= 0 && run.token_width ? at.steps[run.attend].attend.kv : NULL;
}

// its tokens
SLT_DEVICE_INLINE void find_tokens(const slt_slot_run &run, bench &at) {
    const slt_cuda_args &a = run.batch;
    const int32_t *offset = slt_offset(a) + at.b;
    int count = slt_head(a)->count, token = offset[0], end = offset[1];
    int length = slt_length(a)[at.b];
    at.there = at.b < count;
    if (!at.there) return;
    at.token = token;
    at.computed = end - token;
    at.truth = slt_least(length, at.computed);
}

// their keys and values are on their way into shared memory from here on
SLT_DEVICE_INLINE void fetch_tokens(const slt_slot_run &run, const bench &at) {
    if (!at.there || !staged(run, at)) return;
    const float *from = staged(run, at) + (int64_t)at.token * run.token_width;
    for (int i = 4 * (int)threadIdx.x; i < at.computed * run.token_width; i += 4 * THREADS)
        slt_copy_fours(at.kv + i, from + i);
}

// backward: so are the weights of that step
SLT_DEVICE_INLINE void fetch_weights(const slt_slot_run &run, const bench &at) {
    if (!at.there || run.attend < 0) return;
    const float *from = at.steps[run.attend].attend.attention + (int64_t)at.token * at.K;
#pragma unroll 1
    for (int i = (int)threadIdx.x; i < at.computed * at.K; i += THREADS)
        copy_one(at.weights + i, from + i);
}

// ---- where the trajectory's slots begin

SLT_DEVICE_INLINE int64_t row_of(const bench &at, int width) {
    return (int64_t)at.b * at.K * width;
}
SLT_DEVICE_INLINE const float *mine(const bench &at, const float *x, int width) {
    return x ? x + row_of(at, width) : NULL;
}
SLT_DEVICE_INLINE float *mine(const bench &at, float *x, int width) {
    return x ? x + row_of(at, width) : NULL;
}
// rows are of fours: what the host knows, and the compiler from here on
SLT_DEVICE_INLINE int whole(int width) { return width & ~3; }
SLT_DEVICE_INLINE bool adds(const slt_slot_step &s, int i) { return s.add >> i & 1; }

// ---- numbers of K rows, `each` at a time by a thread: without a division

typedef struct {
    int row, column;
} spot;

SLT_DEVICE_INLINE void wrap_spot(const bench &at, spot &i, int width) {
#pragma unroll 1
    while (i.column >= width && i.row < at.K) i.column -= width, i.row++;
}
SLT_DEVICE_INLINE spot spot_of(const bench &at, int each, int width) {
    spot i = {0, each * (int)threadIdx.x};
    wrap_spot(at, i, width);
    return i;
}
SLT_DEVICE_INLINE void next_spot(const bench &at, spot &i, int each, int width) {
    i.column += each * THREADS;
    wrap_spot(at, i, width);
}

// ---- rows that are kept

// number i of a step's rows; NULL: they are in memory alone
template <int R>
SLT_DEVICE_INLINE float *kept(const bench &at, const slt_slot_step &s, int i, int width) {
    int place = 4 * s.place[i];
    return place >= 0 && place + width <= at.numbers ? at.kept + R * place : NULL;
}

// to read
template <int R>
SLT_DEVICE_INLINE const float *rows_in(const bench &at, const slt_slot_step &s, int i,
                                       const float *memory, int width) {
    const float *here = kept<R>(at, s, i, width);
    return here ? here : mine(at, memory, width);
}

// the same in shared memory in any case: called by all threads
template <int R>
SLT_DEVICE_INLINE const float *rows_here(const bench &at, const slt_slot_step &s, int i,
                                         const float *memory, int width, float *room) {
    const float *here = kept<R>(at, s, i, width);
    if (here) return here;
    slt_stage(room, mine(at, memory, width), at.K * width, R * width);
    __syncthreads();
    return room;
}

// to write: to both
typedef struct {
    float *memory, *here;
} rows_out;

template <int R>
SLT_DEVICE_INLINE rows_out rows_to(const bench &at, const slt_slot_step &s, int i, float *memory,
                                   int width) {
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

// ---- weights ahead of their product: eight fours a lane

static_assert((int)SLT_FEW_DEPTH == (int)SLT_FEW_BACK, "the same room both ways");

template <bool BACKWARD> SLT_DEVICE_INLINE void ask(const bench &at, int n, float4 *ahead) {
    if (n < 0) return;
    const slt_slot_step &s = at.steps[n];
    if (BACKWARD)
        slt_few_ask_back(s.product.w, s.in, s.out, ahead);
    else
        slt_few_ask(share_of(at, s), s.product.w, s.out, ahead);
}

#endif
