// From boundary logits to the number of segments and confidence, at test time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/compile_segment.h"

#include <math.h>

// Σ exp(x - most) over the positions low to high-1
static double sum_exp(const slt_real *x, slt_real most, int low, int high) {
    double sum = 0;
    for (int l = low; l < high; l++) sum += exp((double)(x[l] - most));
    return sum;
}

// mass of softmax(logits of pass i) on the positions low to high-1
static double mass(const slt_compile_scores *scores, int i, int low, int high) {
    const slt_real *x = scores->logits + (long)i * scores->stride;
    if (scores->end < 2) return 0;
    slt_real most = x[1];
    for (int l = 2; l < scores->end; l++) most = x[l] > most ? x[l] : most;
    low = low < 1 ? 1 : low;
    high = high < scores->end ? high : scores->end;
    return sum_exp(x, most, low, high) / sum_exp(x, most, 1, scores->end);
}

static int most_probable(const slt_compile_scores *scores, int i) {
    const slt_real *x = scores->logits + (long)i * scores->stride;
    int best = 1;
    for (int l = 2; l < scores->end; l++)
        if (x[l] > x[best]) best = l;
    return best;
}

void slt_compile_counts(const slt_compile_scores *scores, int T, double *counts) {
    double going[SLT_COMPILE_SEGMENTS] = {1}; // k+1 segments so far, more may come
    int reached = 0;
    for (int k = 0; k < scores->N; k++) counts[k] = 0;
    for (int i = 0; i + 1 < scores->N; i++) {
        double halts = mass(scores, i, T, scores->end), opens = mass(scores, i, reached + 1, T);
        for (int k = i; k >= 0; k--) {
            counts[k] += going[k] * halts;
            going[k + 1] += going[k] * opens;
            going[k] *= 1 - halts - opens;
        }
        int end = most_probable(scores, i);
        if (end > reached) reached = end;
    }
    for (int k = 0; k < scores->N; k++) counts[k] += going[k];
}

float slt_compile_confidence(const slt_compile_scores *scores, int i, int l) {
    if (i + 1 >= scores->N) return 0;
    return (float)mass(scores, i, l - 1, l + 2);
}
