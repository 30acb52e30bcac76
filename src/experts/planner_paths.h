// Shortest paths over (x, y, direction): turning, walking and toggling cost 1 each, so that a
// closed door on the way costs 2 to enter.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_PLANNER_PATHS_H
#define SLT_EXPERTS_PLANNER_PATHS_H

#include <stdbool.h>
#include <stdint.h>

enum {
    SLT_PATH_CELLS = 16 * 16,
    SLT_PATH_STATES = 4 * SLT_PATH_CELLS,
    SLT_FAR = 255, // not reached
};

static inline int slt_path_cell(int x, int y) { return x << 4 | y; }
static inline int slt_path_state(int x, int y, int direction) {
    return slt_path_cell(x, y) << 2 | direction;
}
// the cell before a state; never outside, since walls surround everything
int slt_path_front(int state);

// enter: per cell, what it costs to walk onto it; 0: cannot be

// costs from a state to all others; order: the reached states, nearest first; returns their number
int slt_paths_from(const uint8_t enter[SLT_PATH_CELLS], int state, uint8_t cost[SLT_PATH_STATES],
                   int16_t order[SLT_PATH_STATES]);

// costs to the nearest of the goals, each with a cost of its own (goals on cells that cannot be
// entered are left out); stops when `state` is known, so
// that dearer states may be left SLT_FAR
typedef struct {
    int count;
    int16_t state[SLT_PATH_STATES];
    uint8_t cost[SLT_PATH_STATES];
} slt_path_goals;

void slt_paths_to(const uint8_t enter[SLT_PATH_CELLS], const slt_path_goals *goals, int state,
                  uint8_t cost[SLT_PATH_STATES]);

#endif
