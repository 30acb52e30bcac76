// Gaussian noise, a pair of numbers at a time: the same counters, and the same formula in double,
// as on the CPU.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_NOISE_CUH
#define SLT_CUDA_NOISE_CUH

#include "core/philox.h"
#include "cuda/kernels/kernel.cuh"

enum { SLT_NOISE_SPACE, SLT_NOISE_WIDTH, SLT_NOISE_PURPOSE };

static inline __device__ __host__ int64_t slt_noise_numbers(const slt_cuda_args &a) {
    return (int64_t)(a.n[SLT_NOISE_SPACE] == SLT_SLOTS ? a.slots : 1) * a.n[SLT_NOISE_WIDTH];
}
// of all trajectories
static inline __device__ __host__ int64_t slt_noise_pairs(const slt_cuda_args &a) {
    return (slt_noise_numbers(a) + 1) / 2 * a.trajectories;
}

// pair i: numbers 2j and 2j+1 of a trajectory
SLT_DEVICE_INLINE void slt_noise_pair(const slt_cuda_args &a, int64_t i) {
    const slt_cuda_frame_header *head = slt_header(a);
    int64_t per = slt_noise_numbers(a), pairs = (per + 1) / 2;
    float *out = slt_at(a.out[0]);
    int b = (int)(i / pairs);
    float one = 0, two = 0;
    if (b < head->count) {
        uint64_t place = (uint64_t)slt_frame_array(a, a.frames.index)[b] * (uint64_t)pairs +
                         (uint64_t)(i % pairs);
        slt_words words = slt_random_words(head->seed, (slt_random_purpose)a.n[SLT_NOISE_PURPOSE],
                                           place, head->step);
        double u = ((double)words.word[0] + 0.5) * (1.0 / 4294967296.0);
        double angle = 2 * 3.14159265358979323846 * ((double)words.word[1] * (1.0 / 4294967296.0));
        double radius = sqrt(-2 * log(u)) * (double)head->noise;
        one = (float)(radius * cos(angle));
        two = (float)(radius * sin(angle));
    }
    int64_t at = (int64_t)b * per + 2 * (i % pairs);
    out[at] = one;
    if (2 * (i % pairs) + 1 < per) out[at + 1] = two;
}

#endif
