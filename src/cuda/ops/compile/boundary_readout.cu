// r_b = Σ_l b[l+1]·enc[l]: a block per trajectory; threads take columns forward, warps take
// positions backward.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { ENC, BOUNDARY };
enum { THREADS = 128, WARPS = THREADS / SLT_WARP };

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, width = a.out_width[0];
    float *r = slt_at(a.out[0]) + (int64_t)b * width;
    slt_device_span run = {0, 0, 0, 0};
    if (b < slt_header(a)->count) run = slt_span_of(a, SLT_TOKENS, b);
    const float *enc = slt_at(a.in[ENC]) + (int64_t)run.first * width;
    const float *boundary = slt_at(a.in[BOUNDARY]) + run.first;
    for (int c = (int)threadIdx.x; c < width; c += THREADS) {
        float sum = 0;
#pragma unroll 8
        for (int l = 0; l < run.computed - 1; l++)
            sum += boundary[l + 1] * enc[(int64_t)l * width + c];
        r[c] = sum;
    }
}

// position l by one warp
SLT_DEVICE_INLINE void unread(const slt_cuda_args &a, const slt_device_span &run, int l) {
    int lane = (int)(threadIdx.x % SLT_WARP), width = a.out_width[0];
    int64_t row = run.first + l;
    const float *enc = slt_at(a.in[ENC]) + row * width;
    const float *dr = slt_at(a.out_grad[0]) + (int64_t)run.b * width;
    float *denc = slt_at(a.in_grad[ENC]), *db = slt_at(a.in_grad[BOUNDARY]), dot = 0;
    bool last = l + 1 == run.computed;
    float share = last ? 0 : slt_at(a.in[BOUNDARY])[row + 1];
    for (int c = lane; c < width; c += SLT_WARP) {
        dot += enc[c] * dr[c];
        if (denc) slt_put(&denc[row * width + c], a.add[ENC], share * dr[c]);
    }
    dot = slt_warp_sum(dot);
    if (!db || lane > 0) return;
    if (l == 0) slt_put(&db[row], a.add[BOUNDARY], 0);
    if (!last) slt_put(&db[row + 1], a.add[BOUNDARY], dot);
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, count = slt_count(a, SLT_TOKENS, 0);
    if (a.in_grad[ENC].at && !a.add[ENC])
        slt_clear_tail(slt_at(a.in_grad[ENC]), count, a.in_rows[ENC], a.out_width[0]);
    if (a.in_grad[BOUNDARY].at && !a.add[BOUNDARY])
        slt_clear_tail(slt_at(a.in_grad[BOUNDARY]), count, a.in_rows[BOUNDARY], 1);
    if (b >= slt_header(a)->count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    for (int l = (int)threadIdx.x / SLT_WARP; l < run.computed; l += WARPS) unread(a, run, l);
}

void slt_cuda_boundary_readout_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
void slt_cuda_boundary_readout_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
