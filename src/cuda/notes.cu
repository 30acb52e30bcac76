// The two ends of a training step: the loss's own gradient, and the notes for the host.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernel.cuh"

SLT_KERNEL seed(const slt_cuda_args a, slt_cuda_view gradient) {
    slt_begin();
    *slt_at(gradient) = 1;
}

void slt_cuda_seed(const slt_cuda_args *args, slt_cuda_view gradient) {
    SLT_LAUNCH(args, seed, slt_grid(args, 1, 1), 1, 0, gradient);
}

// the number comes last: who reads it finds the rest
SLT_KERNEL take_notes(const slt_cuda_notes n) {
    slt_begin();
    const slt_cuda_head *head =
        (const slt_cuda_head *)(n.frames.at + (int64_t)blockIdx.z * n.frames.stride);
    slt_cuda_note *note = n.notes + blockIdx.z * SLT_CUDA_NOTES + head->note % SLT_CUDA_NOTES;
    for (int i = 0; i < n.count; i++) note->value[i] = n.watched[i].at ? *slt_at(n.watched[i]) : 0;
    note->norm = n.norm[blockIdx.z];
    __threadfence_system();
    *(volatile uint64_t *)&note->number = head->note;
}

void slt_cuda_take_notes(const slt_cuda_notes *n) {
    SLT_LAUNCH(n, take_notes, dim3(1, 1, (unsigned)n->members), 1, 0);
}
