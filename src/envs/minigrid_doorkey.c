// DoorKey: a wall with a locked door divides the grid; the key lies on the agent's side, the goal
// in the far corner.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid_layout.h"

void slt_doorkey_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    int size = rules->width;
    slt_grid_clear(rules, grid);
    slt_grid_walls(rules, grid, slt_whole(rules));
    *slt_cell_at(rules, grid, size - 2, size - 2) = SLT_GREEN_GOAL;

    // the dividing wall, then what stands before it
    int wall = slt_draw(grid, 2, size - 2);
    slt_area left = {0, 0, wall, size};
    slt_grid_walls(rules, grid, (slt_area){wall, 0, 1, size});
    slt_place_agent(rules, grid, left);
    *slt_cell_at(rules, grid, wall, slt_draw(grid, 1, size - 2)) = SLT_DOOR_LOCKED | SLT_YELLOW;
    slt_place(rules, grid, SLT_KEY | SLT_YELLOW, left, NULL, NULL);
}
