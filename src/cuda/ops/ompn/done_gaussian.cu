// Nats of a policy over action vectors that may also end: a block per trajectory, a thread per
// step. Equations are those of ops/ompn/done_gaussian.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/vector_nats.cuh"

enum { HEAD, ENDS, TARGETS, SPREAD, KINDS };
enum { THREADS = 64 };
#define LEAST 1e-6f
#define MOST  (float)(1 - 1e-6)

SLT_DEVICE_INLINE float clip(float e) { return e < LEAST ? LEAST : e > MOST ? MOST : e; }

SLT_DEVICE_INLINE const float *row_at(const slt_cuda_args &a, int input, int64_t row) {
    return slt_at(a.in[input]) + row * a.in_width[input];
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, C = a.in_width[HEAD];
    float loss = 0;
    if (b < slt_header(a)->count) {
        slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
        int truth = slt_least(slt_length(a)[b], run.computed);
        for (int l = (int)threadIdx.x; l < truth; l += THREADS) {
            int64_t row = run.first + l;
            float end = clip(*row_at(a, ENDS, row));
            const float *y = row_at(a, HEAD, row), *target = row_at(a, TARGETS, row);
            bool acts = slt_row_acts(target, C);
            loss -= logf(acts ? 1 - end : end);
            for (int c = 0; acts && c < C; c++)
                loss += slt_channel_nats(slt_law_at(a, SPREAD, KINDS, c), y[c], target[c]);
        }
    }
    loss = slt_block_sum(loss) / (float)slt_header(a)->true_tokens;
    slt_sum_many_shares(a, slt_at(a.shared), loss, slt_header(a)->count, slt_at(a.out[0]));
}

// of the end's probability
SLT_DEVICE_INLINE void end_gradient(const slt_cuda_args &a, int64_t row, float scale) {
    int levels = a.in_width[ENDS];
    float raw = *row_at(a, ENDS, row), end = clip(raw), *dends = slt_at(a.in_grad[ENDS]);
    bool done = !slt_row_acts(row_at(a, TARGETS, row), a.in_width[HEAD]);
    bool free = raw >= LEAST && raw <= MOST;
    for (int j = 0; dends && j < levels; j++)
        slt_put(&dends[row * levels + j], a.add[ENDS],
                free && j == 0 ? scale * (done ? -1 / end : 1 / (1 - end)) : 0);
}

// channel c of a row; gives its part of the gradient of ρ
SLT_DEVICE_INLINE float row_gradient(const slt_cuda_args &a, slt_channel_law law, int64_t row,
                                     int c, float scale) {
    int C = a.in_width[HEAD];
    const float *target = row_at(a, TARGETS, row);
    float y = row_at(a, HEAD, row)[c], *dhead = slt_at(a.in_grad[HEAD]);
    float weight = slt_row_acts(target, C) ? scale : 0;
    if (dhead)
        slt_put(&dhead[row * C + c], a.add[HEAD], weight * slt_channel_dy(law, y, target[c]));
    return weight * slt_channel_drho(law, y, target[c]);
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, count = slt_count(a, SLT_TOKENS, 0), C = a.in_width[HEAD];
#pragma unroll
    for (int i = HEAD; i <= ENDS; i++)
        if (a.in_grad[i].at && !a.add[i])
            slt_clear_tail(slt_at(a.in_grad[i]), count, a.in_rows[i], a.in_width[i]);
    if (b < slt_header(a)->count) {
        slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
        float scale = *slt_at(a.out_grad[0]) / (float)slt_header(a)->true_tokens;
        int truth = slt_length(a)[b];
        for (int l = (int)threadIdx.x; l < run.computed; l += THREADS)
            end_gradient(a, run.first + l, l < truth ? scale : 0);
        for (int c = 0; c < C; c++) {
            slt_channel_law law = slt_law_at(a, SPREAD, KINDS, c);
            float part = 0;
            for (int l = (int)threadIdx.x; l < run.computed; l += THREADS)
                part += row_gradient(a, law, run.first + l, c, l < truth ? scale : 0);
            slt_leave_spread(a, SPREAD, c, part);
        }
    }
    slt_put_spread(a, SPREAD, slt_header(a)->count);
}

void slt_cuda_done_gaussian_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
void slt_cuda_done_gaussian_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
