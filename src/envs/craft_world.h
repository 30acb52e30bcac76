// The Craft world: a 10 x 10 map with a ring of boundary, an agent with a pocket, a generator.
//
// Cells are (x, y), stored x-major; y grows upwards. The state is plain: a copy is a snapshot.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENVS_CRAFT_WORLD_H
#define SLT_ENVS_CRAFT_WORLD_H

#include "core/mt19937.h"
#include "envs/craft_rules.h"

enum {
    SLT_CRAFT_PADDED = SLT_CRAFT_SIZE + 2, // with a margin, so that the near view needs no bounds
    SLT_CRAFT_OUTSIDE = 0x80,              // what the margin holds
    SLT_CRAFT_CHANNELS = 25 * SLT_CRAFT_KINDS,
    SLT_CRAFT_FEATURES = 2 * SLT_CRAFT_CHANNELS + SLT_CRAFT_KINDS + 4, // 1075
};

typedef struct {
    uint8_t cell[SLT_CRAFT_PADDED * SLT_CRAFT_PADDED];
    uint64_t things; // inner cells that are not empty: bit 8*(x-1) + (y-1)
    uint8_t inventory[SLT_CRAFT_KINDS];
    uint8_t x, y, direction; // x, y: 1..8
    uint8_t sketch;          // entries of the sketch that are done
    int32_t steps;           // since the reset
    slt_mt19937 random;      // draws the maps
} slt_craft_world;

static inline int slt_craft_cell(int x, int y) { return (x + 1) * SLT_CRAFT_PADDED + y + 1; }
static inline int slt_craft_look(const slt_craft_world *world, int x, int y) {
    return world->cell[slt_craft_cell(x, y)];
}

// an empty map and pocket, sketch and step count at 0; the generator stays
void slt_craft_clear(slt_craft_world *world);
// x, y: 1..8, inside the ring
void slt_craft_put(slt_craft_world *world, int x, int y, int kind);

// draws the next map for a task
void slt_craft_reset(slt_craft_world *world, const slt_craft_task *task);
// true: the action completed the sub-task whose turn it was (reward 1)
bool slt_craft_act(slt_craft_world *world, const slt_craft_task *task, int action);
static inline bool slt_craft_reached(const slt_craft_world *world, const slt_craft_task *task) {
    return world->inventory[task->goal] > 0;
}

// false for bytes that no play could have left: cells, pose, counters, generator
bool slt_craft_valid(const slt_craft_world *world, const slt_craft_task *task);

// writes all 1075 features: near view 5 x 5 x 21, far view 5 x 5 x 21 (zero when not full),
// pocket 21, direction 4
void slt_craft_observe(const slt_craft_world *world, bool full, uint8_t *out);

#endif
