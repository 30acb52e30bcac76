// y = bits·W + c by the ones: a warp per row, four columns per lane. Backward marks for every
// number of an observation the rows that have it, 32 rows a word, then adds up dy of those rows: dW
// = bitsᵀ·dy.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernel.cuh"

enum { BITS, W, C };
enum { WARPS = 4, THREADS = WARPS * SLT_WARP };

// a lane reads one of 32 ones, all hear of it
SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int r = (int)(blockIdx.x * WARPS + threadIdx.x / SLT_WARP), width = a.out_width[0];
    if (r >= a.in_rows[BITS]) return;
    int lane = (int)(threadIdx.x % SLT_WARP);
    const int32_t *offset = slt_ints(a.in[BITS]);
    const uint16_t *ones = a.ones[BITS].at + (int64_t)blockIdx.z * a.ones[BITS].stride;
    const float *w = slt_at(a.in[W]), *c = slt_at(a.in[C]);
    bool there = r < slt_count(a, a.in_space[BITS], 0);
    int first = there ? offset[r] : 0, end = there ? offset[r + 1] : 0;
    for (int k = 4 * lane; k - 4 * lane < width; k += 4 * SLT_WARP) {
        float sum[4] = {0};
        if (there && c) slt_add4(sum, 1, slt_load4(c, k, width));
        for (int i = first; i < end; i += SLT_WARP) {
            float own = i + lane < end ? (float)ones[i + lane] : 0;
            int count = slt_least(SLT_WARP, end - i);
#pragma unroll 8
            for (int j = 0; j < count; j++)
                slt_add4(sum, 1, slt_load4(w + (int64_t)slt_warp_lane(own, j) * width, k, width));
        }
        slt_store4(slt_at(a.out[0]) + (int64_t)r * width, k, width, false,
                   slt_four(sum[0], sum[1], sum[2], sum[3]));
    }
}

// ---- backward

enum { WORD = 32, AHEAD = 8, MOST_WARPS = 16, COLUMNS = 4 * SLT_WARP };

// into shared: (rows/32, numbers) words, bit i of word w stands for row 32·w + i; a block per word
SLT_KERNEL mark(const slt_cuda_args a) {
    slt_begin();
    int word = (int)blockIdx.x, width = a.in_width[BITS];
    int rows = slt_count(a, a.in_space[BITS], 0);
    const int32_t *offset = slt_ints(a.in[BITS]);
    const uint16_t *ones = a.ones[BITS].at + (int64_t)blockIdx.z * a.ones[BITS].stride;
    int32_t *marks = (int32_t *)slt_at(a.shared) + (int64_t)word * width;
    for (int i = (int)threadIdx.x; i < width; i += (int)blockDim.x) marks[i] = 0;
    __syncthreads();
    for (int k = (int)threadIdx.x / SLT_WARP; k < WORD; k += (int)blockDim.x / SLT_WARP) {
        int r = word * WORD + k, lane = (int)(threadIdx.x % SLT_WARP);
        if (r >= rows) return;
        for (int i = offset[r] + lane; i < offset[r + 1]; i += SLT_WARP)
            atomicOr(&marks[ones[i]], (int32_t)(1u << k));
    }
}

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

// a block per row of W; its warps take words in turn
SLT_KERNEL gather(const slt_cuda_args a) {
    slt_begin();
    alignas(16) __shared__ float parts[MOST_WARPS][COLUMNS];
    int number = (int)blockIdx.x, numbers = a.in_width[BITS], width = a.out_width[0];
    int lane = (int)(threadIdx.x % SLT_WARP), warp = (int)threadIdx.x / SLT_WARP;
    int warps = (int)blockDim.x / SLT_WARP, words = (a.in_rows[BITS] + WORD - 1) / WORD;
    const uint32_t *marks = (const uint32_t *)slt_at(a.shared) + number;
    float *dw = slt_at(a.in_grad[W]) + (int64_t)number * width;
    for (int first = 0; first < width; first += COLUMNS, __syncthreads()) {
        float sum[4] = {0};
        uint32_t next = warp < words ? marks[(int64_t)warp * numbers] : 0;
        for (int w = warp; w < words; w += warps) {
            uint32_t now = next;
            next = w + warps < words ? marks[(int64_t)(w + warps) * numbers] : 0;
            add_rows(slt_at(a.out_grad[0]) + (int64_t)w * WORD * width, now, first + 4 * lane,
                     width, sum);
        }
        *(float4 *)&parts[warp][4 * lane] = slt_four(sum[0], sum[1], sum[2], sum[3]);
        __syncthreads();
        for (int i = (int)threadIdx.x; i < slt_least(COLUMNS, width - first); i += blockDim.x) {
            float all = 0;
            for (int w = 0; w < warps; w++) all += parts[w][i];
            slt_put(&dw[first + i], a.add[W], all);
        }
    }
}

void slt_cuda_dense_bits_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->in_rows[BITS], WARPS), THREADS, 0);
}

// few blocks have many warps each: some numbers are in nearly every row
static int gathering_warps(const slt_cuda_args *args) {
    return (int64_t)args->in_width[BITS] * args->members > 4096 ? (int)WARPS : (int)MOST_WARPS;
}

// there are gradients of parameters only
void slt_cuda_dense_bits_backward(const slt_cuda_args *args) {
    int rows = args->in_rows[BITS], out = args->out_width[0];
    slt_cuda_args side = slt_cuda_fork(args);
    if (args->in_grad[W].at) {
        SLT_LAUNCH(&side, mark, slt_grid(args, rows, WORD), 2 * THREADS, 0);
        SLT_LAUNCH(&side, gather, slt_grid(args, args->in_width[BITS], 1),
                   gathering_warps(args) * SLT_WARP, 0);
    }
    slt_cuda_bias_gradient(args, args->out_grad[0], rows, out, args->in_grad[C], args->add[C]);
}
