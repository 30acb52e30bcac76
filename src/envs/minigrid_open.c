// Empty, FourRooms, LavaGap, DistShift: nothing to carry, only a way to the goal to be found. Lava
// ends an episode without a reward.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid_layout.h"

// an empty room and its goal; the agent in the corner, unless a layout says otherwise
static void open_room(const slt_minigrid_rules *rules, slt_minigrid *grid, slt_spot goal) {
    slt_grid_clear(rules, grid);
    slt_grid_walls(rules, grid, slt_whole(rules));
    *slt_cell_at(rules, grid, goal.x, goal.y) = SLT_GREEN_GOAL;
    grid->x = grid->y = 1;
    grid->direction = 0;
}

static slt_spot far_corner(const slt_minigrid_rules *rules) {
    return (slt_spot){rules->width - 2, rules->height - 2};
}

void slt_empty_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    open_room(rules, grid, far_corner(rules));
}

void slt_empty_random_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    open_room(rules, grid, far_corner(rules));
    slt_place_agent(rules, grid, slt_whole(rules));
}

// a column of lava with one gap
void slt_lavagap_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    open_room(rules, grid, far_corner(rules));
    int x = slt_draw(grid, 2, rules->width - 2), gap = slt_draw(grid, 1, rules->height - 1);
    for (int y = 1; y < rules->height - 1; y++)
        *slt_cell_at(rules, grid, x, y) = y == gap ? SLT_EMPTY : SLT_RED_LAVA;
}

// two strips of lava: one along the upper wall, the other in row `count`
void slt_distshift_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    open_room(rules, grid, (slt_spot){rules->width - 2, 1});
    for (int x = 3; x < rules->width - 3; x++) {
        *slt_cell_at(rules, grid, x, 1) = SLT_RED_LAVA;
        *slt_cell_at(rules, grid, x, rules->count) = SLT_RED_LAVA;
    }
}

// the walls to the right of a room and below it, each with a gap
void slt_fourrooms_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    int w = rules->width / 2, h = rules->height / 2;
    slt_grid_clear(rules, grid);
    slt_grid_walls(rules, grid, slt_whole(rules));
    for (int y = 0; y < 2 * h; y += h)
        for (int x = 0; x < 2 * w; x += w) {
            if (x == 0) {
                slt_grid_walls(rules, grid, (slt_area){w, y, 1, h});
                *slt_cell_at(rules, grid, w, slt_draw(grid, y + 1, y + h)) = SLT_EMPTY;
            }
            if (y == 0) {
                slt_grid_walls(rules, grid, (slt_area){x, h, w, 1});
                *slt_cell_at(rules, grid, slt_draw(grid, x + 1, x + w), h) = SLT_EMPTY;
            }
        }
    slt_place_agent(rules, grid, slt_whole(rules));
    slt_place(rules, grid, SLT_GREEN_GOAL, slt_whole(rules), NULL, NULL);
}
