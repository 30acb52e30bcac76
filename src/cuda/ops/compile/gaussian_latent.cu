// z = m + exp(v/2)·η, a thread per number; KL to N(0,1) of the slots in use, a block per
// trajectory. Equations are those of ops/compile/gaussian_latent.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/losses.cuh"
#include "cuda/kernels/relaxed.cuh"

enum { ZETA, NOISE };
enum { COUNTS = 1 }; // of the KL
enum { THREADS = 128 };

// ---- sample; rows after the batch have noise 0

SLT_KERNEL sample(const slt_cuda_args a) {
    slt_begin();
    unsigned Z = (unsigned)a.out_width[0];
    const float *zeta = slt_at(a.in[ZETA]), *noise = slt_at(a.in[NOISE]);
    for (unsigned i = slt_thread(); i < (unsigned)a.out_rows[0] * Z; i += slt_stride()) {
        const float *mean = zeta + 2 * (int64_t)(i / Z) * Z + i % Z;
        slt_at(a.out[0])[i] = mean[0] + expf(mean[Z] / 2) * noise[i];
    }
}

SLT_KERNEL sample_back(const slt_cuda_args a) {
    slt_begin();
    unsigned Z = (unsigned)a.out_width[0];
    const float *noise = slt_at(a.in[NOISE]), *dz = slt_at(a.out_grad[0]);
    for (unsigned i = slt_thread(); i < (unsigned)a.out_rows[0] * Z; i += slt_stride()) {
        int64_t at = 2 * (int64_t)(i / Z) * Z + i % Z;
        float *to = slt_at(a.in_grad[ZETA]) + at, spread = expf(slt_at(a.in[ZETA])[at + Z] / 2);
        slt_put(&to[0], a.add[ZETA], dz[i]);
        slt_put(&to[Z], a.add[ZETA], 0.5f * dz[i] * noise[i] * spread);
    }
}

static dim3 sample_grid(const slt_cuda_args *args) {
    return slt_grid(args, (int64_t)args->out_rows[0] * args->out_width[0], SLT_THREADS);
}

void slt_cuda_gaussian_sample_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, sample, sample_grid(args), SLT_THREADS, 0);
}
void slt_cuda_gaussian_sample_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, sample_back, sample_grid(args), SLT_THREADS, 0);
}

// ---- KL

SLT_KERNEL kl(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, Z = a.in_width[ZETA] / 2, K = a.slots, used = 0;
    const float *zeta = slt_at(a.in[ZETA]) + (int64_t)b * K * 2 * Z;
    float sum = 0;
    if (b < slt_header(a)->count) used = slt_least(slt_ints(a.in[COUNTS])[b], K);
    for (int i = (int)threadIdx.x; i < used * Z; i += THREADS) {
        const float *mean = zeta + 2 * (i / Z) * Z + i % Z;
        sum += 1 + mean[Z] - mean[0] * mean[0] - expf(mean[Z]);
    }
    sum = -slt_block_sum(sum) / 2 / (float)slt_header(a)->total;
    slt_sum_many_shares(a, slt_at(a.shared), sum, slt_header(a)->count, slt_at(a.out[0]));
}

SLT_KERNEL kl_back(const slt_cuda_args a) {
    slt_begin();
    unsigned Z = (unsigned)a.in_width[ZETA] / 2;
    float scale = *slt_at(a.out_grad[0]) / (float)slt_header(a)->total;
    int count = slt_count(a, SLT_SLOTS, 0);
    for (unsigned i = slt_thread(); i < (unsigned)a.in_rows[ZETA] * Z; i += slt_stride()) {
        int row = (int)(i / Z);
        int64_t at = 2 * (int64_t)row * Z + i % Z;
        const float *mean = slt_at(a.in[ZETA]) + at;
        float *to = slt_at(a.in_grad[ZETA]) + at;
        bool used = row < count && slt_gate(slt_ints(a.in[COUNTS]), row, a.slots);
        slt_put(&to[0], a.add[ZETA], used ? scale * mean[0] : 0);
        slt_put(&to[Z], a.add[ZETA], used ? scale * (expf(mean[Z]) - 1) / 2 : 0);
    }
}

void slt_cuda_gaussian_kl_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, kl, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
void slt_cuda_gaussian_kl_backward(const slt_cuda_args *args) {
    int64_t count = (int64_t)args->in_rows[ZETA] * args->in_width[ZETA] / 2;
    SLT_LAUNCH(args, kl_back, slt_grid(args, count, SLT_THREADS), SLT_THREADS, 0);
}
