// The rows' half of a Transformer layer, backward: a block takes the gradients of 64 rows from the
// second norm, or the narrow layer behind it, to attention's output, with the same products and the
// same way of weights as forward (layer_run.cu). What weight gradients read is written on the way;
// sums over the block's rows for the norms' own weights are left for who adds blocks up.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/layer_group.cuh"

enum { WIDTH = SLT_LAYER_WIDTH, EIGHTS = SLT_LAYER_EIGHTS, HALF = SLT_LAYER_HALF };
enum { THREADS = SLT_LAYER_THREADS, WARPS = THREADS / SLT_WARP, OUT = SLT_LAYER_OUT };

// ---- a norm

// what forward kept of the lane's own row
typedef struct {
    float2 hat[EIGHTS];
    float inverse; // 0: the batch does not have the row
} kept_row;

SLT_DEVICE_INLINE void load_kept(const slt_layer_run &p, const slt_layer_bench &b,
                                 const slt_layer_norm &norm, bool there, kept_row *kept) {
    int row = slt_least(b.at.own, p.rows - 1);
    slt_layer_load(kept->hat, slt_at(norm.hat) + (int64_t)row * WIDTH, b.at.t);
    kept->inverse = there ? slt_at(norm.factor)[row] : 0;
}

// one half of N pairs of the lane, added to that of the lane `apart` from it: each keeps one
template <int N> SLT_DEVICE_INLINE void halve(float2 *x, int apart) {
    bool upper = threadIdx.x & (unsigned)apart;
#pragma unroll
    for (int i = 0; i < N / 2; i++) {
        float2 mine = upper ? x[i + N / 2] : x[i], given = upper ? x[i] : x[i + N / 2];
        x[i].x = mine.x + __shfl_xor_sync(0xffffffffu, given.x, apart);
        x[i].y = mine.y + __shfl_xor_sync(0xffffffffu, given.y, apart);
    }
}

// sums over a warp's rows: lanes of a column have two pairs each in the end
SLT_DEVICE_INLINE void put_warp_sums(const slt_layer_bench &b, float2 *x, float *to) {
    int g = (int)(threadIdx.x % SLT_WARP) / 4, first = g / 4 * 8 + g / 2 % 2 * 4 + g % 2 * 2;
    halve<16>(x, 16);
    halve<8>(x, 8);
    halve<4>(x, 4);
#pragma unroll
    for (int i = 0; i < 2; i++) slt_pairs(to)[4 * (first + i) + b.at.t] = x[i];
}

// sums of dy·x̂ and dy over the block's rows, warp by warp
SLT_DEVICE_INLINE void put_parts(const slt_layer_bench &b, const slt_layer_norm &norm,
                                 const float2 *dy, const kept_row &kept) {
    float *memory = (float *)b.swap, *own = memory + (int)threadIdx.x / SLT_WARP * 2 * WIDTH;
    float2 x[EIGHTS];
    float sum = 0;
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) x[j].x = dy[j].x * kept.hat[j].x, x[j].y = dy[j].y * kept.hat[j].y;
    put_warp_sums(b, x, own);
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) x[j] = dy[j];
    put_warp_sums(b, x, own + WIDTH);
    __syncthreads();
#pragma unroll
    for (int w = 0; w < WARPS; w++) sum += memory[w * 2 * WIDTH + (int)threadIdx.x];
    slt_at(norm.parts)[(int64_t)blockIdx.x * 2 * WIDTH + threadIdx.x] = sum;
}

// dy becomes the gradient of the norm's input
SLT_DEVICE_INLINE void turn_norm(const slt_layer_bench &b, const kept_row &kept, float2 *dy,
                                 int gamma) {
    float sum = 0, dot = 0;
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        float2 scale = slt_layer_small(b, gamma, j);
        dy[j].x *= scale.x, dy[j].y *= scale.y;
        sum += dy[j].x + dy[j].y;
        dot += dy[j].x * kept.hat[j].x + dy[j].y * kept.hat[j].y;
    }
    float mean = slt_layer_sum(sum) / WIDTH, along = slt_layer_sum(dot) / WIDTH;
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        dy[j].x = kept.inverse * (dy[j].x - along * kept.hat[j].x - mean);
        dy[j].y = kept.inverse * (dy[j].y - along * kept.hat[j].y - mean);
    }
}

// ---- the second norm's own gradient: from memory, or from the few numbers behind the head

SLT_DEVICE_INLINE float dot8(const float *x, const float *w) {
    float4 a = *(const float4 *)w, b = *(const float4 *)(w + 4);
    return ((x[0] * a.x + x[1] * a.y) + (x[2] * a.z + x[3] * a.w)) +
           ((x[4] * b.x + x[5] * b.y) + (x[6] * b.z + x[7] * b.w));
}

SLT_DEVICE_INLINE void take_head(const slt_layer_run &p, const slt_layer_bench &b, int row,
                                 float2 *dy) {
    const float *dz = slt_at(p.head.dz) + (int64_t)row * p.head.out;
    float d[OUT];
#pragma unroll
    for (int o = 0; o < OUT; o++) d[o] = o < p.head.out ? dz[o] : 0;
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        dy[j].x = dot8(d, slt_layer_head_row(b, j, 0));
        dy[j].y = dot8(d, slt_layer_head_row(b, j, 1));
    }
}

// rows that the batch does not have bring nothing
SLT_DEVICE_INLINE void take_gradient(const slt_layer_run &p, const slt_layer_bench &b, bool there,
                                     float2 *dy) {
    int row = slt_least(b.at.own, p.rows - 1);
    if (p.head.out)
        take_head(p, b, row, dy);
    else
        slt_layer_load(dy, slt_at(p.dy) + (int64_t)row * WIDTH, b.at.t);
#pragma unroll
    for (int j = 0; j < EIGHTS; j++)
        if (!there) dy[j].x = dy[j].y = 0;
}

// ---- the mlp

SLT_DEVICE_INLINE uint32_t signs_of(const slt_layer_run &p, const slt_layer_bench &b, int part) {
    int64_t tile = (int64_t)blockIdx.x * (p.wide / WIDTH) + part;
    return ((const uint32_t *)slt_at(p.signs))[(tile * SLT_GROUP + b.at.thread) * 2 + b.at.group];
}

// dh where the middle was positive, as factors of the next product; 64 columns from `column` on
SLT_DEVICE_INLINE void close_middle(const slt_layer_run &p, const slt_layer_bench &b, float (*h)[4],
                                    int column, uint32_t signs) {
    float *upper = slt_at(p.dmiddle) + (int64_t)b.at.upper * p.wide + column;
#pragma unroll
    for (int j = 0; j < HALF; j++) {
        float *x = h[j];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            uint32_t open = signs >> (4 * j + 2 * i);
            float2 y = {open & 1 ? x[2 * i] : 0, open & 2 ? x[2 * i + 1] : 0};
            if (b.at.upper + 8 * i < p.rows)
                slt_pairs(upper + (int64_t)8 * i * p.wide)[4 * j + b.at.t] = y;
            x[2 * i] = slt_rounded(y.x), x[2 * i + 1] = slt_rounded(y.y);
        }
        slt_layer_factors(x);
    }
}

// z = ((d·W2ᵀ)∘[h>0])·W1ᵀ, the group's part of the middle
SLT_DEVICE_INLINE void turn_mlp(const slt_layer_run &p, slt_layer_bench &b, float (*d)[4],
                                float (*z)[4]) {
#pragma unroll 1
    for (int part = 0; part < p.wide / WIDTH; part++) {
        float h[HALF][4];
        uint32_t signs = signs_of(p, b, part);
        slt_layer_deep(h, d, slt_ring_take(b.ring));
        slt_ring_next(b.ring);
        close_middle(p, b, h, part * WIDTH + b.at.group * 64, signs);
        slt_layer_wide(z, h, slt_ring_take(b.ring), part == 0);
        slt_ring_next(b.ring);
    }
}

// ---- what goes on to others

SLT_DEVICE_INLINE void put_row(slt_cuda_view to, int row, const float2 *own, bool add, int t) {
    float *at = slt_at(to) + (int64_t)row * WIDTH;
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        float2 x = own[j], *place = slt_pairs(at) + 4 * j + t;
        if (add) x.x += place->x, x.y += place->y;
        *place = x;
    }
}

// the group's 64 columns of attention's gradient
SLT_DEVICE_INLINE void put_mixed(const slt_layer_run &p, const slt_layer_bench &b,
                                 const float (*h)[4]) {
    float *upper = slt_at(p.dmixed) + (int64_t)b.at.upper * WIDTH + b.at.group * 64;
#pragma unroll
    for (int j = 0; j < HALF; j++)
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float2 x = {h[j][2 * i], h[j][2 * i + 1]};
            float2 *place = slt_pairs(upper + 8 * i * WIDTH) + 4 * j + b.at.t;
            if (b.at.upper + 8 * i >= p.rows) continue;
            if (p.add_mixed) x.x += place->x, x.y += place->y;
            *place = x;
        }
}

// from the second norm's output to the mlp's: d has both rows of the lane
SLT_DEVICE_INLINE void turn_second(const slt_layer_run &p, const slt_layer_bench &b,
                                   const kept_row &kept, bool there, float (*d)[4]) {
    float2 own[EIGHTS];
    take_gradient(p, b, there, own);
    put_parts(b, p.norm[1], own, kept);
    turn_norm(b, kept, own, SLT_SMALL_NORM2);
    if (b.at.own < p.rows) put_row(p.dwide, b.at.own, own, false, b.at.t);
    slt_layer_share(d, own, b.swap);
}

// from the first norm's output, of which z is the mlp's part, to the product in front of it
SLT_DEVICE_INLINE void turn_first(const slt_layer_run &p, const slt_layer_bench &b, bool there,
                                  float (*z)[4], float (*d)[4]) {
    float2 own[EIGHTS], past[EIGHTS];
    kept_row kept;
    int row = slt_least(b.at.own, p.rows - 1);
    slt_layer_load(past, slt_at(p.dwide) + (int64_t)row * WIDTH, b.at.t);
    load_kept(p, b, p.norm[0], there, &kept);
    slt_layer_gather(own, z, b.swap);
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        own[j].x = there ? own[j].x + past[j].x : 0;
        own[j].y = there ? own[j].y + past[j].y : 0;
    }
    __syncthreads();
    put_parts(b, p.norm[0], own, kept);
    turn_norm(b, kept, own, SLT_SMALL_NORM1);
    if (b.at.own < p.rows) put_row(p.dout, b.at.own, own, false, b.at.t);
    if (b.at.own < p.rows && p.dx.at) put_row(p.dx, b.at.own, own, p.add_x, b.at.t);
    slt_layer_share(d, own, b.swap);
}

SLT_KERNEL __launch_bounds__(THREADS, 1) backward(const __grid_constant__ slt_layer_run p) {
    SLT_DYNAMIC_SHARED(memory);
    alignas(8) __shared__ uint64_t gates[SLT_LAYER_GATES];
    slt_layer_bench b = slt_layer_open(p, memory, gates);
    bool there = b.at.own < slt_count(p.batch, p.batch.in_space[0], p.rows);
    float z[EIGHTS][4], d[EIGHTS][4], h[HALF][4];
    kept_row kept;
    load_kept(p, b, p.norm[1], there, &kept);
    slt_wait_for_last();
    __syncthreads();
    turn_second(p, b, kept, there, d);
    turn_mlp(p, b, d, z);
    turn_first(p, b, there, z, d);
    slt_let_next();
    slt_layer_deep(h, d, slt_ring_take(b.ring));
    if (p.dmixed.at) put_mixed(p, b, h);
}

void slt_cuda_layer_backward(const slt_layer_run *run) {
    dim3 grid = slt_grid(&run->batch, run->rows, SLT_LAYER_ROWS);
    SLT_LAUNCH_LARGE(run, backward, grid, THREADS, SLT_LAYER_BYTES);
}
