// From boundary logits to the number of segments and confidence, at test time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_MODELS_COMPILE_SEGMENT_H
#define SLT_MODELS_COMPILE_SEGMENT_H

#include "engine/real.h"
#include "models/compile_options.h"

// boundary logits of one trajectory: pass i at logits + i·stride, i < N-1; a boundary may take the
// positions 1 to end-1
typedef struct {
    const slt_real *logits;
    int stride, end, N;
} slt_compile_scores;

// probability of 1..N segments. Each pass but the last ends after the T steps (no segment
// follows), or further on than the passes before it (one more segment), or not (an empty one);
// where the passes before it ended is taken as certain
void slt_compile_counts(const slt_compile_scores *scores, int T, double *counts);

// probability that pass i ends within one step of position l
float slt_compile_confidence(const slt_compile_scores *scores, int i, int l);

#endif
