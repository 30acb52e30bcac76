// Products of a few rows with a matrix, by one block: y = x·W and dx = dy·Wᵀ in plain float32. The
// rows are in shared memory, R of them at most; W comes straight from the second cache, four
// numbers a lane, and is read once. Sums go through shared memory, or through the lanes of a warp,
// in a fixed order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FEW_ROWS_CUH
#define SLT_CUDA_FEW_ROWS_CUH

#include "cuda/kernel.cuh"

enum { SLT_FEW_DEPTH = 8, SLT_FEW_COLUMNS = 4 * SLT_WARP }; // fours on their way; columns of a warp

// four numbers that nobody writes during the launch
SLT_DEVICE_INLINE float4 slt_steady4(const float *at) {
#ifdef SLT_EMULATED
    return *(const float4 *)at;
#else
    return __ldg((const float4 *)at);
#endif
}

SLT_DEVICE_INLINE int slt_block_warp(void) { return (int)threadIdx.x / SLT_WARP; }
SLT_DEVICE_INLINE int slt_block_warps(void) { return (int)blockDim.x / SLT_WARP; }

// numbers of rows into shared memory, in fours; zeros in what is left of its room
SLT_DEVICE_INLINE void slt_stage(float *to, const float *from, int numbers, int room) {
    float4 none = {0, 0, 0, 0};
    for (int i = 4 * (int)threadIdx.x; i < room; i += 4 * (int)blockDim.x)
        *(float4 *)(to + i) = i < numbers ? *(const float4 *)(from + i) : none;
}

// ---- y = x·W: warps share out columns, 128 each, and stretches of k

typedef struct {
    int column;     // first of the lane
    int k, end;     // the warp's stretch
    int part, used; // its number, how many there are
} slt_few_share;

SLT_DEVICE_INLINE slt_few_share slt_few_share_of(int in, int out) {
    int groups = (out + SLT_FEW_COLUMNS - 1) / SLT_FEW_COLUMNS, parts = slt_block_warps() / groups;
    int each = (in + parts * SLT_FEW_DEPTH - 1) / (parts * SLT_FEW_DEPTH) * SLT_FEW_DEPTH;
    slt_few_share s;
    s.column = slt_block_warp() % groups * SLT_FEW_COLUMNS + 4 * (int)(threadIdx.x % SLT_WARP);
    s.part = slt_block_warp() / groups;
    s.used = (in + each - 1) / each;
    s.k = s.part * each;
    s.end = slt_least(in, s.k + each);
    return s;
}

SLT_DEVICE_INLINE void slt_few_load(const slt_few_share &s, int k, const float *w, int out,
                                    float4 *fours) {
    float4 none = {0, 0, 0, 0};
#pragma unroll
    for (int n = 0; n < SLT_FEW_DEPTH; n++)
        fours[n] = k + n < s.end && s.column < out
                       ? slt_steady4(w + (int64_t)(k + n) * out + s.column)
                       : none;
}

template <int R>
SLT_DEVICE_INLINE void slt_few_add(const slt_few_share &s, int k, const float *x, int in,
                                   const float4 *fours, float (*sum)[4]) {
#pragma unroll
    for (int n = 0; n < SLT_FEW_DEPTH; n += 4) {
        if (k + n >= s.end) break;
#pragma unroll
        for (int r = 0; r < R; r++) {
            float4 four = *(const float4 *)(x + r * in + k + n);
            slt_add4(sum[r], four.x, fours[n]);
            slt_add4(sum[r], four.y, fours[n + 1]);
            slt_add4(sum[r], four.z, fours[n + 2]);
            slt_add4(sum[r], four.w, fours[n + 3]);
        }
    }
}

// the sums of stretches into parts (used, R, out) of shared memory; x (rows, in) goes to `staged`
template <int R>
SLT_DEVICE_INLINE slt_few_share slt_few_product(const float *x, int rows, const float *w, int in,
                                                int out, float *staged, float *parts) {
    slt_few_share s = slt_few_share_of(in, out);
    float4 now[SLT_FEW_DEPTH], next[SLT_FEW_DEPTH];
    float sum[R][4];
#pragma unroll
    for (int r = 0; r < R; r++) sum[r][0] = sum[r][1] = sum[r][2] = sum[r][3] = 0;
    slt_few_load(s, s.k, w, out, now);
    slt_stage(staged, x, rows * in, R * in);
    __syncthreads();
    for (int k = s.k; k < s.end; k += SLT_FEW_DEPTH) {
        slt_few_load(s, k + SLT_FEW_DEPTH, w, out, next);
        slt_few_add<R>(s, k, staged, in, now, sum);
#pragma unroll
        for (int n = 0; n < SLT_FEW_DEPTH; n++) now[n] = next[n];
    }
#pragma unroll
    for (int r = 0; r < R; r++)
        if (s.part < s.used && s.column < out)
            *(float4 *)(parts + (s.part * R + r) * out + s.column) =
                slt_four(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
    __syncthreads();
    return s;
}

// ---- dx = dy·Wᵀ: a warp takes eight rows of W at a time, its lanes the columns

enum { SLT_FEW_BACK = 8 };

SLT_DEVICE_INLINE void slt_few_load_rows(const float *w, int first, int in, int c, int out,
                                         float4 *fours) {
    float4 none = {0, 0, 0, 0};
#pragma unroll
    for (int j = 0; j < SLT_FEW_BACK; j++)
        fours[j] =
            first + j < in && c < out ? slt_steady4(w + (int64_t)(first + j) * out + c) : none;
}

// the first columns set the sums
template <int R, bool FIRST>
SLT_DEVICE_INLINE void slt_few_dots(const float *dy, int c, int out, const float4 *fours,
                                    float (*sum)[R]) {
    float4 none = {0, 0, 0, 0};
#pragma unroll
    for (int r = 0; r < R; r++) {
        float4 d = c < out ? *(const float4 *)(dy + r * out + c) : none;
#pragma unroll
        for (int j = 0; j < SLT_FEW_BACK; j++) {
            float dot =
                (d.x * fours[j].x + d.y * fours[j].y) + (d.z * fours[j].z + d.w * fours[j].w);
            sum[j][r] = FIRST ? dot : sum[j][r] + dot;
        }
    }
}

// an exchange halves the rows that a lane has: it keeps its own half's, and adds the other lane's
template <int R, int HALF> SLT_DEVICE_INLINE void slt_few_halve(float (*sum)[R]) {
    bool upper = threadIdx.x & 4 * HALF;
#pragma unroll
    for (int j = 0; j < HALF; j++)
#pragma unroll
        for (int r = 0; r < R; r++) {
            float low = sum[j][r], high = sum[j + HALF][r];
            float other = __shfl_xor_sync(0xffffffffu, upper ? low : high, 4 * HALF);
            sum[j][r] = (upper ? high : low) + other;
        }
}

// sums over the lanes: every four end with the same row; gives its number
template <int R> SLT_DEVICE_INLINE int slt_few_gather(float (*sum)[R]) {
    slt_few_halve<R, 4>(sum);
    slt_few_halve<R, 2>(sum);
    slt_few_halve<R, 1>(sum);
#pragma unroll
    for (int r = 0; r < R; r++) {
        sum[0][r] += __shfl_xor_sync(0xffffffffu, sum[0][r], 2);
        sum[0][r] += __shfl_xor_sync(0xffffffffu, sum[0][r], 1);
    }
    return (int)(threadIdx.x % SLT_WARP) / 4;
}

// put(r, i, value) is called once for every number of dx (rows, in), four rows by a lane each
template <int R, class Put>
SLT_DEVICE_INLINE void slt_few_back(const float *dy, int rows, const float *w, int in, int out,
                                    float *staged, Put put) {
    int lane = (int)(threadIdx.x % SLT_WARP), step = SLT_FEW_BACK * slt_block_warps();
    int first = SLT_FEW_BACK * slt_block_warp();
    float4 fours[SLT_FEW_BACK];
    slt_few_load_rows(w, first, in, 4 * lane, out, fours);
    slt_stage(staged, dy, rows * out, R * out);
    __syncthreads();
    for (; first < in; first += step) {
        float sum[SLT_FEW_BACK][R];
        slt_few_dots<R, true>(staged, 4 * lane, out, fours, sum);
        for (int c = 4 * lane + SLT_FEW_COLUMNS; c - 4 * lane < out; c += SLT_FEW_COLUMNS) {
            slt_few_load_rows(w, first, in, c, out, fours);
            slt_few_dots<R, false>(staged, c, out, fours, sum);
        }
        slt_few_load_rows(w, first + step, in, 4 * lane, out, fours);
        int i = first + slt_few_gather<R>(sum);
#pragma unroll
        for (int r = 0; r < R; r++)
            if (r % 4 == lane % 4 && r < rows && i < in) put(r, i, sum[0][r]);
    }
}

#endif
