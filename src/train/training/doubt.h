// Doubt: what speaks against the segments of a finished run, found without labels on held-out
// episodes. doubt.c gathers the evidence and compares restarts, the other files the rest.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_DOUBT_H
#define SLT_TRAIN_DOUBT_H

#include "metrics/trust_build.h"
#include "train/training/trainer.h"

// what a run says about the first held-out episodes
typedef struct {
    slt_trainer *t;
    slt_training_run *run;
    int64_t count; // episodes
    size_t steps;
    uint8_t *cuts;    // [steps] 1: a segment ends there, but not the episode
    float *raw;       // [steps] the model's own probability of the boundary
    int32_t *numbers; // [count] of segments
    int32_t *lengths; // [count] of the episodes
    int64_t seen;     // episodes so far
    size_t at;        // steps so far
    bool odd;         // the numbers contradict the prior
    slt_trust *trust; // what is made of it
} slt_evidence;

// share of cuts in common, as F1 without tolerance; 1 when there are none
double slt_cuts_in_common(const uint8_t *x, const uint8_t *y, size_t steps);

// do numbers of segments contradict what was told of them? prior[k]: of k+1 segments, k < K; the
// sentence is for people
bool slt_prior_contradicted(const slt_setup *setup, const double *prior, int K,
                            const int32_t *numbers, int64_t count, char sentence[SLT_WARNING_TEXT]);

// names the baseline rules that describe the held-out actions better, or cut elsewhere; all:
// [count] runs of one data set
slt_status slt_doubt_rules(slt_trainer *t, const slt_evidence *all, int count);

#endif
