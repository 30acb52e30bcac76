// Mean over true tokens of Σ_c (x_c - target_c)²: a block per trajectory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/losses.cuh"

enum { X, TARGET };
enum { THREADS = 128 };

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, width = a.in_width[X];
    float sum = 0;
    if (b < slt_header(a)->count) {
        slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
        int truth = slt_least(slt_length(a)[b], run.computed) * width;
        const float *x = slt_at(a.in[X]) + (int64_t)run.first * width;
        const float *target = slt_at(a.in[TARGET]) + (int64_t)run.first * width;
        for (int i = (int)threadIdx.x; i < truth; i += THREADS)
            sum += (x[i] - target[i]) * (x[i] - target[i]);
    }
    sum = slt_block_sum(sum) / (float)slt_header(a)->true_tokens;
    slt_sum_shares(a, slt_at(a.shared), sum, slt_header(a)->count, slt_at(a.out[0]));
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, width = a.in_width[X];
    float *dx = slt_at(a.in_grad[X]);
    if (!a.add[X]) slt_clear_tail(dx, slt_count(a, SLT_TOKENS, 0), a.in_rows[X], width);
    if (b >= slt_header(a)->count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    int truth = slt_least(slt_length(a)[b], run.computed) * width;
    int64_t first = (int64_t)run.first * width;
    const float *x = slt_at(a.in[X]) + first, *target = slt_at(a.in[TARGET]) + first;
    float scale = 2 * *slt_at(a.out_grad[0]) / (float)slt_header(a)->true_tokens;
    for (int i = (int)threadIdx.x; i < run.computed * width; i += THREADS)
        slt_put(&dx[first + i], a.add[X], i < truth ? scale * (x[i] - target[i]) : 0);
}

void slt_cuda_squared_error_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
void slt_cuda_squared_error_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
