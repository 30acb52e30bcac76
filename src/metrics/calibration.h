// Calibration: a map from what a model says of its boundaries to how often they are confirmed.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_CALIBRATION_H
#define SLT_METRICS_CALIBRATION_H

#include "core/memory.h"
#include "slottar/metrics.h"

enum { SLT_CALIBRATION_POINTS = 16 };

// a line through points, level outside of them; no points: no map
typedef struct {
    int count;
    double raw[SLT_CALIBRATION_POINTS];   // ascending: the model's own probability
    double share[SLT_CALIBRATION_POINTS]; // never falls: the share that was confirmed
} slt_calibration;

// one boundary of a held-out episode
typedef struct {
    double raw, confirmed; // both 0 to 1
} slt_calibration_pair;

// isotonic regression over up to 16 groups of equal size, each smoothed by one pair that is
// confirmed and one that is not; sorts the pairs. Without pairs: 0.5 everywhere
void slt_calibration_fit(slt_calibration_pair *pairs, size_t count, slt_calibration *out);

// the value of the map; `raw` itself without points
double slt_calibrate(const slt_calibration *calibration, double raw);

// expected calibration error: over ten bins of confidence, the mean of |confidence - right|,
// weighted by boundaries
void slt_reliability_add(slt_reliability *r, double confidence, bool right);
void slt_reliability_merge(slt_reliability *to, const slt_reliability *from);
// NAN without boundaries
double slt_reliability_error(const slt_reliability *r);

#endif
