// Products of the 16 rows of a block on tensor cores (tf32): a warp has eights of columns. Rows are
// in shared memory, rounded; weights are in a warp's registers, or in shared memory, too.
//
// The order of terms in a product is free as long as both factors agree: lane (g, t) takes channels
// 16i+4t .. 16i+4t+3 of a row, so that it reads fours: two steps of the tensor core.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_SIXTEEN_ROWS_CUH
#define SLT_CUDA_SIXTEEN_ROWS_CUH

#include "cuda/kernels/norm_row.cuh"
#include "cuda/kernels/tensor_core.cuh"

enum { SLT_SIXTEEN = 16, SLT_SIXTEEN_THREADS = SLT_SIXTEEN * SLT_WARP }; // rows, and warps

// where the lane is
typedef struct {
    int warp, g, t;
} slt_sixteen_spot;

SLT_DEVICE_INLINE slt_sixteen_spot slt_sixteen_here(void) {
    int lane = (int)threadIdx.x % SLT_WARP;
    slt_sixteen_spot at = {(int)threadIdx.x / SLT_WARP, lane / 4, lane % 4};
    return at;
}

SLT_DEVICE_INLINE float4 slt_rounded4(float4 x) {
    return slt_four(slt_rounded(x.x), slt_rounded(x.y), slt_rounded(x.z), slt_rounded(x.w));
}

// c (16,8) += sixteen i of the channels of rows of `stride` numbers · w, four of each lane
SLT_DEVICE_INLINE void slt_sixteen_step(float *c, const float *rows, int stride, int i,
                                        const slt_sixteen_spot &at, const float *w) {
    float4 x = *(const float4 *)(rows + at.g * stride + 16 * i + 4 * at.t);
    float4 y = *(const float4 *)(rows + (at.g + 8) * stride + 16 * i + 4 * at.t);
    float even[4] = {x.x, y.x, x.y, y.y}, odd[4] = {x.z, y.z, x.w, y.w};
    slt_mma(c, even, w);
    slt_mma(c, odd, w + 2);
}

// a lane's weights of eight columns of W, which has IN rows of `stride` numbers, from `column` on
template <int IN>
SLT_DEVICE_INLINE void slt_sixteen_columns(float *w, const float *from, int stride, int column,
                                           const slt_sixteen_spot &at) {
    const float *own = from + 4 * at.t * stride + column + at.g;
#pragma unroll
    for (int i = 0; i < IN / 4; i++) w[i] = slt_rounded(own[(i / 4 * 16 + i % 4) * stride]);
}
// of eight rows of W, which has rows of `stride` numbers: a product with Wᵀ
template <int OUT>
SLT_DEVICE_INLINE void slt_sixteen_turned(float *w, const float *from, int stride, int row,
                                          const slt_sixteen_spot &at) {
    const float4 *own = (const float4 *)(from + (row + at.g) * stride) + at.t;
#pragma unroll
    for (int i = 0; i < OUT / 16; i++) {
        float4 x = slt_rounded4(own[4 * i]);
        w[4 * i] = x.x, w[4 * i + 1] = x.y, w[4 * i + 2] = x.z, w[4 * i + 3] = x.w;
    }
}

// (16,8) = rows·w, of IN channels: chains of sums, then their sum
template <int IN>
SLT_DEVICE_INLINE void slt_sixteen_product(float *sum, const float *rows, int stride,
                                           const slt_sixteen_spot &at, const float *w) {
    enum { CHAINS = 4 };
    float c[CHAINS][4] = {};
#pragma unroll
    for (int i = 0; i < IN / 16; i++)
        slt_sixteen_step(c[i % CHAINS], rows, stride, i, at, w + 4 * i);
#pragma unroll
    for (int i = 0; i < 4; i++) sum[i] = (c[0][i] + c[1][i]) + (c[2][i] + c[3][i]);
}

// a product's eight columns, to rows of `stride` numbers
SLT_DEVICE_INLINE void slt_sixteen_put(const float *sum, float *rows, int stride, int column,
                                       const slt_sixteen_spot &at) {
    float2 upper = {sum[0], sum[1]}, lower = {sum[2], sum[3]};
    *(float2 *)(rows + at.g * stride + column + 2 * at.t) = upper;
    *(float2 *)(rows + (at.g + 8) * stride + column + 2 * at.t) = lower;
}

// rows of WIDTH numbers from memory, rounded; zeros from row `count` on
template <int WIDTH>
SLT_DEVICE_INLINE void slt_sixteen_prefetch(float *rows, int stride, const float *from, int count) {
    enum { FOURS = SLT_SIXTEEN * WIDTH / 4, EVEN = FOURS % SLT_SIXTEEN_THREADS == 0 };
    float4 none = {0, 0, 0, 0};
#pragma unroll
    for (int k = 0; k * SLT_SIXTEEN_THREADS < FOURS; k++) {
        int i = k * SLT_SIXTEEN_THREADS + (int)threadIdx.x, c = i % (WIDTH / 4) * 4;
        if (!EVEN && i >= FOURS) continue;
        int l = i / (WIDTH / 4), r = (int)blockIdx.x * SLT_SIXTEEN + l;
        const float *at = from + (int64_t)r * WIDTH + c;
        *(float4 *)(rows + l * stride + c) = r < count ? slt_rounded4(*(const float4 *)at) : none;
    }
}

#endif
