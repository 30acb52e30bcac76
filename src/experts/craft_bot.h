// The heuristic bot of Craft: goes through the sketch of a task, plans on what it knows of the map,
// explores where it knows too little. Its own random stream is Python's.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_CRAFT_BOT_H
#define SLT_EXPERTS_CRAFT_BOT_H

#include "envs/craft.h"
#include "experts/craft_path.h"

enum { SLT_CRAFT_STUCK = -1 }; // instead of an action: everything is known, nothing can be done

// a plain struct, renewed at each episode
typedef struct {
    const slt_craft_variant *variant;
    int8_t known[SLT_CRAFT_CELLS]; // kinds, or SLT_CRAFT_UNKNOWN
    bool exploring;
    int previous; // action; -1: none

    // the current sub-goal
    int entry;                      // of the sketch
    int target;                     // cell; -1: not seen yet
    uint8_t plan[SLT_CRAFT_CELLS];  // cells from `walked` on are still to come, the agent's first
    int walked, planned;            // planned 0: no plan
    uint8_t saved[SLT_CRAFT_KINDS]; // the pocket at its last decision
    bool has_saved;

    slt_mt19937 random;
} slt_craft_bot;

void slt_craft_bot_reset(slt_craft_bot *bot, const slt_craft_variant *variant, uint32_t seed);
// the next action, or SLT_CRAFT_STUCK
int slt_craft_bot_act(slt_craft_bot *bot, const slt_craft_world *world);

#endif
