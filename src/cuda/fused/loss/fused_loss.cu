// Masks, losses and their sum as a group of fused nodes in one launch, forward, backward or both: a
// block per trajectory. What is a sum over trajectories is added by the block that comes last, or
// next to the chain, which does not wait for it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/host_device.h"
#include "cuda/fused/loss/fused_loss.h"
#include "cuda/kernels/prefix_xent.cuh"
#include "cuda/kernels/segment_mask.cuh"

enum { H, PRIOR }; // of halting_kl

// ---- shares of a trajectory

SLT_DEVICE_INLINE float kl_share(const slt_cuda_args &a, int b) {
    const float *h = slt_at(a.in[H]) + (int64_t)b * a.slots, *prior = slt_at(a.in[PRIOR]);
    float sum = 0;
    if (b >= slt_header(a)->count) return 0;
    for (int k = 0; k < a.slots; k++)
        if (h[k] > 0) sum += h[k] * (logf(h[k]) - logf(prior[k]));
    return sum / (float)slt_header(a)->total;
}

SLT_DEVICE_INLINE bool is_loss(slt_loss_kind kind) {
    return kind == SLT_LOSS_XENT || kind == SLT_LOSS_KL;
}

// by one warp
template <class Share> SLT_DEVICE_INLINE void sum_shares(const slt_cuda_args &a, Share share) {
    float sum = 0;
    for (int b = (int)threadIdx.x; b < slt_header(a)->count; b += SLT_WARP) sum += share(b);
    sum = slt_warp_sum(sum);
    if (threadIdx.x == 0) *slt_at(a.out[0]) = sum;
}

SLT_DEVICE_INLINE void add_losses(const slt_cuda_args &a) {
    float weight = slt_header(a)->weight[a.n[0]], first = *slt_at(a.in[0]);
    if (threadIdx.x == 0)
        *slt_at(a.out[0]) = weight != 0 ? first + weight * *slt_at(a.in[1]) : first;
}

// by the block that comes last: losses in the order of the nodes
SLT_DEVICE_INLINE void sum_losses(const slt_fused_loss &run) {
    if (!slt_last_block(slt_counter(run.node[0], 0), (int)gridDim.x)) return;
    if (threadIdx.x >= SLT_WARP) return;
    for (int s = 0; s < run.nodes; s++, __syncwarp()) {
        const slt_cuda_args &a = run.node[s];
        const float *shares = slt_at(a.shared);
        if (is_loss(run.kind[s])) sum_shares(a, [&](int b) { return shares[b]; });
        if (run.kind[s] == SLT_LOSS_ADD) add_losses(a);
    }
}

// the same after `both`, from what that kept; nodes are in the order of backward
SLT_KERNEL add_up(const __grid_constant__ slt_fused_loss run) {
    slt_begin();
    for (int s = run.nodes - 1; s >= 0; s--, __syncwarp()) {
        const slt_cuda_args &a = run.node[s];
        bool xent = run.kind[s] == SLT_LOSS_XENT;
        if (is_loss(run.kind[s]))
            sum_shares(a, [&](int b) { return xent ? slt_xent_share(a, b) : kl_share(a, b); });
        if (run.kind[s] == SLT_LOSS_ADD) add_losses(a);
    }
}

template <int LANES, int MOST>
SLT_KERNEL __launch_bounds__(SLT_XENT_WARPS *SLT_WARP)
    forward(const __grid_constant__ slt_fused_loss run) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    int b = (int)blockIdx.x;
    for (int s = 0; s < run.nodes; s++, __syncthreads()) {
        const slt_cuda_args &a = run.node[s];
        float share = 0;
        if (run.kind[s] == SLT_LOSS_MASK) slt_mask_forward(a, b);
        if (run.kind[s] == SLT_LOSS_XENT) share = slt_xent_forward<LANES, MOST>(a, b, parts);
        if (run.kind[s] == SLT_LOSS_KL && threadIdx.x == 0) share = kl_share(a, b);
        if (is_loss(run.kind[s]) && threadIdx.x == 0) slt_at(a.shared)[b] = share;
    }
    sum_losses(run);
}

// ---- backward

// by a warp
SLT_DEVICE_INLINE void kl_backward(const slt_cuda_args &a, int b) {
    const slt_cuda_frame_header *head = slt_header(a);
    for (int k = (int)(threadIdx.x % SLT_WARP); k < a.slots; k += SLT_WARP) {
        int64_t at = (int64_t)b * a.slots + k;
        float d = 0, h = b < head->count ? slt_at(a.in[H])[at] : 0;
        if (h > 0) d = logf(h) - logf(slt_at(a.in[PRIOR])[k]) + 1;
        slt_put(&slt_at(a.in_grad[H])[at], a.add[H],
                *slt_at(a.out_grad[0]) / (float)head->total * d);
    }
}

// every block for itself: all write the same. By a warp
SLT_DEVICE_INLINE void add_backward(const slt_cuda_args &a) {
    float weight = slt_header(a)->weight[a.n[0]], d = *slt_at(a.out_grad[0]);
    if (threadIdx.x % SLT_WARP > 0) return;
    if (a.in_grad[0].at) *slt_at(a.in_grad[0]) = d;
    if (a.in_grad[1].at) *slt_at(a.in_grad[1]) = d * weight;
}

template <int LANES, int MOST>
SLT_KERNEL __launch_bounds__(SLT_XENT_WARPS *SLT_WARP)
    backward(const __grid_constant__ slt_fused_loss run) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    int b = (int)blockIdx.x;
    if (run.seed.at && threadIdx.x == 0) *slt_at(run.seed) = 1;
    __syncthreads();
    for (int s = 0; s < run.nodes; s++, __syncthreads()) {
        const slt_cuda_args &a = run.node[s];
        bool warp = threadIdx.x < SLT_WARP;
        if (run.kind[s] == SLT_LOSS_ADD && warp) add_backward(a);
        if (run.kind[s] == SLT_LOSS_KL && warp) kl_backward(a, b);
        if (run.kind[s] == SLT_LOSS_XENT) slt_xent_backward<LANES, MOST>(a, b, parts);
        if (run.kind[s] == SLT_LOSS_MASK) slt_mask_backward(a, b);
    }
}

// ---- both: the gradient of the loss is known before the loss is. Nodes come in the order of
// backward; what needs no masks is done by the last warp next to the making of masks; a loss's
// gradients are made on the way to its value

SLT_HOST_DEVICE bool needs_no_mask(slt_loss_kind kind) {
    return kind == SLT_LOSS_ADD || kind == SLT_LOSS_KL;
}

// by a warp
SLT_DEVICE_INLINE void small_backward(const slt_fused_loss &run, int s, int b) {
    if (run.kind[s] == SLT_LOSS_ADD) add_backward(run.node[s]);
    if (run.kind[s] == SLT_LOSS_KL) kl_backward(run.node[s], b);
    __syncwarp();
}

// node by node, through memory
template <int LANES, int MOST>
SLT_DEVICE_INLINE void both_far(const slt_fused_loss &run, int first, int b, float *parts) {
    bool last_warp = threadIdx.x + SLT_WARP >= blockDim.x;
    for (int s = run.nodes - 1; s >= 0; s--)
        if (run.kind[s] == SLT_LOSS_MASK) slt_mask_forward(run.node[s], b);
    __syncthreads();
    for (int s = first; s < run.nodes; s++, __syncthreads()) {
        const slt_cuda_args &a = run.node[s];
        if (needs_no_mask(run.kind[s]) && last_warp) small_backward(run, s, b);
        if (run.kind[s] == SLT_LOSS_XENT) slt_xent_tails(a);
        if (run.kind[s] == SLT_LOSS_XENT && b < slt_header(a)->count)
            slt_xent_both<LANES, MOST>(a, b, slt_mixture_of(a, b), parts);
        if (run.kind[s] == SLT_LOSS_MASK) slt_mask_backward(a, b);
    }
}

// logits come once; masks, sums, π and the gradients of masks stay in shared memory
template <int LANES, int MOST>
SLT_DEVICE_INLINE void both_near(const slt_fused_loss &run, int b, float *near, float *parts) {
    const slt_cuda_args &x = run.node[run.nodes - 2], &k = run.node[run.nodes - 1];
    slt_mask_tails(k);
    slt_xent_tails(x);
    if (b >= slt_header(x)->count) return;
    slt_mixture m = slt_mixture_of(x, b);
    slt_mask_view v = slt_mask_of(k, b);
    int rows = m.K * m.computed;
    float *masks = near + rows * m.width, *mask = slt_at(k.out[0]) + v.first, *c = v.c;
    for (int i = (int)threadIdx.x; i < rows * m.width; i += (int)blockDim.x) near[i] = m.logits[i];
    m.logits = near, v.end = near + m.width - 1;
    m.masks = masks, v.c = masks + rows, v.pi = masks + 2 * rows;
    m.dmasks = masks + 3 * rows, v.dmask = m.dmasks;
    __syncthreads();
    slt_mask_make(v, [&](int i, float y) { mask[i] = masks[i] = y, c[i] = v.c[i]; });
    slt_xent_both<LANES, MOST>(x, b, m, parts);
    slt_mask_unmake(k, v, false); // after the barrier of the sums; the loss wrote zeros there
}

template <int LANES, int MOST>
SLT_KERNEL __launch_bounds__(SLT_XENT_WARPS *SLT_WARP)
    both(const __grid_constant__ slt_fused_loss run) {
    slt_begin();
    SLT_DYNAMIC_SHARED(near);
    float *parts = near + run.near;
    int b = (int)blockIdx.x, first = 0;
    bool last_warp = threadIdx.x + SLT_WARP >= blockDim.x;
    if (run.seed.at && last_warp && threadIdx.x % SLT_WARP == 0) *slt_at(run.seed) = 1;
    __syncwarp();
    for (; first < run.nodes && needs_no_mask(run.kind[first]); first++)
        if (last_warp) small_backward(run, first, b);
    if (run.near)
        both_near<LANES, MOST>(run, b, near, parts);
    else
        both_far<LANES, MOST>(run, first, b, parts);
}

// ---- launches

typedef struct {
    dim3 grid;
    int actions;
    slt_xent_block block;
} shape;

// numbers of a position and slot: so many, and so many for each action
static shape shape_of(const slt_fused_loss *run, int each, int each_action) {
    const slt_cuda_args *first = &run->node[0];
    shape s = {slt_grid(first, first->trajectories, 1), 0, {SLT_WARP, 4 * SLT_WARP, 0}};
    for (int i = 0; i < run->nodes; i++) {
        if (run->kind[i] != SLT_LOSS_XENT) continue;
        s.actions = slt_xent_actions(&run->node[i]);
        s.block = slt_xent_block_of(&run->node[i], first->slots * (each + each_action * s.actions));
    }
    return s;
}

void slt_cuda_losses_forward(const slt_fused_loss *run) {
    shape s = shape_of(run, 1, 0);
    SLT_XENT_LAUNCH(run, forward, s.actions, s.grid, s.block);
}

void slt_cuda_losses_backward(const slt_fused_loss *run) {
    shape s = shape_of(run, 0, 1);
    SLT_XENT_LAUNCH(run, backward, s.actions, s.grid, s.block);
}

// a loss and, after it and nothing else, the masks that it alone reads: both write one gradient
static bool is_pair(const slt_fused_loss *run) {
    const slt_cuda_args *x = &run->node[run->nodes - 2], *k = x + 1;
    if (run->nodes < 2 || run->kind[run->nodes - 2] != SLT_LOSS_XENT) return false;
    for (int i = 0; i < run->nodes - 2; i++)
        if (!needs_no_mask(run->kind[i])) return false;
    return run->kind[run->nodes - 1] == SLT_LOSS_MASK && x->in[SLT_XENT_LOGITS].at == k->in[0].at &&
           x->in[SLT_XENT_MASKS].at == k->out[0].at &&
           x->in_grad[SLT_XENT_LOGITS].at == k->in_grad[0].at && !x->add[SLT_XENT_LOGITS] &&
           x->in_grad[SLT_XENT_MASKS].at == k->out_grad[0].at && !x->add[SLT_XENT_MASKS];
}

// logits, masks, their gradients, sums and π of the longest trajectory, where they are not too
// many; bytes: taken by others
static int near_of(const slt_fused_loss *run, size_t bytes) {
    const slt_cuda_args *a = &run->node[run->nodes - 1];
    int numbers = a->slots * a->length * (a->in_width[0] + 4);
    bool fits = numbers <= SLT_XENT_NEAR &&
                bytes + (size_t)numbers * sizeof(float) <= (size_t)SLT_XENT_ROOM;
    return fits && is_pair(run) ? numbers : 0;
}

void slt_cuda_losses_both(const slt_fused_loss *asked) {
    slt_fused_loss run = *asked;
    shape s = shape_of(&run, 1, 1);
    run.near = near_of(&run, s.block.bytes);
    s.block.bytes += (size_t)run.near * sizeof(float);
    SLT_XENT_LAUNCH(&run, both, s.actions, s.grid, s.block);
    run.stream = slt_cuda_on_sum_stream(&run.node[0]).stream;
    SLT_LAUNCH(&run, add_up, slt_grid(&run.node[0], 1, 1), SLT_WARP, 0);
}
