// m_k(t+1) = m_k(t)(1-b_t) + m_{k-1}(t)·b_t: a block per trajectory walks the steps, threads take
// k.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { THREADS = 64 };

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, K = a.slots;
    float *out = slt_at(a.out[0]);
    slt_clear_tail(out, slt_count(a, SLT_TOKENS, 0), a.out_rows[0], K);
    if (b >= slt_header(a)->count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    const float *end = slt_at(a.in[0]) + run.first;
    float *m = out + (int64_t)run.first * K;
    for (int k = (int)threadIdx.x; k < K; k += THREADS) m[k] = k == 0;
    __syncthreads();
    for (int t = 0; t + 1 < run.computed; t++, m += K) {
        for (int k = (int)threadIdx.x; k < K; k += THREADS)
            m[K + k] = m[k] * (1 - end[t]) + (k ? m[k - 1] * end[t] : 0);
        __syncthreads();
    }
}

// shared holds d, twice (K) per trajectory: one is read while the other is written
SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, K = a.slots;
    float *dends = slt_at(a.in_grad[0]);
    if (!a.add[0]) slt_clear_tail(dends, slt_count(a, SLT_TOKENS, 0), a.in_rows[0], 1);
    if (b >= slt_header(a)->count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    const float *end = slt_at(a.in[0]) + run.first;
    float *dend = dends + run.first;
    float *d = slt_at(a.shared) + (int64_t)b * 2 * K, *next = d + K;
    int last = run.computed - 1;
    if (threadIdx.x == 0) slt_put(&dend[last], a.add[0], 0);
    for (int k = (int)threadIdx.x; k < K; k += THREADS)
        d[k] = slt_at(a.out_grad[0])[(int64_t)(run.first + last) * K + k];
    __syncthreads();
    for (int t = last - 1; t >= 0; t--) {
        const float *m = slt_at(a.out[0]) + (int64_t)(run.first + t) * K;
        const float *dm = slt_at(a.out_grad[0]) + (int64_t)(run.first + t) * K;
        float sum = 0;
        for (int k = (int)threadIdx.x; k < K; k += THREADS) {
            sum += d[k] * ((k ? m[k - 1] : 0) - m[k]);
            next[k] = d[k] * (1 - end[t]) + (k + 1 < K ? d[k + 1] * end[t] : 0) + dm[k];
        }
        sum = slt_block_sum(sum);
        if (threadIdx.x == 0) slt_put(&dend[t], a.add[0], sum);
        __syncthreads();
        float *other = d;
        d = next;
        next = other;
    }
}

void slt_cuda_count_mask_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
void slt_cuda_count_mask_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
