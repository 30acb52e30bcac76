// What the paper reports: paper_scores.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_PAPER_SCORES_H
#define SLT_PAPER_SCORES_H

#include "slottar/report.h"

const slt_published_score *slt_paper_rows(int *count);

typedef struct {
    const char *model;
    double train, test; // thousands of tokens a second, padding counted
    double minutes;     // of training
} slt_paper_speed;
const slt_paper_speed *slt_paper_speeds(int *count);

#endif
