// Layer norms row by row: fours of numbers, and a row of 128 numbers at most in the lanes of a
// warp, four each. T: the numbers of rows in memory, float or slt_bf16, x̂ among them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_NORM_ROW_CUH
#define SLT_CUDA_NORM_ROW_CUH

#include "cuda/kernels/bf16_rows.cuh"
#include "ops/common/op_inputs.h"

static_assert(SLT_SHORT_ROW == 4 * SLT_WARP, "a lane has four columns");
enum { SLT_NORM_WARPS = 4 }; // of a block

SLT_DEVICE_INLINE float slt_sum4(float4 x) { return (x.x + x.y) + (x.z + x.w); }
SLT_DEVICE_INLINE float slt_dot4(float4 x, float4 y) {
    return (x.x * y.x + x.y * y.y) + (x.z * y.z + x.w * y.w);
}
SLT_DEVICE_INLINE float4 slt_plus4(float4 x, float4 y) {
    return slt_four(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
}
SLT_DEVICE_INLINE float4 slt_times4(float4 x, float4 y) {
    return slt_four(x.x * y.x, x.y * y.y, x.z * y.z, x.w * y.w);
}
// a·x + b
SLT_DEVICE_INLINE float4 slt_scaled4(float4 x, float a, float b) {
    return slt_four(a * x.x + b, a * x.y + b, a * x.z + b, a * x.w + b);
}
// a·x + y
SLT_DEVICE_INLINE float4 slt_along4(float4 x, float a, float4 y) {
    return slt_four(a * x.x + y.x, a * x.y + y.y, a * x.z + y.z, a * x.w + y.w);
}
// x - mean, zeros beyond the row
SLT_DEVICE_INLINE float4 slt_centred4(float4 x, float mean, int left) {
    return slt_four(left > 0 ? x.x - mean : 0, left > 1 ? x.y - mean : 0, left > 2 ? x.z - mean : 0,
                    left > 3 ? x.w - mean : 0);
}

// x̂ of a short row; numbers beyond its end are zero, and stay so. factor: 1/τ
SLT_DEVICE_INLINE float4 slt_normed(float4 s, int width, float epsilon, float *factor) {
    int c = 4 * (int)(threadIdx.x % SLT_WARP);
    float each = 1 / (float)width; // nobody waits for it
    float mean = slt_warp_sum(slt_sum4(s)) * each;
    s = slt_centred4(s, mean, width - c);
    *factor = 1 / sqrtf(slt_warp_sum(slt_dot4(s, s)) * each + epsilon);
    return slt_scaled4(s, *factor, 0);
}

// the gradient of its input; g = dy∘γ
SLT_DEVICE_INLINE float4 slt_norm_gradient(float4 g, float4 hat, float inverse, int width) {
    float each = 1 / (float)width; // nobody waits for it
    float mean = slt_warp_sum(slt_sum4(g)) * each;
    float along = slt_warp_sum(slt_dot4(g, hat)) * each;
    return slt_scaled4(slt_plus4(g, slt_scaled4(hat, -along, -mean)), inverse, 0);
}

// ---- a short row of a layer norm's node; the lane's four columns

SLT_DEVICE_INLINE int slt_lane_column(void) { return 4 * (int)(threadIdx.x % SLT_WARP); }

// x with the residual of row r
template <class T = float>
SLT_DEVICE_INLINE float4 slt_norm_input(const slt_cuda_args &a, int r, float4 x) {
    int width = a.in_width[SLT_NORM_X];
    const T *residual = slt_rows_at<T>(a.in[SLT_NORM_RESIDUAL]);
    if (!residual) return x;
    return slt_plus4(x, slt_load4(residual + (int64_t)r * width, slt_lane_column(), width));
}

// y of row r, whose input with residual is x; all that the node keeps is written
template <class T = float>
SLT_DEVICE_INLINE float4 slt_norm_row_forward(const slt_cuda_args &a, int r, bool there, float4 x) {
    int c = slt_lane_column(), width = a.in_width[SLT_NORM_X];
    int64_t at = (int64_t)r * width;
    const float *gamma = slt_at(a.in[SLT_NORM_GAMMA]), *beta = slt_at(a.in[SLT_NORM_BETA]);
    const float *positions = slt_at(a.in[SLT_NORM_POSITIONS]);
    float4 none = {0, 0, 0, 0};
    float factor;
    float4 y = slt_normed(there ? x : none, width, (float)a.x[0], &factor);
    if (a.keep && c == 0) slt_at(a.aux)[(int64_t)a.in_room[SLT_NORM_X] * width + r] = factor;
    if (a.keep) slt_store4(slt_rows_at<T>(a.aux) + at, c, width, false, y);
    if (gamma) y = slt_times4(slt_load4(gamma, c, width), y);
    if (beta) y = slt_plus4(y, slt_load4(beta, c, width));
    if (there && positions)
        y = slt_plus4(
            y, slt_load4(positions + slt_token_place_of(a, a.in_space[0], r).l * width, c, width));
    y = there ? y : none;
    slt_store4(slt_rows_at<T>(a.out[0]) + at, c, width, false, y);
    return y;
}

// what forward kept of a row
typedef struct {
    float4 hat;
    float inverse;
} slt_norm_kept;

template <class T = float>
SLT_DEVICE_INLINE slt_norm_kept slt_norm_kept_of(const slt_cuda_args &a, int r, bool there) {
    int width = a.in_width[SLT_NORM_X];
    slt_norm_kept kept;
    kept.hat = slt_load4(slt_rows_at<T>(a.aux) + (int64_t)r * width, slt_lane_column(), width);
    kept.inverse = there ? slt_at(a.aux)[(int64_t)a.in_room[SLT_NORM_X] * width + r] : 0;
    return kept;
}

SLT_DEVICE_INLINE float4 slt_norm_gamma(const slt_cuda_args &a) {
    float4 one = {1, 1, 1, 1};
    const float *gamma = slt_at(a.in[SLT_NORM_GAMMA]);
    return gamma ? slt_load4(gamma, slt_lane_column(), a.in_width[SLT_NORM_X]) : one;
}

// the gradient of the row's input, for whoever carries it on; sums: dy·x̂ and dy of four columns
SLT_DEVICE_INLINE float4 slt_norm_row_backward(const slt_cuda_args &a, bool there, float4 gamma,
                                               float4 dy, slt_norm_kept kept, float *sums) {
    float4 ds =
        slt_norm_gradient(slt_times4(dy, gamma), kept.hat, kept.inverse, a.in_width[SLT_NORM_X]);
    if (!there) return ds;
    slt_add4(sums, 1, slt_times4(dy, kept.hat));
    slt_add4(sums + 4, 1, dy);
    return ds;
}

template <class T = float>
SLT_DEVICE_INLINE void slt_norm_row_put(const slt_cuda_args &a, int r, float4 ds) {
    int c = slt_lane_column(), width = a.in_width[SLT_NORM_X];
    for (int i = SLT_NORM_X; i <= SLT_NORM_RESIDUAL; i++) // may be the same variable: in order
        if (a.in_grad[i].at)
            slt_store4(slt_rows_at<T>(a.in_grad[i]) + (int64_t)r * width, c, width, a.add[i], ds);
}

// a block's sums, of its warps in order, into the node's shared memory; called by all threads
SLT_DEVICE_INLINE void slt_norm_put_parts(const slt_cuda_args &a, const float *sums, int warps,
                                          float *parts) {
    int c = slt_lane_column(), warp = (int)threadIdx.x / SLT_WARP;
    *(float4 *)(parts + warp * SLT_NORM_PARTS + c) = slt_four(sums[0], sums[1], sums[2], sums[3]);
    *(float4 *)(parts + warp * SLT_NORM_PARTS + SLT_SHORT_ROW + c) =
        slt_four(sums[4], sums[5], sums[6], sums[7]);
    __syncthreads();
    float *to = slt_at(a.shared) + (int64_t)blockIdx.x * SLT_NORM_PARTS;
    for (int i = (int)threadIdx.x; i < SLT_NORM_PARTS; i += (int)blockDim.x) {
        float sum = 0;
        for (int w = 0; w < warps; w++) sum += parts[w * SLT_NORM_PARTS + i];
        to[i] = sum;
    }
    __syncthreads();
}

// few rows reach all of the device; the planner has room for 512 blocks, or one for 16 rows
static inline int slt_norm_rows_each(const slt_cuda_args *args) {
    int64_t rows = (int64_t)args->in_rows[SLT_NORM_X] * args->members;
    return rows <= 2048 ? 1 : rows <= 16384 ? 4 : 16;
}

#endif
