// Expected cross-entropy of the prefix mixtures: a block per trajectory, a warp per position, lanes
// take actions. Equations are those of ops/prefix_xent.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/losses.cuh"

enum { LOGITS, MASKS, H, TARGETS };
enum { WARPS = 32 };

typedef struct {
    int K, A, width, computed, truth;
    int64_t first; // slot-token row of (k = 0, l = 0)
    const float *logits, *masks, *h;
    const int32_t *targets;
    float scale; // 1/M
} mixture;

SLT_DEVICE_INLINE mixture mixture_of(const slt_cuda_args &a, int b) {
    const int32_t *offset = slt_offset(a);
    mixture m;
    m.K = a.slots;
    m.width = a.in_width[LOGITS];
    m.A = m.width - 1;
    m.computed = offset[b + 1] - offset[b];
    m.truth = slt_least(slt_length(a)[b], m.computed);
    m.first = (int64_t)m.K * offset[b];
    m.logits = slt_at(a.in[LOGITS]) + m.first * m.width;
    m.masks = slt_at(a.in[MASKS]) + m.first;
    m.h = slt_at(a.in[H]) + (int64_t)b * m.K;
    m.targets = slt_ints(a.in[TARGETS]) + offset[b];
    m.scale = 1 / (float)slt_head(a)->true_tokens;
    return m;
}

// R += mask_j·α_j, then softmax(R) into p; gives the cross-entropy. A lane holds MOST actions
template <int MOST>
SLT_DEVICE_INLINE float extend(const mixture &m, int j, int l, float *R, float *p) {
    int lane = (int)(threadIdx.x % SLT_WARP), row = j * m.computed + l, target = m.targets[l];
    const float *alpha = m.logits + (int64_t)row * m.width;
    float mask = m.masks[row], most = -INFINITY, sum = 0, hit = 0;
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        int s = lane + i * SLT_WARP;
        if (s >= m.A) continue;
        R[i] += mask * alpha[s];
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

// Σ_l CE_j,l of every j is kept (aux); dynamic shared memory: (WARPS, K)
template <int MOST> SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP) forward(const slt_cuda_args a) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    int b = (int)blockIdx.x, warp = (int)threadIdx.x / SLT_WARP;
    float loss = 0;
    if (b < slt_head(a)->count) {
        mixture m = mixture_of(a, b);
        float *kept = slt_at(a.aux) + (int64_t)b * m.K;
        for (int i = (int)threadIdx.x; i < WARPS * m.K; i += WARPS * SLT_WARP) parts[i] = 0;
        __syncthreads();
        for (int l = warp; l < m.truth; l += WARPS) {
            float R[MOST] = {0}, p[MOST];
            for (int j = 0; j < m.K; j++) {
                float loss_of_prefix = extend<MOST>(m, j, l, R, p);
                if (threadIdx.x % SLT_WARP == 0) parts[warp * m.K + j] += loss_of_prefix;
            }
        }
        __syncthreads();
        if (threadIdx.x == 0)
            for (int j = 0; j < m.K; j++) {
                float sum = 0;
                for (int i = 0; i < WARPS; i++) sum += parts[i * m.K + j];
                kept[j] = sum;
                loss += m.h[j] * sum;
            }
        loss *= m.scale;
    }
    slt_sum_shares(a, slt_at(a.shared), loss, slt_head(a)->count, slt_at(a.out[0]));
}

// ---- backward

// gradients of position l, by one warp; dR: (K, A) in shared memory, made upward, summed downward
template <int MOST>
SLT_DEVICE_INLINE void position_gradient(const slt_cuda_args &a, const mixture &m, int l,
                                         float weight, float *dR) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    float R[MOST] = {0}, p[MOST], G[MOST] = {0};
    for (int j = 0; j < m.K; j++) {
        float w = weight * m.h[j] * m.scale;
        extend<MOST>(m, j, l, R, p);
#pragma unroll
        for (int i = 0; i < MOST; i++) {
            int s = lane + i * SLT_WARP;
            if (s < m.A) dR[j * m.A + s] = w * (p[i] - (s == m.targets[l] ? 1 : 0));
        }
    }
    // a lane reads what it wrote itself
    for (int k = m.K - 1; k >= 0; k--) {
        int64_t row = (int64_t)k * m.computed + l;
        const float *alpha = m.logits + row * m.width;
        float *dalpha = slt_at(a.in_grad[LOGITS]), mask = m.masks[row], dmask = 0;
        if (dalpha) dalpha += (m.first + row) * m.width;
#pragma unroll
        for (int i = 0; i < MOST; i++) {
            int s = lane + i * SLT_WARP;
            if (s >= m.A) continue;
            G[i] += dR[k * m.A + s];
            dmask += G[i] * alpha[s];
            if (dalpha) slt_put(&dalpha[s], a.add[LOGITS], mask * G[i]);
        }
        dmask = slt_warp_sum(dmask);
        if (lane > 0) continue;
        if (dalpha && !a.add[LOGITS]) dalpha[m.A] = 0;
        if (a.in_grad[MASKS].at)
            slt_put(&slt_at(a.in_grad[MASKS])[m.first + row], a.add[MASKS], dmask);
    }
}

// positions behind the truth get nothing
SLT_DEVICE_INLINE void clear_position(const slt_cuda_args &a, const mixture &m, int l) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    for (int k = 0; k < m.K; k++) {
        int64_t row = m.first + (int64_t)k * m.computed + l;
        if (a.in_grad[LOGITS].at && !a.add[LOGITS])
            for (int s = lane; s < m.width; s += SLT_WARP)
                slt_at(a.in_grad[LOGITS])[row * m.width + s] = 0;
        if (a.in_grad[MASKS].at && !a.add[MASKS] && lane == 0) slt_at(a.in_grad[MASKS])[row] = 0;
    }
}

SLT_DEVICE_INLINE void clear_tails(const slt_cuda_args &a) {
    int rows = slt_count(a, SLT_SLOT_TOKENS, 0), count = slt_head(a)->count;
    if (a.in_grad[LOGITS].at && !a.add[LOGITS])
        slt_clear_tail(slt_at(a.in_grad[LOGITS]), rows, a.in_rows[LOGITS], a.in_width[LOGITS]);
    if (a.in_grad[MASKS].at && !a.add[MASKS])
        slt_clear_tail(slt_at(a.in_grad[MASKS]), rows, a.in_rows[MASKS], 1);
    if (a.in_grad[H].at && !a.add[H])
        slt_clear_tail(slt_at(a.in_grad[H]), count, a.in_rows[H], a.slots);
}

// dynamic shared memory: (warps, K, A)
template <int MOST> SLT_KERNEL __launch_bounds__(WARPS *SLT_WARP) backward(const slt_cuda_args a) {
    slt_begin();
    SLT_DYNAMIC_SHARED(parts);
    int b = (int)blockIdx.x, warp = (int)threadIdx.x / SLT_WARP;
    int warps = (int)blockDim.x / SLT_WARP;
    clear_tails(a);
    if (b >= slt_head(a)->count) return;
    mixture m = mixture_of(a, b);
    float weight = *slt_at(a.out_grad[0]), *dR = parts + (int64_t)warp * m.K * m.A;
    for (int l = warp; l < m.computed; l += warps) {
        if (l < m.truth)
            position_gradient<MOST>(a, m, l, weight, dR);
        else
            clear_position(a, m, l);
    }
    if (!a.in_grad[H].at) return;
    for (int j = (int)threadIdx.x; j < m.K; j += (int)blockDim.x) {
        int64_t at = (int64_t)b * m.K + j;
        slt_put(&slt_at(a.in_grad[H])[at], a.add[H], weight * m.scale * slt_at(a.aux)[at]);
    }
}

static int actions(const slt_cuda_args *args) { return args->in_width[LOGITS] - 1; }

void slt_cuda_prefix_xent_forward(const slt_cuda_args *args) {
    dim3 grid = slt_grid(args, args->trajectories, 1);
    size_t bytes = WARPS * (size_t)args->slots * sizeof(float);
    if (actions(args) <= SLT_WARP)
        SLT_LAUNCH(args, forward<1>, grid, WARPS * SLT_WARP, bytes);
    else
        SLT_LAUNCH(args, forward<8>, grid, WARPS * SLT_WARP, bytes);
}

void slt_cuda_prefix_xent_backward(const slt_cuda_args *args) {
    dim3 grid = slt_grid(args, args->trajectories, 1);
    size_t each = (size_t)args->slots * (size_t)actions(args) * sizeof(float);
    int warps = (int)(48 * 1024 / each);
    warps = warps < 1 ? 1 : warps > WARPS ? WARPS : warps;
    if (actions(args) <= SLT_WARP)
        SLT_LAUNCH(args, backward<1>, grid, warps * SLT_WARP, (size_t)warps * each);
    else
        SLT_LAUNCH(args, backward<8>, grid, warps * SLT_WARP, (size_t)warps * each);
}
