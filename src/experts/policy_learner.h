// Learning a policy: one tape that acts, one that learns, over the same parameters.
//
// An update takes the T steps of N copies, shuffles them as often as there are epochs, and takes a
// step of Adam for every part. With one epoch, one part and no clip it is A2C; else PPO.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_POLICY_LEARNER_H
#define SLT_EXPERTS_POLICY_LEARNER_H

#include "experts/policy_worlds.h"

// a tape for so many observations at once, and what is fed to it
typedef struct {
    slt_tape *tape;
    slt_policy_vars vars;
    slt_var actions, advantage, before, target; // of the tape that learns
    int rows;                                   // at most
    int32_t *offset, *length, *index;           // of the batch: rows in pieces of equal length
    int64_t *ones_offset;
    uint16_t *ones;
    slt_bits bits;
} slt_policy_tape;

// observations as ones, and what was done: ones of row r are ones[r * most ...], count[r] of them
typedef struct {
    int rows, most;
    const uint16_t *ones, *count;
    const int32_t *actions;
} slt_policy_seen;

// means over the steps of the optimiser since they were cleared
enum { SLT_POLICY_LOSS, SLT_POLICY_ENTROPY, SLT_POLICY_GONE, SLT_POLICY_VALUE, SLT_POLICY_NOTES };

typedef struct {
    slt_context *context;
    const slt_policy_options *options;
    slt_store *store;
    slt_policy_tape acts, learns;
    slt_worlds *worlds;
    float *values;     // [T+1][N]
    float *advantages; // [T][N], as all below
    float *targets;
    int32_t *order; // tokens, shuffled
    // a part: what is gathered for it
    int32_t *part_actions;
    float *part_advantage, *part_before, *part_target;
    uint64_t seed;
    int64_t updates; // steps of the optimiser so far
    double notes[SLT_POLICY_NOTES];
    int64_t noted;
} slt_policy_learner;

slt_status slt_policy_learner_init(slt_policy_learner *learner, slt_context *context,
                                   slt_arena *arena, const slt_policy_options *options,
                                   slt_worlds *worlds, uint64_t seed);
void slt_policy_learner_deinit(slt_policy_learner *learner);

// plays T steps of all copies
slt_status slt_policy_learner_play(slt_policy_learner *learner);
// learns from them; done: the share of all frames that are after. DIVERGED when a number is not
// finite
slt_status slt_policy_learner_learn(slt_policy_learner *learner, double done);

// one epoch of imitation of what was shown; order: [rows] of the caller's
slt_status slt_policy_learner_imitate(slt_policy_learner *learner, const slt_policy_seen *shown,
                                      int32_t *order, int epoch);

#endif
