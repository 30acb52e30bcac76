// Expected cross-entropy of the prefix mixtures, one trajectory by one block: lanes take actions,
// so many of them (LANES, 8 or a whole warp) take a position. Equations are those of
// ops/slots/prefix_xent.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_PREFIX_XENT_CUH
#define SLT_CUDA_PREFIX_XENT_CUH

#include "cuda/kernels/kernel.cuh"

enum { SLT_XENT_LOGITS, SLT_XENT_MASKS, SLT_XENT_H, SLT_XENT_TARGETS };
enum { SLT_XENT_FEW = 8, SLT_XENT_ROOM = 48 * 1024 };
#ifdef SLT_EMULATED // short trajectories go round, too
enum { SLT_XENT_WARPS = 2, SLT_XENT_MANY = 8, SLT_XENT_LEAST = 1, SLT_XENT_NEAR = 300 };
#else
enum { SLT_XENT_WARPS = 20, SLT_XENT_MANY = 528, SLT_XENT_LEAST = 8, SLT_XENT_NEAR = 6144 };
#endif

typedef struct {
    int K, A, width, computed, truth;
    int64_t first; // slot-token row of (k = 0, l = 0)
    const float *logits, *masks, *h;
    const int32_t *targets;
    float *dmasks; // NULL: nobody asks
    bool add;      // to what is in dmasks
    float scale;   // 1/M
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
    m.dmasks = slt_at(a.in_grad[SLT_XENT_MASKS]);
    if (m.dmasks) m.dmasks += m.first;
    m.add = a.add[SLT_XENT_MASKS];
    m.scale = 1 / (float)slt_header(a)->true_tokens;
    return m;
}

// ---- a position

template <int LANES> SLT_DEVICE_INLINE float slt_lanes_sum(float x) {
    for (int d = LANES / 2; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}
template <int LANES> SLT_DEVICE_INLINE float slt_lanes_most(float x) {
    for (int d = LANES / 2; d > 0; d /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, d));
    return x;
}

// of slot j at position l: the logits of a lane's MOST actions, the mask
template <int MOST> struct slt_alpha { float alpha[MOST], mask; };
template <int LANES, int MOST>
SLT_DEVICE_INLINE slt_alpha<MOST> slt_alpha_of(const slt_mixture &m, int j, int l) {
    int lane = (int)(threadIdx.x % LANES), row = slt_least(j, m.K - 1) * m.computed + l;
    slt_alpha<MOST> x;
    x.mask = m.masks[row];
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        int s = lane + i * LANES;
        x.alpha[i] = s < m.A ? m.logits[(int64_t)row * m.width + s] : 0;
    }
    return x;
}

// R += mask_j·α_j, then softmax(R) into p; gives the cross-entropy
template <int LANES, int MOST>
SLT_DEVICE_INLINE float slt_mixture_extend(const slt_mixture &m, const slt_alpha<MOST> &x,
                                           int target, float *R, float *p) {
    int lane = (int)(threadIdx.x % LANES), others = (int)(threadIdx.x % SLT_WARP) - lane;
    float most = -INFINITY, sum = 0, hit = 0;
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        int s = lane + i * LANES;
        if (s >= m.A) continue;
        R[i] += x.mask * x.alpha[i];
        most = fmaxf(most, R[i]);
        if (s == target) hit = R[i];
    }
    most = slt_lanes_most<LANES>(most);
#pragma unroll
    for (int i = 0; i < MOST; i++) {
        p[i] = lane + i * LANES < m.A ? expf(R[i] - most) : 0;
        sum += p[i];
    }
    sum = slt_lanes_sum<LANES>(sum);
    hit = slt_warp_lane(hit, others + (target & (LANES - 1)));
#pragma unroll
    for (int i = 0; i < MOST; i++) p[i] /= sum;
    return logf(sum) + most - hit;
}

// where results of a walk go: those of LANES lanes, in shared memory
typedef struct {
    float *losses; // (K) Σ over positions of the cross-entropy, added to; NULL: nobody asks
    float *dR;     // (K, A) made upward, summed downward; NULL: no gradients
    float weight;  // gradient of the loss
} slt_xent_out;

// prefixes of position l one after the other; !there: the lanes only take part
template <int LANES, int MOST>
SLT_DEVICE_INLINE void slt_xent_up(const slt_mixture &m, int l, bool there,
                                   const slt_xent_out &out) {
    int lane = (int)(threadIdx.x % LANES), target = m.targets[l];
    float R[MOST] = {0}, p[MOST];
    slt_alpha<MOST> next = slt_alpha_of<LANES, MOST>(m, 0, l); // on its way
    for (int j = 0; j < m.K; j++) {
        float w = out.weight * m.h[j] * m.scale;
        slt_alpha<MOST> now = next;
        next = slt_alpha_of<LANES, MOST>(m, j + 1, l);
        float loss = slt_mixture_extend<LANES, MOST>(m, now, target, R, p);
        if (out.losses && there && lane == 0) out.losses[j] += loss;
#pragma unroll
        for (int i = 0; i < MOST; i++) {
            int s = lane + i * LANES;
            if (out.dR && s < m.A) out.dR[j * m.A + s] = w * (p[i] - (s == target ? 1 : 0));
        }
    }
}

// gradients of position l; a lane reads what it wrote itself
template <int LANES, int MOST>
SLT_DEVICE_INLINE void slt_xent_down(const slt_cuda_args &a, const slt_mixture &m, int l,
                                     bool there, const float *dR) {
    int lane = (int)(threadIdx.x % LANES);
    float G[MOST] = {0};
    for (int k = m.K - 1; k >= 0; k--) {
        int64_t row = (int64_t)k * m.computed + l;
        const float *alpha = m.logits + row * m.width;
        float *dalpha = slt_at(a.in_grad[SLT_XENT_LOGITS]), mask = m.masks[row], dmask = 0;
        if (dalpha) dalpha += (m.first + row) * m.width;
#pragma unroll
        for (int i = 0; i < MOST; i++) {
            int s = lane + i * LANES;
            if (s >= m.A) continue;
            G[i] += dR[k * m.A + s];
            dmask += G[i] * alpha[s];
            if (dalpha && there) slt_put(&dalpha[s], a.add[SLT_XENT_LOGITS], mask * G[i]);
        }
        dmask = slt_lanes_sum<LANES>(dmask);
        if (lane > 0 || !there) continue;
        if (dalpha && !a.add[SLT_XENT_LOGITS]) dalpha[m.A] = 0;
        if (m.dmasks) slt_put(&m.dmasks[row], m.add, dmask);
    }
}

// positions after the truth get nothing
template <int LANES>
SLT_DEVICE_INLINE void slt_xent_clear(const slt_cuda_args &a, const slt_mixture &m, int l) {
    int lane = (int)(threadIdx.x % LANES);
    for (int k = 0; k < m.K; k++) {
        int64_t row = (int64_t)k * m.computed + l;
        if (a.in_grad[SLT_XENT_LOGITS].at && !a.add[SLT_XENT_LOGITS])
            for (int s = lane; s < m.width; s += LANES)
                slt_at(a.in_grad[SLT_XENT_LOGITS])[(m.first + row) * m.width + s] = 0;
        if (m.dmasks && !m.add && lane == 0) m.dmasks[row] = 0;
    }
}

// ---- a trajectory

// all positions of a trajectory; the lanes of a warp go round together
template <int LANES, int MOST>
SLT_DEVICE_INLINE void slt_xent_walk(const slt_cuda_args &a, const slt_mixture &m,
                                     const slt_xent_out &out) {
    int place = (int)threadIdx.x / LANES, step = (int)blockDim.x / LANES;
    int end = out.dR ? m.computed : m.truth;
    for (int l = place; l - place % (SLT_WARP / LANES) < end; l += step) {
        bool there = l < m.truth;
        if (l - place % (SLT_WARP / LANES) < m.truth) {
            int at = slt_least(l, m.truth - 1);
            slt_xent_up<LANES, MOST>(m, at, there, out);
            if (out.dR) slt_xent_down<LANES, MOST>(a, m, at, there, out.dR);
        }
        if (out.dR && !there && l < m.computed) slt_xent_clear<LANES>(a, m, l);
    }
}

// Σ_l CE_j,l of every j is kept (aux), from the parts of LANES lanes each: keep(j, sum) by a thread
template <int LANES, class Keep>
SLT_DEVICE_INLINE void slt_xent_sums(const slt_mixture &m, const float *parts, Keep keep) {
    int lane = (int)(threadIdx.x % SLT_WARP), warps = (int)blockDim.x / SLT_WARP;
    __syncthreads();
    for (int j = (int)threadIdx.x / SLT_WARP; j < m.K; j += warps) {
        float sum = 0;
        for (int i = lane; i < (int)blockDim.x / LANES; i += SLT_WARP) sum += parts[i * m.K + j];
        sum = slt_warp_sum(sum);
        if (lane == 0) keep(j, sum);
    }
}

// the share of trajectory b in the loss, from what was kept
SLT_DEVICE_INLINE float slt_xent_share(const slt_cuda_args &a, int b) {
    slt_mixture m = slt_mixture_of(a, b);
    const float *kept = slt_at(a.aux) + (int64_t)b * m.K;
    float loss = 0;
    for (int j = 0; j < m.K; j++) loss += m.h[j] * kept[j];
    return loss * m.scale;
}

SLT_DEVICE_INLINE void slt_xent_tails(const slt_cuda_args &a) {
    int rows = slt_count(a, SLT_SLOT_TOKENS, 0), count = slt_header(a)->count;
    if (a.in_grad[SLT_XENT_LOGITS].at && !a.add[SLT_XENT_LOGITS])
        slt_clear_tail(slt_at(a.in_grad[SLT_XENT_LOGITS]), rows, a.in_rows[SLT_XENT_LOGITS],
                       a.in_width[SLT_XENT_LOGITS]);
    if (a.in_grad[SLT_XENT_MASKS].at && !a.add[SLT_XENT_MASKS])
        slt_clear_tail(slt_at(a.in_grad[SLT_XENT_MASKS]), rows, a.in_rows[SLT_XENT_MASKS], 1);
    if (a.in_grad[SLT_XENT_H].at && !a.add[SLT_XENT_H])
        slt_clear_tail(slt_at(a.in_grad[SLT_XENT_H]), count, a.in_rows[SLT_XENT_H], a.slots);
}

// of slot j, from its sum
SLT_DEVICE_INLINE void slt_xent_halting(const slt_cuda_args &a, int b, const slt_mixture &m, int j,
                                        float weight, float sum) {
    if (a.in_grad[SLT_XENT_H].at)
        slt_put(&slt_at(a.in_grad[SLT_XENT_H])[(int64_t)b * m.K + j], a.add[SLT_XENT_H],
                weight * m.scale * sum);
}

// room of LANES lanes, so many numbers each, in `parts`
template <int LANES> SLT_DEVICE_INLINE float *slt_xent_room(float *parts, int each) {
    return parts + (int64_t)(threadIdx.x / LANES) * each;
}
template <int LANES> SLT_DEVICE_INLINE void slt_xent_no_losses(float *parts, int K) {
    for (int i = (int)threadIdx.x; i < (int)blockDim.x / LANES * K; i += (int)blockDim.x)
        parts[i] = 0;
    __syncthreads();
}

// the trajectory's share of the loss, in thread 0; parts: K numbers of LANES lanes each
template <int LANES, int MOST>
SLT_DEVICE_INLINE float slt_xent_forward(const slt_cuda_args &a, int b, float *parts) {
    if (b >= slt_header(a)->count) return 0;
    slt_mixture m = slt_mixture_of(a, b);
    slt_xent_no_losses<LANES>(parts, m.K);
    slt_xent_out out = {slt_xent_room<LANES>(parts, m.K), NULL, 0};
    slt_xent_walk<LANES, MOST>(a, m, out);
    float *kept = slt_at(a.aux) + (int64_t)b * m.K;
    slt_xent_sums<LANES>(m, parts, [&](int j, float sum) { kept[j] = sum; });
    __syncthreads();
    return threadIdx.x == 0 ? slt_xent_share(a, b) : 0;
}

// parts: K·A numbers of LANES lanes each
template <int LANES, int MOST>
SLT_DEVICE_INLINE void slt_xent_backward(const slt_cuda_args &a, int b, float *parts) {
    slt_xent_tails(a);
    if (b >= slt_header(a)->count) return;
    slt_mixture m = slt_mixture_of(a, b);
    slt_xent_out out = {NULL, slt_xent_room<LANES>(parts, m.K * m.A), *slt_at(a.out_grad[0])};
    slt_xent_walk<LANES, MOST>(a, m, out);
    const float *kept = slt_at(a.aux) + (int64_t)b * m.K;
    for (int j = (int)threadIdx.x; j < m.K; j += (int)blockDim.x)
        slt_xent_halting(a, b, m, j, out.weight, kept[j]);
}

// both in one walk; parts: K·(A+1) numbers of LANES lanes each
template <int LANES, int MOST>
SLT_DEVICE_INLINE void slt_xent_both(const slt_cuda_args &a, int b, const slt_mixture &m,
                                     float *parts) {
    slt_xent_no_losses<LANES>(parts, m.K);
    float *following = parts + (int)blockDim.x / LANES * m.K;
    slt_xent_out out = {slt_xent_room<LANES>(parts, m.K),
                        slt_xent_room<LANES>(following, m.K * m.A), *slt_at(a.out_grad[0])};
    slt_xent_walk<LANES, MOST>(a, m, out);
    float *kept = slt_at(a.aux) + (int64_t)b * m.K;
    slt_xent_sums<LANES>(m, parts, [&](int j, float sum) {
        kept[j] = sum;
        slt_xent_halting(a, b, m, j, out.weight, sum);
    });
}

// ---- launches: so many warps that there is one for every position, as far as they fit. Where
// there are more trajectories than multiprocessors have room for, few warps each: blocks of many
// would wait for each other

typedef struct {
    int lanes, threads;
    size_t bytes;
} slt_xent_block;

static inline int slt_xent_actions(const slt_cuda_args *args) {
    return args->in_width[SLT_XENT_LOGITS] - 1;
}

// each: numbers of LANES lanes
static inline slt_xent_block slt_xent_block_of(const slt_cuda_args *args, int each) {
    size_t bytes = (size_t)each * sizeof(float), few = SLT_WARP / SLT_XENT_FEW;
    bool short_rows = slt_xent_actions(args) <= SLT_XENT_FEW && few * bytes <= SLT_XENT_ROOM;
    int positions = short_rows ? (int)few : 1;
    int warps = (int)(SLT_XENT_ROOM / ((size_t)positions * bytes));
    int wanted = slt_pieces(args->length, positions);
    if (wanted < 4) wanted = 4;
    bool many = (int64_t)args->trajectories * args->members > SLT_XENT_MANY;
    int most = many ? SLT_XENT_LEAST : SLT_XENT_WARPS;
    if (wanted > most) wanted = most;
    if (warps > wanted) warps = wanted;
    slt_xent_block block = {SLT_WARP / positions, warps * SLT_WARP,
                            (size_t)(warps * positions) * bytes};
    return block;
}

// a kernel by its lanes and the actions of each
#define SLT_XENT_LAUNCH(args, kernel, actions, grid, block)                                        \
    do {                                                                                           \
        if ((block).lanes == SLT_XENT_FEW)                                                         \
            SLT_LAUNCH(args, (kernel<SLT_XENT_FEW, 1>), grid, (block).threads, (block).bytes);     \
        else if ((actions) <= SLT_WARP)                                                            \
            SLT_LAUNCH(args, (kernel<SLT_WARP, 1>), grid, (block).threads, (block).bytes);         \
        else                                                                                       \
            SLT_LAUNCH(args, (kernel<SLT_WARP, 8>), grid, (block).threads, (block).bytes);         \
    } while (0)

#endif
