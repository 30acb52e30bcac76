// The network of skills made for acting: the first layer follows the observation from step to step.
//
//     s = Σ rows of the ones in fixed point,  h = relu(s),  g = relu(h·V + d),  logits = g·P + p
//
// Sums of integers are exact, so s is the same whether it is summed anew or only changed by the
// ones that come and go. Most units of h are 0, and their rows of V are skipped.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SKILLS_SKILL_FORWARD_H
#define SLT_SKILLS_SKILL_FORWARD_H

#include "skills/skill_net.h"

// padded with zeros
typedef struct {
    slt_skill_shape shape;
    size_t hidden;               // numbers of a row
    float unit;                  // value of 1 in `see`, a power of two
    int32_t *see, *see_bias;     // [inputs][hidden], [hidden]
    float *think, *think_bias;   // [hidden][hidden], [hidden]
    float *choose, *choose_bias; // [outputs][hidden], [outputs]
} slt_skill_packed;

// first-layer sums of one observation
typedef struct {
    int32_t of[SLT_SKILL_HIDDEN];
} slt_skill_sums;

slt_status slt_skill_pack(slt_skill_packed *packed, slt_arena *arena, const slt_skill_net *net);
void slt_skill_sums_begin(const slt_skill_packed *packed, slt_skill_sums *sums);
// ones that came, and ones that went
void slt_skill_sums_change(const slt_skill_packed *packed, const uint16_t *came, int64_t came_count,
                           const uint16_t *went, int64_t went_count, slt_skill_sums *sums);
// `count` outputs from `first` on, at most 2 SLT_SKILL_ACTIONS; logits: so many and up to three
// more
void slt_skill_decide(const slt_skill_packed *packed, const slt_skill_sums *sums, int first,
                      int count, float *logits);

#endif
