// y = bits·W + c by the ones: a warp per row, four columns per lane. For backward other blocks
// mark for every number of an observation the rows that have it, 32 rows a word: dW = bitsᵀ·dy adds
// up dy of those rows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/dense_bits.cuh"
#include "cuda/kernels/weight_group.h"

enum { BITS = SLT_BITS_IN, W, C };
enum { WARPS = SLT_BITS_WARPS, THREADS = WARPS * SLT_WARP };
enum { WORD = SLT_BITS_WORD, AHEAD = SLT_BITS_AHEAD };

SLT_KERNEL __launch_bounds__(THREADS) forward(const slt_cuda_args a) {
    slt_begin();
    slt_bits_block(a, (int)blockIdx.x);
}

// ---- backward

// MOST_WARPS of a block at most; two of them look for rows, a word a lane
#ifdef SLT_EMULATED
enum { LANES = 1 }; // short batches go round, too
#else
enum { LANES = SLT_WARP };
#endif
enum { MOST_WARPS = 12, SEEKERS = 2, ROUND = SEEKERS * LANES, COLUMNS = 4 * SLT_WARP };

SLT_DEVICE_INLINE uint32_t marks_of(const slt_cuda_args &a, int number, int word, int words) {
    const uint32_t *marks = (const uint32_t *)slt_at(a.aux) + number;
    bool own = (int)(threadIdx.x % SLT_WARP) < LANES && word < words;
    return own ? marks[(int64_t)word * a.in_width[BITS]] : 0;
}

// rows that have the number, those of ROUND words from `word` on, in their order
typedef struct {
    int count, row[ROUND * WORD];
} row_list;

SLT_DEVICE_INLINE void list_rows(const slt_cuda_args &a, int number, int word, int words,
                                 row_list *list) {
    int lane = (int)(threadIdx.x % SLT_WARP), warp = (int)threadIdx.x / SLT_WARP;
    if (warp < SEEKERS) {
        float before = 0;
        for (int i = 0; i < warp; i++)
            before +=
                slt_warp_sum((float)__popc(marks_of(a, number, word + i * LANES + lane, words)));
        int own = word + warp * LANES + lane;
        uint32_t marks = marks_of(a, number, own, words);
        int end = (int)(before + slt_warp_scan((float)__popc(marks))), at = end - __popc(marks);
        for (; marks; marks &= marks - 1) list->row[at++] = own * WORD + __ffs((int)marks) - 1;
        if (warp == SEEKERS - 1 && lane == SLT_WARP - 1) list->count = end;
    }
    __syncthreads();
}

// dy of the warp's share of them, AHEAD on their way
SLT_DEVICE_INLINE void add_rows(const row_list &list, const float *dy, int k, int width,
                                float *sum) {
    int warps = (int)blockDim.x / SLT_WARP;
    for (int i = (int)threadIdx.x / SLT_WARP; i < list.count; i += AHEAD * warps) {
        float4 x[AHEAD];
#pragma unroll
        for (int n = 0; n < AHEAD; n++) {
            bool there = i + n * warps < list.count;
            int64_t row = there ? list.row[i + n * warps] : 0;
            x[n] = slt_load4(dy + row * width, there ? k : width, width);
        }
#pragma unroll
        for (int n = 0; n < AHEAD; n++) slt_add4(sum, 1, x[n]);
    }
}

// a block per row of W
SLT_KERNEL __launch_bounds__(MOST_WARPS *SLT_WARP) gather(const slt_cuda_args a) {
    slt_begin();
    alignas(16) __shared__ float parts[MOST_WARPS][COLUMNS];
    __shared__ row_list list;
    int number = (int)blockIdx.x, width = a.out_width[0];
    int lane = (int)(threadIdx.x % SLT_WARP), warp = (int)threadIdx.x / SLT_WARP;
    int warps = (int)blockDim.x / SLT_WARP, words = (a.in_rows[BITS] + WORD - 1) / WORD;
    float *to = slt_at(a.in_grad[W]) + (int64_t)number * width;
    for (int first = 0; first < width; first += COLUMNS) {
        float sum[4] = {0};
        for (int word = 0; word < words; word += ROUND, __syncthreads()) {
            list_rows(a, number, word, words, &list);
            add_rows(list, slt_at(a.out_grad[0]), first + 4 * lane, width, sum);
        }
        *(float4 *)&parts[warp][4 * lane] = slt_four(sum[0], sum[1], sum[2], sum[3]);
        __syncthreads();
        for (int i = (int)threadIdx.x; i < slt_least(COLUMNS, width - first); i += blockDim.x) {
            float all = 0;
            for (int w = 0; w < warps; w++) all += parts[w][i];
            slt_put(&to[first + i], a.add[W], all);
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

// with others, of one member
static bool wait_for_others(const slt_cuda_args *args) {
    slt_weight_product product = {};
    product.x = args->aux.at, product.dy = args->out_grad[0].at;
    product.dw = args->in_grad[W].at, product.dc = args->in_grad[C].at;
    product.rows = args->in_rows[BITS];
    product.in = args->in_width[BITS], product.out = args->out_width[0];
    product.add_w = args->add[W], product.add_c = args->add[C];
    product.bits = true;
    return slt_cuda_weights_wait(args, &product);
}

// there are gradients of parameters only, c's next to those of W
void slt_cuda_dense_bits_backward(const slt_cuda_args *args) {
    int rows = args->in_rows[BITS];
    if (wait_for_others(args)) return;
    slt_cuda_args side = slt_cuda_on_final_stream(args);
    slt_bits_gradient product = {args->aux,   args->out_grad[0],    args->in_grad[W],
                                 rows,        args->in_width[BITS], args->out_width[0],
                                 args->add[W]};
    if (args->in_grad[W].at && !slt_cuda_bits_gradient(&side, &product))
        SLT_LAUNCH(&side, gather, slt_grid(args, args->in_width[BITS], 1),
                   gathering_warps(args) * SLT_WARP, 0);
    slt_cuda_bias_gradient(args, args->out_grad[0], rows, args->out_width[0], args->in_grad[C],
                           args->add[C]);
}
