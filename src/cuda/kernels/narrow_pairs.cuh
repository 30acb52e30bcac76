// Products with a narrow result (narrow.cuh) of rows in bf16, on tensor cores: y = act(x·W + c) and
// dx = dp·Wᵀ. A warp has 16 rows; W is in shared memory as right factors, in the order of lanes. A
// lane reads eight channels of a row, 8t .. 8t+7 of every 32, the first four for one product of 16,
// the others for the next one; and writes four, 4t .. 4t+3 of every 16.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_NARROW_PAIRS_CUH
#define SLT_CUDA_NARROW_PAIRS_CUH

#include "cuda/kernels/bf16_rows.cuh"
#include "cuda/kernels/narrow.cuh"

enum { SLT_NARROW_TILE = 16 * SLT_NARROW_WARPS }; // rows of a block at a time

// W_co, zero beyond its ends
SLT_DEVICE_INLINE float slt_narrow_weight(const slt_narrow &n, const float *w, int c, int o) {
    return c < n.in && o < n.out ? w[c * n.out + o] : 0;
}

// W as right factors: four numbers of each place; `of` says which. Some are on their way at a time
template <class Numbers>
SLT_DEVICE_INLINE void slt_narrow_factors(uint2 *right, int places, const Numbers &of) {
    enum { ONCE = 4 };
    int apart = (int)blockDim.x;
    for (int first = (int)threadIdx.x; first < places; first += ONCE * apart) {
        float4 x[ONCE];
#pragma unroll
        for (int i = 0; i < ONCE; i++) x[i] = of(slt_least(first + i * apart, places - 1));
#pragma unroll
        for (int i = 0; i < ONCE; i++)
            if (first + i * apart < places) right[first + i * apart] = slt_pairs_of(x[i]);
    }
}

// rows first + g and first + g + 8, or the last there is
SLT_DEVICE_INLINE void slt_narrow_lane_rows(const slt_narrow &n, int first, int64_t *row) {
    int g = (int)(threadIdx.x % SLT_WARP) / 4;
    row[0] = slt_least(first + g, n.rows - 1);
    row[1] = slt_least(first + g + 8, n.rows - 1);
}

// thirty-twos of channels, TILES eights of columns
template <int TILES>
static __global__ void slt_narrow_pairs_forward(const slt_cuda_args a, const slt_narrow n) {
    if (!n.early) slt_wait_for_last();
    SLT_DYNAMIC_SHARED(memory);
    uint2 *right = (uint2 *)memory;
    const float *w = slt_at(n.w), *bias = slt_at(n.c);
    int lane = (int)(threadIdx.x % SLT_WARP), t = lane % 4, parts = (n.in + 31) / 32;
    slt_narrow_factors(right, parts * 2 * TILES * SLT_WARP, [&](int j) {
        int o = j / SLT_WARP % TILES * 8 + j % SLT_WARP / 4, sixteen = j / SLT_WARP / TILES;
        int c = sixteen / 2 * 32 + j % 4 * 8 + sixteen % 2 * 4;
        return slt_four(slt_narrow_weight(n, w, c, o), slt_narrow_weight(n, w, c + 1, o),
                        slt_narrow_weight(n, w, c + 2, o), slt_narrow_weight(n, w, c + 3, o));
    });
    slt_begin();
    __syncthreads();
    const slt_bf16 *x = slt_rows_at<slt_bf16>(n.x);
    float *y = slt_at(n.y);
    int begin = (int)blockIdx.x * n.each, warp = (int)threadIdx.x / SLT_WARP;
    for (int first = begin + 16 * warp; first < slt_least(begin + n.each, n.rows);
         first += SLT_NARROW_TILE) {
        int64_t row[2];
        slt_narrow_lane_rows(n, first, row);
        float sum[TILES][4] = {};
#pragma unroll 4
        for (int i = 0; i < parts; i++) {
            uint4 none = {0, 0, 0, 0}, left[2];
#pragma unroll
            for (int k = 0; k < 2; k++)
                left[k] = 32 * i + 8 * t < n.in
                              ? *(const uint4 *)(x + row[k] * n.in + 32 * i + 8 * t)
                              : none;
            uint32_t factor[2][4] = {{left[0].x, left[1].x, left[0].y, left[1].y},
                                     {left[0].z, left[1].z, left[0].w, left[1].w}};
#pragma unroll
            for (int k = 0; k < 2 * TILES; k++) {
                uint2 own = right[(i * 2 * TILES + k) * SLT_WARP + lane];
                uint32_t other[2] = {own.x, own.y};
                slt_mma_pairs(sum[k % TILES], factor[k / TILES], other);
            }
        }
#pragma unroll
        for (int k = 0; k < 4 * TILES; k++) {
            int r = first + lane / 4 + k % 4 / 2 * 8, o = k / 4 * 8 + 2 * t + k % 2;
            if (r >= n.rows || o >= n.out) continue;
            float own = sum[k / 4][k % 4];
            y[(int64_t)r * n.out + o] = slt_activated(bias ? own + bias[o] : own, n.activation);
        }
    }
}

// dx (+)= dp·Wᵀ; y stands for dp, x for dx. Columns of two eights take turns, so that a lane has
// four next to each other
static __global__ void slt_narrow_pairs_input(const slt_cuda_args a, const slt_narrow n, bool add) {
    if (!n.early) slt_wait_for_last();
    SLT_DYNAMIC_SHARED(memory);
    uint2 *right = (uint2 *)memory;
    const float *w = slt_at(n.w);
    int lane = (int)(threadIdx.x % SLT_WARP), t = lane % 4, sixteens = (n.in + 15) / 16;
    slt_narrow_factors(right, sixteens * 2 * SLT_WARP, [&](int j) {
        int g = j % SLT_WARP / 4, o = j % 4 * 2;
        int c = j / SLT_WARP / 2 * 16 + g / 2 * 4 + g % 2 + j / SLT_WARP % 2 * 2;
        return slt_four(slt_narrow_weight(n, w, c, o), slt_narrow_weight(n, w, c, o + 1),
                        slt_narrow_weight(n, w, c, o + 8), slt_narrow_weight(n, w, c, o + 9));
    });
    slt_begin();
    __syncthreads();
    const float *dp = slt_at(n.y);
    slt_bf16 *dx = slt_rows_at<slt_bf16>(n.x);
    int begin = (int)blockIdx.x * n.each, warp = (int)threadIdx.x / SLT_WARP;
    for (int first = begin + 16 * warp; first < slt_least(begin + n.each, n.rows);
         first += SLT_NARROW_TILE) {
        int64_t row[2];
        slt_narrow_lane_rows(n, first, row);
        uint32_t factor[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            const float *from = dp + row[k % 2] * n.out;
            int o = 2 * t + k / 2 * 8;
            factor[k] = slt_pair(o < n.out ? from[o] : 0, o + 1 < n.out ? from[o + 1] : 0);
        }
        for (int i = 0; i < sixteens; i++) {
            float sum[2][4] = {};
#pragma unroll
            for (int k = 0; k < 2; k++) {
                uint2 own = right[(i * 2 + k) * SLT_WARP + lane];
                uint32_t other[2] = {own.x, own.y};
                slt_mma_pairs(sum[k], factor, other);
            }
#pragma unroll
            for (int k = 0; k < 2; k++)
                if (first + lane / 4 + 8 * k < n.rows)
                    slt_store4(dx + row[k] * n.in, 16 * i + 4 * t, n.in, add,
                               slt_four(sum[0][2 * k], sum[0][2 * k + 1], sum[1][2 * k],
                                        sum[1][2 * k + 1]));
        }
    }
}

// four tiles for each block where the device is full of them
static inline int slt_narrow_pairs_each(const slt_cuda_args *args, int rows) {
    bool many = (int64_t)rows * args->members > SLT_NARROW_MANY;
    return many ? 4 * SLT_NARROW_TILE : (int)SLT_NARROW_TILE;
}
// of W as right factors
static inline size_t slt_narrow_pairs_room(const slt_narrow *n, int tiles) {
    return (size_t)slt_pieces(n->in, 32) * 2 * (size_t)tiles * SLT_WARP * sizeof(uint2);
}

static inline void slt_launch_narrow_pairs(const slt_cuda_args *args, slt_narrow n) {
    n.each = slt_narrow_pairs_each(args, n.rows);
    dim3 grid = slt_grid(args, n.rows, n.each);
    int threads = SLT_NARROW_WARPS * SLT_WARP;
    if (n.out <= 8)
        SLT_LAUNCH(args, slt_narrow_pairs_forward<1>, grid, threads, slt_narrow_pairs_room(&n, 1),
                   n);
    else
        SLT_LAUNCH(args, slt_narrow_pairs_forward<2>, grid, threads, slt_narrow_pairs_room(&n, 2),
                   n);
}

static inline void slt_launch_narrow_pairs_input(const slt_cuda_args *args, slt_narrow n,
                                                 bool add) {
    n.each = slt_narrow_pairs_each(args, n.rows);
    SLT_LAUNCH(args, slt_narrow_pairs_input, slt_grid(args, n.rows, n.each),
               SLT_NARROW_WARPS * SLT_WARP, slt_narrow_pairs_room(&n, 2), n, add);
}

#endif
