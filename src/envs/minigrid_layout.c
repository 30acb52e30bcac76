// Walls, colours and places.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid_layout.h"

#include <string.h>

int slt_colour_at(int index) {
    static const uint8_t alphabetical[6] = {SLT_BLUE,   SLT_GREEN, SLT_GREY,
                                            SLT_PURPLE, SLT_RED,   SLT_YELLOW};
    return alphabetical[index];
}

int slt_draw_colour(slt_minigrid *grid) { return slt_colour_at(slt_draw(grid, 0, 6)); }

const char *slt_colour_name(int cell) {
    static const char *const names[8] = {"red", "green", "blue", "purple", "yellow", "grey"};
    return names[slt_cell_colour(cell)];
}

const char *slt_thing_name(int cell) {
    int kind = slt_cell_kind(cell);
    return kind == SLT_KEY ? "key" : kind == SLT_BALL ? "ball" : "box";
}

void slt_grid_clear(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    memset(grid->cells, SLT_GREY_WALL, (size_t)SLT_GRID_BYTES(rules->width, rules->height));
    for (int x = 0; x < rules->width; x++)
        memset(slt_cell_at(rules, grid, x, 0), SLT_EMPTY, (size_t)rules->height);
}

void slt_grid_walls(const slt_minigrid_rules *rules, slt_minigrid *grid, slt_area area) {
    int right = area.x + area.width - 1, bottom = area.y + area.height - 1;
    for (int x = area.x; x <= right; x++) {
        *slt_cell_at(rules, grid, x, area.y) = SLT_GREY_WALL;
        *slt_cell_at(rules, grid, x, bottom) = SLT_GREY_WALL;
    }
    for (int y = area.y; y <= bottom; y++) {
        *slt_cell_at(rules, grid, area.x, y) = SLT_GREY_WALL;
        *slt_cell_at(rules, grid, right, y) = SLT_GREY_WALL;
    }
}

static int smaller(int a, int b) { return a < b ? a : b; }
static int larger(int a, int b) { return a > b ? a : b; }

slt_spot slt_place(const slt_minigrid_rules *rules, slt_minigrid *grid, int cell, slt_area area,
                   slt_reject reject, const void *argument) {
    int left = larger(area.x, 0), top = larger(area.y, 0);
    int right = smaller(left + area.width, rules->width);
    int bottom = smaller(top + area.height, rules->height);
    for (;;) {
        int x = slt_draw(grid, left, right), y = slt_draw(grid, top, bottom);
        uint8_t *place = slt_cell_at(rules, grid, x, y);
        if (*place != SLT_EMPTY || (x == grid->x && y == grid->y)) continue;
        if (reject && reject(grid, x, y, argument)) continue;
        *place = (uint8_t)cell;
        return (slt_spot){x, y};
    }
}

void slt_place_agent(const slt_minigrid_rules *rules, slt_minigrid *grid, slt_area area) {
    grid->x = grid->y = -1;
    slt_spot spot = slt_place(rules, grid, SLT_EMPTY, area, NULL, NULL);
    grid->x = (int8_t)spot.x;
    grid->y = (int8_t)spot.y;
    grid->direction = (uint8_t)slt_draw(grid, 0, 4);
}
