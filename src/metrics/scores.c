// All scores of one pair of labelings.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/label_scores.h"

#include "core/context_impl.h"

slt_status slt_score_ids(slt_arena *scratch, slt_scored *out, const int32_t *truth,
                         const int32_t *predicted, int T, int tolerance) {
    slt_arena_mark mark = slt_arena_now(scratch);
    int32_t *g, *p;
    SLT_TRY(SLT_NEW(scratch, &g, (size_t)T));
    SLT_TRY(SLT_NEW(scratch, &p, (size_t)T));
    int G = slt_boundaries(g, truth, T), P = slt_boundaries(p, predicted, T);

    slt_scored scored = {.true_segments = G + 1, .predicted_segments = P + 1};
    scored.scores.f1 = slt_boundary_f1(g, G, p, P, tolerance);
    scored.scores.f1_one = slt_boundary_f1_one(g, G, p, P, tolerance);
    scored.scores.covering = slt_covering(g, G, p, P, T);
    SLT_TRY(slt_alignment(scratch, &scored.scores.align, truth, predicted, T));
    SLT_TRY(slt_adjusted_rand(scratch, &scored.scores.ari, truth, predicted, T));
    slt_arena_reset(scratch, mark);
    *out = scored;
    return SLT_OK;
}
