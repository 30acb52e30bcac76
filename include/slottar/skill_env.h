// Environments whose actions are skills: an action is the number of a skill, and a step plays that
// skill until it is over, or the episode is.
//
//     enum { N = 64 };
//     uint64_t seeds[N] = {0};
//     int64_t skills[N] = {0};
//     double rewards[N];
//     slt_env_batch *batch;
//     slt_skill_env *env;
//     slt_env_batch_create(context, "makestickfull-v0", N, SLT_AUTORESET_NEXT_STEP, &batch);
//     slt_skill_env_create(batch, "skills.safetensors", 0.99, false, &env);
//     slt_skill_env_reset(env, seeds, NULL, NULL);
//     slt_skill_env_step(env, skills, &(slt_skill_env_outputs){.env.rewards = rewards});
//     slt_skill_env_destroy(env);
//     slt_env_batch_destroy(batch);
//
// Skills need not know the environment's task: its observations and actions must be those that they
// were learned from. Results depend on seeds and actions only. (docs/skills.md)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_SKILL_ENV_H
#define SLOTTAR_SKILL_ENV_H

#include <stdbool.h>
#include <stdint.h>
#include "slottar/env.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct slt_skill_env slt_skill_env;

// Skills for the copies of a batch, from a file of skills. discount: of a step, above 0 and at most
// 1. goal_rewards: 1 for the goal of a Craft task and nothing on the way; MiniGrid pays for its
// goal alone anyway. SHAPE when observations or actions are not those of the skills, FORMAT for a
// file of something else. Destroy accepts NULL and comes before that of the batch.
SLT_API slt_status slt_skill_env_create(slt_env_batch *batch, const char *skills, double discount,
                                        bool goal_rewards, slt_skill_env **out);
SLT_API void slt_skill_env_destroy(slt_skill_env *env);

// The number of skills: actions are 0 ... count - 1.
SLT_API int slt_skill_env_count(const slt_skill_env *env);

// As slt_env_batch_reset.
SLT_API slt_status slt_skill_env_reset(slt_skill_env *env, const uint64_t *seeds,
                                       const uint8_t *mask, uint8_t *observations);

// Where a step writes; whatever is NULL is not wanted.
typedef struct {
    slt_env_outputs
        env; // rewards: discounted sums over the steps of the skill; observations: after it
    double *discounts; // [n] discount^steps: what the value of the observation after it is worth
                       // before it
    int32_t *steps;    // [n] of the environment; 0 for a copy that was reset instead
    uint8_t *reached;  // [n] the last step had an effect of the skill
} slt_skill_env_outputs;

// A skill in every copy; the batch's autoreset decides what happens to copies whose episode has
// ended. RANGE, with nothing stepped, when there is no such skill.
SLT_API slt_status slt_skill_env_step(slt_skill_env *env, const int64_t *skills,
                                      const slt_skill_env_outputs *out);

#ifdef __cplusplus
}
#endif
#endif
