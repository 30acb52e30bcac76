// slottar-mdl: the shortest description of a trajectory, cut into segments. Every step has an end
// probability; counting the ends gives ordered masks and the number of segments; the decoder of a
// segment predicts each action from the earlier ones of the same segment and forgets at a cut. All
// terms are code lengths in nats per step (docs/mdl.md).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_MODELS_SLOTTAR_MDL_H
#define SLT_MODELS_SLOTTAR_MDL_H

#include "models/model_kind.h"

// clang-format off
#define SLT_MDL_OPTIONS(X)                                                                         \
    X(INT,    slots,  0,      0, 1024,  NULL, "most segments K; 0: one more than the prior's largest number, 8 without one") \
    X(CHOICE, head,   auto,   0, 0, "action|joint|context|auto", "what an end is seen from: the action, the observation too, the whole trajectory, or that of the first two which describes held-out episodes better") \
    X(CHOICE, cuts,   auto,   0, 0, "auto|free|paid", "whether ends are told for nothing or written down with the actions; auto: free with a number or a histogram as prior, else paid") \
    X(REAL,   toll,   -1,     -1, 1e6,  NULL, "weight of what ends say beyond their action and whether it has an effect; 1 is its code length; -1: 1 where cuts are free, else 0") \
    X(REAL,   beta,   1,      0, 1e6,   NULL, "weight of the number of segments; 1 is its code length") \
    X(REAL,   gamma,  -1,     -1, 1e6,  NULL, "weight of the counts of a whole batch; -1: 5 with a number or a histogram as prior, else 0") \
    X(INT,    hidden, 32,     1, 65536, NULL, "width d")                                           \
    X(INT,    heads,  4,      1, 64,    NULL, "attention heads; they divide the width")            \
    X(INT,    window, 8,      1, 1024,  NULL, "actions W that the decoder looks back")             \
    X(INT,    code,   0,      0, 1024,  NULL, "numbers of a segment's code; 0: its index is all the decoder knows") \
    X(REAL,   price,  1,      0, 1e6,   NULL, "weight of what codes cost; 1 is their code length")     \
    X(REAL,   spread, 3,      0, 100,   NULL, "scale of the end head's initial weights")           \
    X(REAL,   ln_eps, 1e-3,   0, 1,     NULL, "epsilon of layer norms")
// clang-format on

typedef enum { SLT_HEAD_ACTION, SLT_HEAD_JOINT, SLT_HEAD_CONTEXT, SLT_HEAD_AUTO } slt_mdl_head;
typedef enum { SLT_CUTS_AUTO, SLT_CUTS_FREE, SLT_CUTS_PAID } slt_mdl_cuts;

SLT_OPTIONS_STRUCT(slt_mdl_options, SLT_MDL_OPTIONS);
const slt_option *slt_mdl_rows(void);

// the variables of a tape, all of them readable but the inputs
typedef struct {
    slt_var actions, observations;    // to feed; observations are 0 where nobody looks at them
    slt_var effects;                  // to feed, for ends that see; 0: they know the actions alone
    slt_var ends, masks;              // [tokens,1] [tokens,K]
    slt_var live, logits;             // [live,2] and its ranges behind it; [live,2A]; with losses
    slt_var code;                     // [slots,c], its price behind it; 0 without codes
    slt_var reconstruction, kl, loss; // one number each, nats per true step
} slt_mdl;

// places among the step's weights: β, whether ends are rounded, what codes and exceptions cost
enum { SLT_MDL_BETA, SLT_MDL_ROUND, SLT_MDL_CODE, SLT_MDL_TOLL };

slt_mdl slt_mdl_build(slt_tape *tape, const slt_mdl_options *options, const slt_model_data *data,
                      bool with_loss);

// whether the options look at observations
bool slt_mdl_sees(const slt_mdl_options *options);

#endif
