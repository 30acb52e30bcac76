// The gradient of a layer norm of very many rows of 128 numbers: a warp per row, a lane has four
// columns. dy and x̂ of a warp's next rows are on their way into shared memory while it works on
// one; a lane reads what it asked for itself, so nobody waits for anybody. Sums over rows of dy·x̂
// and dy are left in `shared` as layer_norm.cu leaves them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/tensor_core.cuh"
#include "ops/common/op_inputs.h"

enum { WIDTH = 128, WARPS = 4, THREADS = WARPS * SLT_WARP, STAGES = 4, AHEAD = STAGES - 1 };
enum { PARTS = 2 * WIDTH, SLOT = 2 * WIDTH }; // sums of a block, numbers of a row on its way

// rows of a warp, no more than it has lanes; the planner has room for a sum of every 16 rows. From
// FEW rows of all members on, rows on their way are worth their room
#ifdef SLT_EMULATED
enum { EACH = 7, FEW = 100 };
#else
enum { EACH = 16, FEW = 32768 };
#endif

// rows first, first + WARPS, ... of a warp
typedef struct {
    float *ring;             // (STAGES, 2, WIDTH): the lane's first number
    const float *from[2];    // dy and x̂: the lane's column of row 0
    int first, rows, column; // of the warp; of the lane
    float mine;              // 1/τ of row `lane`
    float4 gamma;
    float sums[8];
} walk;

SLT_DEVICE_INLINE int64_t place_of(const walk &w, int i) {
    return (int64_t)(w.first + i * WARPS) * WIDTH + w.column;
}

SLT_DEVICE_INLINE void ask_row(const walk &w, int i) {
    int64_t at = (int64_t)(w.first + i * WARPS) * WIDTH;
#pragma unroll
    for (int k = 0; k < 2; k++)
        if (i < w.rows) slt_copy_fours(w.ring + i % STAGES * SLOT + k * WIDTH, w.from[k] + at);
    slt_copy_group();
}

// the first rows are on their way
SLT_DEVICE_INLINE walk begin_walk(const slt_cuda_args &a, float *memory) {
    int warp = (int)threadIdx.x / SLT_WARP;
    walk w = {};
    w.column = 4 * (int)(threadIdx.x % SLT_WARP);
    w.ring = memory + warp * STAGES * SLOT + w.column;
    w.from[0] = slt_at(a.out_grad[0]) + w.column;
    w.from[1] = slt_at(a.aux) + w.column;
    w.first = (int)blockIdx.x * WARPS * EACH + warp;
    int left = a.in_rows[SLT_NORM_X] - w.first;
    w.rows = left > 0 ? slt_least(EACH, (left + WARPS - 1) / WARPS) : 0;
    for (int i = 0; i < AHEAD; i++) ask_row(w, i);
    const float *gamma = slt_at(a.in[SLT_NORM_GAMMA]);
    w.gamma = gamma ? slt_load4(gamma, w.column, WIDTH) : slt_four(1, 1, 1, 1);
    return w;
}

SLT_DEVICE_INLINE float sum_of(float4 x) { return (x.x + x.y) + (x.z + x.w); }
SLT_DEVICE_INLINE float4 times(float4 x, float4 y) {
    return slt_four(x.x * y.x, x.y * y.y, x.z * y.z, x.w * y.w);
}

// ds = (γ·dy - mean(γ·dy) - x̂·mean(γ·dy·x̂))/τ; zeros for rows that the batch does not have
SLT_DEVICE_INLINE void take_row(const slt_cuda_args &a, walk &w, int i, bool there) {
    const float *row = w.ring + i % STAGES * SLOT;
    float4 dy = *(const float4 *)row, h = *(const float4 *)(row + WIDTH), g = times(dy, w.gamma);
    float mean = slt_warp_sum(sum_of(g)) / WIDTH, along = slt_warp_sum(sum_of(times(g, h))) / WIDTH;
    float inverse = slt_warp_lane(w.mine, i), factor = there ? inverse : 0;
    float4 ds = slt_four(factor * (g.x - along * h.x - mean), factor * (g.y - along * h.y - mean),
                         factor * (g.z - along * h.z - mean), factor * (g.w - along * h.w - mean));
    // x and residual may be the same variable: in order
    if (a.in_grad[SLT_NORM_X].at)
        slt_store4(slt_at(a.in_grad[SLT_NORM_X]) + place_of(w, i), 0, WIDTH, a.add[SLT_NORM_X], ds);
    if (a.in_grad[SLT_NORM_RESIDUAL].at)
        slt_store4(slt_at(a.in_grad[SLT_NORM_RESIDUAL]) + place_of(w, i), 0, WIDTH,
                   a.add[SLT_NORM_RESIDUAL], ds);
    if (!there) return;
    slt_add4(w.sums, 1, times(dy, h));
    slt_add4(w.sums + 4, 1, dy);
}

// the block's sums, warp by warp
SLT_DEVICE_INLINE void put_parts(const slt_cuda_args &a, const walk &w, float *memory) {
    int warp = (int)threadIdx.x / SLT_WARP;
    float *own = memory + warp * PARTS, *to = slt_at(a.shared) + (int64_t)blockIdx.x * PARTS;
    __syncthreads();
    slt_store4(own, w.column, WIDTH, false, slt_four(w.sums[0], w.sums[1], w.sums[2], w.sums[3]));
    slt_store4(own + WIDTH, w.column, WIDTH, false,
               slt_four(w.sums[4], w.sums[5], w.sums[6], w.sums[7]));
    __syncthreads();
    for (int i = (int)threadIdx.x; i < PARTS; i += THREADS) {
        float sum = 0;
        for (int k = 0; k < WARPS; k++) sum += memory[k * PARTS + i];
        to[i] = sum;
    }
}

SLT_KERNEL __launch_bounds__(THREADS, 8) backward(const __grid_constant__ slt_cuda_args a) {
    slt_begin();
    alignas(16) __shared__ float memory[WARPS * STAGES * SLOT];
    int lane = (int)(threadIdx.x % SLT_WARP),
        count = slt_count(a, a.in_space[SLT_NORM_X], a.in_rows[SLT_NORM_X]);
    walk w = begin_walk(a, memory);
    const float *inverse = slt_at(a.aux) + (int64_t)a.in_room[SLT_NORM_X] * WIDTH + w.first;
    if (lane < w.rows) w.mine = inverse[lane * WARPS];
    for (int i = 0; i < w.rows; i++) {
        slt_copy_wait<AHEAD - 1>();
        ask_row(w, i + AHEAD);
        take_row(a, w, i, w.first + i * WARPS < count);
    }
    put_parts(a, w, memory);
}

int slt_cuda_norm_gradient(const slt_cuda_args *args) {
    int rows = args->in_rows[SLT_NORM_X];
    if (args->in_width[SLT_NORM_X] != WIDTH || (int64_t)rows * args->members <= FEW) return 0;
    dim3 grid = slt_grid(args, rows, WARPS * EACH);
    SLT_LAUNCH(args, backward, grid, THREADS, 0);
    return (int)grid.x;
}
