// Products of a few rows with a matrix, by one block: y = x·W and dx = dy·Wᵀ in plain float32. The
// rows are in shared memory, R of them; W comes straight from the second cache, four numbers a
// lane, and is read once. What a warp needs first of it is asked for by the caller, as early as it
// may be. Sums go through shared memory, or through the lanes of a warp, in a fixed order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FEW_ROWS_CUH
#define SLT_CUDA_FEW_ROWS_CUH

#include "cuda/kernel.cuh"

enum { SLT_FEW_DEPTH = 8, SLT_FEW_COLUMNS = 4 * SLT_WARP }; // fours on their way; columns of a warp

// four numbers that nobody writes during the launch, zeros where they are not there. They are read
// once: the first cache, small beside so much shared memory, is left to others
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

// how a product is shared out, once for all warps: divisions take longer than the rest
typedef struct {
    int groups, each, used; // of columns; rows of a stretch, stretches
    int inverse;            // 2^16 / groups, and a little more
} slt_few_cut;

SLT_DEVICE_INLINE slt_few_cut slt_few_cut_of(int in, int out) {
    int groups = (out + SLT_FEW_COLUMNS - 1) / SLT_FEW_COLUMNS, parts = slt_block_warps() / groups;
    slt_few_cut cut;
    cut.groups = groups;
    cut.each = (in + parts * SLT_FEW_DEPTH - 1) / (parts * SLT_FEW_DEPTH) * SLT_FEW_DEPTH;
    cut.used = (in + cut.each - 1) / cut.each;
    cut.inverse = (1 << 16) / groups + 1;
    return cut;
}

SLT_DEVICE_INLINE slt_few_share slt_few_share_of(const slt_few_cut &cut, int in) {
    slt_few_share s;
    s.part = slt_block_warp() * cut.inverse >> 16;
    s.column = (slt_block_warp() - s.part * cut.groups) * SLT_FEW_COLUMNS +
               4 * (int)(threadIdx.x % SLT_WARP);
    s.used = cut.used;
    s.k = s.part * cut.each;
    s.end = slt_least(in, s.k + cut.each);
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
SLT_DEVICE_INLINE void slt_few_add(const float *x, int in, const float4 *fours, float (*sum)[4]) {
#pragma unroll
    for (int r = 0; r < R; r++) {
        float4 four = *(const float4 *)(x + r * in);
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
SLT_DEVICE_INLINE void slt_few_ask(const float *w, int in, int out, float4 *now) {
    slt_few_ask(slt_few_share_of(slt_few_cut_of(in, out), in), w, out, now);
}

// the sums of stretches into parts (used, R, out) of shared memory; x: (R, in). The next rows of W
// are asked for before those that are there are used: the compiler waits for all that is on its
// way, so that the first stretch begins with the bias c, where there is one, instead of adding it
// when the next product's are asked for
template <int R>
SLT_DEVICE_INLINE void slt_few_product(const slt_few_share &s, const float *x, const float *w,
                                       const float *c, int in, int out, float4 *now, float *parts) {
    float4 next[SLT_FEW_DEPTH], bias = {0, 0, 0, 0};
    float sum[R][4];
    if (c && s.part == 0 && s.column < out) bias = *(const float4 *)(c + s.column);
#pragma unroll
    for (int r = 0; r < R; r++)
        sum[r][0] = bias.x, sum[r][1] = bias.y, sum[r][2] = bias.z, sum[r][3] = bias.w;
#pragma unroll 1
    for (int k = s.k; k < s.end; k += SLT_FEW_DEPTH) {
#pragma unroll
        for (int n = 0; n < SLT_FEW_DEPTH; n += 4)
            slt_few_load(s, k + n + SLT_FEW_DEPTH, w, out, next + n);
#pragma unroll
        for (int n = 0; n < SLT_FEW_DEPTH; n += 4)
            if (k + n < s.end) slt_few_add<R>(x + k + n, in, now + n, sum);
#pragma unroll
        for (int n = 0; n < SLT_FEW_DEPTH; n++) now[n] = next[n];
    }
#pragma unroll
    for (int r = 0; r < R; r++)
        if (s.part < s.used && s.column < out)
            *(float4 *)(parts + (s.part * R + r) * out + s.column) =
                slt_four(sum[r][0], sum[r][1], sum[r][2], sum[r][3]);
}
template <int R>
SLT_DEVICE_INLINE slt_few_share slt_few_product(const float *x, const float *w, int in, int out,
                                                float4 *now, float *parts) {
    slt_few_share s = slt_few_share_of(slt_few_cut_of(in, out), in);
    slt_few_product<R>(s, x, w, NULL, in, out, now, parts);
    return s;
}

// ---- dx = dy·Wᵀ: a warp takes eight rows of W at a time. Eight lanes have two of them and a
// stripe of every 128 columns: four fours of a row each

enum { SLT_FEW_BACK = 8, SLT_FEW_LANES = 8, SLT_FEW_STRIPE = 4 * SLT_FEW_LANES };

SLT_DEVICE_INLINE int slt_few_row(void) {
    return (int)(threadIdx.x % SLT_WARP) / SLT_FEW_LANES * 2;
}
SLT_DEVICE_INLINE int slt_few_column(void) { return 4 * (int)(threadIdx.x % SLT_FEW_LANES); }

// two fours of two rows, from column c on
SLT_DEVICE_INLINE void slt_few_rows(const float *w, int row, int in, int c, int out,
                                    float4 *fours) {
    const float *at = w + (int64_t)row * out + c;
#pragma unroll
    for (int n = 0; n < 4; n++)
        fours[n] = slt_steady4(at + n % 2 * out + n / 2 * SLT_FEW_STRIPE,
                               row + n % 2 < in && c + n / 2 * SLT_FEW_STRIPE < out);
}

// what slt_few_back needs first of W
SLT_DEVICE_INLINE void slt_few_ask_back(const float *w, int in, int out, float4 *fours) {
    int row = SLT_FEW_BACK * slt_block_warp() + slt_few_row(), c = slt_few_column();
    slt_few_rows(w, row, in, c, out, fours);
    slt_few_rows(w, row, in, c + 2 * SLT_FEW_STRIPE, out, fours + 4);
}

template <int R>
SLT_DEVICE_INLINE void slt_few_dots(const float *dy, int c, int out, const float4 *fours,
                                    float (*sum)[R]) {
    float4 none = {0, 0, 0, 0};
#pragma unroll
    for (int n = 0; n < 4; n++) {
        int column = c + n / 2 * SLT_FEW_STRIPE;
#pragma unroll
        for (int r = 0; r < R; r++) {
            float4 d = column < out ? *(const float4 *)(dy + r * out + column) : none;
            sum[n % 2][r] +=
                (d.x * fours[n].x + d.y * fours[n].y) + (d.z * fours[n].z + d.w * fours[n].w);
        }
    }
}

// sums over eight lanes: an exchange leaves a lane one of the two rows; every four end with the
// same. Gives its number
template <int R> SLT_DEVICE_INLINE int slt_few_gather(float (*sum)[R]) {
    bool upper = threadIdx.x & 4;
#pragma unroll
    for (int r = 0; r < R; r++) {
        float other = __shfl_xor_sync(0xffffffffu, upper ? sum[0][r] : sum[1][r], 4);
        sum[0][r] = (upper ? sum[1][r] : sum[0][r]) + other;
    }
#pragma unroll
    for (int d = 2; d > 0; d /= 2)
#pragma unroll
        for (int r = 0; r < R; r++) sum[0][r] += __shfl_xor_sync(0xffffffffu, sum[0][r], d);
    return (int)(threadIdx.x % SLT_WARP) / 4;
}

// put(r, i, value) is called once for every number of dx (rows, in), four rows by a lane each; dy:
// (R, out). The next columns, or the first of the next rows, are asked for as in slt_few_product;
// done() is called when all of W has been used, by every warp once
template <int R, class Put, class Done>
SLT_DEVICE_INLINE void slt_few_back(const float *dy, int rows, const float *w, int in, int out,
                                    float4 *fours, Put put, Done done) {
    int own = slt_few_row(), c = slt_few_column(), step = SLT_FEW_BACK * slt_block_warps();
    if (SLT_FEW_BACK * slt_block_warp() >= in) done();
#pragma unroll 1
    for (int first = SLT_FEW_BACK * slt_block_warp(); first < in; first += step) {
        float sum[2][R];
#pragma unroll
        for (int r = 0; r < R; r++) sum[0][r] = sum[1][r] = 0;
#pragma unroll 1
        for (int k = 0; k < out; k += SLT_FEW_COLUMNS) {
            bool more = k + SLT_FEW_COLUMNS < out;
            int row = (more ? first : first + step) + own, column = more ? k + SLT_FEW_COLUMNS : 0;
            float4 next[SLT_FEW_BACK];
            slt_few_rows(w, row, in, c + column, out, next);
            slt_few_rows(w, row, in, c + column + 2 * SLT_FEW_STRIPE, out, next + 4);
            slt_few_dots<R>(dy, c + k, out, fours, sum);
            slt_few_dots<R>(dy, c + k + 2 * SLT_FEW_STRIPE, out, fours + 4, sum);
#pragma unroll
            for (int n = 0; n < SLT_FEW_BACK; n++) fours[n] = next[n];
        }
        if (first + step >= in) done();
        int i = first + slt_few_gather<R>(sum), lane = (int)(threadIdx.x % SLT_WARP);
#pragma unroll
        for (int r = 0; r < R; r++)
            if (r % 4 == lane % 4 && r < rows && i < in) put(r, i, sum[0][r]);
    }
}

#endif
