// KL = 1/B Σ_b Σ_k h_bk(log h_bk - log prior_k): one block.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { H, PRIOR };

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const float *h = slt_at(a.in[H]), *prior = slt_at(a.in[PRIOR]);
    int K = a.slots, count = slt_header(a)->count;
    float sum = 0;
    for (int i = (int)threadIdx.x; i < count * K; i += (int)blockDim.x)
        if (h[i] > 0) sum += h[i] * (logf(h[i]) - logf(prior[i % K]));
    sum = slt_block_sum(sum);
    if (threadIdx.x == 0) *slt_at(a.out[0]) = sum / (float)slt_header(a)->total;
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    const float *h = slt_at(a.in[H]), *prior = slt_at(a.in[PRIOR]);
    float *dh = slt_at(a.in_grad[H]);
    int K = a.slots, count = slt_header(a)->count, i = (int)slt_thread();
    if (i >= a.trajectories * K) return;
    float d = 0;
    if (i < count * K && h[i] > 0) d = logf(h[i]) - logf(prior[i % K]) + 1;
    slt_put(&dh[i], a.add[H], *slt_at(a.out_grad[0]) / (float)slt_header(a)->total * d);
}

void slt_cuda_halting_kl_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, 1, 1), SLT_THREADS, 0);
}
void slt_cuda_halting_kl_backward(const slt_cuda_args *args) {
    int count = args->trajectories * args->slots;
    SLT_LAUNCH(args, backward, slt_grid(args, count, 128), 128, 0);
}
