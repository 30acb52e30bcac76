// Where a segment ends, b = softmax((ℓ + Gumbel)/temperature) or the arg-max: a warp per
// trajectory. Equations and rules are those of ops/compile/boundary_sample.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/relaxed.cuh"

enum { COUNTS, LOGITS, UNIFORM };
enum { PASS, INCLUDE, ORACLE };

// does trajectory b have no choice in this pass?
SLT_DEVICE_INLINE bool is_forced(const slt_cuda_args &a, int b) {
    return !a.in[LOGITS].at || (a.n[ORACLE] && slt_ints(a.in[COUNTS])[b] <= a.n[PASS] + 1);
}

SLT_DEVICE_INLINE void choose(const slt_cuda_args &a, const slt_device_span &run, int end,
                              float *p) {
    int lane = (int)(threadIdx.x % SLT_WARP), pass = run.b * a.slots + a.n[PASS];
    const float *logit = slt_at(a.in[LOGITS]) + run.first;
    const float *uniform = slt_at(a.in[UNIFORM]) + slt_span_of(a, SLT_SLOT_TOKENS, pass).first;
    if (slt_header(a)->noise == 0) {
        int best = slt_warp_arg_most(logit, 1, end, 1);
        for (int l = 1 + lane; l < end; l += SLT_WARP) p[l] = l == best;
        return;
    }
    float temperature = (float)a.x[0];
    for (int l = 1 + lane; l < end; l += SLT_WARP)
        p[l] = (logit[l] + slt_gumbel(uniform[l])) / temperature;
    slt_warp_softmax(p, 1, end);
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x;
    float *out = slt_at(a.out[0]);
    slt_clear_tail(out, slt_count(a, SLT_TOKENS, 0), a.out_rows[0], 1);
    if (b >= slt_header(a)->count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    int end = slt_stretch_end(a, run, a.n[INCLUDE]), last = slt_stretch_end(a, run, false) - 1;
    bool forced = is_forced(a, b) || end < 2;
    float *p = out + run.first;
    for (int l = (int)threadIdx.x; l < run.computed; l += SLT_WARP)
        if (forced || l == 0 || l >= end) p[l] = forced && l == last;
    if (!forced) choose(a, run, end, p);
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, lane = (int)threadIdx.x;
    float *dlogits = slt_at(a.in_grad[LOGITS]), sum = 0;
    if (!a.add[LOGITS]) slt_clear_tail(dlogits, slt_count(a, SLT_TOKENS, 0), a.in_rows[LOGITS], 1);
    if (b >= slt_header(a)->count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    int end = slt_stretch_end(a, run, a.n[INCLUDE]);
    const float *p = slt_at(a.out[0]) + run.first, *dp = slt_at(a.out_grad[0]) + run.first;
    bool free = !is_forced(a, b) && slt_header(a)->noise != 0;
    for (int l = 1 + lane; l < end; l += SLT_WARP) sum += p[l] * dp[l];
    sum = slt_warp_sum(sum);
    for (int l = lane; l < run.computed; l += SLT_WARP)
        slt_put(&dlogits[run.first + l], a.add[LOGITS],
                free && l > 0 && l < end ? p[l] * (dp[l] - sum) / (float)a.x[0] : 0);
}

void slt_cuda_boundary_sample_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), SLT_WARP, 0);
}
void slt_cuda_boundary_sample_backward(const slt_cuda_args *args) {
    if (args->in_grad[LOGITS].at)
        SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), SLT_WARP, 0);
}
