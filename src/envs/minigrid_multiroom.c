// MultiRoom: a chain of rooms of random sizes, a closed door between each two, the goal in the
// last.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid_layout.h"

enum { MOST = 8, TRIES = 8, SMALLEST = 4 };

typedef struct {
    slt_area area;
    slt_spot entry;
} room;

typedef struct {
    const slt_minigrid_rules *rules;
    slt_minigrid *grid;
    int count;
    room list[MOST];
} chain;

// the entry door lies on this wall of a room of this size, not in a corner: where is the room?
static slt_spot corner(chain *rooms, slt_spot entry, int wall, int width, int height) {
    slt_spot top = entry;
    if (rooms->count == 0) return top;
    if (wall % 2 == 0)
        top.y = slt_draw(rooms->grid, entry.y - height + 2, entry.y);
    else
        top.x = slt_draw(rooms->grid, entry.x - width + 2, entry.x);
    if (wall == 0) top.x = entry.x - width + 1;
    if (wall == 1) top.y = entry.y - height + 1;
    return top;
}

// inside the grid, and apart from all rooms but the one before
static bool fits(const chain *rooms, slt_area a) {
    if (a.x < 0 || a.y < 0) return false;
    if (a.x + a.width > rooms->rules->width || a.y + a.height >= rooms->rules->height) return false;
    for (int i = 0; i + 1 < rooms->count; i++) {
        slt_area b = rooms->list[i].area;
        if (a.x + a.width >= b.x && b.x + b.width > a.x && a.y + a.height >= b.y &&
            b.y + b.height > a.y)
            return false;
    }
    return true;
}

// a place for a door in a wall
static slt_spot door_in(chain *rooms, slt_area area, int wall) {
    int x = area.x, y = area.y;
    if (wall % 2 == 0)
        y += slt_draw(rooms->grid, 1, area.height - 1);
    else
        x += slt_draw(rooms->grid, 1, area.width - 1);
    if (wall == 0) x += area.width - 1;
    if (wall == 1) y += area.height - 1;
    return (slt_spot){x, y};
}

// adds a room and, after it, as many of the others as find a place; false when it has none itself
static bool try_room(chain *rooms, int left, int entry_wall, slt_spot entry) {
    int width = slt_draw(rooms->grid, SMALLEST, rooms->rules->largest + 1);
    int height = slt_draw(rooms->grid, SMALLEST, rooms->rules->largest + 1);
    slt_spot top = corner(rooms, entry, entry_wall, width, height);
    slt_area area = {top.x, top.y, width, height};
    if (!fits(rooms, area)) return false;
    rooms->list[rooms->count++] = (room){area, entry};
    if (left == 1) return true;
    for (int i = 0; i < TRIES; i++) {
        int exit = slt_draw(rooms->grid, 0, 3);
        if (exit >= entry_wall) exit++;
        slt_spot door = door_in(rooms, area, exit);
        if (try_room(rooms, left - 1, (exit + 2) % 4, door)) break;
    }
    return true;
}

static void draw_chain(chain *longest, int count) {
    longest->count = 0;
    while (longest->count < count) {
        chain attempt = {.rules = longest->rules, .grid = longest->grid};
        slt_spot start;
        start.x = slt_draw(attempt.grid, 0, longest->rules->width - 2);
        start.y = slt_draw(attempt.grid, 0, longest->rules->height - 2);
        try_room(&attempt, count, 2, start);
        if (attempt.count > longest->count) *longest = attempt;
    }
}

// a colour other than the last door's; last -1: any
static int draw_other_colour(slt_minigrid *grid, int last) {
    int index = slt_draw(grid, 0, last < 0 ? 6 : 5);
    return last >= 0 && index >= last ? index + 1 : index;
}

void slt_multiroom_layout(const slt_minigrid_rules *rules, slt_minigrid *grid) {
    chain rooms = {.rules = rules, .grid = grid};
    draw_chain(&rooms, slt_draw(grid, rules->count, rules->count + 1));
    slt_grid_clear(rules, grid);
    int colour = -1;
    for (int i = 0; i < rooms.count; i++) {
        slt_grid_walls(rules, grid, rooms.list[i].area);
        if (i == 0) continue;
        colour = draw_other_colour(grid, colour);
        slt_spot entry = rooms.list[i].entry;
        *slt_cell_at(rules, grid, entry.x, entry.y) =
            (uint8_t)(SLT_DOOR_CLOSED | slt_colour_at(colour));
    }
    slt_place_agent(rules, grid, rooms.list[0].area);
    slt_place(rules, grid, SLT_GREEN_GOAL, rooms.list[rooms.count - 1].area, NULL, NULL);
}
