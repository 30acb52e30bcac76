// The loss of a policy, its entropy and how far it has gone (ops/policy/policy_loss.c): a block per
// trajectory, a thread per row.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/losses.cuh"

enum { LOGITS, ACTIONS, ADVANTAGE, BEFORE };
enum { LOSS, ENTROPY, GONE, OUTPUTS };
enum { THREADS = 128 };

typedef struct {
    float all, entropy, change, loss, slope; // all: the logarithm of the sum of exponentials
} verdict;

SLT_DEVICE_INLINE verdict evaluate(const slt_cuda_args &a, int row) {
    int width = a.in_width[LOGITS];
    const float *x = slt_at(a.in[LOGITS]) + (int64_t)row * width;
    float most = x[0], sum = 0, A = slt_at(a.in[ADVANTAGE])[row];
    float clip = a.n[0] < 0 ? 0 : slt_header(a)->weight[a.n[0]];
    verdict v = {0, 0, 0, 0, 0};
    for (int c = 1; c < width; c++) most = fmaxf(most, x[c]);
    for (int c = 0; c < width; c++) sum += expf(x[c] - most);
    v.all = most + logf(sum);
    for (int c = 0; c < width; c++) v.entropy -= expf(x[c] - v.all) * (x[c] - v.all);
    float chance = x[slt_ints(a.in[ACTIONS])[row]] - v.all;
    v.change = chance - slt_at(a.in[BEFORE])[row];
    v.loss = -A * chance;
    v.slope = -A;
    if (clip == 0) return v;
    float ratio = expf(v.change), bound = A > 0 ? 1 + clip : 1 - clip;
    bool clipped = A > 0 ? ratio > bound : ratio < bound;
    v.loss = -A * (clipped ? bound : ratio);
    v.slope = clipped ? 0 : -A * ratio;
    return v;
}

// every block leaves its three shares, the one that comes last adds them in order
SLT_DEVICE_INLINE void sum_up(const slt_cuda_args &a, float *shares, const float *sum) {
    if (threadIdx.x == 0)
        for (int i = 0; i < OUTPUTS; i++) shares[(int)blockIdx.x * OUTPUTS + i] = sum[i];
    if (!slt_last_block(slt_counter(a, 0), (int)gridDim.x) || threadIdx.x >= OUTPUTS) return;
    float all = 0;
    int count = slt_header(a)->count;
    for (int b = 0; b < count; b++) all += shares[b * OUTPUTS + (int)threadIdx.x];
    *slt_at(a.out[threadIdx.x]) = all;
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x;
    float sum[OUTPUTS] = {0, 0, 0};
    if (b < slt_header(a)->count) {
        slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
        int truth = slt_least(slt_length(a)[b], run.computed);
        for (int l = (int)threadIdx.x; l < truth; l += THREADS) {
            verdict v = evaluate(a, run.first + l);
            sum[LOSS] += v.loss;
            sum[ENTROPY] += v.entropy;
            sum[GONE] += expf(v.change) - 1 - v.change;
        }
    }
    for (int i = 0; i < OUTPUTS; i++)
        sum[i] = slt_block_sum(sum[i]) / (float)slt_header(a)->true_tokens;
    sum_up(a, slt_at(a.shared), sum);
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, width = a.in_width[LOGITS];
    float *dx = slt_at(a.in_grad[LOGITS]);
    if (!a.add[LOGITS]) slt_clear_tail(dx, slt_count(a, SLT_TOKENS, 0), a.in_rows[LOGITS], width);
    if (b >= slt_header(a)->count) return;
    const float *of[] = {slt_at(a.out_grad[LOSS]), slt_at(a.out_grad[ENTROPY])};
    float M = (float)slt_header(a)->true_tokens;
    float of_loss = of[0] ? *of[0] / M : 0, of_entropy = of[1] ? *of[1] / M : 0;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    for (int l = (int)threadIdx.x; l < run.computed; l += THREADS) {
        int row = run.first + l, action = slt_ints(a.in[ACTIONS])[row];
        const float *x = slt_at(a.in[LOGITS]) + (int64_t)row * width;
        bool truth = l < slt_length(a)[b];
        verdict v = {0, 0, 0, 0, 0};
        if (truth) v = evaluate(a, row);
        for (int c = 0; c < width; c++) {
            float log_p = x[c] - v.all, p = truth ? expf(log_p) : 0;
            float d = of_loss * v.slope * ((c == action ? 1 : 0) - p);
            if (truth) d -= of_entropy * p * (log_p + v.entropy);
            slt_put(&dx[(int64_t)row * width + c], a.add[LOGITS], d);
        }
    }
}

void slt_cuda_policy_loss_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
void slt_cuda_policy_loss_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
