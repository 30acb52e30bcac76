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

enum { SLT_SKILL_HEAD = 2 * SLT_SKILL_ACTIONS };

// padded with zeros
typedef struct {
    slt_skill_shape shape;
    size_t hidden;               // numbers of a row
    int16_t *see;                // [inputs][hidden]
    int32_t *see_bias;           // [hidden]
    float *unit;                 // [hidden] value of 1 in these, a power of two
    float *think, *think_bias;   // [hidden][hidden], [hidden]
    size_t head;                 // outputs of a head
    float *choose, *choose_bias; // [heads][hidden][head], [heads][head]
    uint8_t places[256][8];      // of the ones in a byte
    uint8_t ones[256];           // how many they are
} slt_skill_packed;

// first-layer sums of one observation
typedef struct {
    int32_t of[SLT_SKILL_HIDDEN];
} slt_skill_sums;

// weights of the first layer become multiples of their column's unit, as they are packed; what is
// rounded already stays as it is
void slt_skill_net_round(slt_skill_net *net);
// of a rounded network. Heads: as many outputs each, at most 2 SLT_SKILL_ACTIONS
slt_status slt_skill_pack(slt_skill_packed *packed, slt_arena *arena, const slt_skill_net *net,
                          int head);
void slt_skill_sums_begin(const slt_skill_packed *packed, slt_skill_sums *sums);
// ones that came, and ones that went
void slt_skill_sums_change(const slt_skill_packed *packed, const uint16_t *came, int64_t came_count,
                           const uint16_t *went, int64_t went_count, slt_skill_sums *sums);
// the outputs of a head; logits: [SLT_SKILL_HEAD]
void slt_skill_decide(const slt_skill_packed *packed, const slt_skill_sums *sums, int head,
                      float *logits);

#endif
