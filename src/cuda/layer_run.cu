// The rows' half of a Transformer layer, forward: a block takes 64 rows from attention's output to
// the second norm, and through the narrow layer where there is one. Rows stay in registers, weights
// come through shared memory (layer_ring.cuh); what backward reads is written on the way.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/layer_group.cuh"

enum { WIDTH = SLT_LAYER_WIDTH, EIGHTS = SLT_LAYER_EIGHTS, HALF = SLT_LAYER_HALF };
enum { THREADS = SLT_LAYER_THREADS, OUT = SLT_LAYER_OUT };

// the group's half of attention's rows
SLT_DEVICE_INLINE void take_mixed(const slt_layer_run &p, const slt_layer_bench &b, float (*a)[4]) {
    const float *mixed = slt_at(p.mixed) + b.at.group * (WIDTH / 2);
    const float *upper = mixed + (int64_t)slt_least(b.at.upper, p.rows - 1) * WIDTH;
    const float *lower = mixed + (int64_t)slt_least(b.at.upper + 8, p.rows - 1) * WIDTH;
#pragma unroll
    for (int j = 0; j < HALF; j++) {
        float2 x = slt_pairs(upper)[4 * j + b.at.t], y = slt_pairs(lower)[4 * j + b.at.t];
        a[j][0] = slt_rounded(x.x), a[j][1] = slt_rounded(y.x);
        a[j][2] = slt_rounded(x.y), a[j][3] = slt_rounded(y.y);
    }
}

// own + what is in another row + a bias
SLT_DEVICE_INLINE void add_row(const slt_layer_bench &b, float2 *own, const float2 *row, int bias) {
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        float2 c = slt_layer_small(b, bias, j);
        own[j].x += c.x + row[j].x, own[j].y += c.y + row[j].y;
    }
}

// own = x̂; the result: 1/τ. Rows that the batch does not have are zero
SLT_DEVICE_INLINE float centre(float2 *own, bool there, float epsilon) {
    float sum = 0, square = 0;
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        if (!there) own[j].x = own[j].y = 0;
        sum += own[j].x + own[j].y;
    }
    float mean = slt_layer_sum(sum) / WIDTH;
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        own[j].x -= mean, own[j].y -= mean;
        square += own[j].x * own[j].x + own[j].y * own[j].y;
    }
    float factor = 1 / sqrtf(slt_layer_sum(square) / WIDTH + epsilon);
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) own[j].x *= factor, own[j].y *= factor;
    return factor;
}

// own = LN(own), with all that the norm writes
SLT_DEVICE_INLINE void take_norm(const slt_layer_run &p, const slt_layer_bench &b,
                                 const slt_layer_norm &norm, float2 *own, int gamma, bool there) {
    int64_t at = (int64_t)b.at.own * WIDTH;
    bool inside = b.at.own < p.rows;
    float factor = centre(own, there, norm.epsilon);
    if (inside && p.keep && b.at.t == 0) slt_at(norm.factor)[b.at.own] = factor;
    if (inside && p.keep) slt_layer_store(slt_at(norm.hat) + at, own, b.at.t);
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        float2 scale = slt_layer_small(b, gamma, j), shift = slt_layer_small(b, gamma + 1, j);
        own[j].x = there ? scale.x * own[j].x + shift.x : 0;
        own[j].y = there ? scale.y * own[j].y + shift.y : 0;
    }
    if (inside) slt_layer_store(slt_at(norm.y) + at, own, b.at.t);
}

// h = relu(h + c1) as factors of the next product, 64 columns from `column` on; the result: signs
SLT_DEVICE_INLINE uint32_t open_middle(const slt_layer_run &p, const slt_layer_bench &b,
                                       float (*h)[4], int column) {
    float *upper = slt_at(p.middle) + (int64_t)b.at.upper * p.wide + column;
    bool keep[2] = {p.keep && b.at.upper < p.rows, p.keep && b.at.upper + 8 < p.rows};
    const float2 *bias = slt_pairs(b.small + SLT_SMALL_C1 * WIDTH + column);
    uint32_t signs = 0;
#pragma unroll
    for (int j = 0; j < HALF; j++) {
        float2 c = bias[4 * j + b.at.t];
        float *x = h[j];
#pragma unroll
        for (int i = 0; i < 2; i++) {
            float2 y = {fmaxf(x[2 * i] + c.x, 0), fmaxf(x[2 * i + 1] + c.y, 0)};
            signs |= (uint32_t)((y.x > 0) + 2 * (y.y > 0)) << (4 * j + 2 * i);
            if (keep[i]) slt_pairs(upper + (int64_t)8 * i * p.wide)[4 * j + b.at.t] = y;
            x[2 * i] = slt_rounded(y.x), x[2 * i + 1] = slt_rounded(y.y);
        }
        slt_layer_factors(x);
    }
    return signs;
}

// the signs of 64 columns of the block's rows: a word of every lane, as stream_product.cu has them
SLT_DEVICE_INLINE void put_signs(const slt_layer_run &p, const slt_layer_bench &b, int part,
                                 uint32_t signs) {
    uint32_t *to = (uint32_t *)slt_at(p.signs);
    int64_t tile = (int64_t)blockIdx.x * (p.wide / WIDTH) + part;
    to[(tile * SLT_GROUP + b.at.thread) * 2 + b.at.group] = signs;
}

// z = relu(y·W1 + c1)·W2, the group's part of the middle
SLT_DEVICE_INLINE void take_mlp(const slt_layer_run &p, slt_layer_bench &b, float (*y)[4],
                                float (*z)[4]) {
#pragma unroll 1
    for (int part = 0; part < p.wide / WIDTH; part++) {
        float h[HALF][4];
        slt_layer_deep(h, y, slt_ring_take(b.ring));
        slt_ring_next(b.ring);
        uint32_t signs = open_middle(p, b, h, part * WIDTH + b.at.group * 64);
        if (p.keep) put_signs(p, b, part, signs);
        slt_layer_wide(z, h, slt_ring_take(b.ring), part == 0);
        slt_ring_next(b.ring);
    }
}

// z = y·W + c; a lane puts two columns of its row
SLT_DEVICE_INLINE void put_head(const slt_layer_run &p, const slt_layer_bench &b,
                                const float2 *own) {
    float sum[OUT] = {0};
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        slt_add8(sum, own[j].x, slt_layer_head_row(b, j, 0));
        slt_add8(sum, own[j].y, slt_layer_head_row(b, j, 1));
    }
    const float *c = slt_at(p.head.c);
    float *z = slt_at(p.head.z) + (int64_t)b.at.own * p.head.out;
#pragma unroll
    for (int o = 0; o < OUT; o++) {
        float all = slt_layer_sum(sum[o]);
        if (o / 2 == b.at.t && o < p.head.out && b.at.own < p.rows) z[o] = all + (c ? c[o] : 0);
    }
}

SLT_DEVICE_INLINE void take_layer(const slt_layer_run &p, slt_layer_bench &b) {
    float z[EIGHTS][4], a[EIGHTS][4];
    float2 own[EIGHTS], row[EIGHTS];
    int count = slt_count(p.batch, p.batch.in_space[0], p.rows);
    bool there = b.at.own < count;
    int64_t at = (int64_t)slt_least(b.at.own, p.rows - 1) * WIDTH;
    take_mixed(p, b, a);
    slt_layer_load(row, slt_at(p.x) + at, b.at.t);
    slt_layer_wide(z, a, slt_ring_take(b.ring), 1);
    slt_ring_next(b.ring);
    slt_layer_gather(own, z, b.swap);
    add_row(b, own, row, SLT_SMALL_C);
    take_norm(p, b, p.norm[0], own, SLT_SMALL_NORM1, there);
    slt_layer_share(a, own, b.swap);
    take_mlp(p, b, a, z);
    slt_let_next();
    slt_layer_load(own, slt_at(p.norm[0].y) + at, b.at.t);
    slt_layer_gather(row, z, b.swap);
    add_row(b, own, row, SLT_SMALL_C2);
    take_norm(p, b, p.norm[1], own, SLT_SMALL_NORM2, there);
    if (p.head.out) put_head(p, b, own);
}

SLT_KERNEL __launch_bounds__(THREADS, 1) forward(const __grid_constant__ slt_layer_run p) {
    SLT_DYNAMIC_SHARED(memory);
    alignas(8) __shared__ uint64_t gates[SLT_LAYER_GATES];
    slt_layer_bench b = slt_layer_open(p, memory, gates);
    slt_wait_for_last();
    __syncthreads();
    take_layer(p, b);
}

// ---- launches

bool slt_cuda_layer_fits(void) {
#ifdef SLT_EMULATED
    return true;
#else
    return slt_shared_room() >= SLT_LAYER_BYTES;
#endif
}

void slt_cuda_layer_forward(const slt_layer_run *run) {
    dim3 grid = slt_grid(&run->batch, run->rows, SLT_LAYER_ROWS);
    SLT_LAUNCH_LARGE(run, forward, grid, THREADS, SLT_LAYER_BYTES);
}
