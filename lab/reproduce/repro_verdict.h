// Does a hypothesis explain a row of the paper? The rule is at the head of repro_view_verdicts.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_REPRODUCE_VERDICT_H
#define SLT_REPRODUCE_VERDICT_H

#include "paper/paper_scores.h"

typedef enum { SLT_VERDICT_EXPLAINS, SLT_VERDICT_DOES_NOT, SLT_VERDICT_OPEN } slt_repro_verdict;

// the F1 from which on a run reaches the paper
double slt_repro_least_f1(const slt_published_score *paper);
slt_repro_verdict slt_repro_verdict_of(int reached, int runs);

#endif
