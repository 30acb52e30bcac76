// What the relaxed samples of CompILE share on the device: Gumbel noise, softmax over a stretch of
// numbers by one warp, the stretch of a trajectory in which a boundary may lie, the oracle's gate
// (ops/compile/relaxed.h).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_RELAXED_CUH
#define SLT_CUDA_RELAXED_CUH

#include "cuda/kernels/kernel.cuh"

#define SLT_TINY 1e-17f // the reference's guard of logarithms

SLT_DEVICE_INLINE float slt_gumbel(float u) { return -logf(SLT_TINY - logf(u + SLT_TINY)); }

SLT_DEVICE_INLINE float slt_entropy_slope(float q, float prior) {
    return logf(q + SLT_TINY) - prior + q / (q + SLT_TINY);
}

// positions of trajectory b that count: all that are computed, or the true ones
SLT_DEVICE_INLINE int slt_stretch_end(const slt_cuda_args &a, const slt_device_span &run,
                                      bool include) {
    return include ? run.computed : slt_least(slt_length(a)[run.b], run.computed);
}

// does slot row r = b·K + k belong to the first counts[b] segments?
SLT_DEVICE_INLINE bool slt_gate(const int32_t *counts, int row, int K) {
    return row % K < counts[row / K];
}

// ---- by one warp

// largest number and sum of exponentials of x[first .. end-1]
typedef struct {
    float most, sum;
} slt_partition;

SLT_DEVICE_INLINE slt_partition slt_warp_partition(const float *x, int first, int end) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    slt_partition p = {-INFINITY, 0};
    for (int i = first + lane; i < end; i += SLT_WARP) p.most = fmaxf(p.most, x[i]);
    p.most = slt_warp_most(p.most);
    for (int i = first + lane; i < end; i += SLT_WARP) p.sum += expf(x[i] - p.most);
    p.sum = slt_warp_sum(p.sum);
    return p;
}
SLT_DEVICE_INLINE float slt_share(slt_partition p, float x) { return expf(x - p.most) / p.sum; }

// p = softmax(p) over [first, end), in place; a lane reads what it wrote itself
SLT_DEVICE_INLINE void slt_warp_softmax(float *p, int first, int end) {
    slt_partition all = slt_warp_partition(p, first, end);
    for (int i = first + (int)(threadIdx.x % SLT_WARP); i < end; i += SLT_WARP)
        p[i] = slt_share(all, p[i]);
}

// the lowest place of the largest number of x[first .. end-1]; places are exact as floats
SLT_DEVICE_INLINE int slt_warp_arg_most(const float *x, int first, int end, int stride) {
    float most = -INFINITY, place = -INFINITY;
    for (int i = first + (int)(threadIdx.x % SLT_WARP); i < end; i += SLT_WARP)
        if (x[(int64_t)i * stride] > most || place == -INFINITY) {
            most = x[(int64_t)i * stride];
            place = -(float)i;
        }
    float all = slt_warp_most(most), found = -slt_warp_most(most == all ? place : -INFINITY);
    return found < (float)end ? (int)found : first; // of no numbers, any
}

#endif
