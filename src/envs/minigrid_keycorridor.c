// KeyCorridor: three columns of rooms, the middle one a corridor; the key lies in a room on the
// left, a ball behind the locked door on the right.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid_rooms.h"

void slt_keycorridor_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    slt_rooms rooms;
    slt_rooms_init(&rooms, rules, grid);
    for (int row = 1; row < rules->rows; row++) slt_rooms_remove_wall_up(&rooms, 1, row);

    int row = slt_draw(grid, 0, rules->rows);
    int colour = slt_draw_colour(grid);
    slt_rooms_add_door(&rooms, 2, row, 2, colour, true);
    grid->target = (uint8_t)(SLT_BALL | slt_draw_colour(grid));
    slt_rooms_add_object(&rooms, 2, row, grid->target);

    row = slt_draw(grid, 0, rules->rows);
    slt_rooms_add_object(&rooms, 0, row, SLT_KEY | colour);
    slt_rooms_add_agent(&rooms, 1, rules->rows / 2);
    slt_rooms_connect_all(&rooms);
}
