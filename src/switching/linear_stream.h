// A linear chain that follows an episode step by step: the recursions of linear_chain.c, one step
// at a time, without allocation.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_LINEAR_STREAM_H
#define SLT_SWITCHING_LINEAR_STREAM_H

#include "switching/linear_impl.h"

// what does not change from step to step: made once for a chain, read by any number of streams
typedef struct {
    const slt_linear_chain *chain;
    float *low, *high;               // [K*A] least and greatest action, for every law
    double *half_v, *half_u;         // [K*A] half precisions: stay, fresh
    double *constant_v, *constant_u; // [K]
    slt_linear_moves moves, logs;
} slt_linear_plan;

typedef struct {
    double value[SLT_MOST_LAWS]; // of the likeliest path to each law
    double alpha[SLT_MOST_LAWS]; // chance of each law, given the steps so far
    float *residual, *before;    // [K*A] of this step and of the one before
    float *fresh;                // [K*A] without the action before; B
} slt_linear_state;

slt_status slt_linear_plan_init(slt_linear_plan *plan, slt_arena *arena,
                                const slt_linear_chain *chain);
slt_status slt_linear_state_init(slt_linear_state *state, slt_arena *arena,
                                 const slt_linear_plan *plan);

// One step on. inputs: features [D], then the action before [A] (at the first step: its own);
// back: [K] as slt_linear_best_step. Gives the chance that a segment begins with this step, given
// the steps so far; 0 at the first.
double slt_linear_advance(const slt_linear_plan *plan, slt_linear_state *state, bool first,
                          const float *inputs, const float *action, uint8_t *back);

#endif
