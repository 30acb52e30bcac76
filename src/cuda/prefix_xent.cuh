// Expected cross-entropy of the prefix mixtures, one trajectory by one block: a warp per position,
// lanes take actions. Equations are those of ops/prefix_xent.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_PREFIX_XENT_CUH
#define SLT_CUDA_PREFIX_XENT_CUH

#include "cuda/kernel.cuh"

enum { SLT_XENT_LOGITS, SLT_XENT_MASKS, SLT_XENT_H, SLT_XENT_TARGETS };
enum { SLT_XENT_WARPS = 32 };

typedef struct {
    int K, A, width, computed, truth;
    int64_t first; // slot-token row of (k = 0, l = 0)
    const float *logits, *masks, *h;
    const int32_t *targets;
    float scale; // 1/M
} slt_mixture;

SLT_DEVICE_INLINE slt_mixture slt_mixture_of(const slt_cuda_args &a, int b) {
    const int32_t *offset = slt_offset(a);
    slt_mixture m;
    m.K = a.slots;
    m.width = a.in_width[SLT_XENT_LOGITS];
    m.A = m.width - 1;
    m.computed = offset[b + 1] - offset[b];
    m.truth = slt_least(slt_length(a)[b], m.computed);
    m.first = (int64_t)m.K * offset[b];
    m.logits = slt_at(a.in[SLT_XENT_LOGITS]) + m.first * m.width;
    m.masks = slt_at(a.in[SLT_XENT_MASKS]) + m.first;
    m.h = slt_at(a.in[SLT_XENT_H]) + (int64_t)b * m.K;
    m.targets = slt_ints(a.in[SLT_XENT_TARGETS]) + offset[b];
    m.scale = 1 / (float)slt_head(a)->true_tokens;
    return m;
}

// of slot j at position l: the logits of a lane's MOST actions, the mask
template <int MOST> struct slt_alpha { float alpha[MOST], mask; };
template <int MOST>
SLT_DEVICE_INLINE slt_alpha<MOST> slt_alpha_of(const slt_mixture &m, int j, int l) {
    int lane = (int)(threadIdx.x % SLT_WARP), row = slt_least(j, m.K - 1) * m.computed + l;
    slt_alpha<MOST> x;
    x.mask = m.masks[row];
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        int s = lane + i * SLT_WARP;
        x.alpha[i] = s < m.A ? m.logits[(int64_t)row * m.width + s] : 0;
    }
    return x;
}

// R += mask_j·α_j, then softmax(R) into p; gives the cross-entropy
template <int MOST>
SLT_DEVICE_INLINE float slt_mixture_extend(const slt_mixture &m, const slt_alpha<MOST> &x,
                                           int target, float *R, float *p) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    float most = -INFINITY, sum = 0, hit = 0;
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        int s = lane + i * SLT_WARP;
        if (s >= m.A) continue;
        R[i] += x.mask * x.alpha[i];
        most = fmaxf(most, R[i]);
        if (s == target) hit = R[i];
    }
    most = slt_warp_most(most);
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        p[i] = lane + i * SLT_WARP < m.A ? expf(R[i] - most) : 0;
        sum += p[i];
    }
    sum = slt_warp_sum(sum);
    hit = slt_warp_sum(hit);
#pragma unroll
    for (int i = 0; i < MOST; i++) p[i] /= sum;
    return logf(sum) + most - hit;
}

// the trajectory's share of the loss, in thread 0. Σ_l CE_j,l of every j is kept (aux); parts:
// (SLT_XENT_WARPS, K) of shared memory; called by so many warps
template <int MOST>
SLT_DEVICE_INLINE float slt_xent_forward(const slt_cuda_args &a, int b, float *parts) {
    int warp = (int)threadIdx.x / SLT_WARP;
    float loss = 0;
    if (b >= slt_head(a)->count) return 0;
    slt_mixture m = slt_mixture_of(a, b);
    float *kept = slt_at(a.aux) + (int64_t)b * m.K;
    for (int i = (int)threadIdx.x; i < SLT_XENT_WARPS * m.K; i += SLT_XENT_WARPS * SLT_WARP)
        parts[i] = 0;
    __syncthreads();
    for (int l = warp; l < m.truth; l += SLT_XENT_WARPS) {
        float R[MOST] = {0}, p[MOST];
        int target = m.targets[l];
        slt_alpha<MOST> next = slt_alpha_of<MOST>(m, 0, l); // on its way
        for (int j = 0; j < m.K; j++) {
            slt_alpha<MOST> now = next;
            next = slt_alpha_of<MOST>(m, j + 1, l);
            float loss_of_prefix = slt_mixture_extend<MOST>(m, now, target, R, p);
            if (threadIdx.x % SLT_WARP == 0) parts[warp * m.K + j] += loss_of_prefix;
        }
    }
    __syncthreads();
    for (int j = 0; threadIdx.x == 0 && j < m.K; j++) {
        float sum = 0;
        for (int i = 0; i < SLT_XENT_WARPS; i++) sum += parts[i * m.K + j];
        kept[j] = sum;
        loss += m.h[j] * sum;
    }
    return loss * m.scale;
}

// ---- backward

// gradients of position l, by one warp; dR: (K, A) in shared memory, made upward, summed downward
template <int MOST>
SLT_DEVICE_INLINE void slt_xent_position(const slt_cuda_args &a, const slt_mixture &m, int l,
                                         float weight, float *dR) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    float R[MOST] = {0}, p[MOST], G[MOST] = {0};
    int target = m.targets[l];
    slt_alpha<MOST> next = slt_alpha_of<MOST>(m, 0, l); // on its way
    for (int j = 0; j < m.K; j++) {
        float w = weight * m.h[j] * m.scale;
        slt_alpha<MOST> now = next;
        next = slt_alpha_of<MOST>(m, j + 1, l);
        slt_mixture_extend<MOST>(m, now, target, R, p);
#pragma unroll
        for (int i = 0; i < MOST; i++) {
            int s = lane + i * SLT_WARP;
            if (s < m.A) dR[j * m.A + s] = w * (p[i] - (s == target ? 1 : 0));
        }
    }
    // a lane reads what it wrote itself
    for (int k = m.K - 1; k >= 0; k--) {
        int64_t row = (int64_t)k * m.computed + l;
        const float *alpha = m.logits + row * m.width;
        float *dalpha = slt_at(a.in_grad[SLT_XENT_LOGITS]), mask = m.masks[row], dmask = 0;
        if (dalpha) dalpha += (m.first + row) * m.width;
#pragma unroll
        for (int i = 0; i < MOST; i++) {
            int s = lane + i * SLT_WARP;
            if (s >= m.A) continue;
            G[i] += dR[k * m.A + s];
            dmask += G[i] * alpha[s];
            if (dalpha) slt_put(&dalpha[s], a.add[SLT_XENT_LOGITS], mask * G[i]);
        }
        dmask = slt_warp_sum(dmask);
        if (lane > 0) continue;
        if (dalpha && !a.add[SLT_XENT_LOGITS]) dalpha[m.A] = 0;
        if (a.in_grad[SLT_XENT_MASKS].at)
            slt_put(&slt_at(a.in_grad[SLT_XENT_MASKS])[m.first + row], a.add[SLT_XENT_MASKS],
                    dmask);
    }
}

// positions behind the truth get nothing
SLT_DEVICE_INLINE void slt_xent_clear(const slt_cuda_args &a, const slt_mixture &m, int l) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    for (int k = 0; k < m.K; k++) {
        int64_t row = m.first + (int64_t)k * m.computed + l;
        if (a.in_grad[SLT_XENT_LOGITS].at && !a.add[SLT_XENT_LOGITS])
            for (int s = lane; s < m.width; s += SLT_WARP)
                slt_at(a.in_grad[SLT_XENT_LOGITS])[row * m.width + s] = 0;
        if (a.in_grad[SLT_XENT_MASKS].at && !a.add[SLT_XENT_MASKS] && lane == 0)
            slt_at(a.in_grad[SLT_XENT_MASKS])[row] = 0;
    }
}

SLT_DEVICE_INLINE void slt_xent_tails(const slt_cuda_args &a) {
    int rows = slt_count(a, SLT_SLOT_TOKENS, 0), count = slt_head(a)->count;
    if (a.in_grad[SLT_XENT_LOGITS].at && !a.add[SLT_XENT_LOGITS])
        slt_clear_tail(slt_at(a.in_grad[SLT_XENT_LOGITS]), rows, a.in_rows[SLT_XENT_LOGITS],
                       a.in_width[SLT_XENT_LOGITS]);
    if (a.in_grad[SLT_XENT_MASKS].at && !a.add[SLT_XENT_MASKS])
        slt_clear_tail(slt_at(a.in_grad[SLT_XENT_MASKS]), rows, a.in_rows[SLT_XENT_MASKS], 1);
    if (a.in_grad[SLT_XENT_H].at && !a.add[SLT_XENT_H])
        slt_clear_tail(slt_at(a.in_grad[SLT_XENT_H]), count, a.in_rows[SLT_XENT_H], a.slots);
}

// parts: (warps, K, A) of shared memory
template <int MOST>
SLT_DEVICE_INLINE void slt_xent_backward(const slt_cuda_args &a, int b, float *parts) {
    int warp = (int)threadIdx.x / SLT_WARP, warps = (int)blockDim.x / SLT_WARP;
    slt_xent_tails(a);
    if (b >= slt_head(a)->count) return;
    slt_mixture m = slt_mixture_of(a, b);
    float weight = *slt_at(a.out_grad[0]), *dR = parts + (int64_t)warp * m.K * m.A;
    for (int l = warp; l < m.computed; l += warps) {
        if (l < m.truth)
            slt_xent_position<MOST>(a, m, l, weight, dR);
        else
            slt_xent_clear(a, m, l);
    }
    if (!a.in_grad[SLT_XENT_H].at) return;
    for (int j = (int)threadIdx.x; j < m.K; j += (int)blockDim.x) {
        int64_t at = (int64_t)b * m.K + j;
        slt_put(&slt_at(a.in_grad[SLT_XENT_H])[at], a.add[SLT_XENT_H],
                weight * m.scale * slt_at(a.aux)[at]);
    }
}

// ---- launches: warps of a backward whose parts fit into a block's shared memory

static inline int slt_xent_actions(const slt_cuda_args *args) {
    return args->in_width[SLT_XENT_LOGITS] - 1;
}
static inline size_t slt_xent_each(const slt_cuda_args *args) {
    return (size_t)args->slots * (size_t)slt_xent_actions(args) * sizeof(float);
}
static inline int slt_xent_warps(const slt_cuda_args *args) {
    int warps = (int)(48 * 1024 / slt_xent_each(args));
    return warps < 1 ? 1 : warps > SLT_XENT_WARPS ? SLT_XENT_WARPS : warps;
}

#endif
