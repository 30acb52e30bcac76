// Frames: what came in one piece goes to its places, 16 bytes at a time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernel.cuh"

enum { PARTS = 16 }; // blocks of a move

SLT_KERNEL spread(const slt_cuda_spread a) {
    slt_begin();
    const slt_cuda_move move = ((const slt_cuda_move *)a.from)[blockIdx.y];
    const float4 *from = (const float4 *)(a.from + move.from);
    float4 *to = (float4 *)(a.to + move.to);
    for (int64_t i = slt_thread(); i < move.fours; i += slt_stride()) to[i] = from[i];
}

void slt_cuda_frames_spread(const slt_cuda_spread *args) {
    SLT_LAUNCH(args, spread, dim3(PARTS, (unsigned)args->moves, 1), SLT_THREADS, 0);
}
