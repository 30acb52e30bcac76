// u_k = Σ_l m_k(l)·x_l / Z_k, Z_k = Σ_l m_k(l) + 1e-6: a block per slot forward, a warp per step
// backward. Equations are those of ops/mdl/mask_pool.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { MASKS, X };
enum { THREADS = 128, WARPS = THREADS / SLT_WARP };
#define TINY 1e-6f

// Z is kept (aux)
SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x / a.slots, k = (int)blockIdx.x % a.slots, width = a.out_width[0];
    int truth = 0, first = 0;
    if (b < slt_header(a)->count) {
        slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
        first = run.first;
        truth = slt_least(slt_length(a)[b], run.computed);
    }
    const float *m = slt_at(a.in[MASKS]) + (int64_t)first * a.slots + k;
    const float *x = slt_at(a.in[X]) + (int64_t)first * width;
    float Z = 0;
    for (int l = (int)threadIdx.x; l < truth; l += THREADS) Z += m[l * a.slots];
    Z = TINY + slt_block_sum(Z);
    if (threadIdx.x == 0) slt_at(a.aux)[blockIdx.x] = Z;
    for (int c = (int)threadIdx.x; c < width; c += THREADS) {
        float sum = 0;
#pragma unroll 4
        for (int l = 0; l < truth; l++) sum += m[l * a.slots] * x[(int64_t)l * width + c];
        slt_at(a.out[0])[(int64_t)blockIdx.x * width + c] = sum / Z;
    }
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int row = (int)blockIdx.x * WARPS + (int)threadIdx.x / SLT_WARP, width = a.out_width[0];
    int lane = (int)(threadIdx.x % SLT_WARP), K = a.slots;
    float *dm = slt_at(a.in_grad[MASKS]), *dx = slt_at(a.in_grad[X]);
    if (row >= a.in_rows[X]) return;
    slt_token_place spot = {0, 0, 0, 0};
    bool truth = row < slt_count(a, SLT_TOKENS, 0);
    if (truth) spot = slt_token_place_of(a, SLT_TOKENS, row);
    truth = truth && spot.l < slt_length(a)[spot.b];
    const float *x = slt_at(a.in[X]) + (int64_t)row * width;
    const float *m = slt_at(a.in[MASKS]) + (int64_t)row * K, *Z = slt_at(a.aux) + spot.b * K;
    const float *u = slt_at(a.out[0]) + (int64_t)spot.b * K * width;
    const float *du = slt_at(a.out_grad[0]) + (int64_t)spot.b * K * width;
    for (int c = lane; dx && c < width; c += SLT_WARP) {
        float sum = 0;
        for (int k = 0; truth && k < K; k++) sum += m[k] / Z[k] * du[k * width + c];
        slt_put(&dx[(int64_t)row * width + c], a.add[X], sum);
    }
    for (int k = 0; dm && k < K; k++) {
        float dot = 0;
        for (int c = lane; truth && c < width; c += SLT_WARP)
            dot += du[k * width + c] * (x[c] - u[k * width + c]);
        dot = slt_warp_sum(dot);
        if (lane == 0) slt_put(&dm[(int64_t)row * K + k], a.add[MASKS], truth ? dot / Z[k] : 0);
    }
}

void slt_cuda_mask_pool_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, (int64_t)args->trajectories * args->slots, 1), THREADS,
               0);
}
void slt_cuda_mask_pool_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->in_rows[X], WARPS), THREADS, 0);
}
