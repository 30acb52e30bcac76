// Expected cross-entropy of the prefix mixtures: a block per trajectory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/losses.cuh"
#include "cuda/kernels/prefix_xent.cuh"

enum { MOST_THREADS = SLT_XENT_WARPS * SLT_WARP };

template <int LANES, int MOST>
SLT_KERNEL __launch_bounds__(MOST_THREADS) forward(const slt_cuda_args a) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    float loss = slt_xent_forward<LANES, MOST>(a, (int)blockIdx.x, parts);
    slt_sum_shares(a, slt_at(a.shared), loss, slt_header(a)->count, slt_at(a.out[0]));
}
template <int LANES, int MOST>
SLT_KERNEL __launch_bounds__(MOST_THREADS) backward(const slt_cuda_args a) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    slt_xent_backward<LANES, MOST>(a, (int)blockIdx.x, parts);
}

void slt_cuda_prefix_xent_forward(const slt_cuda_args *args) {
    dim3 grid = slt_grid(args, args->trajectories, 1);
    slt_xent_block block = slt_xent_block_of(args, args->slots);
    SLT_XENT_LAUNCH(args, forward, slt_xent_actions(args), grid, block);
}

void slt_cuda_prefix_xent_backward(const slt_cuda_args *args) {
    dim3 grid = slt_grid(args, args->trajectories, 1);
    slt_xent_block block = slt_xent_block_of(args, args->slots * slt_xent_actions(args));
    SLT_XENT_LAUNCH(args, backward, slt_xent_actions(args), grid, block);
}
