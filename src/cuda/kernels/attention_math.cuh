// Products of heads in tiles, in tf32 and in bf16: rows of a head as left factors in registers, and
// tiles of rows in shared memory as right factors, both ways: z = a·rowsᵀ, a score per row, and
// sum += c·rows, where c is a result. In tf32 one layout serves both. In bf16 scores want pairs of
// channels of a row, sums pairs of rows of a channel: a tile has the layouts that it is asked for.
// `summed` and BALANCED are two ways to make gradients of scores add up to zero
// (attention_steps.cuh).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_ATTENTION_MATH_CUH
#define SLT_CUDA_ATTENTION_MATH_CUH

#include "cuda/kernels/attention_tile.cuh"

enum { SLT_FOR_SCORES = 1, SLT_FOR_SUMS = 2 }; // layouts of a tile

template <int SIZE_> struct slt_tf32_math {
    typedef float row; // numbers in memory
    enum { SIZE = SIZE_, ROW = slt_tile_row<SIZE>::OF, BALANCED = 0 };
    static __device__ __forceinline__ float summed(float x) { return slt_tf32(x); }
    struct left {
        float x[SIZE / 8][4];
        // channels 16c + 4t .. of the lane's two rows
        __device__ __forceinline__ void put(int c, float4 first, float4 second) {
            slt_left_factor(x + 2 * c, slt_rounded4(first), slt_rounded4(second));
        }
    };
    template <int ROWS, int FOR> struct tile {
        float at[ROWS * ROW];
        // channels c .. c+3 of rows 2·pair and 2·pair+1
        __device__ __forceinline__ void put(int pair, int c, float4 x, float4 y) {
            *(float4 *)(at + slt_tile_place<SIZE>(2 * pair, c)) = slt_rounded4(x);
            *(float4 *)(at + slt_tile_place<SIZE>(2 * pair + 1, c)) = slt_rounded4(y);
        }
        // z[m] (16,8) = a[m]·rowsᵀ, eight rows from `first` on
        template <int N>
        __device__ __forceinline__ void scores(float (*z)[4], const left *a, int first, int g,
                                               int t) const {
            const float *rows = at + first * ROW;
#pragma unroll
            for (int i = 0; i < 4 * N; i++) z[i / 4][i % 4] = 0;
#pragma unroll
            for (int i = 0; i < SIZE / 16; i++) {
                float4 x = *(const float4 *)(rows + slt_tile_place<SIZE>(g, 16 * i + 4 * t));
                float even[2] = {x.x, x.y}, odd[2] = {x.z, x.w};
#pragma unroll
                for (int m = 0; m < N; m++) slt_mma(z[m], a[m].x[2 * i], even);
#pragma unroll
                for (int m = 0; m < N; m++) slt_mma(z[m], a[m].x[2 * i + 1], odd);
            }
        }
        // sum[m] (16,SIZE) += c[0][m]·rows and c[1][m]·rows, eight rows from `first` on, and eight
        template <int N>
        __device__ __forceinline__ void sums(float (*sum)[SIZE / 8][4], const float (*c)[N][4],
                                             int first, int g, int t) const {
#pragma unroll
            for (int half = 0; half < 2; half++) {
                const float *rows = at + (first + 8 * half) * ROW;
                float factor[N][4];
#pragma unroll
                for (int m = 0; m < N; m++) slt_result_factor(factor[m], c[half][m]);
#pragma unroll
                for (int n = 0; n < SIZE / 8; n++) {
                    float right[2] = {rows[slt_tile_place<SIZE>(2 * t, 8 * n + g)],
                                      rows[slt_tile_place<SIZE>(2 * t + 1, 8 * n + g)]};
#pragma unroll
                    for (int m = 0; m < N; m++) slt_mma(sum[m][n], factor[m], right);
                }
            }
        }
    };
};

// ROW: float, or slt_bf16, which need no rounding
template <int SIZE_, class ROW> struct slt_bf16_math {
    typedef ROW row;
    enum { SIZE = SIZE_, SIXTEENS = SIZE / 16, EIGHTS = SIZE / 8, BALANCED = 1 };
    static __device__ __forceinline__ float summed(float x) { return x; }
    struct left {
        uint32_t x[SIXTEENS][4];
        __device__ __forceinline__ void put(int c, float4 first, float4 second) {
            x[c][0] = slt_pair(first.x, first.y), x[c][1] = slt_pair(second.x, second.y);
            x[c][2] = slt_pair(first.z, first.w), x[c][3] = slt_pair(second.z, second.w);
        }
        __device__ __forceinline__ void put(int c, uint2 first, uint2 second) {
            x[c][0] = first.x, x[c][1] = second.x, x[c][2] = first.y, x[c][3] = second.y;
        }
    };
    // words of shared memory: 32 bytes change places, so that the lanes of a warp read different
    // banks. Channels 16i + 4t .. of row l are two words
    static __device__ __forceinline__ int row_place(int l, int i, int t) {
        int key = SIXTEENS == 2 ? l / 2 % 2 : SIXTEENS == 4 ? l % 4 : 0;
        return (l * SIXTEENS + (i ^ key)) * 8 + 2 * t;
    }
    // channel c of rows 2p and 2p+1 is a word
    static __device__ __forceinline__ int pair_place(int p, int c) {
        int key = EIGHTS % 4 == 0 ? p % 4 : p / 2 % 2;
        return (p * EIGHTS + (c / 8 ^ key)) * 8 + c % 8;
    }
    template <int ROWS, int FOR> struct tile {
        alignas(16) uint32_t rows[FOR & SLT_FOR_SCORES ? ROWS * SIZE / 2 : 4];
        alignas(16) uint32_t pairs[FOR & SLT_FOR_SUMS ? ROWS * SIZE / 2 : 4];
        __device__ __forceinline__ void put(int pair, int c, float4 x, float4 y) {
            if (FOR & SLT_FOR_SCORES) {
                uint2 first = {slt_pair(x.x, x.y), slt_pair(x.z, x.w)};
                uint2 second = {slt_pair(y.x, y.y), slt_pair(y.z, y.w)};
                *(uint2 *)(rows + row_place(2 * pair, c / 16, c / 4 % 4)) = first;
                *(uint2 *)(rows + row_place(2 * pair + 1, c / 16, c / 4 % 4)) = second;
            }
            if (FOR & SLT_FOR_SUMS) {
                uint2 first = {slt_pair(x.x, y.x), slt_pair(x.y, y.y)};
                uint2 second = {slt_pair(x.z, y.z), slt_pair(x.w, y.w)};
                *(uint2 *)(pairs + pair_place(pair, c)) = first;
                *(uint2 *)(pairs + pair_place(pair, c + 2)) = second;
            }
        }
        // the lower and the upper halves of two words
        static __device__ __forceinline__ uint2 halves(uint32_t x, uint32_t y) {
            uint2 both = {(x & 0xffffu) | y << 16, x >> 16 | (y & 0xffff0000u)};
            return both;
        }
        __device__ __forceinline__ void put(int pair, int c, uint2 x, uint2 y) {
            if (FOR & SLT_FOR_SCORES) {
                *(uint2 *)(rows + row_place(2 * pair, c / 16, c / 4 % 4)) = x;
                *(uint2 *)(rows + row_place(2 * pair + 1, c / 16, c / 4 % 4)) = y;
            }
            if (FOR & SLT_FOR_SUMS) {
                *(uint2 *)(pairs + pair_place(pair, c)) = halves(x.x, y.x);
                *(uint2 *)(pairs + pair_place(pair, c + 2)) = halves(x.y, y.y);
            }
        }
        template <int N>
        __device__ __forceinline__ void scores(float (*z)[4], const left *a, int first, int g,
                                               int t) const {
#pragma unroll
            for (int i = 0; i < 4 * N; i++) z[i / 4][i % 4] = 0;
#pragma unroll
            for (int i = 0; i < SIXTEENS; i++) {
                uint2 x = *(const uint2 *)(rows + row_place(first + g, i, t));
                uint32_t right[2] = {x.x, x.y};
#pragma unroll
                for (int m = 0; m < N; m++) slt_mma_pairs(z[m], a[m].x[i], right);
            }
        }
        template <int N>
        __device__ __forceinline__ void sums(float (*sum)[SIZE / 8][4], const float (*c)[N][4],
                                             int first, int g, int t) const {
            uint32_t factor[N][4];
#pragma unroll
            for (int i = 0; i < 4 * N; i++) {
                const float *of = c[i % 4 / 2][i / 4] + i % 2 * 2;
                factor[i / 4][i % 4] = slt_pair(of[0], of[1]);
            }
#pragma unroll
            for (int n = 0; n < EIGHTS; n++) {
                uint32_t right[2] = {pairs[pair_place(first / 2 + t, 8 * n + g)],
                                     pairs[pair_place(first / 2 + 4 + t, 8 * n + g)]};
#pragma unroll
                for (int m = 0; m < N; m++) slt_mma_pairs(sum[m][n], factor[m], right);
            }
        }
    };
};

#endif
