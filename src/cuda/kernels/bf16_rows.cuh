// Rows of numbers in bf16: loads and stores with the names of those of float32, so that a kernel is
// written once for both. Arithmetic is in float32. Rows are multiples of eight numbers wide.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_BF16_ROWS_CUH
#define SLT_CUDA_BF16_ROWS_CUH

#include "cuda/kernels/tensor_core.cuh"

struct slt_bf16 {
    uint16_t bits;
};

// rows of a view, float or slt_bf16
template <class T> SLT_DEVICE_INLINE T *slt_rows_at(slt_cuda_view view) {
    return (T *)slt_at(view);
}

// ---- pairs: two numbers in a word, the first in the lower half

SLT_DEVICE_INLINE float slt_low(uint32_t pair) { return __uint_as_float(pair << 16); }
SLT_DEVICE_INLINE float slt_high(uint32_t pair) { return __uint_as_float(pair & 0xffff0000u); }
SLT_DEVICE_INLINE uint2 slt_pairs_of(float4 x) {
    uint2 pairs = {slt_pair(x.x, x.y), slt_pair(x.z, x.w)};
    return pairs;
}
SLT_DEVICE_INLINE float4 slt_four_of(uint2 pairs) {
    return slt_four(slt_low(pairs.x), slt_high(pairs.x), slt_low(pairs.y), slt_high(pairs.y));
}

SLT_DEVICE_INLINE float4 slt_four_of(float4 x) { return x; }

// a four of a row as it is in memory
template <class T> struct slt_four_in { typedef float4 type; };
template <> struct slt_four_in<slt_bf16> { typedef uint2 type; };

// ---- a number

SLT_DEVICE_INLINE float slt_get(const float *at) { return *at; }
SLT_DEVICE_INLINE float slt_get(const slt_bf16 *at) {
    return __uint_as_float((uint32_t)at->bits << 16);
}
SLT_DEVICE_INLINE void slt_put(slt_bf16 *out, bool add, float value) {
    out->bits = (uint16_t)slt_pair(add ? slt_get(out) + value : value, 0);
}

// ---- fours

SLT_DEVICE_INLINE float4 slt_load4(const slt_bf16 *row, int c, int width) {
    float4 none = {0, 0, 0, 0};
    return c < width ? slt_four_of(*(const uint2 *)(row + c)) : none;
}
// the same as they are in memory, on their way: slt_four_of makes numbers of them
SLT_DEVICE_INLINE uint2 slt_ahead4(const slt_bf16 *row, int c, int width) {
    uint2 none = {0, 0};
    return c < width ? *(const uint2 *)(row + c) : none;
}
SLT_DEVICE_INLINE float4 slt_ahead4(const float *row, int c, int width) {
    return slt_load4(row, c, width);
}
SLT_DEVICE_INLINE void slt_store4(slt_bf16 *row, int c, int width, bool add, float4 x) {
    if (c >= width) return;
    if (add) {
        float4 there = slt_load4(row, c, width);
        x = slt_four(x.x + there.x, x.y + there.y, x.z + there.z, x.w + there.w);
    }
    *(uint2 *)(row + c) = slt_pairs_of(x);
}

// zeros in rows [count, rows), shared out over all threads of the grid's x
SLT_DEVICE_INLINE void slt_clear_tail(slt_bf16 *out, int count, int rows, int width) {
    uint32_t *pairs = (uint32_t *)out;
    for (unsigned i = (unsigned)(count * (width / 2)) + slt_thread();
         i < (unsigned)(rows * (width / 2)); i += slt_stride())
        pairs[i] = 0;
}

#endif
