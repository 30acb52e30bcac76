// Σ x·weights over all rows: a block per 256 rows, added in order by the last.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/losses.cuh"

enum { X, WEIGHTS };
enum { ROWS = 256 };

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int width = a.in_width[X], count = slt_count(a, a.in_space[X], a.in_rows[X]);
    int64_t first = (int64_t)blockIdx.x * ROWS * width, end = first + (int64_t)ROWS * width;
    const float *x = slt_at(a.in[X]), *weights = slt_at(a.in[WEIGHTS]);
    if (end > (int64_t)count * width) end = (int64_t)count * width;
    float sum = 0;
    for (int64_t i = first + threadIdx.x; i < end; i += blockDim.x) sum += x[i] * weights[i];
    sum = slt_block_sum(sum);
    slt_sum_shares(a, slt_at(a.shared), sum, (int)gridDim.x, slt_at(a.out[0]));
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int width = a.in_width[X], count = slt_count(a, a.in_space[X], a.in_rows[X]);
    const float *weights = slt_at(a.in[WEIGHTS]);
    float *dx = slt_at(a.in_grad[X]), scale = *slt_at(a.out_grad[0]);
    for (unsigned i = slt_thread(); i < (unsigned)(count * width); i += slt_stride())
        slt_put(&dx[i], a.add[X], scale * weights[i]);
    if (!a.add[X]) slt_clear_tail(dx, count, a.in_rows[X], width);
}

void slt_cuda_weighted_sum_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->in_rows[X], ROWS), SLT_THREADS, 0);
}
void slt_cuda_weighted_sum_backward(const slt_cuda_args *args) {
    int64_t count = (int64_t)args->in_rows[X] * args->in_width[X];
    SLT_LAUNCH(args, backward, slt_grid(args, count, 4 * SLT_THREADS), SLT_THREADS, 0);
}
