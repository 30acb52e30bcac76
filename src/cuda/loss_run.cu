// Masks, losses and their sum as a run of nodes in one launch, forward, backward or both: a block
// per trajectory. What is a sum over trajectories is added by the block that comes last.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/cuda_runs.h"
#include "cuda/prefix_xent.cuh"
#include "cuda/segment_mask.cuh"

enum { H, PRIOR }; // of halting_kl

// ---- shares of a trajectory; thread 0 has them

SLT_DEVICE_INLINE float kl_share(const slt_cuda_args &a, int b) {
    const float *h = slt_at(a.in[H]) + (int64_t)b * a.slots, *prior = slt_at(a.in[PRIOR]);
    float sum = 0;
    if (b >= slt_head(a)->count || threadIdx.x > 0) return 0;
    for (int k = 0; k < a.slots; k++)
        if (h[k] > 0) sum += h[k] * (logf(h[k]) - logf(prior[k]));
    return sum / (float)slt_head(a)->total;
}

// by the first warp of the last block
SLT_DEVICE_INLINE void sum_shares(const slt_cuda_args &a) {
    const float *shares = slt_at(a.shared);
    float sum = 0;
    for (int b = (int)threadIdx.x; b < slt_head(a)->count; b += SLT_WARP) sum += shares[b];
    sum = slt_warp_sum(sum);
    if (threadIdx.x == 0) *slt_at(a.out[0]) = sum;
}

SLT_DEVICE_INLINE void add_losses(const slt_cuda_args &a) {
    float weight = slt_head(a)->weight[a.n[0]], first = *slt_at(a.in[0]);
    if (threadIdx.x == 0)
        *slt_at(a.out[0]) = weight != 0 ? first + weight * *slt_at(a.in[1]) : first;
}

// by the block that comes last: losses in the order of the nodes
SLT_DEVICE_INLINE void sum_losses(const slt_loss_run &run, bool backward) {
    if (!slt_last_block(slt_counter(run.node[0], 0), (int)gridDim.x)) return;
    if (threadIdx.x >= SLT_WARP) return;
    for (int s = 0; s < run.nodes; s++, __syncwarp()) {
        int n = backward ? run.nodes - 1 - s : s;
        const slt_cuda_args &a = run.node[n];
        if (run.kind[n] == SLT_LOSS_XENT || run.kind[n] == SLT_LOSS_KL) sum_shares(a);
        if (run.kind[n] == SLT_LOSS_ADD) add_losses(a);
    }
}

template <int LANES, int MOST>
SLT_KERNEL __launch_bounds__(SLT_XENT_WARPS *SLT_WARP)
    forward(const __grid_constant__ slt_loss_run run) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    int b = (int)blockIdx.x;
    for (int s = 0; s < run.nodes; s++, __syncthreads()) {
        const slt_cuda_args &a = run.node[s];
        float share = 0;
        if (run.kind[s] == SLT_LOSS_MASK) slt_mask_forward(a, b);
        if (run.kind[s] == SLT_LOSS_XENT) share = slt_xent_forward<LANES, MOST>(a, b, parts);
        if (run.kind[s] == SLT_LOSS_KL) share = kl_share(a, b);
        bool loss = run.kind[s] == SLT_LOSS_XENT || run.kind[s] == SLT_LOSS_KL;
        if (loss && threadIdx.x == 0) slt_at(a.shared)[b] = share;
    }
    sum_losses(run, false);
}

// ---- backward

SLT_DEVICE_INLINE void kl_backward(const slt_cuda_args &a, int b) {
    const slt_cuda_head *head = slt_head(a);
    for (int k = (int)threadIdx.x; k < a.slots; k += (int)blockDim.x) {
        int64_t at = (int64_t)b * a.slots + k;
        float d = 0, h = b < head->count ? slt_at(a.in[H])[at] : 0;
        if (h > 0) d = logf(h) - logf(slt_at(a.in[PRIOR])[k]) + 1;
        slt_put(&slt_at(a.in_grad[H])[at], a.add[H],
                *slt_at(a.out_grad[0]) / (float)head->total * d);
    }
}

// every block for itself: all write the same
SLT_DEVICE_INLINE void add_backward(const slt_cuda_args &a) {
    float weight = slt_head(a)->weight[a.n[0]], d = *slt_at(a.out_grad[0]);
    if (threadIdx.x > 0) return;
    if (a.in_grad[0].at) *slt_at(a.in_grad[0]) = d;
    if (a.in_grad[1].at) *slt_at(a.in_grad[1]) = d * weight;
}

template <int LANES, int MOST>
SLT_KERNEL __launch_bounds__(SLT_XENT_WARPS *SLT_WARP)
    backward(const __grid_constant__ slt_loss_run run) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    int b = (int)blockIdx.x;
    if (run.seed.at && threadIdx.x == 0) *slt_at(run.seed) = 1;
    __syncthreads();
    for (int s = 0; s < run.nodes; s++, __syncthreads()) {
        const slt_cuda_args &a = run.node[s];
        if (run.kind[s] == SLT_LOSS_ADD) add_backward(a);
        if (run.kind[s] == SLT_LOSS_KL) kl_backward(a, b);
        if (run.kind[s] == SLT_LOSS_XENT) slt_xent_backward<LANES, MOST>(a, b, parts);
        if (run.kind[s] == SLT_LOSS_MASK) slt_mask_backward(a, b);
    }
}

// ---- both: the gradient of the loss is known before the loss is. Nodes come in the order of
// backward; masks are made first, a loss's gradients on the way to its value

template <int LANES, int MOST>
SLT_KERNEL __launch_bounds__(SLT_XENT_WARPS *SLT_WARP)
    both(const __grid_constant__ slt_loss_run run) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    int b = (int)blockIdx.x;
    if (run.seed.at && threadIdx.x == 0) *slt_at(run.seed) = 1;
    for (int s = run.nodes - 1; s >= 0; s--)
        if (run.kind[s] == SLT_LOSS_MASK) slt_mask_forward(run.node[s], b);
    __syncthreads();
    for (int s = 0; s < run.nodes; s++, __syncthreads()) {
        const slt_cuda_args &a = run.node[s];
        bool xent = run.kind[s] == SLT_LOSS_XENT, kl = run.kind[s] == SLT_LOSS_KL;
        float share = 0;
        if (run.kind[s] == SLT_LOSS_ADD) add_backward(a);
        if (kl) share = kl_share(a, b);
        if (kl) kl_backward(a, b);
        if (xent) share = slt_xent_both<LANES, MOST>(a, b, parts);
        if ((xent || kl) && threadIdx.x == 0) slt_at(a.shared)[b] = share;
        if (run.kind[s] == SLT_LOSS_MASK) slt_mask_backward(a, b);
    }
    sum_losses(run, true);
}

// ---- launches

typedef struct {
    dim3 grid;
    int actions;
    slt_xent_block block;
} shape;

// numbers of a position and slot: so many, and so many for each action
static shape shape_of(const slt_loss_run *run, int each, int each_action) {
    const slt_cuda_args *first = &run->node[0];
    shape s = {slt_grid(first, first->trajectories, 1), 0, {SLT_WARP, 4 * SLT_WARP, 0}};
    for (int i = 0; i < run->nodes; i++) {
        if (run->kind[i] != SLT_LOSS_XENT) continue;
        s.actions = slt_xent_actions(&run->node[i]);
        s.block = slt_xent_block_of(&run->node[i], first->slots * (each + each_action * s.actions));
    }
    return s;
}

void slt_cuda_losses_forward(const slt_loss_run *run) {
    shape s = shape_of(run, 1, 0);
    SLT_XENT_LAUNCH(run, forward, s.actions, s.grid, s.block);
}

void slt_cuda_losses_backward(const slt_loss_run *run) {
    shape s = shape_of(run, 0, 1);
    SLT_XENT_LAUNCH(run, backward, s.actions, s.grid, s.block);
}

void slt_cuda_losses_both(const slt_loss_run *run) {
    shape s = shape_of(run, 1, 1);
    SLT_XENT_LAUNCH(run, both, s.actions, s.grid, s.block);
}
