// How far the number of segments is from the prior, each and on average: one block forward, whose
// warps take bins and whose threads take trajectories; a thread per mask backward. Equations are
// those of ops/mdl/count_kl.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { MASKS, PRIOR };
#define LEAST 1e-8f

SLT_DEVICE_INLINE float at_least(float h) { return h < LEAST ? LEAST : h; }

// masks of trajectory b at its last true step
SLT_DEVICE_INLINE const float *last_masks(const slt_cuda_args &a, int b) {
    slt_device_span run = slt_span_of(a, SLT_TOKENS, b);
    int last = slt_least(slt_length(a)[b], run.computed) - 1;
    return slt_at(a.in[MASKS]) + (int64_t)(run.first + last) * a.slots;
}
// h_n, not yet bounded from below; the last bin has what is left
SLT_DEVICE_INLINE float bin_of(const float *m, int n, int K) {
    if (n < K) return m[n];
    float rest = 1;
    for (int k = 0; k < K; k++) rest -= m[k];
    return rest;
}
SLT_DEVICE_INLINE float divergence(float h, float prior) {
    float p = at_least(h);
    return p * (logf(p) - logf(prior));
}

// the mean is kept (aux)
SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int K = a.slots, B = slt_header(a)->count, lane = (int)(threadIdx.x % SLT_WARP);
    int warps = (int)blockDim.x / SLT_WARP;
    const float *prior = slt_at(a.in[PRIOR]);
    float *mean = slt_at(a.aux), sum = 0;
    for (int n = (int)threadIdx.x / SLT_WARP; n <= K; n += warps) {
        float bin = 0;
        for (int b = lane; b < B; b += SLT_WARP) {
            float h = bin_of(last_masks(a, b), n, K);
            bin += at_least(h);
            sum += divergence(h, prior[n]);
        }
        bin = slt_warp_sum(bin) / (float)slt_header(a)->total;
        if (lane > 0) continue;
        mean[n] = bin;
        sum += (float)a.x[0] * (float)B * divergence(bin, prior[n]);
    }
    sum = slt_block_sum(sum);
    if (threadIdx.x == 0) *slt_at(a.out[0]) = sum / (float)slt_header(a)->true_tokens;
}

SLT_DEVICE_INLINE float bin_gradient(const slt_cuda_args &a, float h, int n) {
    float prior = slt_at(a.in[PRIOR])[n], mean = slt_at(a.aux)[n];
    if (!(h > LEAST)) return 0;
    float own = logf(at_least(h)) - logf(prior) + 1;
    return own + (float)a.x[0] * (logf(at_least(mean)) - logf(prior) + 1);
}

SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    int K = a.slots, count = slt_count(a, SLT_TOKENS, 0), i = (int)slt_thread();
    float *dm = slt_at(a.in_grad[MASKS]), d = 0;
    if (!a.add[MASKS]) slt_clear_tail(dm, count, a.in_rows[MASKS], K);
    if (i >= count * K) return;
    slt_token_place spot = slt_token_place_of(a, SLT_TOKENS, i / K);
    if (spot.l == slt_least(slt_length(a)[spot.b], spot.computed) - 1) {
        const float *m = last_masks(a, spot.b);
        d = bin_gradient(a, m[i % K], i % K) - bin_gradient(a, bin_of(m, K, K), K);
    }
    float scale = *slt_at(a.out_grad[0]) / (float)slt_header(a)->true_tokens;
    slt_put(&dm[i], a.add[MASKS], scale * d);
}

void slt_cuda_count_kl_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, 1, 1), SLT_THREADS, 0);
}
void slt_cuda_count_kl_backward(const slt_cuda_args *args) {
    int64_t count = (int64_t)args->in_rows[MASKS] * args->slots;
    SLT_LAUNCH(args, backward, slt_grid(args, count, SLT_THREADS), SLT_THREADS, 0);
}
