// Segment masks from end logits: a block per trajectory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/segment_mask.cuh"

enum { THREADS = 256 };

SLT_KERNEL forward(const slt_cuda_args a) {
    slt_begin();
    slt_mask_forward(a, (int)blockIdx.x);
}
SLT_KERNEL backward(const slt_cuda_args a) {
    slt_begin();
    slt_mask_backward(a, (int)blockIdx.x);
}

void slt_cuda_segment_mask_forward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, forward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
void slt_cuda_segment_mask_backward(const slt_cuda_args *args) {
    SLT_LAUNCH(args, backward, slt_grid(args, args->trajectories, 1), THREADS, 0);
}
