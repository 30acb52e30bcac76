// y = bits·W + c by the ones: a warp per row, four columns per lane. For backward other blocks
// mark for every number of an observation the rows that have it, 32 rows a word: dW = bitsᵀ·dy adds
// up dy of those rows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/dense_bits.cuh"

enum { BITS = SLT_BITS_IN, W, C };
enum { WARPS = SLT_BITS_WARPS, THREADS = WARPS * SLT_WARP };
enum { WORD = SLT_BITS_WORD, AHEAD = SLT_BITS_AHEAD };

SLT_KERNEL __launch_bounds__(THREADS) forward(const slt_cuda_args a) {
    slt_begin();
    slt_bits_block(a, (int)blockIdx.x);
}

// ---- backward

enum { MOST_WARPS = 16, COLUMNS = 4 * SLT_WARP };

// dy of a word's rows, in their order, AHEAD of them on their way
SLT_DEVICE_INLINE void add_rows(const float *dy, uint32_t marks, int k, int width, float *sum) {
    while (marks) {
        float4 x[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            bool there = marks != 0;
            int r = there ? __ffs((int)marks) - 1 : 0;
            marks &= marks - 1;
            x[i] = slt_load4(dy + (int64_t)r * width, there ? k : width, width);
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) slt_add4(sum, 1, x[i]);
    }
}

// what a block adds up: rows of a word that have its number, or all of them, for c
SLT_DEVICE_INLINE uint32_t rows_of(const slt_cuda_args &a, int number, int word) {
    int numbers = a.in_width[BITS], left = a.in_rows[BITS] - word * WORD;
    if (left <= 0) return 0;
    if (number < numbers)
        return ((const uint32_t *)slt_at(a.aux))[(int64_t)word * numbers + number];
    return left < WORD ? (1u << left) - 1 : ~0u;
}

// a block per row of W, and the first one for c: it has most to do. Its warps take words in turn
SLT_KERNEL gather(const slt_cuda_args a) {
    slt_begin();
    alignas(16) __shared__ float parts[MOST_WARPS][COLUMNS];
    int numbers = a.in_width[BITS], width = a.out_width[0];
    int number = blockIdx.x > 0 ? (int)blockIdx.x - 1 : numbers, which = number < numbers ? W : C;
    int lane = (int)(threadIdx.x % SLT_WARP), warp = (int)threadIdx.x / SLT_WARP;
    int warps = (int)blockDim.x / SLT_WARP, words = (a.in_rows[BITS] + WORD - 1) / WORD;
    float *to = slt_at(a.in_grad[which]);
    if (!to) return;
    if (which == W) to += (int64_t)number * width;
    for (int first = 0; first < width; first += COLUMNS, __syncthreads()) {
        float sum[4] = {0};
        uint32_t next = rows_of(a, number, warp);
        for (int w = warp; w < words; w += warps) {
            uint32_t now = next;
            next = rows_of(a, number, w + warps);
            add_rows(slt_at(a.out_grad[0]) + (int64_t)w * WORD * width, now, first + 4 * lane,
                     width, sum);
        }
        *(float4 *)&parts[warp][4 * lane] = slt_four(sum[0], sum[1], sum[2], sum[3]);
        __syncthreads();
        for (int i = (int)threadIdx.x; i < slt_least(COLUMNS, width - first); i += blockDim.x) {
            float all = 0;
            for (int w = 0; w < warps; w++) all += parts[w][i];
            slt_put(&to[first + i], a.add[which], all);
        }
    }
}

void slt_cuda_dense_bits_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, slt_bits_blocks(args), 1), THREADS, 0);
}

// few blocks have many warps each: some numbers are in nearly every row
static int gathering_warps(const slt_cuda_args *args) {
    return (int64_t)args->in_width[BITS] * args->members > 4096 ? (int)WARPS : (int)MOST_WARPS;
}

// there are gradients of parameters only
void slt_cuda_dense_bits_backward(const slt_cuda_args *args) {
    int rows = args->in_rows[BITS];
    slt_cuda_args side = slt_cuda_fork(args);
    slt_bits_gradient product = {args->aux,   args->out_grad[0],    args->in_grad[W],
                                 rows,        args->in_width[BITS], args->out_width[0],
                                 args->add[W]};
    if (args->in_grad[W].at && slt_cuda_bits_gradient(&side, &product))
        slt_cuda_bias_gradient(&side, args->out_grad[0], rows, args->out_width[0], args->in_grad[C],
                               args->add[C]);
    else
        SLT_LAUNCH(&side, gather, slt_grid(args, args->in_width[BITS] + 1, 1),
                   gathering_warps(args) * SLT_WARP, 0);
}
