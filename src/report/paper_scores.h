// What the paper reports: paper_scores.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPORT_PAPER_SCORES_H
#define SLT_REPORT_PAPER_SCORES_H

// fractions; NAN: not told
typedef struct {
    const char *set, *model;
    double f1, f1_sd, align, align_sd, forward, forward_sd, backward, backward_sd;
} slt_paper_row;
const slt_paper_row *slt_paper_rows(int *count);

typedef struct {
    const char *model;
    double train, test; // thousands of tokens a second, padding counted
    double minutes;     // of training
} slt_paper_speed;
const slt_paper_speed *slt_paper_speeds(int *count);

#endif
