// Gradients of weights in one launch (weight_group.h). A block has 128 × 128 numbers of one dW and
// a part of the rows; a second kernel adds the parts in order. Rows come through shared memory, 32
// at a time; two halves of the block take 16 of them each, a warp 64 × 64 numbers. Marks of bits
// become zeros and ones in the registers of the lane that needs them.
//
// The order of a tile's rows and columns is free: lane (g, t) reads four of x and of dy at once,
// 32q + 4g .. + 3, for products of their own, and ends with rows 32q + 4g .. + 3 and columns
// 32q + 8t .. + 7.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/weight_group.h"

#include "cuda/large_block.cuh"
#include "cuda/tensor_core.cuh"

static_assert(sizeof(slt_weight_group) <= 4096, "a kernel takes so many bytes of arguments");

enum { TILE = 128, STEP = 32, STRIDE = TILE + 8, SIZE = STEP * STRIDE, STAGE = 2 * SIZE };
enum { STAGES = 4, AHEAD = STAGES - 1, BYTES = STAGES * STAGE * 4 };
enum { THREADS = 256, HALF = THREADS / 2, TALL = 4, WIDE = 8 }; // sixteens and eights of a warp
static_assert(THREADS * TALL / 2 * WIDE * 16 <= BYTES, "the halves' sums have room");

// what a block, and in it a thread, adds up
typedef struct {
    int row, column;        // of dW: the block's first
    int part, first, steps; // of the rows, 32 a step
    int g, t, half;         // of the thread
    int left, right;        // of the warp: its first row and column in the tile
    float sum[TALL][WIDE][4], bias[WIDE];
} adder;

// ---- rows on their way

// those that are not there are zeros
SLT_DEVICE_INLINE void bring_rows(float *to, const float *from, int row, int rows, int width) {
    int r = (int)threadIdx.x / (TILE / 4), c = (int)threadIdx.x % (TILE / 4) * 4;
#pragma unroll
    for (int i = r; i < STEP; i += THREADS / (TILE / 4)) {
        int64_t at = slt_least(row + i, rows - 1);
        slt_copy_fours_if(to + i * STRIDE + c, from + at * width + c, row + i < rows);
    }
}

SLT_DEVICE_INLINE void bring_marks(float *to, const slt_weight_product &p, int number, int word) {
    int own = number + (int)threadIdx.x, there = slt_least(own, p.in - 1);
    if (threadIdx.x < TILE)
        slt_copy_word_if(to + threadIdx.x, p.x + (int64_t)word * p.in + there, own < p.in);
}

SLT_DEVICE_INLINE void bring(const slt_weight_product &p, const adder &own, float *memory,
                             int step) {
    float *to = memory + step % STAGES * STAGE;
    int row = (own.first + step) * STEP;
    if (step < own.steps) {
        bring_rows(to + SIZE, p.dy + own.column, row, p.rows, p.out);
        if (p.bits)
            bring_marks(to, p, own.row, own.first + step);
        else
            bring_rows(to, p.x + own.row, row, p.rows, p.in);
    }
    slt_copy_group();
}

// ---- factors: of rows t and t+4 of eight

SLT_DEVICE_INLINE void put_left(float (*left)[4], float4 upper, float4 lower) {
    left[0][0] = upper.x, left[0][1] = upper.y, left[0][2] = lower.x, left[0][3] = lower.y;
    left[1][0] = upper.z, left[1][1] = upper.w, left[1][2] = lower.z, left[1][3] = lower.w;
}
SLT_DEVICE_INLINE float4 rounded4(float4 x) {
    return slt_four(slt_rounded(x.x), slt_rounded(x.y), slt_rounded(x.z), slt_rounded(x.w));
}
SLT_DEVICE_INLINE float bit_of(uint32_t word, int i) { return word >> i & 1 ? 1.0f : 0.0f; }
SLT_DEVICE_INLINE float4 bits_of(const uint32_t *words, int i) {
    return slt_four(bit_of(words[0], i), bit_of(words[1], i), bit_of(words[2], i),
                    bit_of(words[3], i));
}

template <bool BITS>
SLT_DEVICE_INLINE void load_left(float (*left)[4], const adder &own, const float *stage, int row) {
#pragma unroll
    for (int q = 0; q < TALL / 2; q++) {
        const float *at = stage + own.left + 32 * q + 4 * own.g;
        if constexpr (BITS)
            put_left(left + 2 * q, bits_of((const uint32_t *)at, row),
                     bits_of((const uint32_t *)at, row + 4));
        else
            put_left(left + 2 * q, rounded4(*(const float4 *)(at + row * STRIDE)),
                     rounded4(*(const float4 *)(at + (row + 4) * STRIDE)));
    }
}

SLT_DEVICE_INLINE void load_right(float (*right)[2], adder &own, const float *stage, int row) {
#pragma unroll
    for (int i = 0; i < WIDE / 2; i++) {
        int q = i / 2, half = i % 2;
        const float *at = stage + SIZE + (row + 4 * half) * STRIDE + own.right;
        float4 x = *(const float4 *)(at + 32 * q + 4 * own.g), y = rounded4(x);
        slt_add4(own.bias + 4 * q, 1, x);
        right[4 * q][half] = y.x, right[4 * q + 1][half] = y.y;
        right[4 * q + 2][half] = y.z, right[4 * q + 3][half] = y.w;
    }
}

template <bool BITS> SLT_DEVICE_INLINE void add_step(adder &own, const float *stage) {
#pragma unroll
    for (int k = 0; k < STEP / 2; k += 8) {
        float left[TALL][4], right[WIDE][2];
        int row = own.half * (STEP / 2) + k + own.t;
        load_left<BITS>(left, own, stage, row);
        load_right(right, own, stage, row);
#pragma unroll
        for (int m = 0; m < TALL; m++)
#pragma unroll
            for (int j = 0; j < WIDE; j++) slt_mma(own.sum[m][j], left[m], right[j]);
    }
}

template <bool BITS>
SLT_DEVICE_INLINE void add_steps(const slt_weight_product &p, adder &own, float *memory) {
    for (int i = 0; i < AHEAD; i++) bring(p, own, memory, i);
#pragma unroll 1
    for (int step = 0; step < own.steps; step++) {
        slt_copy_wait<AHEAD - 1>();
        __syncthreads();
        bring(p, own, memory, step + AHEAD);
        add_step<BITS>(own, memory + step % STAGES * STAGE);
    }
    slt_copy_wait<0>();
    __syncthreads();
}

// ---- results

// each half of the block keeps half of its sums, and adds the other's
SLT_DEVICE_INLINE void join_halves(adder &own, float *memory) {
    float4 *mine = (float4 *)memory + threadIdx.x;
    const float4 *other = (const float4 *)memory + (threadIdx.x + HALF) % THREADS;
    bool lower = own.half;
#pragma unroll
    for (int i = 0; i < TALL / 2 * WIDE; i++) {
        float *x = own.sum[i / WIDE][i % WIDE], *y = own.sum[i / WIDE + TALL / 2][i % WIDE];
        mine[i * THREADS] = slt_four(lower ? x[0] : y[0], lower ? x[1] : y[1], lower ? x[2] : y[2],
                                     lower ? x[3] : y[3]);
#pragma unroll
        for (int k = 0; k < 4; k++) x[k] = lower ? y[k] : x[k];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < TALL / 2 * WIDE; i++)
        slt_add4(own.sum[i / WIDE][i % WIDE], 1, other[i * THREADS]);
}

SLT_DEVICE_INLINE void put_sums(const slt_weight_product &p, const adder &own, float *to,
                                bool add) {
    int first = own.row + own.left + own.half * 32 + 4 * own.g;
    int column = own.column + own.right + 8 * own.t;
#pragma unroll
    for (int i = 0; i < 4 * WIDE / 2; i++) {
        int e = i / 4, q = i / 2 % 2, odd = i % 2, m = e / 2, at = e % 2 * 2 + odd;
        float4 x = slt_four(own.sum[m][4 * q][at], own.sum[m][4 * q + 1][at],
                            own.sum[m][4 * q + 2][at], own.sum[m][4 * q + 3][at]);
        if (first + e < p.in)
            slt_store4(to + (int64_t)(first + e) * p.out, column + 32 * q + 4 * odd, p.out, add, x);
    }
}

// sums over rows: of the lanes of a column, then of both halves
SLT_DEVICE_INLINE void put_bias(const adder &own, float *memory, float *to, bool add) {
    float *at = memory + own.half * TILE + own.right + 4 * own.g;
    int c = (int)threadIdx.x;
#pragma unroll
    for (int j = 0; j < WIDE; j++) {
        float x = own.bias[j];
        x += __shfl_xor_sync(0xffffffffu, x, 1);
        x += __shfl_xor_sync(0xffffffffu, x, 2);
        if (own.left == 0 && own.t == 0) at[j / 4 * 32 + j % 4] = x;
    }
    __syncthreads();
    if (c < TILE) slt_put(&to[own.column + c], add, memory[c] + memory[TILE + c]);
}

SLT_DEVICE_INLINE void put_tile(const slt_weight_product &p, adder &own, float *memory) {
    float *partial = p.partial + (int64_t)own.part * (p.in + 1) * p.out;
    bool whole = p.parts == 1;
    join_halves(own, memory);
    put_sums(p, own, whole ? p.dw : partial, whole && p.add_w);
    if (!p.dc || own.row > 0) return;
    __syncthreads();
    put_bias(own, memory, whole ? p.dc : partial + (int64_t)p.in * p.out, whole && p.add_c);
}

SLT_DEVICE_INLINE adder adder_of(const slt_weight_product &p, int block) {
    int wide = p.out / TILE, tiles = (p.in + TILE - 1) / TILE * wide;
    int tile = block % tiles, steps = (p.rows + STEP - 1) / STEP;
    int lane = (int)(threadIdx.x % SLT_WARP), warp = (int)threadIdx.x / SLT_WARP;
    adder own = {};
    own.row = tile / wide * TILE, own.column = tile % wide * TILE;
    own.part = block / tiles;
    own.first = steps * own.part / p.parts;
    own.steps = steps * (own.part + 1) / p.parts - own.first;
    own.g = lane / 4, own.t = lane % 4, own.half = warp / 4;
    own.left = warp % 2 * 64, own.right = warp / 2 % 2 * 64;
    return own;
}

// its sums are let in late: they would hold room that others lack
SLT_KERNEL __launch_bounds__(THREADS, 1) multiply(const __grid_constant__ slt_weight_group group) {
    slt_wait_for_last();
    SLT_DYNAMIC_SHARED(memory);
    int n = 0, block = (int)blockIdx.x;
    while (block >= group.product[n].end) n++;
    const slt_weight_product &p = group.product[n];
    adder own = adder_of(p, n ? block - group.product[n - 1].end : block);
    if (p.bits)
        add_steps<true>(p, own, memory);
    else
        add_steps<false>(p, own, memory);
    slt_let_next();
    put_tile(p, own, memory);
}

// ---- parts: a thread has four numbers of dW or dc

SLT_KERNEL __launch_bounds__(THREADS) add_parts(const __grid_constant__ slt_weight_group group) {
    slt_begin();
    int n = 0, block = (int)blockIdx.x;
    while (block >= group.product[n].sum_end) n++;
    const slt_weight_product &p = group.product[n];
    if (n) block -= group.product[n - 1].sum_end;
    int64_t size = (int64_t)p.in * p.out, all = size + p.out;
    int64_t i = ((int64_t)block * THREADS + threadIdx.x) * 4;
    float sum[4] = {0};
    bool bias = i >= size;
    if (i >= (p.dc ? all : size)) return;
#pragma unroll 4
    for (int part = 0; part < p.parts; part++)
        slt_add4(sum, 1, *(const float4 *)(p.partial + part * all + i));
    slt_store4(bias ? p.dc + (i - size) : p.dw + i, 0, 4, bias ? p.add_c : p.add_w,
               slt_four(sum[0], sum[1], sum[2], sum[3]));
}

// ---- launches

// has a block room enough on this device?
static bool has_room(void) {
#ifdef SLT_EMULATED
    return true;
#else
    return slt_shared_room() >= BYTES;
#endif
}

bool slt_cuda_weights_fit(const slt_weight_product *p) {
    return p->dw && p->out % TILE == 0 && (p->bits ? p->rows <= SLT_BITS_FEW : p->in % TILE == 0) &&
           has_room();
}

static int tiles_of(const slt_weight_product *p) {
    return slt_pieces(p->in, TILE) * (p->out / TILE);
}

// blocks of a launch, at most: where there are many rows, beside the slots' launch of 64
enum { MANY_ROWS = 4096, FEW_BLOCKS = 64, BLOCKS = 120 };
static_assert(BLOCKS * (TILE + 1) * TILE * 4 <= SLT_WEIGHT_ROOM, "a tile and a bias each");
// of a block, at least: what is shared out must be added up
#ifdef SLT_EMULATED
enum { STEPS = 4 };
#else
enum { STEPS = 10 };
#endif

static int blocks_of(const slt_weight_group *group) {
    for (int n = 0; n < group->count; n++)
        if (group->product[n].rows > MANY_ROWS) return FEW_BLOCKS;
    return BLOCKS;
}

static void share_rows(slt_weight_group *group) {
    int tiles = 0, blocks = 0, sums = 0;
    float *room = group->room;
    for (int n = 0; n < group->count; n++) tiles += tiles_of(&group->product[n]);
    for (int n = 0; n < group->count; n++) {
        slt_weight_product *p = &group->product[n];
        int most = slt_pieces(p->rows, STEP) / STEPS, parts = blocks_of(group) / tiles;
        int64_t size = (int64_t)(p->in + 1) * p->out;
        if (parts > most) parts = most;
        p->parts = parts < 1 ? 1 : parts;
        p->partial = room;
        p->end = blocks += p->parts * tiles_of(p);
        if (p->parts > 1) sums += slt_pieces(size, 4 * THREADS), room += p->parts * size;
        p->sum_end = sums;
    }
}

void slt_cuda_weights_launch(slt_weight_group *group) {
    share_rows(group);
    const slt_weight_product *last = &group->product[group->count - 1];
    SLT_LAUNCH_LARGE(group, multiply, dim3((unsigned)last->end), THREADS, BYTES);
    if (last->sum_end) SLT_LAUNCH(group, add_parts, dim3((unsigned)last->sum_end), THREADS, 0);
}
