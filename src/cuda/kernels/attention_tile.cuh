// Rows of a head in shared memory, and as factors of tensor cores: what both kinds of attention on
// tensor cores share. A lane (g, t) takes channels 4t .. 4t+3 of every 16, so that it reads fours,
// and terms 2t and 2t+1 of eight rows, which is what it has of a result.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_ATTENTION_TILE_CUH
#define SLT_CUDA_ATTENTION_TILE_CUH

#include "cuda/kernels/bf16_rows.cuh"

// numbers between two rows: the banks of shared memory, or a part of them
template <int SIZE> struct slt_tile_row {
    enum { OF = SIZE <= 32 ? SIZE : 64 };
};
// where channel c of row l is: eights of channels change places from row to row, so that the lanes
// of a warp read different banks, fours of eight rows as well as eights of every other row
template <int SIZE> SLT_DEVICE_INLINE int slt_tile_place(int l, int c) {
    int key = SIZE == 16 ? l / 2 % 4 : l / 2 % 4 ^ l % 2 * 2;
    return ((l * (slt_tile_row<SIZE>::OF / 8) + c / 8) ^ key) * 8 + c % 8;
}

// over the four lanes of a row
SLT_DEVICE_INLINE float slt_row_most(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xffffffffu, x, 2));
}
SLT_DEVICE_INLINE float slt_row_sum(float x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

SLT_DEVICE_INLINE float4 slt_rounded4(float4 x) {
    return slt_four(slt_rounded(x.x), slt_rounded(x.y), slt_rounded(x.z), slt_rounded(x.w));
}

// 16 channels of rows g and g+8 as two left factors, from the lane's fours
SLT_DEVICE_INLINE void slt_left_factor(float (*a)[4], float4 x, float4 y) {
    a[0][0] = x.x, a[0][1] = y.x, a[0][2] = x.y, a[0][3] = y.y;
    a[1][0] = x.z, a[1][1] = y.z, a[1][2] = x.w, a[1][3] = y.w;
}
// a result (16,8) as a left factor
SLT_DEVICE_INLINE void slt_result_factor(float *a, const float *c) {
    a[0] = slt_rounded(c[0]), a[1] = slt_rounded(c[2]);
    a[2] = slt_rounded(c[1]), a[3] = slt_rounded(c[3]);
}

// a pair of numbers of a row
SLT_DEVICE_INLINE void slt_put_pair(float *to, bool add, float x, float y) {
    float2 *at = (float2 *)to, both = {x, y};
    if (add) both.x += at->x, both.y += at->y;
    *at = both;
}
SLT_DEVICE_INLINE void slt_put_pair(slt_bf16 *to, bool add, float x, float y) {
    uint32_t *at = (uint32_t *)to;
    *at = add ? slt_pair(slt_low(*at) + x, slt_high(*at) + y) : slt_pair(x, y);
}

#endif
