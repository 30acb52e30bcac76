// What the steps of fused_slots.cu read besides each other's rows, prefetched into shared memory at
// the start of the launch, before the previous one has ended: biases and scales, what forward left
// to backward. The block's list of steps has their new addresses.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_SLOT_PREFETCH_CUH
#define SLT_CUDA_SLOT_PREFETCH_CUH

#include "cuda/fused/slots/slot_workspace.cuh"

static_assert((int)SLT_SLOT_PIECES <= (int)THREADS, "a thread has one of them");

// an address that is valid when `numbers` are added again: in whole numbers of 64 bits, for those
// of shared memory have 32, and would not come back
SLT_DEVICE_INLINE const float *moved_back(const float *at, size_t numbers) {
    return (const float *)((uintptr_t)at - numbers * sizeof(float));
}

// fields are moved back by what a step adds to find the rows of its trajectory
SLT_DEVICE_INLINE void place_pieces(const slt_fused_slots &run, workspace &at) {
    if ((int)threadIdx.x >= run.pieces) return;
    const slt_slot_piece &p = run.piece[threadIdx.x];
    const float **fields = (const float **)at.steps;
    fields[p.field] =
        moved_back(at.prefetched + p.to, p.own ? (size_t)at.b * (size_t)p.numbers : 0);
}

// those that are fresh, or all others: a warp has one at a time
SLT_DEVICE_INLINE void prefetch(const slt_fused_slots &run, const workspace &at, bool fresh) {
#pragma unroll 1
    for (int i = slt_block_warp(); i < run.pieces; i += WARPS) {
        const slt_slot_piece &p = run.piece[i];
        if (p.fresh != fresh) continue;
        const float *from = p.from + (p.own ? at.b * p.numbers : 0);
        float *to = at.prefetched + p.to;
        int lane = (int)(threadIdx.x % SLT_WARP), each = p.numbers % 4 ? 1 : 4;
#pragma unroll 1
        for (int n = each * lane; n < p.numbers; n += each * SLT_WARP) {
            if (each == 4)
                slt_copy_fours(to + n, from + n);
            else
                copy_one(to + n, from + n);
        }
    }
}

#endif
