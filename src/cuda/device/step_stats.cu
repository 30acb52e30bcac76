// The two ends of a training step: the loss's own gradient, and the notes for the host. Where there
// is something to train, Adam takes them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/step_stats.cuh"

SLT_KERNEL seed(const slt_cuda_args a, slt_cuda_view gradient) {
    slt_begin();
    *slt_at(gradient) = 1;
}

void slt_cuda_seed(const slt_cuda_args *args, slt_cuda_view gradient) {
    SLT_LAUNCH(args, seed, slt_grid(args, 1, 1), 1, 0, gradient);
}

SLT_KERNEL read_stats(const slt_cuda_stats_writer n) {
    slt_begin();
    slt_write_stats(n, 0);
}

void slt_cuda_write_stats(const slt_cuda_stats_writer *n) {
    SLT_LAUNCH(n, read_stats, dim3(1, 1, (unsigned)n->members), 1, 0);
}
