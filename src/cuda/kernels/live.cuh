// The live rows of one trajectory, as kernels read them (ops/mdl/live_rows.h): sorted by slot, then
// by token.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_LIVE_CUH
#define SLT_CUDA_LIVE_CUH

#include "cuda/kernels/kernel.cuh"

typedef struct {
    int first, count;
    const float *list; // of the first one
} slt_live_span;

SLT_DEVICE_INLINE slt_live_span slt_live_of(slt_cuda_view list, slt_cuda_view range, int b) {
    slt_live_span live;
    live.first = (int)slt_at(range)[2 * b];
    live.count = (int)slt_at(range)[2 * b + 1];
    live.list = slt_at(list) + 2 * (int64_t)live.first;
    return live;
}
SLT_DEVICE_INLINE int slt_live_token(const slt_live_span &live, int i) {
    return (int)live.list[2 * i];
}
SLT_DEVICE_INLINE int slt_live_slot(const slt_live_span &live, int i) {
    return (int)live.list[2 * i + 1];
}

// the first of a trajectory's live rows at (slot, token) or after it
SLT_DEVICE_INLINE int slt_live_from(const slt_live_span &live, int slot, int token) {
    int low = 0, high = live.count;
    while (low < high) {
        int middle = (low + high) / 2, k = slt_live_slot(live, middle);
        if (k < slot || (k == slot && slt_live_token(live, middle) < token))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

// the live row of a token's slot; -1: there is none
SLT_DEVICE_INLINE int slt_live_find(const slt_live_span &live, int slot, int token) {
    int i = slt_live_from(live, slot, token);
    bool there =
        i < live.count && slt_live_slot(live, i) == slot && slt_live_token(live, i) == token;
    return there ? i : -1;
}

#endif
