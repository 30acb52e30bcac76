// Continuous behaviour as the switching chains read it: actions and observations of all episodes in
// standard deviations, without channels that never change.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_MOTION_H
#define SLT_SWITCHING_MOTION_H

#include "core/memory.h"
#include "slottar/dataset.h"

// how numbers of a data set become features: (x - mean) * scale of the channels that are kept
typedef struct {
    int size, kept;      // channels of the data set, and those that vary
    int *channel;        // [kept]
    float *mean, *scale; // [kept]
} slt_standard;

// A steps' numbers; a row of `features` begins with a 1
typedef struct {
    int64_t episodes, steps;
    const int64_t *offsets; // [episodes+1]
    int A, D;               // numbers per action and per feature row
    float *actions;         // [steps][A]
    float *features;        // [steps][D]
} slt_motion;

typedef struct {
    slt_standard actions, observations;
} slt_motion_scale;

// observations that chains read, and numbers per action that they can have
enum { SLT_MOST_FEATURES = 64, SLT_MOST_MOTION_ACTIONS = 128 };

// Means and deviations over the given episodes. Of more than SLT_MOST_FEATURES observations that
// vary, those are kept that correlate most with the actions.
slt_status slt_motion_measure(slt_arena *arena, slt_dataset *data, const int64_t *episodes,
                              int64_t count, slt_motion_scale *out);
// The given episodes, in that order.
slt_status slt_motion_read(slt_arena *arena, slt_dataset *data, const slt_motion_scale *scale,
                           const int64_t *episodes, int64_t count, slt_motion *out);

// A row of the data set's numbers; out: [kept].
void slt_standard_apply(const slt_standard *standard, const float *row, float *out);

// Noise of the actions in standard deviations: the median over channels of
// 1.4826 median|second difference| / sqrt(6).
slt_status slt_motion_noise(slt_arena *arena, const slt_motion *motion, double *out);

#endif
