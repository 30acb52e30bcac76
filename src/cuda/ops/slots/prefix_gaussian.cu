// Expected nats of action vectors under the prefix mixtures: a block per trajectory, a thread per
// position. Equations are those of ops/slots/prefix_gaussian.c; a mixture is made anew for every
// prefix.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/vector_nats.cuh"

enum { HEAD, MASKS, H, TARGETS, SPREAD, KINDS };
enum { THREADS = 128 };

typedef struct {
    int K, C, width, computed, truth;
    int64_t first; // slot-token row of (k = 0, l = 0)
    const float *head, *masks, *h, *targets;
    float scale; // 1/M
} mixture;

SLT_DEVICE_INLINE mixture mixture_of(const slt_cuda_args &a, int b) {
    const int32_t *offset = slt_offset(a);
    mixture m;
    m.K = a.slots;
    m.width = a.in_width[HEAD];
    m.C = m.width - 1;
    m.computed = offset[b + 1] - offset[b];
    m.truth = slt_least(slt_length(a)[b], m.computed);
    m.first = (int64_t)m.K * offset[b];
    m.head = slt_at(a.in[HEAD]) + m.first * m.width;
    m.masks = slt_at(a.in[MASKS]) + m.first;
    m.h = slt_at(a.in[H]) + (int64_t)b * m.K;
    m.targets = slt_at(a.in[TARGETS]) + (int64_t)offset[b] * m.width;
    m.scale = 1 / (float)slt_header(a)->true_tokens;
    return m;
}

// channel c of R_j at position l
SLT_DEVICE_INLINE float mixed(const mixture &m, int j, int l, int c) {
    float sum = 0;
    for (int k = 0; k <= j; k++) {
        int64_t row = (int64_t)k * m.computed + l;
        sum += m.masks[row] * m.head[row * m.width + c];
    }
    return sum;
}

// Σ_l nats_j,l of every j is kept
SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x;
    float loss = 0;
    if (b < slt_header(a)->count) {
        mixture m = mixture_of(a, b);
        for (int j = 0; j < m.K; j++) {
            float sum = 0;
            for (int c = 0; c < m.C; c++) {
                slt_channel_law law = slt_law_at(a, SPREAD, KINDS, c);
                for (int l = (int)threadIdx.x; l < m.truth; l += THREADS)
                    sum += slt_channel_nats(law, mixed(m, j, l, c),
                                            m.targets[(int64_t)l * m.width + c]);
            }
            sum = slt_block_sum(sum);
            if (threadIdx.x == 0) slt_at(a.aux)[(int64_t)b * m.K + j] = sum;
            loss += m.h[j] * sum * m.scale;
        }
    }
    slt_sum_shares(a, slt_at(a.shared), loss, slt_header(a)->count, slt_at(a.out[0]));
}

// channel c at position l; gives its part of the gradient of ρ
SLT_DEVICE_INLINE float position_gradient(const slt_cuda_args &a, const mixture &m,
                                          slt_channel_law law, int l, int c, float weight) {
    float *dhead = slt_at(a.in_grad[HEAD]), *dmasks = slt_at(a.in_grad[MASKS]);
    float target = m.targets[(int64_t)l * m.width + c], G = 0, drho = 0;
    for (int k = m.K - 1; k >= 0; k--) {
        int64_t row = (int64_t)k * m.computed + l;
        float R = mixed(m, k, l, c), w = weight * m.h[k] * m.scale;
        G += w * slt_channel_dy(law, R, target);
        drho += w * slt_channel_drho(law, R, target);
        if (dhead) slt_put(&dhead[(m.first + row) * m.width + c], a.add[HEAD], m.masks[row] * G);
        if (dmasks)
            slt_put(&dmasks[m.first + row], a.add[MASKS] || c > 0, G * m.head[row * m.width + c]);
    }
    return drho;
}

// the end logit of every position, and all of those after the truth, get nothing
SLT_DEVICE_INLINE void clear_rest(const slt_cuda_args &a, const mixture &m) {
    float *dhead = slt_at(a.in_grad[HEAD]), *dmasks = slt_at(a.in_grad[MASKS]);
    for (int i = (int)threadIdx.x; i < m.K * m.computed; i += THREADS) {
        bool truth = i % m.computed < m.truth;
        if (dhead && !a.add[HEAD])
            for (int c = truth ? m.C : 0; c < m.width; c++) dhead[(m.first + i) * m.width + c] = 0;
        if (dmasks && !a.add[MASKS] && !truth) dmasks[m.first + i] = 0;
    }
}

SLT_DEVICE_INLINE void clear_tails(const slt_cuda_args &a) {
    int rows = slt_count(a, SLT_SLOT_TOKENS, 0), count = slt_header(a)->count;
    if (a.in_grad[HEAD].at && !a.add[HEAD])
        slt_clear_tail(slt_at(a.in_grad[HEAD]), rows, a.in_rows[HEAD], a.in_width[HEAD]);
    if (a.in_grad[MASKS].at && !a.add[MASKS])
        slt_clear_tail(slt_at(a.in_grad[MASKS]), rows, a.in_rows[MASKS], 1);
    if (a.in_grad[H].at && !a.add[H])
        slt_clear_tail(slt_at(a.in_grad[H]), count, a.in_rows[H], a.slots);
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x;
    clear_tails(a);
    if (b < slt_header(a)->count) {
        mixture m = mixture_of(a, b);
        float weight = *slt_at(a.out_grad[0]);
        clear_rest(a, m);
        for (int c = 0; c < m.C; c++) {
            slt_channel_law law = slt_law_at(a, SPREAD, KINDS, c);
            float part = 0;
            for (int l = (int)threadIdx.x; l < m.truth; l += THREADS)
                part += position_gradient(a, m, law, l, c, weight);
            slt_leave_spread(a, SPREAD, c, part);
        }
        const float *kept = slt_at(a.aux) + (int64_t)b * m.K;
        for (int j = (int)threadIdx.x; a.in_grad[H].at && j < m.K; j += THREADS)
            slt_put(&slt_at(a.in_grad[H])[(int64_t)b * m.K + j], a.add[H],
                    weight * m.scale * kept[j]);
    }
    slt_put_spread(a, SPREAD, slt_header(a)->count);
}

void slt_cuda_prefix_gaussian_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
void slt_cuda_prefix_gaussian_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
