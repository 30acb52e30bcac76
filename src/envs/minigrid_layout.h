// What layouts are made with: walls, colours and places drawn from the world's generator.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENVS_MINIGRID_LAYOUT_H
#define SLT_ENVS_MINIGRID_LAYOUT_H

#include "envs/minigrid.h"

typedef struct {
    int x, y;
} slt_spot;

typedef struct {
    int x, y, width, height;
} slt_area;

// true: not here
typedef bool (*slt_reject)(const slt_minigrid *grid, int x, int y, const void *argument);

static inline uint8_t *slt_cell_at(const slt_minigrid_rules *rules, slt_minigrid *grid, int x,
                                   int y) {
    return grid->cells + slt_grid_index(rules->height, x, y);
}

// uniform in [low, high)
static inline int slt_draw(slt_minigrid *grid, int low, int high) {
    return (int)slt_pcg64_between(&grid->rng, low, high);
}
// a colour code, and the code at an index of the alphabetical list of colours
int slt_draw_colour(slt_minigrid *grid);
int slt_colour_at(int index);

// empties the grid; everything around it is wall
void slt_grid_clear(const slt_minigrid_rules *rules, slt_minigrid *grid);
// walls along the four sides of an area that lies in the grid
void slt_grid_walls(const slt_minigrid_rules *rules, slt_minigrid *grid, slt_area area);

// draws cells of the area (cut at the grid's sides) until one is empty, not under the agent and not
// rejected; reject may be NULL. The cell becomes `cell`
slt_spot slt_place(const slt_minigrid_rules *rules, slt_minigrid *grid, int cell, slt_area area,
                   slt_reject reject, const void *argument);
void slt_place_agent(const slt_minigrid_rules *rules, slt_minigrid *grid, slt_area area);

static inline slt_area slt_whole(const slt_minigrid_rules *rules) {
    return (slt_area){0, 0, rules->width, rules->height};
}

// words of missions
const char *slt_colour_name(int cell);
const char *slt_thing_name(int cell);

// ---- the layouts, endings and missions of the families; rows are in minigrid_table.c
typedef void slt_layout(const slt_minigrid_rules *rules, slt_minigrid *grid);
typedef bool slt_ending(const slt_minigrid_rules *rules, const slt_minigrid *grid, int action,
                        slt_env_result *result);
typedef void slt_describe(const slt_minigrid *grid, char *out, size_t size);

slt_layout slt_doorkey_layout, slt_unlock_layout, slt_unlockpickup_layout, slt_blocked_layout;
slt_layout slt_keycorridor_layout, slt_multiroom_layout, slt_fetch_layout, slt_putnear_layout;
slt_layout slt_empty_layout, slt_empty_random_layout, slt_fourrooms_layout, slt_lavagap_layout;
slt_layout slt_distshift_layout, slt_gotodoor_layout;
slt_ending slt_unlock_ending, slt_pickup_ending, slt_fetch_ending, slt_putnear_ending;
slt_ending slt_gotodoor_ending;
slt_describe slt_pickup_describe, slt_fetch_describe, slt_putnear_describe, slt_gotodoor_describe;

#endif
