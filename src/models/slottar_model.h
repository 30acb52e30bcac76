// SloTTAr (Gopalakrishnan et al. 2022): a Transformer encoder reads a trajectory, slot attention
// distils it into K slots, a broadcast Transformer decoder gives every slot its own actions and its
// own end, cumulative sums of the ends become masks, and PonderNet halting says how many slots are
// used.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_MODELS_SLOTTAR_MODEL_H
#define SLT_MODELS_SLOTTAR_MODEL_H

#include "engine/tape.h"
#include "models/likelihood.h"
#include "models/slottar_options.h"

// the variables of a tape; those after the mark are kept readable
typedef struct {
    slt_var actions, observations, noise; // to feed: as the likelihood says, [tokens,D], [slots,S]
    slt_var seen;                         // to feed where companions are listed: [seen,D]
    slt_var slots, attention, lambda, halting; // [slots,S] [tokens,K] [trajectories,K] twice
    slt_var logits, masks, cdf;       // [slot tokens,A+1], of vectors C+1; [slot tokens,1] twice
    slt_var reconstruction, kl, loss; // one number each; 0 on a tape without losses
    const slt_likelihood *likelihood;
    const slt_channel_scale *channel; // of vectors
} slt_slottar;

// the dropouts of a model: after the positions, and two in every layer
enum { SLT_DROPOUT_ENCODER = 1, SLT_DROPOUT_DECODER, SLT_DROPOUT_LAYERS, SLT_DROPOUT_PARTS = 4 };
// 0: none
static inline int slt_slottar_dropout(const slt_slottar_options *options, int place) {
    return options->dropout > 0 ? place : 0;
}

enum { SLT_SLOTTAR_BETA }; // place of β among the step's weights

// writes the equations on a tape; parameters are declared in its store when they are new
slt_slottar slt_slottar_build(slt_tape *tape, const slt_slottar_options *options,
                              const slt_model_data *data, bool with_loss);

// the stages, each a file of its own
slt_var slt_slottar_encode(slt_tape *tape, const slt_slottar_options *options,
                           const slt_model_data *data, slt_slottar *model);
void slt_slottar_attend(slt_tape *tape, const slt_slottar_options *options, slt_var encoded,
                        slt_slottar *model);
void slt_slottar_decode(slt_tape *tape, const slt_slottar_options *options,
                        const slt_model_data *data, slt_slottar *model);

// the sinusoid in the scale of the options
slt_var slt_slottar_positions(slt_tape *tape, const slt_slottar_options *options);

#endif
