// z = μ + exp(v/2)·ξ per segment, and its price where the slot is used most: a block per
// trajectory, a warp per slot. Equations are those of ops/mdl/segment_code.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/losses.cuh"
#include "cuda/kernels/relaxed.cuh"

enum { STATS, NOISE, MASKS };
enum { Z, KL };
enum { THREADS = 128, WARPS = THREADS / SLT_WARP };
#define LOW  -8.0f
#define HIGH 2.0f

SLT_DEVICE_INLINE float bounded(float v) { return v < LOW ? LOW : v > HIGH ? HIGH : v; }

// the place among the masks where slot k is used most, the first of equals; by one warp
SLT_DEVICE_INLINE int64_t peak(const slt_cuda_args &a, int b, int k) {
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    int64_t first = (int64_t)run.first * a.slots + k;
    int truth = slt_least(slt_length(a)[b], run.computed);
    return first +
           (int64_t)slt_warp_arg_most(slt_at(a.in[MASKS]) + first, 0, truth, a.slots) * a.slots;
}

SLT_DEVICE_INLINE float price(const float *stats, int width) {
    float sum = 0;
    for (int c = (int)(threadIdx.x % SLT_WARP); c < width; c += SLT_WARP) {
        float v = bounded(stats[width + c]);
        sum += stats[c] * stats[c] + expf(v) - 1 - v;
    }
    return slt_warp_sum(sum) / 2;
}

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, width = a.out_width[Z], lane = (int)(threadIdx.x % SLT_WARP);
    bool there = b < slt_header(a)->count;
    float sum = 0;
    for (int k = (int)threadIdx.x / SLT_WARP; k < a.slots; k += WARPS) {
        int64_t row = (int64_t)b * a.slots + k;
        const float *stats = slt_at(a.in[STATS]) + row * 2 * width;
        const float *noise = slt_at(a.in[NOISE]) + row * width;
        float *z = slt_at(a.out[Z]) + row * width;
        for (int c = lane; c < width; c += SLT_WARP)
            z[c] = there ? stats[c] + expf(bounded(stats[width + c]) / 2) * noise[c] : 0;
        if (!there) continue;
        float cost = slt_at(a.in[MASKS])[peak(a, b, k)] * price(stats, width);
        if (lane == 0) sum += cost;
    }
    sum = slt_block_sum(sum) / (float)slt_header(a)->true_tokens;
    slt_sum_many_shares(a, slt_at(a.shared), sum, slt_header(a)->count, slt_at(a.out[KL]));
}

// ---- backward

// row (b,k) of the statistics, by one warp
SLT_DEVICE_INLINE void row_gradient(const slt_cuda_args &a, int64_t row, bool there, float weight) {
    int width = a.out_width[Z];
    const float *stats = slt_at(a.in[STATS]) + row * 2 * width;
    const float *noise = slt_at(a.in[NOISE]) + row * width, *dz = slt_at(a.out_grad[Z]);
    float *d = slt_at(a.in_grad[STATS]) + row * 2 * width;
    for (int c = (int)(threadIdx.x % SLT_WARP); c < width; c += SLT_WARP) {
        float raw = stats[width + c], v = bounded(raw), up = dz ? dz[row * width + c] : 0;
        float spread = (up * expf(v / 2) * noise[c] + weight * (expf(v) - 1)) / 2;
        slt_put(&d[c], a.add[STATS], there ? up + weight * stats[c] : 0);
        slt_put(&d[width + c], a.add[STATS], there && raw > LOW && raw < HIGH ? spread : 0);
    }
}

// zeros where slots are not used most; then one number per slot
SLT_DEVICE_INLINE void clear_masks(const slt_cuda_args &a, int b) {
    float *dm = slt_at(a.in_grad[MASKS]);
    if (!dm || a.add[MASKS]) return;
    slt_clear_tail(dm, slt_count(a, SLT_TOKENS, 0), a.in_rows[MASKS], a.slots);
    if (b >= slt_header(a)->count) return;
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    for (int i = (int)threadIdx.x; i < run.computed * a.slots; i += THREADS)
        dm[(int64_t)run.first * a.slots + i] = 0;
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int b = (int)blockIdx.x, width = a.out_width[Z];
    bool there = b < slt_header(a)->count;
    const float *dkl = slt_at(a.out_grad[KL]);
    float scale = dkl ? *dkl / (float)slt_header(a)->true_tokens : 0,
          *dm = slt_at(a.in_grad[MASKS]);
    clear_masks(a, b);
    __syncthreads();
    for (int k = (int)threadIdx.x / SLT_WARP; k < a.slots; k += WARPS) {
        int64_t row = (int64_t)b * a.slots + k, at = there ? peak(a, b, k) : 0;
        float weight = there ? scale * slt_at(a.in[MASKS])[at] : 0;
        if (a.in_grad[STATS].at) row_gradient(a, row, there, weight);
        if (!there || !dm) continue;
        float cost = price(slt_at(a.in[STATS]) + row * 2 * width, width);
        if (threadIdx.x % SLT_WARP == 0) dm[at] += scale * cost;
    }
}

void slt_cuda_segment_code_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
void slt_cuda_segment_code_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
