// Calls of skills: each skill acts in a world of its own until it is over, or the episode is. The
// calls take their steps together, so that the network gets many observations at once.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_SKILL_CALLS_H
#define SLT_EXPERTS_SKILL_CALLS_H

#include "envs/env_impl.h"
#include "experts/recall.h"
#include "skills/skill_play.h"
#include "skills/skill_rows.h"

enum { SLT_SKILL_CALLS = 64 }; // at most, together

typedef struct {
    const slt_env_kind *kind;
    void *world;
    slt_recall *recall;       // of an agent that remembers; may be NULL
    slt_skill_player *player; // its skill has begun
    uint8_t *view;            // what is seen: before the call, then after it
    // what came of it
    double reward;   // Σ γ^k r_k over the steps k = 0, 1, ...
    double discount; // γ^steps
    int steps;
    bool terminated, truncated;
    bool reached; // the last step had an effect of the skill
} slt_skill_call;

// how rewards are counted
typedef struct {
    double gamma;
    bool goal; // 1 for reaching the task's goal, and nothing else
} slt_skill_rewards;

typedef struct {
    uint16_t *ones;
    slt_real *h, *g, *logits; // [SLT_SKILL_CALLS][...]
} slt_skill_workspace;

slt_status slt_skill_workspace_init(slt_skill_workspace *workspace, slt_arena *arena,
                                    slt_skill_shape shape);
// allocates nothing; gives the number of steps in all
int64_t slt_skill_calls_play(const slt_skill_packed *policy, const slt_skill_workspace *workspace,
                             slt_skill_rewards rewards, slt_skill_call *calls, int count);

#endif
