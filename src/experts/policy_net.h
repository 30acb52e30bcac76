// A policy: ones of an observation -> relu -> relu -> actor and critic.
//
//     h = relu(ones·W + c),  g = relu(h·V + d),  logits = g·P + p,  value = g·q + r
//
// On a tape it is learned; next to it stands a plain form that acts on one observation, for
// collecting and evaluating, where every episode is played by itself.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_POLICY_NET_H
#define SLT_EXPERTS_POLICY_NET_H

#include "engine/tape.h"

enum { SLT_POLICY_PARTS = 8, SLT_POLICY_HIDDEN = 160, SLT_POLICY_ACTIONS = 512 };

typedef struct {
    int inputs, hidden, actions;
} slt_policy_shape;

// matrix number `part` of a policy, as files have it
typedef struct {
    const char *name;
    int rows, columns;
} slt_policy_matrix;
slt_policy_matrix slt_policy_part(slt_policy_shape shape, int part);

// ---- plain

typedef struct slt_policy {
    slt_policy_shape shape;
    float *part[SLT_POLICY_PARTS];
} slt_policy;

slt_status slt_policy_init(slt_policy *policy, slt_arena *arena, slt_policy_shape shape);
// logits [actions]; allocates nothing, and gives the same bits wherever it is called
void slt_policy_think(const slt_policy *policy, const uint16_t *ones, int count, float *logits);
// an action drawn from the softmax of logits by a number of [0,1); its log-probability in *chance
int slt_policy_draw(const float *logits, int actions, float number, float *chance);

// ---- on a tape

typedef struct {
    slt_var ones, logits, value;
} slt_policy_vars;

void slt_policy_build(slt_tape *tape, slt_policy_shape shape, slt_policy_vars *out);

// from a block of a store, or to it; after slt_store_fetch, or slt_store_edit
void slt_policy_take(slt_policy *policy, const slt_store *store, slt_real *block);
void slt_policy_give(const slt_policy *policy, const slt_store *store, slt_real *block);

#endif
