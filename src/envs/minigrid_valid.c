// Whether bytes from outside are a world that can be played on: nothing in them leads outside the
// grid, to a name that does not exist or to a generator that stands still.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid_layout.h"

static bool is_cell(int cell) {
    int kind = slt_cell_kind(cell);
    if (kind == SLT_EMPTY) return cell == SLT_EMPTY;
    return kind >= SLT_KEY && kind <= SLT_DOOR_LOCKED && slt_cell_colour(cell) <= SLT_GREY;
}

// cells that exist, and wall all around them
static bool has_valid_cells(const slt_minigrid_rules *rules, const slt_minigrid *grid) {
    const int rim = SLT_GRID_RIM;
    for (int x = -rim; x < rules->width + rim; x++)
        for (int y = -rim; y < rules->height; y++) {
            int cell = grid->cells[slt_grid_index(rules->height, x, y)];
            bool inside = x >= 0 && x < rules->width && y >= 0;
            if (inside ? !is_cell(cell) : cell != SLT_GREY_WALL) return false;
        }
    const int end = SLT_GRID_BYTES(rules->width, rules->height);
    for (int i = slt_grid_index(rules->height, rules->width + rim - 1, rules->height); i < end; i++)
        if (grid->cells[i] != SLT_GREY_WALL) return false;
    return true;
}

static bool is_thing(int cell) { return slt_cell_portable(cell) && is_cell(cell); }

static bool is_target(int cell) {
    return cell == 0 || is_thing(cell) || (slt_cell_is_door(cell) && is_cell(cell));
}

// what missions and endings look at
static bool has_valid_mission(const slt_minigrid_rules *rules, const slt_minigrid *grid) {
    return is_target(grid->target) && (grid->moved == 0 || is_thing(grid->moved)) &&
           grid->phrase < 5 && grid->target_x >= 0 && grid->target_x < rules->width &&
           grid->target_y >= 0 && grid->target_y < rules->height;
}

bool slt_minigrid_valid(const slt_env_kind *kind, const void *state) {
    const slt_minigrid_rules *rules = slt_minigrid_rules_of(kind);
    const slt_minigrid *grid = state;
    return (grid->rng.increment_low & 1) && grid->rng.has_kept <= 1 && grid->steps >= 0 &&
           grid->steps <= kind->step_limit && grid->x >= 0 && grid->x < rules->width &&
           grid->y >= 0 && grid->y < rules->height && grid->direction < 4 &&
           (grid->carried == SLT_EMPTY || is_thing(grid->carried)) &&
           has_valid_cells(rules, grid) && has_valid_mission(rules, grid);
}
