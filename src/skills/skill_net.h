// The network of skills: ones of an observation, and of what it is asked for -> relu -> relu ->
// logits. It is learned on a tape; its plain form acts on one observation.
//
//     h = relu(ones·W + c),  g = relu(h·V + d),  logits = g·P + p
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SKILLS_SKILL_NET_H
#define SLT_SKILLS_SKILL_NET_H

#include "core/context_impl.h"

enum {
    SLT_SKILL_PARTS = 6,
    SLT_SKILL_HIDDEN = 256,
    SLT_SKILL_OUTPUTS = 8192,
    SLT_SKILL_ACTIONS = 256, // of an environment
    SLT_SKILL_COUNT = 512,   // of skills
};

typedef struct {
    int inputs, hidden, outputs;
} slt_skill_shape;

typedef struct {
    slt_skill_shape shape;
    float *part[SLT_SKILL_PARTS];
} slt_skill_net;

typedef struct {
    const char *name;
    int rows, columns;
} slt_skill_matrix;
slt_skill_matrix slt_skill_part(slt_skill_shape shape, int part);

slt_status slt_skill_net_init(slt_skill_net *net, slt_arena *arena, slt_skill_shape shape);
// logits: [outputs]; allocates nothing, and gives the same bits wherever it is called
void slt_skill_think(const slt_skill_net *net, const uint16_t *ones, int64_t count, float *logits);

// what to learn: the ones of row r are ones[start[r]] up to before ones[start[r+1]]
typedef struct {
    int64_t rows;
    int64_t *start;
    uint16_t *ones;
    int32_t *target;
} slt_skill_rows;

typedef struct {
    int epochs, batch;
    double lr;      // falls to a twentieth
    double dropout; // after both hidden layers
    uint64_t seed;
} slt_skill_fit;

// learns, and keeps the epoch that predicts held-out rows best (the last where there are none)
slt_status slt_skill_net_learn(slt_context *context, const slt_skill_rows *train,
                               const slt_skill_rows *held_out, const slt_skill_fit *fit,
                               slt_skill_net *net);
// mean over rows of -log softmax(logits)[target]
double slt_skill_nats(const slt_skill_net *net, const slt_skill_rows *rows);

#endif
