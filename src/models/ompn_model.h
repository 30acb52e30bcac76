// OMPN (Lu et al. 2021, ordered memory policy network), as the paper's baseline has it: a stack of
// n memories reads observations and predicts actions. How far up the stack a step writes is soft;
// steps that write far up are the ends of sub-routines. OMPN-2 has two levels.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_MODELS_OMPN_MODEL_H
#define SLT_MODELS_OMPN_MODEL_H

#include "models/likelihood.h"
#include "models/ompn_options.h"

// the variables of a tape; those after the mark are kept readable
typedef struct {
    slt_var actions, observations; // to feed: as the likelihood says, [tokens,D]; DONE is last
    slt_var x, memory, p_hat;      // [tokens,d] [tokens,n·d] [tokens,n+1]
    slt_var prediction; // of symbols: log-probabilities [tokens,A], DONE last; means [tokens,C]
    slt_var loss;
    const slt_likelihood *likelihood;
    const slt_channel_scale *channel; // of vectors
} slt_ompn_model;

// writes the equations on a tape; parameters are declared in its store when they are new
slt_ompn_model slt_ompn_build(slt_tape *tape, const slt_ompn_options *options,
                              const slt_model_data *data);

// ---- test time (ompn_segment.c)

// expected level of a step, level 0 being the end; the first step counts as the deepest
double slt_ompn_level(const slt_real *p_hat, int depth, int t);

// the `count` steps of the smallest level, the lower step on ties, in their order; their number
int slt_ompn_ends(const slt_real *p_hat, int depth, int T, int count, int32_t *ends);

// ids of T steps whose segments end there and at the last step
void slt_ompn_ids_counted(const slt_real *p_hat, int depth, int T, int count, int32_t *ids);
// the same where a step ends a segment when it writes above the leaf with a probability larger than
// the threshold
void slt_ompn_ids_free(const slt_real *p_hat, int depth, int T, double threshold, int32_t *ids);
// the same where its level is on the lower side of the cut that parts the trajectory's levels best
void slt_ompn_ids_parted(const slt_real *p_hat, int depth, int T, int32_t *ids);

// the histogram of levels: the bin of a step after the first, and the last bin of the lower side of
// the cut that parts `count` of them best, -1 where there is nothing to part
enum { SLT_OMPN_BINS = 256 };
int slt_ompn_bin(const slt_real *p_hat, int depth);
int slt_ompn_best_cut(const int *bins, int count);

#endif
