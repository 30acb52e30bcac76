// Segment masks from end logits, one trajectory by one block of whole warps: a warp per slot;
// softmax and cumulative sums run over positions, 32 at a time. Equations are those of
// ops/slots/segment_mask.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_SEGMENT_MASK_CUH
#define SLT_CUDA_SEGMENT_MASK_CUH

#include "cuda/kernels/kernel.cuh"

// of a trajectory; rows are counted from that of (k = 0, l = 0). A run may put the arrays elsewhere
typedef struct {
    int K, computed, positions, width;
    int64_t first; // row of (k = 0, l = 0)
    const float *end, *dmask;
    float *pi, *c;
} slt_mask_view;

SLT_DEVICE_INLINE slt_mask_view slt_mask_of(const slt_cuda_args &a, int b) {
    slt_mask_view v;
    const int32_t *offset = slt_offset(a);
    v.K = a.slots;
    v.computed = offset[b + 1] - offset[b];
    v.positions = a.n[0] ? v.computed : slt_least(slt_length(a)[b] + 1, v.computed);
    v.width = a.in_width[0];
    v.first = (int64_t)v.K * offset[b];
    v.end = slt_at(a.in[0]) + v.first * v.width + v.width - 1;
    v.dmask = slt_at(a.out_grad[0]) + v.first;
    v.pi = slt_at(a.aux) + v.first;
    v.c = slt_at(a.out[1]) + v.first;
    return v;
}

// π (kept) and its cumulative sum of one slot, by one warp
SLT_DEVICE_INLINE void slt_mask_ends(const slt_mask_view &v, int k) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    int64_t row = (int64_t)k * v.computed;
    const float *end = v.end + row * v.width;
    float *pi = v.pi + row, *c = v.c + row, most = -INFINITY, sum = 0;
    for (int l = lane; l < v.positions; l += SLT_WARP)
        most = fmaxf(most, end[(int64_t)l * v.width]);
    most = slt_warp_most(most);
    for (int l = lane; l < v.positions; l += SLT_WARP)
        sum += pi[l] = expf(end[(int64_t)l * v.width] - most);
    sum = slt_warp_sum(sum);
    float before = 0;
    for (int l = lane; l - lane < v.computed; l += SLT_WARP) {
        float p = l < v.positions ? pi[l] / sum : 0;
        float total = before + slt_warp_scan(p);
        before = slt_warp_lane(total, SLT_WARP - 1);
        if (l < v.positions) pi[l] = p;
        if (l < v.computed) c[l] = l < v.positions ? total : 1;
    }
}

// ends of all slots, then put(row, mask); called by all threads
template <class Put> SLT_DEVICE_INLINE void slt_mask_make(const slt_mask_view &v, Put put) {
    int warps = (int)blockDim.x / SLT_WARP;
    for (int k = (int)threadIdx.x / SLT_WARP; k < v.K; k += warps) slt_mask_ends(v, k);
    __syncthreads();
    for (int i = (int)threadIdx.x; i < v.K * v.computed; i += (int)blockDim.x) {
        int k = i / v.computed, l = i % v.computed;
        const float *c = v.c + i;
        float up = 1 - c[0];
        if (k > 0) up *= 1 - (1 - c[-v.computed]);
        put(i, l < v.positions ? up : 0);
    }
}

SLT_DEVICE_INLINE void slt_mask_tails(const slt_cuda_args &a) {
    int count = slt_count(a, SLT_SLOT_TOKENS, 0);
    slt_clear_tail(slt_at(a.out[0]), count, a.out_rows[0], 1);
    slt_clear_tail(slt_at(a.out[1]), count, a.out_rows[1], 1);
}

// called by all threads of block b
SLT_DEVICE_INLINE void slt_mask_forward(const slt_cuda_args &a, int b) {
    slt_mask_tails(a);
    if (b >= slt_header(a)->count) return;
    slt_mask_view v = slt_mask_of(a, b);
    float *mask = slt_at(a.out[0]) + v.first;
    slt_mask_make(v, [&](int i, float x) { mask[i] = x; });
}

// dc_k = -dmask_k·c_{k-1} + dmask_{k+1}·(1 - c_{k+1}), with c_0 = 1
SLT_DEVICE_INLINE float slt_mask_gradient(const slt_mask_view &v, int k, int l) {
    int at = k * v.computed + l;
    const float *c = v.c + at, *dmask = v.dmask + at;
    float d = -dmask[0] * (k > 0 ? c[-v.computed] : 1);
    if (k + 1 < v.K) d += dmask[v.computed] * (1 - c[v.computed]);
    return d;
}

// walks the positions of a slot from the end: dπ_l = Σ_{j>=l} dc_j. First for Σ π·dπ, then, with
// that known, for the gradient of the logits: put(l, gradient)
template <class Put>
SLT_DEVICE_INLINE float slt_mask_walk(const slt_mask_view &v, int k, float dot, Put put) {
    int lane = (int)(threadIdx.x % SLT_WARP), chunks = (v.positions + SLT_WARP - 1) / SLT_WARP;
    const float *pi = v.pi + (int64_t)k * v.computed;
    float following = 0, sum = 0;
    for (int chunk = chunks - 1; chunk >= 0; chunk--) {
        int l = chunk * SLT_WARP + lane;
        bool there = l < v.positions;
        float total = following + slt_warp_scan_down(there ? slt_mask_gradient(v, k, l) : 0);
        following = slt_warp_lane(total, 0);
        if (there) put(l, pi[l] * (total - dot));
        if (there) sum += pi[l] * total;
    }
    return slt_warp_sum(sum);
}

// add: to what is there
SLT_DEVICE_INLINE void slt_mask_unmake(const slt_cuda_args &a, const slt_mask_view &v, bool add) {
    int warps = (int)blockDim.x / SLT_WARP;
    for (int k = (int)threadIdx.x / SLT_WARP; k < v.K; k += warps) {
        float *de = slt_at(a.in_grad[0]) + (v.first + (int64_t)k * v.computed + 1) * v.width - 1;
        float dot = slt_mask_walk(v, k, 0, [](int, float) {});
        slt_mask_walk(v, k, dot,
                      [&](int l, float x) { slt_put(&de[(int64_t)l * v.width], add, x); });
    }
}

// the other columns, and the end after the positions
SLT_DEVICE_INLINE void slt_mask_rest(const slt_cuda_args &a, const slt_mask_view &v) {
    float *dlogits = slt_at(a.in_grad[0]) + v.first * v.width;
    for (int i = (int)threadIdx.x; i < v.K * v.computed * v.width; i += (int)blockDim.x)
        if (i % v.width < v.width - 1 || i / v.width % v.computed >= v.positions) dlogits[i] = 0;
}

SLT_DEVICE_INLINE void slt_mask_backward(const slt_cuda_args &a, int b) {
    if (!a.add[0])
        slt_clear_tail(slt_at(a.in_grad[0]), slt_count(a, SLT_SLOT_TOKENS, 0), a.in_rows[0],
                       a.in_width[0]);
    if (b >= slt_header(a)->count) return;
    slt_mask_view v = slt_mask_of(a, b);
    slt_mask_unmake(a, v, a.add[0]);
    if (!a.add[0]) slt_mask_rest(a, v);
}

#endif
