// GoToDoor: a room of random size with a door in each wall; say "done" next to the right one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid_layout.h"

#include <stdio.h>
#include <stdlib.h>

enum { DOORS = 4 };

// colours of doors, no two alike
static void draw_colours(slt_minigrid *grid, int colours[DOORS]) {
    for (int count = 0; count < DOORS;) {
        int colour = slt_draw_colour(grid), i = 0;
        while (i < count && colours[i] != colour) i++;
        if (i == count) colours[count++] = colour;
    }
}

void slt_gotodoor_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    slt_spot doors[DOORS];
    int colours[DOORS];
    slt_grid_clear(rules, grid);
    slt_area room = {.width = slt_draw(grid, 5, rules->width + 1)};
    room.height = slt_draw(grid, 5, rules->height + 1);
    slt_grid_walls(rules, grid, room);

    // above, below, left, right
    doors[0] = (slt_spot){slt_draw(grid, 2, room.width - 2), 0};
    doors[1] = (slt_spot){slt_draw(grid, 2, room.width - 2), room.height - 1};
    doors[2] = (slt_spot){0, slt_draw(grid, 2, room.height - 2)};
    doors[3] = (slt_spot){room.width - 1, slt_draw(grid, 2, room.height - 2)};
    draw_colours(grid, colours);
    for (int i = 0; i < DOORS; i++)
        *slt_cell_at(rules, grid, doors[i].x, doors[i].y) = (uint8_t)(SLT_DOOR_CLOSED | colours[i]);

    slt_place_agent(rules, grid, room);
    int target = slt_draw(grid, 0, DOORS);
    grid->target = (uint8_t)(SLT_DOOR_CLOSED | colours[target]);
    grid->target_x = (int8_t)doors[target].x;
    grid->target_y = (int8_t)doors[target].y;
}

// touching a door ends it, as does "done"; only the latter can be right
bool slt_gotodoor_ending(const slt_minigrid_rules *rules, const slt_minigrid *grid, int action,
                         slt_env_result *result) {
    (void)rules;
    if (action != SLT_TOGGLE && action != SLT_DONE) return false;
    result->terminated = true;
    int distance = abs(grid->x - grid->target_x) + abs(grid->y - grid->target_y);
    return action == SLT_DONE && distance == 1;
}

void slt_gotodoor_describe(const slt_minigrid *grid, char *out, size_t size) {
    snprintf(out, size, "go to the %s door", slt_colour_name(grid->target));
}
