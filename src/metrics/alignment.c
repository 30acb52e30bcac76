// Alignment accuracy: the predicted ids are numbered by first appearance, then compared step by
// step with the truth.
//
//     alignment = |{ t : number(predicted[t]) = truth[t] }| / T
//
// The truth is taken as it is: 0, 1, 2, ... in order of time, or -1 where nothing can be right.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/label_scores.h"

slt_status slt_alignment(slt_arena *scratch, double *out, const int32_t *truth,
                         const int32_t *predicted, int T) {
    slt_arena_mark mark = slt_arena_now(scratch);
    int64_t *keys;
    int32_t *ordered;
    SLT_TRY(SLT_NEW(scratch, &keys, (size_t)T));
    SLT_TRY(SLT_NEW(scratch, &ordered, (size_t)T));
    for (int t = 0; t < T; t++) keys[t] = predicted[t];
    SLT_TRY(slt_renumber(scratch, ordered, keys, T, NULL));
    int right = 0;
    for (int t = 0; t < T; t++) right += ordered[t] == truth[t];
    slt_arena_reset(scratch, mark);
    *out = (double)right / T;
    return SLT_OK;
}
