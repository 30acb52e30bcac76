// A call of a skill: it acts in a world until it is over, or the episode is.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_SKILL_CALLS_H
#define SLT_EXPERTS_SKILL_CALLS_H

#include "envs/env_impl.h"
#include "experts/recall.h"
#include "skills/skill_forward.h"
#include "skills/skill_play.h"

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

// allocates nothing
void slt_skill_call_play(const slt_skill_packed *policy, slt_skill_rewards rewards,
                         slt_skill_call *call);

#endif
