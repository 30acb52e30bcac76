// The scores of one predicted segmentation against the truth, one function per idea.
//
// F1 and Covering look at boundaries (ascending, G true and P predicted ones), alignment and ARI at
// the ids themselves.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_LABEL_SCORES_H
#define SLT_METRICS_LABEL_SCORES_H

#include "metrics/labels.h"
#include "slottar/metrics.h"

// the reference's form: any number of boundaries may be credited to one within the tolerance
double slt_boundary_f1(const int32_t *truth, int G, const int32_t *predicted, int P, int tolerance);
// each boundary is used once: F1 of the largest one-to-one matching within the tolerance
double slt_boundary_f1_one(const int32_t *truth, int G, const int32_t *predicted, int P,
                           int tolerance);
double slt_covering(const int32_t *truth, int G, const int32_t *predicted, int P, int T);

slt_status slt_alignment(slt_arena *scratch, double *out, const int32_t *truth,
                         const int32_t *predicted, int T);
slt_status slt_adjusted_rand(slt_arena *scratch, double *out, const int32_t *truth,
                             const int32_t *predicted, int T);

// everything at once; T >= 1, tolerance >= 0
typedef struct {
    slt_scores scores;
    int true_segments, predicted_segments; // runs of equal ids
} slt_scored;

slt_status slt_score_ids(slt_arena *scratch, slt_scored *out, const int32_t *truth,
                         const int32_t *predicted, int T, int tolerance);

#endif
