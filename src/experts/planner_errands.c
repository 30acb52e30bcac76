// What to do next, by family: see the key, take it, unlock, continue. Decided from the map alone,
// so that a random action in between needs no repair.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid_layout.h"
#include "experts/planner.h"

static bool is_wall(int cell) { return cell == SLT_GREY_WALL || slt_cell_is_door(cell); }

static slt_errand face(slt_point cell, int act) {
    return (slt_errand){.kind = SLT_ERRAND_FACE, .act = act, .cell = cell};
}

static slt_errand take(slt_point cell) { return face(cell, SLT_PICKUP); }

static slt_errand explore(int left, int top, int right, int bottom) {
    return (slt_errand){.kind = SLT_ERRAND_EXPLORE,
                        .act = SLT_TOGGLE,
                        .cell = {left, top},
                        .corner = {right, bottom}};
}

static slt_errand put_down(slt_point then) {
    return (slt_errand){.kind = SLT_ERRAND_DROP, .act = SLT_DROP, .cell = then};
}

static const slt_point nowhere = {0, 0};

static bool holds(const slt_planner *planner, int kind) {
    return slt_cell_kind(planner->memory.carried) == kind;
}

static bool is_unlocked(const slt_planner *planner) {
    if (!planner->memory.door.x) return false;
    int cell = slt_memory_cell(&planner->memory, planner->memory.door.x, planner->memory.door.y);
    return slt_cell_kind(cell) != SLT_DOOR_LOCKED;
}

// takes a thing once seen, or looks for it in an area; things in hand are put down before
static slt_errand obtain(const slt_planner *planner, int kind, slt_errand search) {
    slt_point place = nowhere;
    bool known = slt_memory_find(&planner->memory, kind, &place);
    if (planner->memory.carried != SLT_EMPTY) return put_down(place);
    return known ? take(place) : search;
}

static slt_errand unlock(const slt_planner *planner, slt_errand search) {
    return planner->memory.door.x ? face(planner->memory.door, SLT_TOGGLE) : search;
}

// ---- DoorKey

static void doorkey_starts(const slt_minigrid_rules *rules, slt_point *from, slt_point *to) {
    *from = (slt_point){1, 1};
    *to = (slt_point){rules->width - 4, rules->height - 2};
}

static bool doorkey_fits(const slt_minigrid_rules *rules, int x, int y, int cell) {
    bool corner = x == rules->width - 2 && y == rules->height - 2;
    if (corner || cell == SLT_GREEN_GOAL) return corner && cell == SLT_GREEN_GOAL;
    return !is_wall(cell) || (x >= 2 && x <= rules->width - 3);
}

// the column of the dividing wall; 0: not yet seen. The outer walls are no such
static int dividing_wall(const slt_memory *memory) {
    for (int x = 2; x <= memory->rules->width - 3; x++)
        for (int y = 1; y <= memory->rules->height - 2; y++)
            if (is_wall(slt_memory_cell(memory, x, y))) return x;
    return 0;
}

static slt_errand doorkey_errand(slt_planner *planner) {
    int size = planner->memory.rules->width, wall = dividing_wall(&planner->memory);
    if (is_unlocked(planner))
        return (slt_errand){.kind = SLT_ERRAND_STAND, .cell = {size - 2, size - 2}};
    if (holds(planner, SLT_KEY))
        return unlock(planner, explore(wall ? wall : 2, 1, wall ? wall : size - 3, size - 3));
    return obtain(planner, SLT_KEY, explore(1, 1, wall ? wall - 1 : size - 4, size - 2));
}

// ---- Unlock, UnlockPickup, BlockedUnlockPickup

static void two_rooms_starts(const slt_minigrid_rules *rules, slt_point *from, slt_point *to) {
    *from = (slt_point){1, 1};
    *to = (slt_point){rules->room_size - 2, rules->height - 2};
}

static bool two_rooms_fits(const slt_minigrid_rules *rules, int x, int y, int cell) {
    (void)y;
    return is_wall(cell) == (x == rules->room_size - 1);
}

// a ball before the door; as long as the door is unknown, any ball next to the wall is taken for
// one
static bool is_blocked(const slt_planner *planner, slt_point *ball) {
    int before = planner->memory.rules->room_size - 2;
    if (planner->memory.door.x) {
        *ball = (slt_point){before, planner->memory.door.y};
        return slt_cell_kind(slt_memory_cell(&planner->memory, before, ball->y)) == SLT_BALL;
    }
    return slt_memory_find(&planner->memory, SLT_BALL, ball) && ball->x == before;
}

static slt_errand two_rooms_errand(slt_planner *planner) {
    const slt_minigrid_rules *rules = planner->memory.rules;
    int wall = rules->room_size - 1, bottom = rules->height - 2;
    slt_point ball;
    if (is_unlocked(planner))
        return obtain(planner, SLT_BOX, explore(wall + 1, 1, rules->width - 2, bottom));
    bool blocked = is_blocked(planner, &ball);
    if (holds(planner, SLT_KEY)) {
        planner->key_first = false;
        if (!blocked) return unlock(planner, explore(wall, 1, wall, bottom));
        slt_errand drop = put_down(ball);
        drop.late = true;
        return drop;
    }
    if (blocked && !planner->key_first && holds(planner, SLT_EMPTY)) return take(ball);
    return obtain(planner, SLT_KEY, explore(1, 1, wall - 1, bottom));
}

// ---- KeyCorridor

// the middle room with the gaps to its neighbours
static void keycorridor_starts(const slt_minigrid_rules *rules, slt_point *from, slt_point *to) {
    int side = rules->room_size - 1, row = rules->rows / 2;
    *from = (slt_point){side + 1, row * side + (row == 0)};
    *to = (slt_point){2 * side - 1, (row + 1) * side - (row == rules->rows - 1)};
}

static bool keycorridor_fits(const slt_minigrid_rules *rules, int x, int y, int cell) {
    int side = rules->room_size - 1;
    bool corridor = x > side && x < 2 * side;
    return is_wall(cell) == (x % side == 0 || (y % side == 0 && !corridor));
}

static slt_errand keycorridor_errand(slt_planner *planner) {
    const slt_minigrid_rules *rules = planner->memory.rules;
    int side = rules->room_size - 1, bottom = rules->height - 2;
    if (is_unlocked(planner))
        return obtain(planner, SLT_BALL, explore(2 * side + 1, 1, rules->width - 2, bottom));
    if (holds(planner, SLT_KEY)) return unlock(planner, explore(2 * side, 1, 2 * side, bottom));
    slt_errand search = explore(1, 1, side, bottom);
    search.open_doors = true;
    return obtain(planner, SLT_KEY, search);
}

// ----

static const slt_planner_family families[] = {
    {slt_doorkey_layout, doorkey_fits, doorkey_errand, doorkey_starts, 0},
    {slt_unlock_layout, two_rooms_fits, two_rooms_errand, two_rooms_starts, 0},
    {slt_unlockpickup_layout, two_rooms_fits, two_rooms_errand, two_rooms_starts, 0},
    {slt_blocked_layout, two_rooms_fits, two_rooms_errand, two_rooms_starts, 0.1},
    {slt_keycorridor_layout, keycorridor_fits, keycorridor_errand, keycorridor_starts, 0},
};

const slt_planner_family *slt_planner_family_of(const slt_env_kind *kind) {
    if (!slt_minigrid_is(kind)) return NULL;
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (families[i].layout == slt_minigrid_rules_of(kind)->layout) return &families[i];
    return NULL;
}

slt_errand slt_planner_errand(slt_planner *planner) { return planner->family->errand(planner); }
