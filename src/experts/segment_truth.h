// Ground-truth segments of MiniGrid episodes: the rules by which a step ends a segment.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_SEGMENT_TRUTH_H
#define SLT_EXPERTS_SEGMENT_TRUTH_H

#include "envs/env_impl.h"

typedef enum {
    SLT_TRUTH_PT,  // every pickup and toggle that changed the world, and the last step
    SLT_TRUTH_REF, // the reference program's rule, from observations: keys and balls picked up,
                   // doors unlocked, and the last step
    SLT_TRUTH_NAT, // PT, and in BlockedUnlockPickup every drop
    SLT_TRUTHS,
} slt_truth;

// "effects", "reference", "natural", or the name that data sets store: "pt", "ref", "nat";
// SLT_TRUTHS when there is no such rule
slt_truth slt_truth_find(const char *name);
const char *slt_truth_name(slt_truth rule);
const char *slt_truth_stored(slt_truth rule);

// an episode as recorded: `length` steps
typedef struct {
    int length;
    const uint8_t *actions;      // (T)
    const uint8_t *events;       // (T) slt_event; REF does not look at them
    const uint8_t *observations; // (T,147) before each action; only REF and names look at them
    const float *rewards;        // (T); this and the next: only names look at them
    bool terminated;             // the task ended with the last step
} slt_truth_steps;

// ids 0, 1, 2, ... of the segments, step by step; returns their number
int slt_truth_segments(slt_truth rule, const slt_env_kind *kind, const slt_truth_steps *steps,
                       int32_t *segments);

#endif
