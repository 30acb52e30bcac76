// y = softmax(x) over the width: a warp per row.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { WARPS = 4 };

SLT_DEVICE_INLINE int row_of_warp(void) {
    return (int)(blockIdx.x * WARPS + threadIdx.x / SLT_WARP);
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int r = row_of_warp(), lane = (int)(threadIdx.x % SLT_WARP), width = a.in_width[0];
    if (r >= a.in_rows[0]) return;
    const float *x = slt_at(a.in[0]) + (int64_t)r * width;
    float *y = slt_at(a.out[0]) + (int64_t)r * width, most = -INFINITY, sum = 0;
    for (int c = lane; c < width; c += SLT_WARP) most = fmaxf(most, x[c]);
    most = slt_warp_most(most);
    for (int c = lane; c < width; c += SLT_WARP) sum += expf(x[c] - most);
    sum = slt_warp_sum(sum);
    for (int c = lane; c < width; c += SLT_WARP) y[c] = expf(x[c] - most) / sum;
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int r = row_of_warp(), lane = (int)(threadIdx.x % SLT_WARP), width = a.in_width[0];
    if (r >= a.in_rows[0]) return;
    int64_t at = (int64_t)r * width;
    const float *y = slt_at(a.out[0]) + at, *dy = slt_at(a.out_grad[0]) + at;
    float *dx = slt_at(a.in_grad[0]) + at, dot = 0;
    for (int c = lane; c < width; c += SLT_WARP) dot += y[c] * dy[c];
    dot = slt_warp_sum(dot);
    for (int c = lane; c < width; c += SLT_WARP) slt_put(&dx[c], a.add[0], y[c] * (dy[c] - dot));
}

void slt_cuda_softmax_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->in_rows[0], WARPS), WARPS * SLT_WARP, 0);
}
void slt_cuda_softmax_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->in_rows[0], WARPS), WARPS * SLT_WARP, 0);
}
