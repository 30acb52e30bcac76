// Gradients of weights in one launch (weight_group.h). A block has 128 × 128 numbers of one dW, or
// what is left of it, and a part of the rows; a second kernel adds the parts in order. Two groups
// of four warps take 16 of 32 rows each (warp_group.cuh). x comes from shared memory into the
// registers of the lane that needs it, bits as zeros and ones; dy is turned round there, as the
// tensor core wants it, while the rows before are multiplied.
//
// The order of a tile's rows and columns is free: lane (g, t) of warp w reads four channels of x at
// once, 32w + 4g .. + 3, for two products, and ends with columns 16i + 4t .. + 3 of their rows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/weight_group.h"

#include "cuda/fused/layer/layer_group.cuh"

static_assert(sizeof(slt_weight_group) <= 4096, "a kernel takes so many bytes of arguments");

enum { TILE = SLT_WEIGHT_TILE, EIGHTS = TILE / 8, FOURS = TILE / 16, STEP = 32, HALF = STEP / 2 };
enum { THREADS = 2 * SLT_GROUP, STRIDE = TILE + 8, SIZE = STEP * STRIDE };
enum { STAGES = 4, AHEAD = STAGES - 1, STAGE = 2 * SIZE, TURNED = STEP * TILE };
enum { BYTES = (STAGES * STAGE + 2 * TURNED) * 4 + SLT_GROUP_ALIGN };

// what a block, and in it a thread, adds up
typedef struct {
    int row, column;        // of dW: the block's first
    int part, first, steps; // of the rows, 32 a step
    int group, warp, g, t;  // of the thread
    float *turned, *ring;   // shared memory: dy of two steps, turned round; rows on their way
    float sum[2][EIGHTS][4], bias;
} adder;

// ---- rows on their way: x, then dy

SLT_DEVICE_INLINE float *stage_of(const adder &own, int step) {
    return own.ring + step % STAGES * STAGE;
}

// a tile's columns from `column` on; those that are not there are zeros
SLT_DEVICE_INLINE void prefetch_rows(float *to, const float *from, int column, int row, int rows,
                                     int width) {
    enum { EACH = THREADS / (TILE / 4) };
    int r = (int)threadIdx.x / (TILE / 4), c = (int)threadIdx.x % (TILE / 4) * 4;
    int left = column + c < width ? rows - row - r : 0;
    from += (int64_t)(row + r) * width + column + c, to += r * STRIDE + c;
#pragma unroll
    for (int i = 0; i < STEP; i += EACH)
        slt_copy_fours_if(to + i * STRIDE, from + i * width, i < left);
}
// the same of rows that are no multiple of four numbers
SLT_DEVICE_INLINE void prefetch_words(float *to, const float *from, int column, int row, int rows,
                                      int width) {
    int own = column + (int)threadIdx.x % TILE, c = slt_least(own, width - 1);
#pragma unroll
    for (int i = (int)threadIdx.x / TILE; i < STEP; i += THREADS / TILE) {
        int64_t at = slt_least(row + i, rows - 1);
        slt_copy_word_if(to + i * STRIDE + own - column, from + at * width + c,
                         row + i < rows && own < width);
    }
}

SLT_DEVICE_INLINE void bring_marks(float *to, const slt_weight_product &p, int number, int word) {
    int own = number + (int)threadIdx.x, there = slt_least(own, p.in - 1);
    const float *from = p.x + (int64_t)word * p.in;
    if (threadIdx.x < TILE) slt_copy_word_if(to + threadIdx.x, from + there, own < p.in);
}

SLT_DEVICE_INLINE void prefetch(const slt_weight_product &p, const adder &own, int step) {
    float *to = stage_of(own, step);
    int row = (own.first + step) * STEP;
    if (step < own.steps) {
        prefetch_rows(to + SIZE, p.dy, own.column, row, p.rows, p.out);
        if (p.bits)
            bring_marks(to, p, own.row, own.first + step);
        else if (p.in % 4)
            prefetch_words(to, p.x, own.row, row, p.rows, p.in);
        else
            prefetch_rows(to, p.x, own.row, row, p.rows, p.in);
    }
    slt_copy_group();
}

// the channel that becomes column n of a product (slt_layer_column)
SLT_DEVICE_INLINE int channel_of(int n) {
    return n / 16 * 16 + n / 2 % 4 * 4 + n / 8 % 2 * 2 + n % 2;
}

// dy of a step, turned round: a thread has a column, and every other four rows of it
SLT_DEVICE_INLINE void turn(adder &own, int step) {
    int n = (int)threadIdx.x % TILE;
    const float *from = stage_of(own, step) + SIZE + channel_of(n);
    float *to = own.turned + step % 2 * TURNED;
    if (step >= own.steps) return;
#pragma unroll
    for (int i = 0; i < STEP / 8; i++) {
        int k = 8 * i + 4 * own.group;
        const float *at = from + k * STRIDE;
        float4 x = slt_four(at[0], at[STRIDE], at[2 * STRIDE], at[3 * STRIDE]);
        own.bias += slt_sum4(x);
        *(float4 *)(to + slt_layer_place(k, n, TILE)) = slt_layer_rounded(x);
    }
}

// ---- products

SLT_DEVICE_INLINE float bit_of(uint32_t word, int i) { return word >> i & 1 ? 1.0f : 0.0f; }

// row `row` of the lane's four channels
template <bool BITS> SLT_DEVICE_INLINE float4 left_of(const adder &own, const float *x, int row) {
    x += 32 * own.warp + 4 * own.g;
    const uint32_t *words = (const uint32_t *)x;
    if constexpr (BITS)
        return slt_four(bit_of(words[0], row), bit_of(words[1], row), bit_of(words[2], row),
                        bit_of(words[3], row));
    else
        return slt_layer_rounded(*(const float4 *)(x + row * STRIDE));
}

// factors of both products, of the group's 16 rows
template <bool BITS>
SLT_DEVICE_INLINE void load_left(const adder &own, int step, float (*left)[2][4]) {
    const float *x = stage_of(own, step);
#pragma unroll
    for (int k = 0; k < HALF / 8; k++) {
        int row = own.group * HALF + 8 * k + own.t;
        float4 upper = left_of<BITS>(own, x, row), lower = left_of<BITS>(own, x, row + 4);
        float *one = left[k][0], *other = left[k][1];
        one[0] = upper.x, one[1] = upper.y, one[2] = lower.x, one[3] = lower.y;
        other[0] = upper.z, other[1] = upper.w, other[2] = lower.z, other[3] = lower.w;
    }
}

#if SLT_GROUP_CORE

SLT_DEVICE_INLINE void begin_products(adder &own, int step, float (*left)[2][4]) {
    unsigned right = slt_layer_begin(own.turned + step % 2 * TURNED);
    slt_group_fence();
#pragma unroll
    for (int i = 0; i < HALF / 4; i++)
        slt_group_step(own.sum[i % 2], left[i / 2][i % 2],
                       slt_layer_view(right, own.group * HALF / 8 + i / 2, TILE), 0);
}
SLT_DEVICE_INLINE void end_products(adder &own, float (*left)[2][4]) {
    slt_group_start();
    slt_group_await();
    slt_group_pin<2>(left[0]);
    slt_group_pin<2>(left[1]);
    slt_group_pin<EIGHTS>(own.sum[0]);
    slt_group_pin<EIGHTS>(own.sum[1]);
}
// what was written is there for the tensor core, after the next barrier
SLT_DEVICE_INLINE void show(void) { asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); }

#else

SLT_DEVICE_INLINE void begin_products(adder &own, int step, float (*left)[2][4]) {
    const float *right = own.turned + step % 2 * TURNED;
#pragma unroll
    for (int i = 0; i < HALF / 8 * EIGHTS; i++) {
        int k = i / EIGHTS, j = i % EIGHTS, row = own.group * HALF + 8 * k + own.t;
        float factors[2] = {right[slt_layer_place(row, 8 * j + own.g, TILE)],
                            right[slt_layer_place(row + 4, 8 * j + own.g, TILE)]};
        slt_mma(own.sum[0][j], left[k][0], factors);
        slt_mma(own.sum[1][j], left[k][1], factors);
    }
}
SLT_DEVICE_INLINE void end_products(adder &, float (*)[2][4]) {}
SLT_DEVICE_INLINE void show(void) {}

#endif

template <bool BITS> SLT_DEVICE_INLINE void add_steps(const slt_weight_product &p, adder &own) {
    for (int i = 0; i < AHEAD; i++) prefetch(p, own, i);
    slt_copy_wait<AHEAD - 1>();
    __syncthreads();
    turn(own, 0);
#pragma unroll 1
    for (int step = 0; step < own.steps; step++) {
        float left[HALF / 8][2][4];
        slt_copy_wait<AHEAD - 2>();
        show();
        __syncthreads();
        load_left<BITS>(own, step, left);
        begin_products(own, step, left);
        prefetch(p, own, step + AHEAD);
        turn(own, step + 1);
        end_products(own, left);
    }
    slt_copy_wait<0>();
    __syncthreads();
}

// ---- results

// each group keeps one product, and adds the other's
SLT_DEVICE_INLINE void join_groups(adder &own) {
    float4 *mine = (float4 *)own.ring + threadIdx.x;
    const float4 *other = (const float4 *)own.ring + (threadIdx.x ^ SLT_GROUP);
    bool second = own.group;
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        float *x = own.sum[0][j], *y = own.sum[1][j];
        mine[j * THREADS] = slt_four(second ? x[0] : y[0], second ? x[1] : y[1],
                                     second ? x[2] : y[2], second ? x[3] : y[3]);
#pragma unroll
        for (int k = 0; k < 4; k++) x[k] = second ? y[k] : x[k];
    }
    __syncthreads();
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) slt_add4(own.sum[0][j], 1, other[j * THREADS]);
}

SLT_DEVICE_INLINE void put_sums(const slt_weight_product &p, const adder &own, float *to,
                                bool add) {
    int row = own.row + 32 * own.warp + 4 * own.g + 2 * own.group;
#pragma unroll
    for (int i = 0; i < 2 * FOURS; i++)
        if (row + i % 2 < p.in)
            slt_store4(to + (int64_t)(row + i % 2) * p.out, own.column + 16 * (i / 2) + 4 * own.t,
                       p.out, add, slt_layer_four(own.sum[0], i / 2, i % 2));
}

// sums over rows, of both groups
SLT_DEVICE_INLINE void put_bias(const adder &own, float *to, int out, bool add) {
    int n = (int)threadIdx.x % TILE;
    float *both = own.turned;
    both[threadIdx.x] = own.bias;
    __syncthreads();
    int column = own.column + channel_of(n);
    if (own.group == 0 && column < out) slt_put(&to[column], add, both[n] + both[TILE + n]);
}

SLT_DEVICE_INLINE float *partial_of(const slt_weight_product &p, int part) {
    return p.partial + (int64_t)part * (p.in + 1) * p.out;
}

SLT_DEVICE_INLINE void put_tile(const slt_weight_product &p, adder &own) {
    float *partial = partial_of(p, own.part);
    bool whole = p.parts == 1;
    join_groups(own);
    put_sums(p, own, whole ? p.dw : partial, whole && p.add_w);
    if (p.dc && own.row == 0)
        put_bias(own, whole ? p.dc : partial + (int64_t)p.in * p.out, p.out, whole && p.add_c);
}

SLT_DEVICE_INLINE adder adder_of(const slt_weight_product &p, int block, float *memory) {
    int wide = (p.out + TILE - 1) / TILE, tiles = (p.in + TILE - 1) / TILE * wide;
    int tile = block % tiles, steps = (p.rows + STEP - 1) / STEP;
    int lane = (int)(threadIdx.x % SLT_WARP), warp = (int)threadIdx.x / SLT_WARP;
    adder own = {};
    own.row = tile / wide * TILE, own.column = tile % wide * TILE;
    own.part = block / tiles;
    own.first = steps * own.part / p.parts;
    own.steps = steps * (own.part + 1) / p.parts - own.first;
    own.group = warp / 4, own.warp = warp % 4, own.g = lane / 4, own.t = lane % 4;
    own.turned = slt_group_begin(memory), own.ring = own.turned + 2 * TURNED;
    return own;
}

// its sums are let in late: they would hold room that others lack
SLT_KERNEL __launch_bounds__(THREADS, 1) multiply(const __grid_constant__ slt_weight_group group) {
    slt_wait_for_last();
    SLT_DYNAMIC_SHARED(memory);
    int n = 0, block = (int)blockIdx.x;
    while (block >= group.product[n].end) n++;
    const slt_weight_product &p = group.product[n];
    adder own = adder_of(p, n ? block - group.product[n - 1].end : block, memory);
    if (p.bits)
        add_steps<true>(p, own);
    else
        add_steps<false>(p, own);
    slt_let_next();
    put_tile(p, own);
}

// ---- parts

// four numbers of dW and dc as one, from number i on
SLT_DEVICE_INLINE float4 sum_of_parts(const slt_weight_product &p, int i) {
    float sum[4] = {0};
#pragma unroll 8
    for (int part = 0; part < p.parts; part++)
        slt_add4(sum, 1, *(const float4 *)(partial_of(p, part) + i));
    return slt_four(sum[0], sum[1], sum[2], sum[3]);
}

SLT_DEVICE_INLINE void add_numbers(const slt_weight_product &p, int block) {
    int size = p.in * p.out, i = (block * THREADS + (int)threadIdx.x) * 4;
    bool bias = i >= size;
    if (i < size + (p.dc ? p.out : 0))
        slt_store4(bias ? p.dc + (i - size) : p.dw + i, 0, 4, bias ? p.add_c : p.add_w,
                   sum_of_parts(p, i));
}

SLT_KERNEL __launch_bounds__(THREADS) add_parts(const __grid_constant__ slt_weight_group group) {
    slt_begin();
    int n = 0, block = (int)blockIdx.x;
    while (block >= group.product[n].sum_end) n++;
    add_numbers(group.product[n], n ? block - group.product[n - 1].sum_end : block);
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

static int tiles_of(const slt_weight_product *p) {
    return slt_pieces(p->in, TILE) * slt_pieces(p->out, TILE);
}

// tiles of which a quarter is there at least
bool slt_cuda_weights_fit(const slt_weight_product *p) {
    bool fits = p->out % 4 == 0 && (!p->bits || p->rows <= SLT_BITS_FEW);
    return p->dw && fits && (int64_t)p->in * p->out * 4 >= (int64_t)tiles_of(p) * TILE * TILE &&
           has_room();
}

// blocks of a launch, at most, by what runs concurrently with it: the slots' launch of 64, where
// there are many rows; the encoder's; its front of 50; the last blocks of the group before
enum { MANY_ROWS = 4096, FEW_BLOCKS = 68, BLOCKS = 120, FRONT_BLOCKS = 64, LAST_BLOCKS = 80 };
static_assert(LAST_BLOCKS * (TILE + 1) * TILE * 4 <= SLT_WEIGHT_ROOM, "a tile and a bias each");
// of a block, at least: what is shared out must be added up
#ifdef SLT_EMULATED
enum { STEPS = 4, LAST_STEPS = 4 };
#else
enum { STEPS = 10, LAST_STEPS = 2 };
#endif

static int blocks_of(const slt_weight_group *group) {
    if (group->time == SLT_BESIDE_NOTHING) return LAST_BLOCKS;
    if (group->time == SLT_BESIDE_FRONT) return FRONT_BLOCKS;
    for (int n = 0; n < group->count; n++)
        if (group->product[n].rows > MANY_ROWS) return FEW_BLOCKS;
    return BLOCKS;
}

static int parts_of(const slt_weight_product *p, int steps) {
    int parts = slt_pieces(p->rows, STEP) / steps;
    return parts < 1 ? 1 : parts;
}

// steps of a block, so that all blocks find room at once
static int fewest_steps(const slt_weight_group *group) {
    for (int steps = group->time == SLT_BESIDE_NOTHING ? LAST_STEPS : STEPS;; steps++) {
        int blocks = 0, most = 1;
        for (int n = 0; n < group->count; n++) {
            const slt_weight_product *p = &group->product[n];
            int parts = parts_of(p, steps);
            blocks += parts * tiles_of(p);
            most = parts > most ? parts : most;
        }
        if (most == 1 || blocks <= blocks_of(group)) return steps;
    }
}

static void share_rows(slt_weight_group *group) {
    int blocks = 0, sums = 0, steps = fewest_steps(group);
    float *room = group->room;
    for (int n = 0; n < group->count; n++) {
        slt_weight_product *p = &group->product[n];
        int64_t size = (int64_t)(p->in + 1) * p->out;
        p->parts = parts_of(p, steps);
        p->partial = room;
        p->end = blocks += p->parts * tiles_of(p);
        if (p->parts > 1) {
            sums += slt_pieces(size, 4 * THREADS);
            room += p->parts * size;
        }
        p->sum_end = sums;
    }
}

void slt_cuda_weights_multiply(slt_weight_group *group) {
    share_rows(group);
    const slt_weight_product *last = &group->product[group->count - 1];
    SLT_LAUNCH_LARGE(group, multiply, dim3((unsigned)last->end), THREADS, BYTES);
}

void slt_cuda_weights_add(const slt_weight_group *group) {
    const slt_weight_product *last = &group->product[group->count - 1];
    if (last->sum_end) SLT_LAUNCH(group, add_parts, dim3((unsigned)last->sum_end), THREADS, 0);
}
