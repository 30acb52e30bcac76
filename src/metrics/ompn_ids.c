// OMPN's ends: the G steps (G is the true number of segments) where the expected level is smallest.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/id_rules.h"

static double expected_level(const float *p, int levels) {
    double depth = 0;
    for (int j = 0; j < levels; j++) depth += (double)j * p[j];
    return depth;
}

slt_status slt_ompn_ends(slt_arena *scratch, uint8_t *is_end, const float *p_hat, int levels, int T,
                         int G) {
    slt_arena_mark mark = slt_arena_now(scratch);
    double *depth;
    SLT_TRY(SLT_NEW(scratch, &depth, (size_t)T));
    for (int t = 0; t < T; t++) depth[t] = expected_level(p_hat + (size_t)t * levels, levels);
    depth[0] = levels - 1;
    SLT_TRY(slt_mark_smallest(scratch, is_end, depth, T, G));
    slt_arena_reset(scratch, mark);
    return SLT_OK;
}
