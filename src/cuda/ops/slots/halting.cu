// Halting: λ_k = σ(last channel of slot k), p_k = λ_k Π_{j<k}(1-λ_j), h_k = p_k/Σp. A warp per
// trajectory: its first lane walks the slots, all lanes clear the other channels in backward.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)slt_thread(), K = a.slots, S = a.in_width[0];
    if (b >= a.trajectories) return;
    bool there = b < slt_header(a)->count;
    const float *slots = slt_at(a.in[0]) + (int64_t)b * K * S;
    float *h = slt_at(a.out[0]) + (int64_t)b * K, *lambda = slt_at(a.out[1]) + (int64_t)b * K;
    float alive = 1, sum = 0;
    for (int k = 0; k < K; k++) {
        float l = there ? slt_sigmoid(slots[(int64_t)(k + 1) * S - 1]) : 0, p = l * alive;
        lambda[k] = l;
        h[k] = p;
        sum += p;
        alive *= 1 - l;
    }
    for (int k = 0; there && k < K; k++) h[k] /= sum;
    slt_at(a.aux)[b] = sum;
}

// dλ_k of trajectory b in shared, by one thread
SLT_DEVICE_INLINE void lambda_gradient(const slt_cuda_args &a, int b, float *dlambda) {
    int K = a.slots;
    const float *h = slt_at(a.out[0]) + (int64_t)b * K, *lambda = slt_at(a.out[1]) + (int64_t)b * K;
    const float *dh = slt_at(a.out_grad[0]) + (int64_t)b * K;
    float mean = 0, alive = 1, after = 0, sum = slt_at(a.aux)[b];
    for (int k = 0; k < K; k++) mean += h[k] * dh[k];
    for (int k = 0; k < K; k++) { // E_k first: it runs upward
        dlambda[k] = alive;
        alive *= 1 - lambda[k];
    }
    for (int k = K - 1; k >= 0; k--) {
        float dp = (dh[k] - mean) / sum;
        dlambda[k] *= dp - after;
        after = lambda[k] * dp + (1 - lambda[k]) * after;
    }
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, K = a.slots, S = a.in_width[0];
    float *to = slt_at(a.in_grad[0]) + (int64_t)b * K * S;
    const float *lambda = slt_at(a.out[1]) + (int64_t)b * K;
    float *dlambda = slt_at(a.shared) + (int64_t)b * K;
    bool there = b < slt_header(a)->count;
    if (there && threadIdx.x == 0) lambda_gradient(a, b, dlambda);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < K * S; i += (int)blockDim.x) {
        int k = i / S;
        float d = 0;
        if (there && i % S == S - 1) d = dlambda[k] * lambda[k] * (1 - lambda[k]);
        slt_put(&to[i], a.add[0], d);
    }
}

void slt_cuda_halting_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, SLT_WARP), SLT_WARP, 0);
}
void slt_cuda_halting_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), 128, 0);
}
