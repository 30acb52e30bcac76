// Learning a symbol chain: what the CPU (symbol_fit.c) and a device (symbol_device.c) share.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_SYMBOL_LEARN_H
#define SLT_SWITCHING_SYMBOL_LEARN_H

#include "switching/chain_random.h"
#include "switching/symbol_impl.h"

// the sweeps of a start, and the episodes that it sees
enum { SLT_SHORT_SWEEPS = 6, SLT_SHORT_EPISODES = 120 };

// a chain that learns
typedef struct {
    slt_symbol_chain *chain;
    const slt_symbols *symbols;
    const int64_t *episodes;
    int64_t count, steps; // of these episodes
    slt_chain_random random;
    slt_symbol_sums sums;
    double *best;        // the values of the best start
    int64_t *candidates; // [Q] symbols that may be sure ends
    int64_t candidate_count;
    bool *barred;          // [Q] symbols that end no segment
    double *ends, *single; // [Q] ends after a symbol; those before a segment of one step
} slt_symbol_learner;

// Gives the learner's chain its shape, with room in `arena`; what is needed while it learns is in
// `scratch`. Chain, symbols, episodes and count are set.
slt_status slt_symbol_learner_init(slt_symbol_learner *learner, slt_arena *arena,
                                   slt_arena *scratch, const slt_symbol_options *options);
slt_status slt_symbol_sums_init(slt_symbol_sums *sums, slt_arena *arena,
                                const slt_symbol_chain *chain);
void slt_symbol_sums_clear(slt_symbol_sums *sums);

// Random values of the next start, in turn: a few candidates are sure ends. Without candidates
// there is one, with random hazards.
void slt_symbol_draw(slt_symbol_learner *learner);

// the closed-form step; barred: events only
void slt_symbol_maximise(slt_symbol_chain *chain, const slt_symbol_sums *sums, const bool *barred);
// counts a sweep, with its nats per step; whether it gained too little for another one
bool slt_symbol_settled(slt_symbol_chain *chain, double nats, double last);
// whether a settled chain may have ends after what is no event: then `ends` and `single` are
// counted
bool slt_symbol_has_strays(const slt_symbol_learner *learner);
// Bars symbols that turned out to be no events. Whether there were any: then it learns again.
bool slt_symbol_bar_others(slt_symbol_learner *learner);
// phases: laws of nearly equal emissions
void slt_symbol_merge_laws(slt_symbol_chain *chain);

#endif
