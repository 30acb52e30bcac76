// comb: a boundary after every third step. It shows how much of F1 with a tolerance of one step,
// where many cuts may be credited to one, is for free.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/baseline_impl.h"

enum { TOOTH = 3 };

static slt_status cut(slt_baseline_job *job, uint8_t *is_end, size_t index, int cuts) {
    (void)cuts;
    int T = job->input->target[index].length;
    for (int t = TOOTH - 1; t < T; t += TOOTH) is_end[t] = 1;
    return SLT_OK;
}

const slt_baseline slt_baseline_comb = {
    .name = "comb",
    .help = "a boundary after every third step",
    .cut = cut,
};
