// The likelihood of actions: what a model feeds, embeds and predicts, and what a prediction costs.
// Two of them: symbols (categorical) and vectors (Gaussian numbers and bits, ops/channel.h). Models
// know their actions only through this.
//
// A categorical head also predicts symbols that are no action, as the reference programs have them:
// SloTTAr the padding, CompILE DONE and padding. `silent` is their number. A vector has none: a
// mark says where there is no action.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_MODELS_LIKELIHOOD_H
#define SLT_MODELS_LIKELIHOOD_H

#include "models/model_kind.h"
#include "nn/nn.h"

typedef struct {
    const char *name;
    // the actions, as they are fed: ids [tokens,1], or [tokens,C+1] with the mark last
    slt_var (*input)(slt_tape *tape, const slt_model_data *data);
    // numbers of a head that predicts them
    int (*width)(const slt_model_data *data, int silent);
    // codes of actions: a row of d per symbol, or per token
    slt_var (*codes)(slt_tape *tape, const slt_model_data *data, const char *name, int silent,
                     int d, slt_init init, slt_var actions);
    // relu(features + what was made of the codes); features may be 0
    slt_var (*join)(slt_tape *tape, slt_var features, slt_var actions, slt_var codes);

    // ---- losses in nats, with their gradients

    // expected over prefix mixtures; the head has the end logit in one more column
    slt_var (*prefix)(slt_tape *tape, const slt_model_data *data, slt_var head, slt_var masks,
                      slt_var h, slt_var actions);
    // of segments, each where it is responsible
    slt_var (*segment)(slt_tape *tape, const slt_model_data *data, slt_var head, slt_var share,
                       slt_var actions, slt_var counts, bool include);
    // of a policy that may end; *prediction: what given_back reads
    slt_var (*done)(slt_tape *tape, const slt_model_data *data, slt_var head, slt_var ends,
                    slt_var actions, slt_var *prediction);

    // ---- one step

    // is the most probable action the one of this row? Of a vector: every bit is right, and every
    // number within half a standard deviation of the training data
    bool (*given_back)(const slt_channel_scale *channel, const slt_real *head, int width,
                       const void *actions, size_t row);
    // draws an action as the data has it: uniform [2·max(1,C)] in [0,1); out: the symbol, or the
    // columns that vary. spread: ρ of every channel, NULL for symbols
    void (*sample)(const slt_model_data *data, const slt_real *head, const slt_real *spread,
                   const float *uniform, float *out);
} slt_likelihood;

extern const slt_likelihood slt_categorical, slt_gaussian;

static inline const slt_likelihood *slt_likelihood_of(const slt_model_data *data) {
    return data->columns ? &slt_gaussian : &slt_categorical;
}

#endif
