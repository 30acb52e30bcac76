// Cross-entropy of a policy that may also end: a block per trajectory, a thread per step. Equations
// are those of ops/ompn/done_xent.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/losses.cuh"

enum { LOGITS, ENDS, TARGETS };
enum { LOSS, LOG_PROBABILITY };
enum { THREADS = 64 };
#define LEAST 1e-6f
#define MOST  (float)(1 - 1e-6)

SLT_DEVICE_INLINE float clip(float e) { return e < LEAST ? LEAST : e > MOST ? MOST : e; }

SLT_DEVICE_INLINE void log_probabilities(const float *x, int actions, float end, float *out) {
    float most = x[0], sum = 0;
    for (int c = 1; c < actions; c++) most = fmaxf(most, x[c]);
    for (int c = 0; c < actions; c++) sum += expf(x[c] - most);
    float rest = logf(1 - end) - logf(sum) - most;
    for (int c = 0; c < actions; c++) out[c] = x[c] + rest;
    out[actions] = logf(end);
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, actions = a.in_width[LOGITS];
    float *outs = slt_at(a.out[LOG_PROBABILITY]), loss = 0;
    slt_clear_tail(outs, slt_count(a, SLT_TOKENS, 0), a.out_rows[LOG_PROBABILITY], actions + 1);
    if (b < slt_header(a)->count) {
        slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
        for (int l = (int)threadIdx.x; l < run.computed; l += THREADS) {
            int64_t row = run.first + l;
            float *out = outs + row * (actions + 1);
            log_probabilities(slt_at(a.in[LOGITS]) + row * actions, actions,
                              clip(slt_at(a.in[ENDS])[row * a.in_width[ENDS]]), out);
            if (l < slt_length(a)[b]) loss -= out[slt_ints(a.in[TARGETS])[row]];
        }
    }
    loss = slt_block_sum(loss) / (float)slt_header(a)->true_tokens;
    slt_sum_many_shares(a, slt_at(a.shared), loss, slt_header(a)->count, slt_at(a.out[LOSS]));
}

SLT_DEVICE_INLINE void row_gradient(const slt_cuda_args &a, int64_t row, float scale) {
    int actions = a.in_width[LOGITS], levels = a.in_width[ENDS];
    int target = slt_ints(a.in[TARGETS])[row];
    float raw = slt_at(a.in[ENDS])[row * levels], end = clip(raw);
    bool done = target == actions, free = raw >= LEAST && raw <= MOST;
    const float *out = slt_at(a.out[LOG_PROBABILITY]) + row * (actions + 1);
    float *dlogits = slt_at(a.in_grad[LOGITS]), *dends = slt_at(a.in_grad[ENDS]);
    for (int c = 0; dlogits && c < actions; c++)
        slt_put(&dlogits[row * actions + c], a.add[LOGITS],
                done ? 0 : scale * (expf(out[c]) / (1 - end) - (c == target ? 1 : 0)));
    for (int j = 0; dends && j < levels; j++)
        slt_put(&dends[row * levels + j], a.add[ENDS],
                free && j == 0 ? scale * (done ? -1 / end : 1 / (1 - end)) : 0);
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, count = slt_count(a, SLT_TOKENS, 0);
#pragma unroll
    for (int i = LOGITS; i <= ENDS; i++)
        if (a.in_grad[i].at && !a.add[i])
            slt_clear_tail(slt_at(a.in_grad[i]), count, a.in_rows[i], a.in_width[i]);
    if (b >= slt_header(a)->count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    float scale = *slt_at(a.out_grad[LOSS]) / (float)slt_header(a)->true_tokens;
    for (int l = (int)threadIdx.x; l < run.computed; l += THREADS)
        row_gradient(a, run.first + l, l < slt_length(a)[b] ? scale : 0);
}

void slt_cuda_done_xent_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
void slt_cuda_done_xent_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
