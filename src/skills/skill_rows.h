// The network of skills for many observations at once: the hidden layer and the logits are matrix
// products over all of them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SKILLS_SKILL_ROWS_H
#define SLT_SKILLS_SKILL_ROWS_H

#include "engine/real.h"
#include "skills/skill_net.h"

// weights as products read them
typedef struct {
    slt_skill_shape shape;
    slt_real *see; // [inputs][hidden]
    slt_real *see_bias, *think_bias, *choose_bias;
    slt_real *think, *choose; // packed
} slt_skill_packed;

slt_status slt_skill_pack(slt_skill_packed *packed, slt_arena *arena, const slt_skill_net *net);
// the first layer of one row, h: [hidden]
void slt_skill_see(const slt_skill_packed *packed, const uint16_t *ones, int64_t count,
                   slt_real *h);
// the rest of `rows` rows; h, g: [rows][hidden], logits: [rows][outputs]
void slt_skill_decide(const slt_skill_packed *packed, int rows, const slt_real *h, slt_real *g,
                      slt_real *logits);

#endif
