// CompILE (Kipf et al. 2019), in the form that the SloTTAr paper compares with: one LSTM reads a
// trajectory N times; pass i finds the end of segment i and its code; what lies before the ends
// found so far is masked out of the states. A decoder gives every segment's actions from its code
// and the observations.
//
// A trajectory is followed by a step DONE, which counts as true: T includes it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_MODELS_COMPILE_MODEL_H
#define SLT_MODELS_COMPILE_MODEL_H

#include "engine/tape.h"
#include "models/compile_options.h"
#include "models/likelihood.h"

// the variables of a tape; those after the mark are kept readable. N segments are the slots
typedef struct {
    slt_var actions, observations;         // to feed: as the likelihood says, [tokens,D]
    slt_var counts;                        // number of segments [trajectories,1], integers
    slt_var boundary_noise, latent_noise;  // [slot tokens,1]; [slots,Z]
    slt_var embedding;                     // [tokens,d]
    slt_var scores, boundaries, shares;    // boundary logits, samples, shares; [slot tokens,1]
    slt_var zeta, latent, reconstructions; // [slots,2Z or Z] [slots,Z] [slot tokens,V]
    slt_var nll, kl_z, kl_b, kl, loss;     // one number each; 0 on a tape without losses
    const slt_likelihood *likelihood;
    const slt_channel_scale *channel; // of vectors
} slt_compile;

enum { SLT_COMPILE_BETA }; // place of β among the step's weights

// what one pass computes, for those who want to look inside
typedef struct {
    slt_var enc;      // [tokens,d]
    slt_var logits;   // [tokens,1]; 0 in the last pass
    slt_var boundary; // [tokens,1]
    slt_var share;    // [tokens,1]
    slt_var mask;     // [tokens,1] that this pass ran with; 0 in the first
} slt_compile_pass;

// writes the equations on a tape; parameters are declared in its store when they are new. passes:
// room for N of them, or NULL
slt_compile slt_compile_build(slt_tape *tape, const slt_compile_options *options,
                              const slt_model_data *data, bool with_loss, slt_compile_pass *passes);

// logarithms of the prior over the positions of the first boundary
void slt_compile_log_prior(slt_rate_rule rule, double rate, int length, slt_real *out);

#endif
