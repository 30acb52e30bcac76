// All parameters in bf16, once where a pass begins: products read them as they are.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/bf16_rows.cuh"

// some fours of a thread are on their way at once
SLT_KERNEL round_values(const slt_cuda_args a) {
    slt_begin();
    enum { ONCE = 4 };
    const float4 *from = (const float4 *)a.values;
    uint2 *to = (uint2 *)a.rounded;
    unsigned count = (unsigned)(a.rounded_size / 4), apart = slt_stride();
    for (unsigned first = slt_thread(); first < count; first += ONCE * apart) {
        float4 x[ONCE];
#pragma unroll
        for (unsigned i = 0; i < ONCE; i++)
            if (first + i * apart < count) x[i] = from[first + i * apart];
#pragma unroll
        for (unsigned i = 0; i < ONCE; i++)
            if (first + i * apart < count) to[first + i * apart] = slt_pairs_of(x[i]);
    }
}

enum { BLOCKS = 528 }; // four of a multiprocessor: a thread has some fours of a large model

// all members are one array
void slt_cuda_round_values(const slt_cuda_args *args) {
    int blocks = slt_pieces((int64_t)(args->rounded_size / 4), SLT_THREADS);
    dim3 grid((unsigned)(blocks < BLOCKS ? blocks : (int)BLOCKS), 1, 1);
    if (blocks) SLT_LAUNCH(args, round_values, grid, SLT_THREADS, 0);
}
