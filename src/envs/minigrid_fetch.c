// Fetch: pick up the right one of several keys and balls.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid_layout.h"

#include <stdio.h>

enum { MOST = 8 };

void slt_fetch_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    static const uint8_t kinds[2] = {SLT_KEY, SLT_BALL};
    uint8_t things[MOST];
    slt_grid_clear(rules, grid);
    slt_grid_walls(rules, grid, slt_whole(rules));
    for (int i = 0; i < rules->count; i++) {
        int kind = kinds[slt_draw(grid, 0, 2)];
        things[i] = (uint8_t)(kind | slt_draw_colour(grid));
        slt_place(rules, grid, things[i], slt_whole(rules), NULL, NULL);
    }
    slt_place_agent(rules, grid, slt_whole(rules));
    grid->target = things[slt_draw(grid, 0, rules->count)];
    grid->phrase = (uint8_t)slt_draw(grid, 0, 5);
}

bool slt_fetch_ending(const slt_minigrid_rules *rules, const slt_minigrid *grid, int action,
                      slt_env_result *result) {
    (void)rules, (void)action;
    if (grid->carried == SLT_EMPTY) return false;
    result->terminated = true;
    return grid->carried == grid->target;
}

void slt_fetch_describe(const slt_minigrid *grid, char *out, size_t size) {
    static const char *const phrases[5] = {"get a", "go get a", "fetch a", "go fetch a",
                                           "you must fetch a"};
    snprintf(out, size, "%s %s %s", phrases[grid->phrase], slt_colour_name(grid->target),
             slt_thing_name(grid->target));
}
