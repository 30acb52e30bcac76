// All parameters in bf16, once where a pass begins: products read them as they are.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/bf16_rows.cuh"

SLT_KERNEL round_values(const slt_cuda_args a) {
    slt_begin();
    const float4 *from = (const float4 *)a.values;
    uint2 *to = (uint2 *)a.rounded;
    for (unsigned i = slt_thread(); i < (unsigned)(a.rounded_size / 4); i += slt_stride())
        to[i] = slt_pairs_of(from[i]);
}

enum { BLOCKS = 528 }; // four of a multiprocessor: a thread has some fours of a large model

// all members are one array
void slt_cuda_round_values(const slt_cuda_args *args) {
    int blocks = slt_pieces((int64_t)(args->rounded_size / 4), SLT_THREADS);
    dim3 grid((unsigned)(blocks < BLOCKS ? blocks : (int)BLOCKS), 1, 1);
    if (blocks) SLT_LAUNCH(args, round_values, grid, SLT_THREADS, 0);
}
