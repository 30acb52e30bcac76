// A symbol chain that follows an episode step by step: the recursions of symbol_chain.c and
// symbol_path.c, one step at a time, without allocation. For chains that are not told the number of
// segments.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_SYMBOL_STREAM_H
#define SLT_SWITCHING_SYMBOL_STREAM_H

#include "switching/symbol_impl.h"

// what does not change from step to step: made once for a chain, read by any number of streams
typedef struct {
    const slt_symbol_chain *chain;
    slt_symbol_moves moves, logs;
} slt_symbol_plan;

typedef struct {
    double value[SLT_MOST_LAWS]; // of the likeliest path to each law
    double alpha[SLT_MOST_LAWS]; // chance of each law, given the steps so far
} slt_symbol_state;

void slt_symbol_plan_init(slt_symbol_plan *plan, const slt_symbol_chain *chain);

// the first step of an episode
void slt_symbol_begin(const slt_symbol_plan *plan, slt_symbol_state *state, uint16_t action);
// One step on; symbol: of the step before, with its effect where the chain knows effects. back: [K]
// as slt_symbol_best_step. Gives the chance that a segment begins with this step, given the steps
// so far.
double slt_symbol_advance(const slt_symbol_plan *plan, slt_symbol_state *state, uint16_t before,
                          uint16_t symbol, uint16_t action, uint8_t *back);

#endif
