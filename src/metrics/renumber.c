// Numbers by first appearance, in time linear in T: an open-addressing table that remembers where
// each key was first seen.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/labels.h"

static size_t slot_of(int64_t key, int bits) {
    return (size_t)(((uint64_t)key * 0x9E3779B97F4A7C15u) >> (64 - bits));
}

slt_status slt_renumber(slt_arena *scratch, int32_t *out, const int64_t *keys, int T,
                        int *distinct) {
    // at most half full
    int bits = 2;
    while (((size_t)1 << bits) < 2 * (size_t)T) bits++;
    size_t mask = ((size_t)1 << bits) - 1;
    slt_arena_mark mark = slt_arena_now(scratch);
    int32_t *first; // where the slot's key was first seen, plus one; 0: free
    SLT_TRY(SLT_NEW(scratch, &first, mask + 1));

    int count = 0;
    for (int t = 0; t < T; t++) {
        size_t slot = slot_of(keys[t], bits);
        while (first[slot] && keys[first[slot] - 1] != keys[t]) slot = (slot + 1) & mask;
        if (!first[slot]) {
            first[slot] = t + 1;
            out[t] = count++;
        } else
            out[t] = out[first[slot] - 1];
    }
    slt_arena_reset(scratch, mark);
    if (distinct) *distinct = count;
    return SLT_OK;
}
