// uniform: segments of equal length.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/baseline_impl.h"

static slt_status cut(slt_baseline_job *job, uint8_t *is_end, size_t index, int cuts) {
    int64_t T = job->input->target[index].length;
    for (int64_t i = 1; i <= cuts; i++) is_end[i * T / (cuts + 1) - 1] = 1;
    return SLT_OK;
}

const slt_baseline slt_baseline_uniform = {
    .name = "uniform",
    .help = "segments of equal length, as many as the labels have",
    .needs = SLT_NEEDS_COUNT,
    .cut = cut,
};
