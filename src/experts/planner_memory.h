// What a MiniGrid planner remembers: a map of all cells that it has seen, its own place, its hands.
//
// The planner is told the id, the 7x7 view and the direction, and knows its own actions; where it
// starts it must find out. It keeps all places that agree with what it has seen and draws its map
// for one of them; when that one is refuted, the map is moved.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_PLANNER_MEMORY_H
#define SLT_EXPERTS_PLANNER_MEMORY_H

#include "envs/minigrid.h"

enum { SLT_PLAN_SIDE = 16 }; // the largest grid

typedef struct {
    int x, y;
} slt_point;

// may this cell lie at this place in a grid of these rules? x, y inside the grid, not on its border
typedef bool (*slt_fits)(const slt_minigrid_rules *rules, int x, int y, int cell);

typedef struct {
    const slt_minigrid_rules *rules;
    slt_fits fits;
    bool placed;                    // the first view has been seen
    bool changed;                   // the map is another one since somebody cleared this
    int direction, carried;         // carried: a cell code
    slt_point start, place;         // believed
    slt_point door;                 // the last door seen locked; x 0: none
    int start_count;                // places that the start may have had
    uint16_t starts[SLT_PLAN_SIDE]; // they: bit y of word x
    uint8_t cells[SLT_GRID_BYTES(SLT_PLAN_SIDE, SLT_PLAN_SIDE)]; // as a world's; SLT_UNSEEN
} slt_memory;

// starts: the rectangle in which episodes start, from and to including
void slt_memory_init(slt_memory *memory, const slt_minigrid_rules *rules, slt_fits fits,
                     slt_point from, slt_point to);
// takes in a view; direction is asked for at the first one only, then it is known
void slt_memory_see(slt_memory *memory, const uint8_t *view, int direction);
// follows an own action to the place where it leads
void slt_memory_act(slt_memory *memory, int action);

static inline int slt_memory_cell(const slt_memory *memory, int x, int y) {
    return memory->cells[slt_grid_index(memory->rules->height, x, y)];
}
// the first cell of a kind (SLT_KEY) in the order of x, then y; false when none is known
bool slt_memory_find(const slt_memory *memory, int kind, slt_point *out);

#endif
