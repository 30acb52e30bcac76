// y = bits·W + c by the ones, and the marks that backward needs: what a block does of it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_DENSE_BITS_CUH
#define SLT_CUDA_DENSE_BITS_CUH

#include "cuda/kernels/kernel.cuh"

enum { SLT_BITS_IN, SLT_BITS_W, SLT_BITS_C };
enum { SLT_BITS_WARPS = 4 };                     // of a block, a row each
enum { SLT_BITS_WORD = 32, SLT_BITS_AHEAD = 8 }; // rows of a word; rows of W or dy on their way

// a lane reads one of 32 ones, all hear of it; zeros are added for those that are none
SLT_DEVICE_INLINE void slt_bits_row(const slt_cuda_args &a, int r) {
    int width = a.out_width[0];
    if (r >= a.in_rows[SLT_BITS_IN]) return;
    int lane = (int)(threadIdx.x % SLT_WARP);
    const int32_t *offset = slt_ints(a.in[SLT_BITS_IN]);
    const uint16_t *ones =
        a.ones[SLT_BITS_IN].at + (int64_t)blockIdx.z * a.ones[SLT_BITS_IN].stride;
    const float *w = slt_at(a.in[SLT_BITS_W]), *c = slt_at(a.in[SLT_BITS_C]);
    bool there = r < slt_count(a, a.in_space[SLT_BITS_IN], 0);
    int first = there ? offset[r] : 0, end = there ? offset[r + 1] : 0;
    for (int k = 4 * lane; k - 4 * lane < width; k += 4 * SLT_WARP) {
        float sum[4] = {0};
        if (there && c) slt_add4(sum, 1, slt_load4(c, k, width));
        for (int i = first; i < end; i += SLT_WARP) {
            float own = i + lane < end ? (float)ones[i + lane] : 0;
            int count = slt_least(SLT_WARP, end - i);
            for (int j = 0; j < count; j += SLT_BITS_AHEAD) {
                float4 x[SLT_BITS_AHEAD];
#pragma unroll
                for (int n = 0; n < SLT_BITS_AHEAD; n++) {
                    int64_t row = (int64_t)slt_warp_lane(own, j + n) * width;
                    x[n] = slt_load4(w + row, j + n < count ? k : width, width);
                }
#pragma unroll
                for (int n = 0; n < SLT_BITS_AHEAD; n++) slt_add4(sum, 1, x[n]);
            }
        }
        slt_store4(slt_at(a.out[0]) + (int64_t)r * width, k, width, false,
                   slt_four(sum[0], sum[1], sum[2], sum[3]));
    }
}

// kept for backward: (rows/32, numbers) words, bit i of word w stands for row 32·w + i; a block per
// word
SLT_DEVICE_INLINE void slt_bits_mark(const slt_cuda_args &a, int word) {
    int width = a.in_width[SLT_BITS_IN];
    int rows = slt_count(a, a.in_space[SLT_BITS_IN], 0);
    const int32_t *offset = slt_ints(a.in[SLT_BITS_IN]);
    const uint16_t *ones =
        a.ones[SLT_BITS_IN].at + (int64_t)blockIdx.z * a.ones[SLT_BITS_IN].stride;
    int32_t *marks = (int32_t *)slt_at(a.aux) + (int64_t)word * width;
    for (int i = (int)threadIdx.x; i < width; i += (int)blockDim.x) marks[i] = 0;
    __syncthreads();
    for (int k = (int)threadIdx.x / SLT_WARP; k < SLT_BITS_WORD; k += (int)blockDim.x / SLT_WARP) {
        int r = word * SLT_BITS_WORD + k, lane = (int)(threadIdx.x % SLT_WARP);
        if (r >= rows) return;
        for (int i = offset[r] + lane; i < offset[r + 1]; i += SLT_WARP)
            atomicOr(&marks[ones[i]], (int32_t)(1u << k));
    }
}

// the work of block `block`: rows first, then words
SLT_DEVICE_INLINE void slt_bits_block(const slt_cuda_args &a, int block) {
    int blocks = (a.in_rows[SLT_BITS_IN] + SLT_BITS_WARPS - 1) / SLT_BITS_WARPS;
    if (block < blocks)
        slt_bits_row(a, block * SLT_BITS_WARPS + (int)threadIdx.x / SLT_WARP);
    else
        slt_bits_mark(a, block - blocks);
}

static inline int slt_bits_blocks(const slt_cuda_args *args) {
    int rows = args->in_rows[SLT_BITS_IN];
    return slt_pieces(rows, SLT_BITS_WARPS) + (args->keep ? slt_pieces(rows, SLT_BITS_WORD) : 0);
}

#endif
