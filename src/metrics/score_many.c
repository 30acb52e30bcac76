// Scores of many trajectories at once, and of one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/score_tally.h"

#include "core/context_impl.h"

static slt_status check_pair(const slt_sequence *truth, const slt_sequence *predicted, size_t i) {
    if (truth->length != predicted->length)
        SLT_FAIL(SLT_SHAPE, "trajectory %zu has %d true and %d predicted labels", i, truth->length,
                 predicted->length);
    if (truth->length < 1) SLT_FAIL(SLT_SHAPE, "trajectory %zu has no steps", i);
    return SLT_OK;
}

static slt_status score_all(slt_context *context, slt_arena *scratch, const slt_sequence *truth,
                            const slt_sequence *predicted, size_t count, int tolerance,
                            slt_tally *tally, slt_scores *each) {
    for (size_t i = 0; i < count; i++) {
        slt_scored scored;
        SLT_TRY(slt_context_check(context));
        SLT_TRY(slt_score_ids(scratch, &scored, truth[i].values, predicted[i].values,
                              truth[i].length, tolerance));
        slt_tally_add(tally, &scored);
        if (each) each[i] = scored.scores;
    }
    return SLT_OK;
}

slt_status slt_score_many(slt_context *context, const slt_sequence *truth,
                          const slt_sequence *predicted, size_t count, int tolerance,
                          slt_score_summary *summary, slt_scores *each) {
    if (count == 0) SLT_FAIL(SLT_INVALID, "no trajectories to score");
    if (tolerance < 0) SLT_FAIL(SLT_RANGE, "tolerance %d is negative", tolerance);
    for (size_t i = 0; i < count; i++) SLT_TRY(check_pair(&truth[i], &predicted[i], i));

    slt_tally tally = {0};
    slt_arena scratch;
    slt_arena_init(&scratch, &context->allocator, 0);
    char *anchor; // keeps the first block from one trajectory to the next
    slt_status status = SLT_NEW(&scratch, &anchor, 1);
    if (status == SLT_OK)
        status = score_all(context, &scratch, truth, predicted, count, tolerance, &tally, each);
    slt_arena_deinit(&scratch);
    if (status == SLT_OK && summary) *summary = slt_tally_read(&tally);
    return status;
}

slt_status slt_score_pair(slt_context *context, const int32_t *truth, const int32_t *predicted,
                          int32_t length, int tolerance, slt_scores *out) {
    slt_sequence true_sequence = {truth, length}, predicted_sequence = {predicted, length};
    return slt_score_many(context, &true_sequence, &predicted_sequence, 1, tolerance, NULL, out);
}
