// rarest: cuts after the first occurrences of the action that is rarest in training.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/baseline_impl.h"

static slt_status prepare(slt_baseline_job *job) {
    const slt_baseline_input *input = job->input;
    uint64_t *counts;
    SLT_TRY(SLT_NEW(job->arena, &counts, (size_t)input->actions));
    for (size_t i = 0; i < input->train_count; i++)
        for (int t = 0; t < input->train[i].length; t++) counts[input->train[i].values[t]]++;

    // an action that never occurs is not the rarest; ties go to the lowest
    int32_t *rarest;
    SLT_TRY(SLT_NEW(job->arena, &rarest, 1));
    *rarest = -1;
    for (int a = 0; a < input->actions; a++)
        if (counts[a] && (*rarest < 0 || counts[a] < counts[*rarest])) *rarest = a;
    job->learned = rarest;
    return SLT_OK;
}

static slt_status cut(slt_baseline_job *job, uint8_t *is_end, size_t index, int cuts) {
    const slt_sequence *target = &job->input->target[index];
    int32_t rarest = *(int32_t *)job->learned;
    for (int t = 0; t + 1 < target->length && cuts > 0; t++) {
        is_end[t] = target->values[t] == rarest;
        cuts -= is_end[t];
    }
    return SLT_OK;
}

const slt_baseline slt_baseline_rarest = {
    .name = "rarest",
    .help =
        "boundaries after the first occurrences of the rarest action, as many as the labels have",
    .needs = SLT_NEEDS_COUNT | SLT_NEEDS_TRAIN | SLT_NEEDS_SYMBOLS,
    .prepare = prepare,
    .cut = cut,
};
