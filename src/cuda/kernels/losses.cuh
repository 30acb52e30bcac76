// A loss is a sum over trajectories: every block leaves its share, the one that comes last adds
// them in order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_LOSSES_CUH
#define SLT_CUDA_LOSSES_CUH

#include "cuda/kernels/kernel.cuh"

// shares: [parts], one per block of x; called by all threads of a block, with its share in thread 0
SLT_DEVICE_INLINE void slt_sum_shares(const slt_cuda_args &a, float *shares, float share, int parts,
                                      float *out) {
    if (threadIdx.x == 0) shares[blockIdx.x] = share;
    if (!slt_last_block(slt_counter(a, 0), (int)gridDim.x) || threadIdx.x > 0) return;
    float sum = 0;
    for (int i = 0; i < parts; i++) sum += shares[i];
    *out = sum;
}

// the same for many shares: the first warp of the last block adds them
SLT_DEVICE_INLINE void slt_sum_many_shares(const slt_cuda_args &a, float *shares, float share,
                                           int parts, float *out) {
    if (threadIdx.x == 0) shares[blockIdx.x] = share;
    if (!slt_last_block(slt_counter(a, 0), (int)gridDim.x) || threadIdx.x >= SLT_WARP) return;
    float sum = 0;
    for (int i = (int)threadIdx.x; i < parts; i += SLT_WARP) sum += shares[i];
    sum = slt_warp_sum(sum);
    if (threadIdx.x == 0) *out = sum;
}

#endif
