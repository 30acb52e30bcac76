// z = softmax((ζ + Gumbel)/temperature) or the arg-max, and Σ q·log q of q = softmax(ζ): a warp per
// row. Equations are those of ops/compile/concrete_latent.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/losses.cuh"
#include "cuda/kernels/relaxed.cuh"

enum { ZETA, UNIFORM };
enum { COUNTS = 1 }; // of the KL
enum { THREADS = 128, WARPS = THREADS / SLT_WARP };

SLT_DEVICE_INLINE int row_of(void) { return (int)blockIdx.x * WARPS + (int)threadIdx.x / SLT_WARP; }

// ---- sample

SLT_KERNEL sample(const slt_cuda_args a) {
    slt_begin();
    int row = row_of(), Z = a.out_width[0], lane = (int)(threadIdx.x % SLT_WARP);
    if (row >= a.out_rows[0]) return;
    const float *zeta = slt_at(a.in[ZETA]) + (int64_t)row * Z;
    const float *uniform = slt_at(a.in[UNIFORM]) + (int64_t)row * Z;
    float *z = slt_at(a.out[0]) + (int64_t)row * Z;
    if (slt_header(a)->noise == 0) {
        int best = slt_warp_arg_most(zeta, 0, Z, 1);
        for (int c = lane; c < Z; c += SLT_WARP) z[c] = c == best;
        return;
    }
    for (int c = lane; c < Z; c += SLT_WARP)
        z[c] = (zeta[c] + slt_gumbel(uniform[c])) / (float)a.x[0];
    slt_warp_softmax(z, 0, Z);
}

SLT_KERNEL sample_back(const slt_cuda_args a) {
    slt_begin();
    int row = row_of(), Z = a.out_width[0], lane = (int)(threadIdx.x % SLT_WARP);
    if (row >= a.out_rows[0]) return;
    int64_t at = (int64_t)row * Z;
    const float *z = slt_at(a.out[0]) + at, *dz = slt_at(a.out_grad[0]) + at;
    float scale = slt_header(a)->noise == 0 ? 0 : 1 / (float)a.x[0], sum = 0;
    for (int c = lane; c < Z; c += SLT_WARP) sum += z[c] * dz[c];
    sum = slt_warp_sum(sum);
    for (int c = lane; c < Z; c += SLT_WARP)
        slt_put(&slt_at(a.in_grad[ZETA])[at + c], a.add[ZETA], scale * z[c] * (dz[c] - sum));
}

static dim3 grid(const slt_cuda_args *args) { return slt_grid(args, args->in_rows[ZETA], WARPS); }

void slt_cuda_concrete_sample_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, sample, grid(args), THREADS, 0);
}
void slt_cuda_concrete_sample_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, sample_back, grid(args), THREADS, 0);
}

// ---- KL

SLT_DEVICE_INLINE bool is_used(const slt_cuda_args &a, int row) {
    return row < slt_count(a, SLT_SLOTS, 0) && slt_gate(slt_ints(a.in[COUNTS]), row, a.slots);
}

// Σ_c q·term of one row, by one warp
SLT_DEVICE_INLINE float row_sum(const float *zeta, int Z, slt_partition all, bool slope) {
    float sum = 0;
    for (int c = (int)(threadIdx.x % SLT_WARP); c < Z; c += SLT_WARP) {
        float q = slt_share(all, zeta[c]);
        sum += q * (slope ? slt_entropy_slope(q, 0) : logf(q + SLT_TINY));
    }
    return slt_warp_sum(sum);
}

SLT_KERNEL kl(const slt_cuda_args a) {
    slt_begin();
    int row = row_of(), Z = a.in_width[ZETA];
    float sum = 0;
    if (is_used(a, row)) {
        const float *zeta = slt_at(a.in[ZETA]) + (int64_t)row * Z;
        sum = row_sum(zeta, Z, slt_warp_partition(zeta, 0, Z), false);
    }
    sum = slt_block_sum(threadIdx.x % SLT_WARP ? 0 : sum) / (float)slt_header(a)->total;
    slt_sum_many_shares(a, slt_at(a.shared), sum, (int)gridDim.x, slt_at(a.out[0]));
}

SLT_KERNEL kl_back(const slt_cuda_args a) {
    slt_begin();
    int row = row_of(), Z = a.in_width[ZETA];
    if (row >= a.in_rows[ZETA]) return;
    const float *zeta = slt_at(a.in[ZETA]) + (int64_t)row * Z;
    float *to = slt_at(a.in_grad[ZETA]) + (int64_t)row * Z;
    float scale = *slt_at(a.out_grad[0]) / (float)slt_header(a)->total;
    bool used = is_used(a, row);
    slt_partition all = slt_warp_partition(zeta, 0, Z);
    float sum = row_sum(zeta, Z, all, true);
    for (int c = (int)(threadIdx.x % SLT_WARP); c < Z; c += SLT_WARP) {
        float q = slt_share(all, zeta[c]);
        slt_put(&to[c], a.add[ZETA], used ? scale * q * (slt_entropy_slope(q, 0) - sum) : 0);
    }
}

void slt_cuda_concrete_kl_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, kl, grid(args), THREADS, 0);
}
void slt_cuda_concrete_kl_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, kl_back, grid(args), THREADS, 0);
}
