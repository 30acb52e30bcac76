// Gaussian noise: the same counters, and the same formula in double, as on the CPU.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/noise.cuh"

// a thread per pair
SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    int64_t pairs = slt_noise_pairs(a);
    for (int64_t i = slt_thread(); i < pairs; i += slt_stride()) slt_noise_pair(a, i);
}

void slt_cuda_noise_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, slt_noise_pairs(*args), 128), 128, 0);
}
void slt_cuda_noise_backward(const slt_cuda_args *args) { (void)args; }
