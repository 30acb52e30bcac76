// KL of the boundary's distribution q = softmax(ℓ) over positions >= 1 to a prior: a warp per
// trajectory. Equations are those of ops/compile/boundary_kl.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/losses.cuh"
#include "cuda/kernels/relaxed.cuh"

enum { LOGITS, PRIOR };
enum { INCLUDE };

SLT_DEVICE_INLINE float weight_of(const slt_cuda_args &a) {
    return (float)a.x[0] / (float)slt_header(a)->total;
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x;
    float sum = 0;
    if (b < slt_header(a)->count) {
        slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
        const float *logit = slt_at(a.in[LOGITS]) + run.first, *prior = slt_at(a.in[PRIOR]);
        int end = slt_stretch_end(a, run, a.n[INCLUDE]);
        slt_partition all = slt_warp_partition(logit, 1, end);
        for (int l = 1 + (int)threadIdx.x; l < end; l += SLT_WARP) {
            float q = slt_share(all, logit[l]);
            sum += q * (logf(q + SLT_TINY) - prior[l]);
        }
    }
    sum = weight_of(a) * slt_warp_sum(sum);
    slt_sum_many_shares(a, slt_at(a.shared), sum, slt_header(a)->count, slt_at(a.out[0]));
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, lane = (int)threadIdx.x;
    float *dlogits = slt_at(a.in_grad[LOGITS]), sum = 0;
    if (!a.add[LOGITS]) slt_clear_tail(dlogits, slt_count(a, SLT_TOKENS, 0), a.in_rows[LOGITS], 1);
    if (b >= slt_header(a)->count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    const float *logit = slt_at(a.in[LOGITS]) + run.first, *prior = slt_at(a.in[PRIOR]);
    float scale = *slt_at(a.out_grad[0]) * weight_of(a);
    int end = slt_stretch_end(a, run, a.n[INCLUDE]);
    slt_partition all = slt_warp_partition(logit, 1, end);
    for (int l = 1 + lane; l < end; l += SLT_WARP) {
        float q = slt_share(all, logit[l]);
        sum += q * slt_entropy_slope(q, prior[l]);
    }
    sum = slt_warp_sum(sum);
    for (int l = lane; l < run.computed; l += SLT_WARP) {
        float d = 0;
        if (l > 0 && l < end) {
            float q = slt_share(all, logit[l]);
            d = scale * q * (slt_entropy_slope(q, prior[l]) - sum);
        }
        slt_put(&dlogits[run.first + l], a.add[LOGITS], d);
    }
}

void slt_cuda_boundary_kl_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), SLT_WARP, 0);
}
void slt_cuda_boundary_kl_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), SLT_WARP, 0);
}
