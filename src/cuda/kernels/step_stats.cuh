// The note of a step, for the host: watched losses, norm of the gradient, number of the step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_STEP_STATS_CUH
#define SLT_CUDA_STEP_STATS_CUH

#include "cuda/kernels/kernel.cuh"

// by one thread, for the member of blockIdx.z; the number comes last: who reads it finds the rest
SLT_DEVICE_INLINE void slt_write_stats(const slt_cuda_stats_writer &n, double norm) {
    const slt_cuda_frame_header *head =
        (const slt_cuda_frame_header *)(n.frames.at + (int64_t)blockIdx.z * n.frames.stride);
    slt_cuda_step_stats *stats =
        n.stats + blockIdx.z * SLT_CUDA_STATS_KEPT + head->stats % SLT_CUDA_STATS_KEPT;
    for (int i = 0; i < n.count; i++) stats->value[i] = n.watched[i].at ? *slt_at(n.watched[i]) : 0;
    stats->norm = norm;
    __threadfence_system();
    *(volatile uint64_t *)&stats->number = head->stats;
}

#endif
