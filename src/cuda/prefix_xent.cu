// Expected cross-entropy of the prefix mixtures: a block per trajectory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/losses.cuh"
#include "cuda/prefix_xent.cuh"

enum { WARPS = SLT_XENT_WARPS };

template <int MOST> SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP) forward(const slt_cuda_args a) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    float loss = slt_xent_forward<MOST>(a, (int)blockIdx.x, parts);
    slt_sum_shares(a, slt_at(a.shared), loss, slt_head(a)->count, slt_at(a.out[0]));
}
template <int MOST> SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP) backward(const slt_cuda_args a) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    slt_xent_backward<MOST>(a, (int)blockIdx.x, parts);
}

void slt_cuda_prefix_xent_forward(const slt_cuda_args *args) {
    dim3 grid = slt_grid(args, args->trajectories, 1);
    size_t bytes = WARPS * (size_t)args->slots * sizeof(float);
    if (slt_xent_actions(args) <= SLT_WARP)
        SLT_LAUNCH(args, forward<1>, grid, WARPS * SLT_WARP, bytes);
    else
        SLT_LAUNCH(args, forward<8>, grid, WARPS * SLT_WARP, bytes);
}

void slt_cuda_prefix_xent_backward(const slt_cuda_args *args) {
    dim3 grid = slt_grid(args, args->trajectories, 1);
    int warps = slt_xent_warps(args);
    size_t bytes = (size_t)warps * slt_xent_each(args);
    if (slt_xent_actions(args) <= SLT_WARP)
        SLT_LAUNCH(args, backward<1>, grid, warps * SLT_WARP, bytes);
    else
        SLT_LAUNCH(args, backward<8>, grid, warps * SLT_WARP, bytes);
}
