// Forward and Backward Access: does a slot attend to steps after or before those it explains?
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_ACCESS_H
#define SLT_METRICS_ACCESS_H

#include <stdint.h>

// values of slots over time, in any layout: slot k at step t is values[k*per_slot + t*per_step]
typedef struct {
    const float *values;
    int per_slot, per_step;
} slt_slot_view;

static inline float slt_slot_at(const slt_slot_view *view, int slot, int step) {
    return view->values[(long)slot * view->per_slot + (long)step * view->per_step];
}

typedef enum { SLT_ACCESS_REFERENCE, SLT_ACCESS_PAPER } slt_access_form;

typedef struct {
    slt_slot_view attention; // softmax over slots, before it is normalised over steps
    slt_slot_view mask;      // test-time masks, after halting
    int T, L, K;             // steps, padded steps (L >= T), slots
    int G;                   // true number of segments
    float threshold;         // 0.8: strictly above it a step is on
    slt_access_form form;
} slt_access_case;

typedef struct {
    double forward, backward;
} slt_access;

slt_access slt_access_slot(const slt_access_case *c, int slot);
// reference: mean over the first G slots; paper: over all K
slt_access slt_access_mean(const slt_access_case *c);

// what `eval` and `report` show: the reference form. attention [T][K], masks [K][T]; segments: true
// number of them
slt_access slt_access_score(const float *attention, const float *masks, int T, int K,
                            int64_t segments);

#endif
