// What recurrences share: a group of trajectories that a block walks with, and products of a few
// rows with a kernel that is read once for all of them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_TRAJECTORY_GROUP_CUH
#define SLT_CUDA_TRAJECTORY_GROUP_CUH

#include "cuda/kernels/large_block.cuh"

// ---- the group of a block: every n-th trajectory

template <int N> struct slt_trajectory_group {
    int first[N], computed[N], most; // 0 steps: nobody
};

template <int N>
SLT_DEVICE_INLINE void slt_find_group(const slt_cuda_args &a, slt_trajectory_group<N> *c) {
    c->most = 0;
#pragma unroll
    for (int j = 0; j < N; j++) {
        int b = (int)blockIdx.x + j * (int)gridDim.x;
        slt_device_span run = {0, 0, 0, 0};
        if (b < slt_header(a)->count) run = slt_span_of(a, SLT_TOKENS, b);
        c->first[j] = run.first;
        c->computed[j] = run.computed;
        c->most = run.computed > c->most ? run.computed : c->most;
    }
}

// row of trajectory j at step t; -1: it has none
template <int N>
SLT_DEVICE_INLINE int slt_group_row(const slt_trajectory_group<N> &c, int j, int t) {
    int row = -1;
#pragma unroll
    for (int i = 0; i < N; i++)
        if (i == j && t < c.computed[i]) row = c.first[i] + t;
    return row;
}

// ---- products

// sum_j += Σ_i in_j[r + i]·w_i; in_j are `stride` numbers apart
template <int N>
SLT_DEVICE_INLINE void slt_add_four(const float *in, int stride, int r, const float *w,
                                    float *sum) {
#pragma unroll
    for (int j = 0; j < N; j++) {
        float4 x = *(const float4 *)(in + j * stride + r);
        sum[j] += x.x * w[0];
        sum[j] += x.y * w[1];
        sum[j] += x.z * w[2];
        sum[j] += x.w * w[3];
    }
}

// rows first to end-1 of one column, `wide` numbers apart, of which `from` has the first; fours:
// rows of the group begin at multiples of 16 bytes
template <int N>
SLT_DEVICE_INLINE void slt_add_rows(const float *from, int wide, int first, int end, bool fours,
                                    const float *in, int stride, float *sum) {
    int r = first;
#pragma unroll 4
    for (; fours && r + 4 <= end; r += 4, from += 4 * (int64_t)wide) {
        const float w[4] = {from[0], from[wide], from[2 * wide], from[3 * wide]};
        slt_add_four<N>(in, stride, r, w, sum);
    }
    for (; r < end; r++, from += wide)
#pragma unroll
        for (int j = 0; j < N; j++) sum[j] += in[j * stride + r] * *from;
}

#endif
