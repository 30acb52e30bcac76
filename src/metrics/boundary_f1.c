// F1 of boundaries, within a tolerance of tau steps.
//
// Reference form (many to many): precision is the share of predicted boundaries with some true one
// within tau, recall the share of true boundaries with some predicted one within tau.
//     F1 = 2 P R / (P + R), 0 when P + R = 0
// One-to-one form: M pairs of the largest matching in which each boundary is used once.
//     F1 = 2 M / (predicted + true)
// Both: 1 when neither side has a boundary, 0 when only one has.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/label_scores.h"

// how many of a[n] have some b[m] within the tolerance; both ascending
static int near_count(const int32_t *a, int n, const int32_t *b, int m, int64_t tolerance) {
    int hits = 0, j = 0;
    for (int i = 0; i < n; i++) {
        while (j < m && b[j] < a[i] - tolerance) j++;
        hits += j < m && b[j] <= a[i] + tolerance;
    }
    return hits;
}

// taking the earliest pair that fits is a largest matching: all tolerances are equal
static int matched_count(const int32_t *a, int n, const int32_t *b, int m, int64_t tolerance) {
    int pairs = 0;
    for (int i = 0, j = 0; i < n && j < m;) {
        if (b[j] < a[i] - tolerance)
            j++;
        else if (b[j] > a[i] + tolerance)
            i++;
        else
            pairs++, i++, j++;
    }
    return pairs;
}

double slt_boundary_f1(const int32_t *truth, int G, const int32_t *predicted, int P,
                       int tolerance) {
    if (G == 0 || P == 0) return G == P;
    double precision = (double)near_count(predicted, P, truth, G, tolerance) / P;
    double recall = (double)near_count(truth, G, predicted, P, tolerance) / G;
    double sum = precision + recall;
    return sum > 0 ? 2 * precision * recall / sum : 0;
}

double slt_boundary_f1_one(const int32_t *truth, int G, const int32_t *predicted, int P,
                           int tolerance) {
    if (G == 0 || P == 0) return G == P;
    return 2.0 * matched_count(truth, G, predicted, P, tolerance) / ((double)G + P);
}
