// Unlock, UnlockPickup, BlockedUnlockPickup: two rooms, a locked door between them, the key on the
// agent's side; what is to be picked up is a box in the right room.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid_rooms.h"

#include <stdio.h>

// the door, a ball before it where it is blocked, the key, the agent
static void add_left_room(slt_rooms *rooms, bool blocked) {
    slt_minigrid *grid = rooms->grid;
    int colour = slt_draw_colour(grid);
    slt_spot door = slt_rooms_add_door(rooms, 0, 0, 0, colour, true);
    grid->target_x = (int8_t)door.x;
    grid->target_y = (int8_t)door.y;
    if (blocked)
        *slt_cell_at(rooms->rules, grid, door.x - 1, door.y) =
            (uint8_t)(SLT_BALL | slt_draw_colour(grid));
    slt_rooms_add_object(rooms, 0, 0, SLT_KEY | colour);
    slt_rooms_add_agent(rooms, 0, 0);
}

static void two_rooms(const slt_minigrid_rules *rules, slt_minigrid *grid, bool box, bool blocked) {
    slt_rooms rooms;
    slt_rooms_init(&rooms, rules, grid);
    if (box) {
        grid->target = (uint8_t)(SLT_BOX | slt_draw_colour(grid));
        slt_rooms_add_object(&rooms, 1, 0, grid->target);
    }
    add_left_room(&rooms, blocked);
}

void slt_unlock_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    two_rooms(rules, grid, false, false);
}

void slt_unlockpickup_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    two_rooms(rules, grid, true, false);
}

void slt_blocked_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    two_rooms(rules, grid, true, true);
}

// any toggle while the door is open counts
bool slt_unlock_ending(const slt_minigrid_rules *rules, const slt_minigrid *grid, int action,
                       slt_env_result *result) {
    int door = grid->cells[slt_grid_index(rules->height, grid->target_x, grid->target_y)];
    if (action != SLT_TOGGLE || slt_cell_kind(door) != SLT_DOOR_OPEN) return false;
    return result->terminated = true;
}

// the target is the only one of its kind in the world, so that equal means the same
bool slt_pickup_ending(const slt_minigrid_rules *rules, const slt_minigrid *grid, int action,
                       slt_env_result *result) {
    (void)rules;
    if (action != SLT_PICKUP || grid->carried != grid->target) return false;
    return result->terminated = true;
}

void slt_pickup_describe(const slt_minigrid *grid, char *out, size_t size) {
    snprintf(out, size, "pick up the %s %s", slt_colour_name(grid->target),
             slt_thing_name(grid->target));
}
