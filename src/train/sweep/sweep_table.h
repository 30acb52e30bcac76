// The table of a search: what the runs of each configuration came to, the best first.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_SWEEP_TABLE_H
#define SLT_TRAIN_SWEEP_TABLE_H

#include "train/sweep/sweep_plan.h"
#include "train/sweep/sweep_trial.h"

// the mean over the runs of a configuration in one round; results: [runs]
slt_status slt_sweep_summarise(const slt_sweep_plan *plan, int configuration, int round,
                               const slt_trial_result *results, slt_sweep_row *out);

// puts rows into order: further rounds first, then better scores, then lower numbers; failed last
void slt_sweep_sort(const slt_sweep_plan *plan, slt_sweep_row *rows, int count);

// what is compared; INVALID when it needs labels and there are none
slt_status slt_sweep_score_of(const slt_sweep_plan *plan, const slt_run_scores *valid, double *out);
const char *slt_sweep_score_name(const slt_sweep_plan *plan, char out[64]);

// writes the table as JSON
slt_status slt_sweep_table_write(const char *path, const slt_sweep_plan *plan,
                                 const slt_sweep_row *rows, int count);

#endif
