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
    X(INT,    slots,          0,    0, 1024,  NULL, "largest number of segments K; 0: one more than the prior's largest number, 8 without one") \
    X(CHOICE, boundary_input, auto, 0, 0, "action|joint|context|auto", "what boundaries are predicted from: the action, action and observation, the whole trajectory, or whichever of the first two describes held-out episodes better") \
    X(CHOICE, boundaries,     auto, 0, 0, "auto|free|coded", "free: boundaries cost nothing; coded: they are coded with the actions; auto: free with a number or a histogram as prior, else coded") \
    X(REAL,   exception_cost, -1,  -1, 1e6,   NULL, "weight of boundaries that the action and its effect do not explain; 1: their code length; -1: 1 where boundaries are free, else 0") \
    X(REAL,   beta,           1,    0, 1e6,   NULL, "weight of the number of segments; 1: its code length") \
    X(REAL,   gamma,          -1,  -1, 1e6,   NULL, "weight of the counts of a whole batch; -1: 5 with a number or a histogram as prior, else 0") \
    X(INT,    hidden,         32,   1, 65536, NULL, "model width d")                               \
    X(INT,    heads,          4,    1, 64,    NULL, "attention heads; must divide the width")      \
    X(INT,    window,         8,    1, 1024,  NULL, "number of previous actions W that the decoder sees") \
    X(INT,    code,           0,    0, 1024,  NULL, "size of a segment's code; 0: the decoder knows the segment's index only") \
    X(REAL,   code_cost,      1,    0, 1e6,   NULL, "weight of the codes; 1: their code length")   \
    X(REAL,   boundary_init,  3,    0, 100,   NULL, "scale of the initial weights that predict boundaries") \
    X(REAL,   ln_eps,         1e-3, 0, 1,     NULL, "epsilon of layer norms")
// clang-format on

typedef enum {
    SLT_BOUNDARY_FROM_ACTION,
    SLT_BOUNDARY_FROM_JOINT,
    SLT_BOUNDARY_FROM_CONTEXT,
    SLT_BOUNDARY_FROM_AUTO
} slt_boundary_input;
typedef enum { SLT_BOUNDARIES_AUTO, SLT_BOUNDARIES_FREE, SLT_BOUNDARIES_CODED } slt_mdl_boundaries;

SLT_OPTIONS_STRUCT(slt_mdl_options, SLT_MDL_OPTIONS);
const slt_option *slt_mdl_rows(void);

// the variables of a tape, all of them readable but the inputs
typedef struct {
    slt_var actions, observations;    // to feed; observations are 0 where nobody looks at them
    slt_var effects;                  // to feed, for ends that see; 0: they know the actions alone
    slt_var ends, masks;              // [tokens,1] [tokens,K]
    slt_var live, logits;             // [live,2] and its ranges after it; [live,2A]; with losses
    slt_var code;                     // [slots,c], its price after it; 0 without codes
    slt_var reconstruction, kl, loss; // one number each, nats per true step
} slt_mdl;

// places among the step's weights: β, whether ends are rounded, what codes and exceptions cost
enum { SLT_MDL_BETA, SLT_MDL_ROUND, SLT_MDL_CODE, SLT_MDL_EXCEPTIONS };

slt_mdl slt_mdl_build(slt_tape *tape, const slt_mdl_options *options, const slt_model_data *data,
                      bool with_loss);

// whether the options look at observations
bool slt_mdl_sees(const slt_mdl_options *options);

// the segment that the masks of a step [K] say: their peak. Masks that are all zero are those of a
// step after more boundaries than there are slots: it is in the last one
int slt_mdl_count(const slt_real *masks, int K);

#endif
