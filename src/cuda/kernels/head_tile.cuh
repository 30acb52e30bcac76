// 64 rows of a head in bf16 in shared memory, and products of four warps with them (wgmma), both
// ways: z = a·rowsᵀ, a score per row, where a may be in shared memory, too, and sum += c·rows. One
// layout serves both: a row's sixteens of bytes change places as the tensor core expects it.
// Elsewhere than on Hopper every warp multiplies for itself. SIZE: channels of a row, 32 or 64.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_HEAD_TILE_CUH
#define SLT_CUDA_HEAD_TILE_CUH

#include "cuda/kernels/bf16_rows.cuh"
#include "cuda/kernels/warp_group.cuh"

enum { SLT_TILE_ROWS = 64 };

// x, of which the compiler knows nothing: what is made of it is made again, not kept
SLT_DEVICE_INLINE int slt_opaque(int x) {
    asm volatile("" : "+r"(x));
    return x;
}

template <int SIZE> struct slt_head_tile {
    enum { CHUNKS = SIZE / 8, FLOATS = SLT_TILE_ROWS * SIZE / 2 };
    static constexpr uint32_t ONES = 0x3f803f80; // a pair
    typedef uint32_t left[SIZE / 16][4];         // the lane's part of 64 rows as a left factor

    // where channels 8c .. 8c+7 of row l are
    static __device__ __forceinline__ int place(int l, int c) {
        return l * (SIZE / 2) + (c ^ (SIZE == 64 ? l % 8 : l / 2 % 4)) * 4;
    }
    // where they are c eights further on in the same row; eight rows are as many words further down
    static __device__ __forceinline__ int beside(int place, int c) { return place ^ 4 * c; }
    enum { EIGHT = 8 * SIZE / 2 };

    // rows of a head on their way to shared memory, 64 at a time, by THREADS
    template <int THREADS> struct source {
        enum { STEP = THREADS / CHUNKS, EACH = SLT_TILE_ROWS / STEP };
        const slt_bf16 *from; // the thread's channels of its first row
        int stride, limit, to;
        // rows before `end` are there, and `size` channels of them, a multiple of eight; others are
        // zeros
        __device__ __forceinline__ source(const slt_bf16 *rows, int stride_, int end, int size) {
            int l = (int)threadIdx.x / CHUNKS, c = (int)threadIdx.x % CHUNKS;
            bool there = 8 * c < size && l < end;
            from = there ? rows + l * stride_ + 8 * c : rows;
            stride = stride_;
            limit = there ? end - l : 0;
            to = place(l, c);
        }
        __device__ __forceinline__ void copy(float *tile, int first) const {
#pragma unroll
            for (int k = 0; k < EACH; k++) {
                int l = first + k * STEP;
                slt_copy_fours_if(tile + to + k * STEP * (SIZE / 2),
                                  (const float *)(from + (l < limit ? l * stride : 0)), l < limit);
            }
        }
    };

#if SLT_GROUP_CORE

    // how the tensor core finds the rows: eights of rows follow each other
    static __device__ __forceinline__ uint64_t view(const float *tile, int bytes) {
        unsigned begin = ((unsigned)__cvta_generic_to_shared(tile) + (unsigned)bytes) >> 4;
        return begin | 1u << 16 | (uint64_t)(SIZE * 16 >> 4) << 32 |
               (uint64_t)(SIZE == 64 ? 1 : 2) << 62;
    }
    static __device__ __forceinline__ void scores(float (*z)[4], const left &a, const float *tile) {
#pragma unroll
        for (int s = 0; s < SIZE / 16; s++)
            slt_group_pairs<64, false>(z, a[s], view(tile, 32 * s), s == 0);
    }
    static __device__ __forceinline__ void scores(float (*z)[4], const float *rows,
                                                  const float *tile) {
#pragma unroll
        for (int s = 0; s < SIZE / 16; s++)
            slt_group_pairs_of<64, false>(z, view(rows, 32 * s), view(tile, 32 * s), s == 0);
    }
    static __device__ __forceinline__ void sums(float (*sum)[4], const uint32_t (*c)[4],
                                                const float *tile) {
#pragma unroll
        for (int s = 0; s < SLT_TILE_ROWS / 16; s++)
            slt_group_pairs<SIZE, true>(sum, c[s], view(tile, 32 * SIZE * s), 0);
    }

    // sixteen rows of sixteen channels, two right factors of pairs down a column; at: of the lane
    static __device__ __forceinline__ void turn(uint32_t (*right)[2], const float *at) {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(right[0][0]), "=r"(right[0][1]), "=r"(right[1][0]), "=r"(right[1][1])
                     : "r"((unsigned)__cvta_generic_to_shared(at)));
    }
    // a warp's product: channels 8c .. 8c+15, added up over all rows, in each row of `sum`
    static __device__ __forceinline__ void columns(float (*sum)[4], const float *tile, int c) {
        const uint32_t ones[4] = {ONES, ONES, ONES, ONES};
        int lane = (int)threadIdx.x % SLT_WARP, at = slt_opaque(place(lane % 16, c + lane / 16));
#pragma unroll
        for (int s = 0; s < SLT_TILE_ROWS / 16; s++) {
            uint32_t right[2][2];
            turn(right, tile + at + 2 * s * EIGHT);
            for (int i = 0; i < 2; i++) slt_mma_pairs(sum[i], ones, right[i]);
        }
    }

    // sum += leftᵀ·rows, where left is 64 rows of 64 in a tile of its own
    static __device__ __forceinline__ void turned(float (*sum)[4], const float *left_tile,
                                                  const float *tile) {
#pragma unroll
        for (int s = 0; s < SLT_TILE_ROWS / 16; s++)
            slt_group_pairs_of<SIZE, true>(sum, slt_head_tile<64>::view(left_tile, 2048 * s),
                                           view(tile, 32 * SIZE * s), 0);
    }

#else

    static __device__ __forceinline__ void scores(float (*z)[4], const left &a, const float *tile) {
        int lane = (int)threadIdx.x % SLT_WARP, g = lane / 4, t = lane % 4;
        for (int i = 0; i < 32; i++) z[i / 4][i % 4] = 0;
#pragma unroll
        for (int i = 0; i < 8 * (SIZE / 16); i++) {
            int j = i / (SIZE / 16), s = i % (SIZE / 16);
            const uint32_t *words = (const uint32_t *)tile + t;
            uint32_t right[2] = {words[place(8 * j + g, 2 * s)],
                                 words[place(8 * j + g, 2 * s + 1)]};
            slt_mma_pairs(z[j], a[s], right);
        }
    }
    static __device__ __forceinline__ void scores(float (*z)[4], const float *rows,
                                                  const float *tile) {
        int lane = (int)threadIdx.x % SLT_WARP, l = (int)threadIdx.x / SLT_WARP % 4 * 16 + lane / 4;
        left a;
        for (int i = 0; i < SIZE / 4; i++)
            a[i / 4][i % 4] = ((const uint32_t *)rows)[place(l + i % 2 * 8, i / 2) + lane % 4];
        scores(z, a, tile);
    }
    static __device__ __forceinline__ void sums(float (*sum)[4], const uint32_t (*c)[4],
                                                const float *tile) {
        int lane = (int)threadIdx.x % SLT_WARP, g = lane / 4, t = lane % 4;
#pragma unroll
        for (int i = 0; i < CHUNKS * (SLT_TILE_ROWS / 16); i++) {
            int n = i % CHUNKS, s = i / CHUNKS;
            uint32_t right[2];
            for (int k = 0; k < 2; k++) right[k] = down(tile, 16 * s + 8 * k + 2 * t, 8 * n + g);
            slt_mma_pairs(sum[n], c[s], right);
        }
    }
    static __device__ __forceinline__ void columns(float (*sum)[4], const float *tile, int c) {
        const uint32_t ones[4] = {ONES, ONES, ONES, ONES};
        int lane = (int)threadIdx.x % SLT_WARP, g = lane / 4, t = lane % 4;
        for (int i = 0; i < SLT_TILE_ROWS / 8; i++) {
            int l = i / 2 * 16 + 2 * t, channel = 8 * (c + i % 2) + g;
            uint32_t right[2] = {down(tile, l, channel), down(tile, l + 8, channel)};
            slt_mma_pairs(sum[i % 2], ones, right);
        }
    }
    // numbers of column `channel` of rows l and l+1, a pair
    static __device__ __forceinline__ uint32_t down(const float *tile, int l, int channel) {
        const uint16_t *even = (const uint16_t *)(tile + place(l, channel / 8));
        const uint16_t *odd = (const uint16_t *)(tile + place(l + 1, channel / 8));
        return even[channel % 8] | (uint32_t)odd[channel % 8] << 16;
    }
    static __device__ __forceinline__ void turned(float (*sum)[4], const float *left_tile,
                                                  const float *tile) {
        int lane = (int)threadIdx.x % SLT_WARP, g = lane / 4, t = lane % 4;
        int own = (int)threadIdx.x / SLT_WARP % 4 * 16 + g;
        uint32_t c[SLT_TILE_ROWS / 16][4];
        for (int i = 0; i < SLT_TILE_ROWS / 4; i++)
            c[i / 4][i % 4] = slt_head_tile<64>::down(left_tile, i / 4 * 16 + i % 4 / 2 * 8 + 2 * t,
                                                      own + i % 2 * 8);
        sums(sum, c, tile);
    }

#endif
};

// a result (64,64) as a left factor
SLT_DEVICE_INLINE void slt_tile_factor(uint32_t (*a)[4], const float (*c)[4]) {
#pragma unroll
    for (int i = 0; i < SLT_TILE_ROWS / 4; i++) {
        const float *of = c[i / 2] + i % 2 * 2;
        a[i / 4][i % 4] = slt_pair(of[0], of[1]);
    }
}

#endif
