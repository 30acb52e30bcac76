// The adjusted Rand index of two labelings (Hubert and Arabie 1985, doi:10.1007/BF01908075).
//
// Of the N = T(T-1)/2 pairs of steps, A share a true id, B a predicted one, a both:
//     ARI = (a - E) / ((A + B)/2 - E),  E = A B / N
// 1 where the denominator is 0: both labelings are one single cluster, or both all singletons.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/label_scores.h"

// pairs of steps with equal keys
static slt_status equal_pairs(slt_arena *scratch, double *out, const int64_t *keys, int T) {
    slt_arena_mark mark = slt_arena_now(scratch);
    int32_t *numbers, *sizes;
    int distinct;
    SLT_TRY(SLT_NEW(scratch, &numbers, (size_t)T));
    SLT_TRY(SLT_NEW(scratch, &sizes, (size_t)T));
    SLT_TRY(slt_renumber(scratch, numbers, keys, T, &distinct));
    for (int t = 0; t < T; t++) sizes[numbers[t]]++;
    double pairs = 0;
    for (int i = 0; i < distinct; i++) pairs += 0.5 * sizes[i] * (sizes[i] - 1.0);
    slt_arena_reset(scratch, mark);
    *out = pairs;
    return SLT_OK;
}

slt_status slt_adjusted_rand(slt_arena *scratch, double *out, const int32_t *truth,
                             const int32_t *predicted, int T) {
    slt_arena_mark mark = slt_arena_now(scratch);
    int64_t *keys;
    double in_truth, in_predicted, in_both;
    SLT_TRY(SLT_NEW(scratch, &keys, (size_t)T));
    for (int t = 0; t < T; t++) keys[t] = truth[t];
    SLT_TRY(equal_pairs(scratch, &in_truth, keys, T));
    for (int t = 0; t < T; t++) keys[t] = predicted[t];
    SLT_TRY(equal_pairs(scratch, &in_predicted, keys, T));
    for (int t = 0; t < T; t++) keys[t] = truth[t] * ((int64_t)1 << 32) + (uint32_t)predicted[t];
    SLT_TRY(equal_pairs(scratch, &in_both, keys, T));
    slt_arena_reset(scratch, mark);

    double all = 0.5 * T * (T - 1.0);
    bool one_cluster = in_truth == all && in_predicted == all;
    bool singletons = in_truth == 0 && in_predicted == 0;
    double expected = all > 0 ? in_truth * in_predicted / all : 0;
    double largest = 0.5 * (in_truth + in_predicted);
    *out = one_cluster || singletons ? 1 : (in_both - expected) / (largest - expected);
    return SLT_OK;
}
