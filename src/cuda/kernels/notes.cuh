// The note of a step, for the host: watched losses, norm of the gradient, number of the step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_NOTES_CUH
#define SLT_CUDA_NOTES_CUH

#include "cuda/kernels/kernel.cuh"

// by one thread, for the member of blockIdx.z; the number comes last: who reads it finds the rest
SLT_DEVICE_INLINE void slt_take_note(const slt_cuda_notes &n, double norm) {
    const slt_cuda_head *head =
        (const slt_cuda_head *)(n.frames.at + (int64_t)blockIdx.z * n.frames.stride);
    slt_cuda_note *note = n.notes + blockIdx.z * SLT_CUDA_NOTES + head->note % SLT_CUDA_NOTES;
    for (int i = 0; i < n.count; i++) note->value[i] = n.watched[i].at ? *slt_at(n.watched[i]) : 0;
    note->norm = norm;
    __threadfence_system();
    *(volatile uint64_t *)&note->number = head->note;
}

#endif
