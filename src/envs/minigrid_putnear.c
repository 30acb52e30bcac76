// PutNear: put one of several things down next to another.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid_layout.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST = 8 };

typedef struct {
    int count;
    uint8_t thing[MOST];
    slt_spot spot[MOST];
} placed;

static bool adjacent(slt_spot a, int x, int y) { return abs(a.x - x) <= 1 && abs(a.y - y) <= 1; }

static bool near_another(const slt_minigrid *grid, int x, int y, const void *argument) {
    (void)grid;
    const placed *things = argument;
    for (int i = 0; i < things->count; i++)
        if (adjacent(things->spot[i], x, y)) return true;
    return false;
}

static bool has(const placed *things, int thing) {
    for (int i = 0; i < things->count; i++)
        if (things->thing[i] == thing) return true;
    return false;
}

void slt_putnear_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    static const uint8_t kinds[3] = {SLT_KEY, SLT_BALL, SLT_BOX};
    placed things = {0};
    slt_grid_clear(rules, grid);
    slt_grid_walls(rules, grid, slt_whole(rules));

    // no two of the same kind and colour
    while (things.count < rules->count) {
        int kind = kinds[slt_draw(grid, 0, 3)];
        int thing = kind | slt_draw_colour(grid);
        if (has(&things, thing)) continue;
        slt_spot spot = slt_place(rules, grid, thing, slt_whole(rules), near_another, &things);
        things.thing[things.count] = (uint8_t)thing;
        things.spot[things.count++] = spot;
    }
    slt_place_agent(rules, grid, slt_whole(rules));

    int moved = slt_draw(grid, 0, rules->count), target;
    do target = slt_draw(grid, 0, rules->count);
    while (target == moved);
    grid->moved = things.thing[moved];
    grid->target = things.thing[target];
    grid->target_x = (int8_t)things.spot[target].x;
    grid->target_y = (int8_t)things.spot[target].y;
}

bool slt_putnear_ending(const slt_minigrid_rules *rules, const slt_minigrid *grid, int action,
                        slt_env_result *result) {
    (void)rules;
    bool in_hand = grid->carried != SLT_EMPTY;
    if (action == SLT_PICKUP && in_hand && grid->carried != grid->moved) result->terminated = true;

    // a drop ends it, done or not; done, the thing lies before the agent
    if (result->event != SLT_EVENT_DROP && (action != SLT_DROP || !in_hand)) return false;
    result->terminated = true;
    slt_spot target = {grid->target_x, grid->target_y};
    return !in_hand && adjacent(target, grid->x + slt_step_x[grid->direction],
                                grid->y + slt_step_y[grid->direction]);
}

void slt_putnear_describe(const slt_minigrid *grid, char *out, size_t size) {
    snprintf(out, size, "put the %s %s near the %s %s", slt_colour_name(grid->moved),
             slt_thing_name(grid->moved), slt_colour_name(grid->target),
             slt_thing_name(grid->target));
}
