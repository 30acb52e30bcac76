// Products of a few rows with a matrix, by one block: y = x·W in plain float32. The rows are in
// shared memory, R of them; W comes straight from the second cache, four numbers a lane, and is
// read once. What a warp needs first of it is asked for by the caller, as early as it may be. Sums
// go through shared memory, in a fixed order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FEW_ROWS_CUH
#define SLT_CUDA_FEW_ROWS_CUH

#include "cuda/kernels/kernel.cuh"

enum { SLT_FEW_DEPTH = 8, SLT_FEW_COLUMNS = 4 * SLT_WARP }; // fours on their way; columns of a warp

// four numbers that nobody writes during the launch, zeros where they are not there. They are read
// once: the first cache, small next to so much shared memory, is left to others
SLT_DEVICE_INLINE float4 slt_steady4(const float *at, bool there) {
    float4 x = {0, 0, 0, 0};
#ifdef SLT_EMULATED
    if (there) x = *(const float4 *)at;
#else
    asm volatile("{\n\t.reg .pred there;\n\t"
                 "setp.ne.u32 there, %5, 0;\n\t"
                 "@there ld.global.nc.L1::no_allocate.v4.f32 {%0, %1, %2, %3}, [%4];\n\t}"
                 : "+f"(x.x), "+f"(x.y), "+f"(x.z), "+f"(x.w)
                 : "l"(at), "r"((unsigned)there));
#endif
    return x;
}

// numbers of rows into shared memory, in fours; zeros in what is left of its room
SLT_DEVICE_INLINE void slt_stage(float *to, const float *from, int numbers, int room) {
    float4 none = {0, 0, 0, 0};
    for (int i = 4 * (int)threadIdx.x; i < room; i += 4 * (int)blockDim.x)
        *(float4 *)(to + i) = i < numbers ? *(const float4 *)(from + i) : none;
}

// warps share out columns, 128 each, and stretches of k
typedef struct {
    int column;     // first of the lane
    int k, end;     // the warp's stretch
    int part, used; // its number, how many there are
} slt_few_share;

SLT_DEVICE_INLINE slt_few_share slt_few_share_of(int in, int out) {
    int groups = (out + SLT_FEW_COLUMNS - 1) / SLT_FEW_COLUMNS, parts = slt_block_warps() / groups;
    int each = (in + parts * SLT_FEW_DEPTH - 1) / (parts * SLT_FEW_DEPTH) * SLT_FEW_DEPTH;
    slt_few_share s;
    s.part = slt_block_warp() / groups;
    s.column = slt_block_warp() % groups * SLT_FEW_COLUMNS + 4 * (int)(threadIdx.x % SLT_WARP);
    s.used = (in + each - 1) / each;
    s.k = s.part * each;
    s.end = slt_least(in, s.k + each);
    return s;
}

// four rows of W, from k on
SLT_DEVICE_INLINE void slt_few_load(const slt_few_share &s, int k, const float *w, int out,
                                    float4 *fours) {
    const float *at = w + (int64_t)k * out + s.column;
#pragma unroll
    for (int n = 0; n < 4; n++)
        fours[n] = slt_steady4(at + n * out, k + n < s.end && s.column < out);
}

template <int R>
SLT_DEVICE_INLINE void slt_few_add(const float *x, int stride, const float4 *fours,
                                   float (*sum)[4]) {
#pragma unroll
    for (int r = 0; r < R; r++) {
        float4 four = *(const float4 *)(x + r * stride);
        slt_add4(sum[r], four.x, fours[0]);
        slt_add4(sum[r], four.y, fours[1]);
        slt_add4(sum[r], four.z, fours[2]);
        slt_add4(sum[r], four.w, fours[3]);
    }
}

// what slt_few_product needs first of W: SLT_FEW_DEPTH fours
SLT_DEVICE_INLINE void slt_few_ask(const slt_few_share &s, const float *w, int out, float4 *now) {
#pragma unroll
    for (int n = 0; n < SLT_FEW_DEPTH; n += 4) slt_few_load(s, s.k + n, w, out, now + n);
}

// the sums of stretches into parts (used, R, out) of shared memory; x: (R, stride). The next rows
// of W are asked for before those that are there are used
template <int R>
SLT_DEVICE_INLINE void slt_few_product(const slt_few_share &s, const float *x, int stride,
                                       const float *w, int out, float4 *now, float *parts) {
    float4 next[SLT_FEW_DEPTH];
    float sum[R][4] = {};
#pragma unroll 1
    for (int k = s.k; k < s.end; k += SLT_FEW_DEPTH) {
#pragma unroll
        for (int n = 0; n < SLT_FEW_DEPTH; n += 4)
            slt_few_load(s, k + n + SLT_FEW_DEPTH, w, out, next + n);
#pragma unroll
        for (int n = 0; n < SLT_FEW_DEPTH; n += 4)
            if (k + n < s.end) slt_few_add<R>(x + k + n, stride, now + n, sum);
#pragma unroll
        for (int n = 0; n < SLT_FEW_DEPTH; n++) now[n] = next[n];
    }
#pragma unroll
    for (int r = 0; r < R; r++)
        if (s.part < s.used && s.column < out)
            *(float4 *)(parts + (s.part * R + r) * out + s.column) =
                slt_four(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}
#endif
