// A planner's episode, recorded.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_MINIGRID_ROLLOUT_H
#define SLT_EXPERTS_MINIGRID_ROLLOUT_H

#include "core/memory.h"
#include "experts/planner.h"

typedef struct {
    const slt_env_kind *kind;
    int capacity;          // steps
    int length;            // steps of the episode at hand
    bool terminated;       // the last step's
    bool truncated;        // the step limit, or the capacity, came first
    uint8_t *actions;      // (T)
    uint8_t *events;       // (T) slt_event
    double *rewards;       // (T)
    uint8_t *observations; // (T+1,147): before each action, then the final one
    slt_planner *planner;
    slt_minigrid *world;
} slt_rollout;

// room for episodes of up to `capacity` steps, 0: the step limit. kind: one that a planner knows.
// One rollout serves any number of episodes, one thread at a time
slt_status slt_rollout_init(slt_rollout *rollout, slt_arena *arena, const slt_env_kind *kind,
                            int capacity);
// plays one episode: world and planner are seeded with the same words; allocates nothing
void slt_rollout_play(slt_rollout *rollout, const uint32_t *words, int count, double noise);

#endif
