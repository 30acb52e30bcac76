// Adds up the scores of trajectories one by one; mean and spread can be read at any time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_SCORE_TALLY_H
#define SLT_METRICS_SCORE_TALLY_H

#include "metrics/label_scores.h"

// Welford's running mean and sum of squared differences
typedef struct {
    double mean, squares;
} slt_running;

// zero-initialise
typedef struct {
    slt_score_summary summary; // mean and sd are filled by slt_tally_read
#define SLT_TALLY_FIELD(name, text) slt_running name;
    SLT_SCORE_LIST(SLT_TALLY_FIELD)
#undef SLT_TALLY_FIELD
} slt_tally;

void slt_tally_add(slt_tally *tally, const slt_scored *scored);
// the tally of both, one after the other
void slt_tally_merge(slt_tally *tally, const slt_tally *other);
slt_score_summary slt_tally_read(const slt_tally *tally);

#endif
