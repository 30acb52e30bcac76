// An episode of the Craft bot from a seed, and the successful ones among many seeds.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_CRAFT_ROLLOUT_H
#define SLT_EXPERTS_CRAFT_ROLLOUT_H

#include "envs/craft.h"
#include "experts/episode_seeds.h"

typedef enum {
    SLT_CRAFT_SUCCESS,  // all sub-tasks done in order
    SLT_CRAFT_TIMEOUT,  // 64 steps were not enough
    SLT_CRAFT_NO_PLAN,  // the bot gave up: the target cannot be reached
    SLT_CRAFT_SHORTCUT, // goal reached, but not by the sketch
    SLT_CRAFT_OUTCOMES,
} slt_craft_outcome;

// observations: the caller's (SLT_CRAFT_STEPS+1) * SLT_CRAFT_FEATURES bytes; entry t is seen before
// action t, the last one after the last action. NULL: not wanted
typedef struct {
    uint8_t *observations;
    slt_craft_outcome outcome;
    uint32_t seed;
    int length; // T; DONE is not recorded
    uint8_t actions[SLT_CRAFT_STEPS], rewards[SLT_CRAFT_STEPS];
} slt_craft_rollout;

// plays one episode, world and bot both seeded with `seed`; fills everything but the pointer
void slt_craft_rollout_play(slt_craft_rollout *rollout, const slt_env_kind *kind, uint32_t seed);

// plays candidates until one succeeds; counts the outcomes, the success too
slt_status slt_craft_rollout_next(slt_craft_rollout *rollout, const slt_env_kind *kind,
                                  slt_episode_seeds *seeds, uint64_t counts[SLT_CRAFT_OUTCOMES]);

#endif
