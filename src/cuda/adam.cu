// Adam in the reference's form, with clipping by the global norm: one launch measures the gradient,
// one updates. Pieces of 2048 numbers; norms are sums of doubles in a fixed order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernel.cuh"

SLT_DEVICE_INLINE double block_sum(double x) {
    __shared__ double part[SLT_THREADS];
    part[threadIdx.x] = x;
    __syncthreads();
    for (int half = SLT_THREADS / 2; half > 0; half /= 2) {
        if ((int)threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    double sum = part[0];
    __syncthreads();
    return sum;
}

// columns whose gradient is zero but for rounding are put to zero
SLT_DEVICE_INLINE bool is_zero_column(const slt_cuda_piece &piece, int i) {
    int column = (int)((piece.place + i) % piece.columns);
    for (int k = 0; k < piece.zeros; k++)
        if (column >= piece.zero_first[k] && column < piece.zero_end[k]) return true;
    return false;
}

SLT_KERNEL measure(const slt_cuda_update u) {
    slt_begin();
    const slt_cuda_piece piece = u.pieces[blockIdx.x];
    float *gradient = u.gradient + piece.start;
    double sum = 0;
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < piece.count; i += SLT_THREADS) {
        if (piece.zeros && is_zero_column(piece, i)) gradient[i] = 0;
        sum += (double)gradient[i] * (double)gradient[i];
    }
    sum = block_sum(sum);
    if (threadIdx.x == 0) u.piece_norm[blockIdx.x] = sum;
    if (!slt_last_block(u.counter + piece.member, u.pieces_each)) return;
    double total = 0;
    for (int i = (int)threadIdx.x; i < u.pieces_each; i += SLT_THREADS)
        total += u.piece_norm[piece.member * u.pieces_each + i];
    total = block_sum(total);
    if (threadIdx.x == 0) u.norm[piece.member] = sqrt(total);
}

SLT_KERNEL update(const slt_cuda_update u) {
    slt_begin();
    const slt_cuda_piece piece = u.pieces[blockIdx.x];
    const slt_cuda_head *head =
        (const slt_cuda_head *)(u.frames.at + (int64_t)piece.member * u.frames.stride);
    double norm = u.norm[piece.member];
    if (!head->active || !isfinite(norm)) return;
    float scale = 1, rate = head->rate, epsilon = head->epsilon;
    if (head->max_norm > 0 && norm > head->max_norm) scale = (float)(head->max_norm / norm);
    const float b1 = 0.9, b2 = 0.999, c1 = 1 - 0.9, c2 = 1 - 0.999; // rounded from double
    float *w = u.value + piece.start, *m = u.moment1 + piece.start, *v = u.moment2 + piece.start;
    const float *g = u.gradient + piece.start;
#pragma unroll 4
    for (int i = (int)threadIdx.x; i < piece.count; i += SLT_THREADS) {
        float gradient = scale * g[i];
        float first = b1 * m[i] + c1 * gradient, second = b2 * v[i] + c2 * gradient * gradient;
        m[i] = first;
        v[i] = second;
        w[i] -= rate * first / (sqrtf(second) + epsilon);
    }
}

void slt_cuda_adam(const slt_cuda_update *u) {
    dim3 grid((unsigned)(u->members * u->pieces_each), 1, 1);
    SLT_LAUNCH(u, measure, grid, SLT_THREADS, 0);
    SLT_LAUNCH(u, update, grid, SLT_THREADS, 0);
}
