// Gaussian noise: the same counters, and the same formula in double, as on the CPU.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/philox.h"
#include "cuda/kernel.cuh"

enum { SPACE, WIDTH, PURPOSE };

// numbers 2i and 2i+1 of a trajectory; a thread per pair
SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    const slt_cuda_head *head = slt_head(a);
    int64_t per = (int64_t)(a.n[SPACE] == SLT_SLOTS ? a.slots : 1) * a.n[WIDTH];
    int64_t pairs = (per + 1) / 2;
    float *out = slt_at(a.out[0]);
    for (int64_t i = slt_thread(); i < pairs * a.trajectories; i += slt_stride()) {
        int b = (int)(i / pairs);
        float one = 0, two = 0;
        if (b < head->count) {
            uint64_t place = (uint64_t)slt_frame_array(a, a.frames.index)[b] * (uint64_t)pairs +
                             (uint64_t)(i % pairs);
            slt_words words =
                slt_random_words(head->seed, (slt_random_purpose)a.n[PURPOSE], place, head->step);
            double u = ((double)words.word[0] + 0.5) * (1.0 / 4294967296.0);
            double angle =
                2 * 3.14159265358979323846 * ((double)words.word[1] * (1.0 / 4294967296.0));
            double radius = sqrt(-2 * log(u)) * (double)head->noise;
            one = (float)(radius * cos(angle));
            two = (float)(radius * sin(angle));
        }
        int64_t at = (int64_t)b * per + 2 * (i % pairs);
        out[at] = one;
        if (2 * (i % pairs) + 1 < per) out[at + 1] = two;
    }
}

void slt_cuda_noise_forward(const slt_cuda_args *args) {
    int64_t per = (int64_t)(args->n[SPACE] == SLT_SLOTS ? args->slots : 1) * args->n[WIDTH];
    SLT_LAUNCH(args, forward, slt_grid(args, (per + 1) / 2 * args->trajectories, 128), 128, 0);
}
void slt_cuda_noise_backward(const slt_cuda_args *args) { (void)args; }
