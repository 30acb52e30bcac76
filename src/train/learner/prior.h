// What a user knows about the number of segments, from the text of the option `prior`.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_PRIOR_H
#define SLT_TRAIN_PRIOR_H

#include "models/model_kind.h"

typedef enum {
    SLT_PRIOR_AUTO,   // labels where a model may see them, else flat
    SLT_PRIOR_LABELS, // the histogram of the training split
    SLT_PRIOR_FLAT,
    SLT_PRIOR_NUMBER, // 3
    SLT_PRIOR_RANGE,  // 3..6
    SLT_PRIOR_MEAN,   // ~4.5: 1 + Poisson(3.5)
    SLT_PRIOR_LIST,   // 0,0,.3,.7
} slt_prior_kind;

typedef struct {
    slt_prior_kind kind;
    const char *text;
    int low, high; // number and range
    double mean;
    int entries;   // of a list, up to the last that is not 0
    double spread; // of a number: its neighbours are so many times as likely, theirs again
} slt_prior;

// INVALID names the text and lists the forms; a spread is for numbers alone
slt_status slt_prior_read(const char *text, double spread, slt_prior *out);
slt_prior_shape slt_prior_shape_of(const slt_prior *prior);

// entries 1..K of a form that needs no labels, each at least 1e-4; RANGE when K is too small
slt_status slt_prior_fill(const slt_prior *prior, int K, double *out);

#endif
