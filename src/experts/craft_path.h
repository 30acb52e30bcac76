// The path finder of the Craft bot.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_CRAFT_PATH_H
#define SLT_EXPERTS_CRAFT_PATH_H

#include "envs/craft_rules.h"

enum {
    SLT_CRAFT_CELLS = SLT_CRAFT_SIZE * SLT_CRAFT_SIZE,
    SLT_CRAFT_UNKNOWN = -1,
};

// a cell of the bot's map, x-major
static inline int slt_craft_index(int x, int y) { return x * SLT_CRAFT_SIZE + y; }

// writes the cells from start to target, both included, and returns their number; 0: no way. Leads
// through cells known to be empty; start and target may be anything.
int slt_craft_path(const int8_t known[SLT_CRAFT_CELLS], int start, int target,
                   uint8_t path[SLT_CRAFT_CELLS]);

#endif
