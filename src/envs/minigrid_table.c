// The rows of MiniGrid: 36 ids of the package, with sizes, limits and missions.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid_layout.h"

#include <stdio.h>
#include <string.h>

static const char *const action_names[SLT_MINIGRID_ACTIONS] = {
    "left", "right", "forward", "pickup", "drop", "toggle", "done"};

static void seed(const slt_env_kind *kind, void *state, const uint32_t *words, int count) {
    (void)kind;
    slt_minigrid *grid = state;
    slt_pcg64_seed(&grid->rng, words, count);
}

static void reset(const slt_env_kind *kind, void *state) {
    const slt_minigrid_rules *rules = slt_minigrid_rules_of(kind);
    slt_minigrid *grid = state;
    *grid = (slt_minigrid){.rng = grid->rng, .x = -1, .y = -1, .carried = SLT_EMPTY};
    rules->layout(rules, grid);
}

// clang-format off
// the rows share everything but sizes, limits and rules
#define ROW(name, limit, w, h, ...)                                                                \
    {.id = "MiniGrid-" name, .actions = SLT_MINIGRID_ACTIONS, .action_names = action_names,        \
     .rank = 3, .shape = {SLT_VIEW, SLT_VIEW, 3}, .observation_size = SLT_VIEW_BYTES,              \
     .step_limit = limit, .state_size = (sizeof(slt_minigrid) + SLT_GRID_BYTES(w, h) + 7) / 8 * 8, \
     .parameters = &(const slt_minigrid_rules){.width = w, .height = h, __VA_ARGS__},              \
     .seed = seed, .reset = reset, .step = slt_minigrid_step, .observe = slt_minigrid_observe,          \
     .valid = slt_minigrid_valid, .draw = slt_minigrid_draw, .draw_view = slt_minigrid_draw_view}

#define DOORKEY(n)                                                                                 \
    ROW("DoorKey-" #n "x" #n "-v0", 10 * n * n, n, n, .layout = slt_doorkey_layout,                \
        .mission = "use the key to open the door and then get to the goal")

#define TWO_ROOMS(name, limit, ...)                                                                \
    ROW(name "-v0", limit, 11, 6, .room_size = 6, .rows = 1, .columns = 2, __VA_ARGS__)

#define KEYCORRIDOR(s, r)                                                                          \
    ROW("KeyCorridorS" #s "R" #r "-v0", 30 * s * s, 3 * (s - 1) + 1, r * (s - 1) + 1,              \
        .room_size = s, .rows = r, .columns = 3, .layout = slt_keycorridor_layout,                 \
        .ending = slt_pickup_ending, .describe = slt_pickup_describe)

#define MULTIROOM(name, rooms, side)                                                               \
    ROW("MultiRoom-" name "-v0", 20 * rooms, 25, 25, .count = rooms, .largest = side,              \
        .layout = slt_multiroom_layout, .mission = "traverse the rooms to get to the goal")

#define FETCH(n, k)                                                                                \
    ROW("Fetch-" #n "x" #n "-N" #k "-v0", 5 * n * n, n, n, .count = k, .sees_through_walls = true, \
        .layout = slt_fetch_layout, .ending = slt_fetch_ending, .describe = slt_fetch_describe)

#define PUTNEAR(n, k)                                                                              \
    ROW("PutNear-" #n "x" #n "-N" #k "-v0", 5 * n, n, n, .count = k, .sees_through_walls = true,   \
        .layout = slt_putnear_layout, .ending = slt_putnear_ending,                                \
        .describe = slt_putnear_describe)

#define EMPTY(name, n, draw)                                                                       \
    ROW("Empty-" name "-v0", 4 * n * n, n, n, .sees_through_walls = true, .layout = draw,          \
        .mission = "get to the green goal square")

#define LAVAGAP(n)                                                                                 \
    ROW("LavaGapS" #n "-v0", 4 * n * n, n, n, .layout = slt_lavagap_layout,                        \
        .mission = "avoid the lava and get to the green goal square")

#define DISTSHIFT(n, row)                                                                          \
    ROW("DistShift" #n "-v0", 4 * 9 * 7, 9, 7, .count = row, .sees_through_walls = true,           \
        .layout = slt_distshift_layout, .mission = "get to the green goal square")

#define GOTODOOR(n)                                                                                \
    ROW("GoToDoor-" #n "x" #n "-v0", 4 * n * n, n, n, .sees_through_walls = true,                  \
        .layout = slt_gotodoor_layout, .ending = slt_gotodoor_ending,                              \
        .describe = slt_gotodoor_describe)

const slt_env_kind slt_minigrid_kinds[] = {
    DOORKEY(5), DOORKEY(6), DOORKEY(8), DOORKEY(16),
    TWO_ROOMS("Unlock", 288, .layout = slt_unlock_layout, .ending = slt_unlock_ending,
              .mission = "open the door"),
    TWO_ROOMS("UnlockPickup", 288, .layout = slt_unlockpickup_layout,
              .ending = slt_pickup_ending, .describe = slt_pickup_describe),
    TWO_ROOMS("BlockedUnlockPickup", 576, .layout = slt_blocked_layout,
              .ending = slt_pickup_ending, .describe = slt_pickup_describe),
    KEYCORRIDOR(3, 1), KEYCORRIDOR(3, 2), KEYCORRIDOR(3, 3),
    KEYCORRIDOR(4, 3), KEYCORRIDOR(5, 3), KEYCORRIDOR(6, 3),
    // N4-S5 really has six rooms: the package's id is so
    MULTIROOM("N2-S4", 2, 4), MULTIROOM("N4-S5", 6, 5), MULTIROOM("N6", 6, 10),
    FETCH(5, 2), FETCH(6, 2), FETCH(8, 3),
    PUTNEAR(6, 2), PUTNEAR(8, 3),
    EMPTY("5x5", 5, slt_empty_layout), EMPTY("6x6", 6, slt_empty_layout),
    EMPTY("8x8", 8, slt_empty_layout), EMPTY("16x16", 16, slt_empty_layout),
    EMPTY("Random-5x5", 5, slt_empty_random_layout),
    EMPTY("Random-6x6", 6, slt_empty_random_layout),
    ROW("FourRooms-v0", 100, 19, 19, .layout = slt_fourrooms_layout, .mission = "reach the goal"),
    LAVAGAP(5), LAVAGAP(6), LAVAGAP(7),
    DISTSHIFT(1, 2), DISTSHIFT(2, 5),
    GOTODOOR(5), GOTODOOR(6), GOTODOOR(8),
    {.id = NULL},
};
// clang-format on

bool slt_minigrid_is(const slt_env_kind *kind) { return kind->step == slt_minigrid_step; }
