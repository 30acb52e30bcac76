// What an action does: the rules common to all MiniGrid ids.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/minigrid.h"

const int8_t slt_step_x[4] = {1, 0, -1, 0}, slt_step_y[4] = {0, 1, 0, -1};

// 1 - 0.9*(steps/limit), rounded after each operation as Python does: the product passes through
// memory, or the compiler would join it with the subtraction
static double reward(const slt_minigrid *grid, int limit) {
    volatile double lost = 0.9 * ((double)grid->steps / limit);
    return 1 - lost;
}

// goals and lava end the episode; true when the agent stepped on a goal
static bool go_forward(slt_minigrid *grid, int front, slt_env_result *result) {
    int kind = slt_cell_kind(front);
    result->terminated = kind == SLT_GOAL || kind == SLT_LAVA;
    if (kind != SLT_EMPTY && kind != SLT_DOOR_OPEN && !result->terminated) return false;
    grid->x = (int8_t)(grid->x + slt_step_x[grid->direction]);
    grid->y = (int8_t)(grid->y + slt_step_y[grid->direction]);
    return kind == SLT_GOAL;
}

static slt_event pick_up(slt_minigrid *grid, uint8_t *front) {
    if (!slt_cell_portable(*front) || grid->carried != SLT_EMPTY) return SLT_EVENT_NONE;
    grid->carried = *front;
    *front = SLT_EMPTY;
    return SLT_EVENT_PICKUP;
}

static slt_event drop(slt_minigrid *grid, uint8_t *front) {
    if (*front != SLT_EMPTY || grid->carried == SLT_EMPTY) return SLT_EVENT_NONE;
    *front = grid->carried;
    grid->carried = SLT_EMPTY;
    return SLT_EVENT_DROP;
}

// doors open, close and unlock (the key stays in hand); an opened box is gone
static slt_event toggle(slt_minigrid *grid, uint8_t *front) {
    int colour = slt_cell_colour(*front);
    switch (slt_cell_kind(*front)) {
    case SLT_DOOR_OPEN:
        *front = (uint8_t)(SLT_DOOR_CLOSED | colour);
        return SLT_EVENT_TOGGLE;
    case SLT_DOOR_LOCKED:
        if (grid->carried != (SLT_KEY | colour)) return SLT_EVENT_NONE;
        *front = (uint8_t)(SLT_DOOR_OPEN | colour);
        return SLT_EVENT_TOGGLE;
    case SLT_DOOR_CLOSED:
        *front = (uint8_t)(SLT_DOOR_OPEN | colour);
        return SLT_EVENT_TOGGLE;
    case SLT_BOX:
        *front = SLT_EMPTY;
        return SLT_EVENT_TOGGLE;
    default:
        return SLT_EVENT_NONE;
    }
}

slt_env_result slt_minigrid_step(const slt_env_kind *kind, void *state, int action) {
    const slt_minigrid_rules *rules = slt_minigrid_rules_of(kind);
    slt_minigrid *grid = state;
    slt_env_result result = {0};
    uint8_t *front =
        grid->cells + slt_grid_index(rules->height, grid->x + slt_step_x[grid->direction],
                                     grid->y + slt_step_y[grid->direction]);
    bool earned = false;
    grid->steps++;
    switch ((slt_minigrid_action)action) {
    case SLT_TURN_LEFT:
        grid->direction = (grid->direction + 3) & 3;
        break;
    case SLT_TURN_RIGHT:
        grid->direction = (grid->direction + 1) & 3;
        break;
    case SLT_FORWARD:
        earned = go_forward(grid, *front, &result);
        break;
    case SLT_PICKUP:
        result.event = pick_up(grid, front);
        break;
    case SLT_DROP:
        result.event = drop(grid, front);
        break;
    case SLT_TOGGLE:
        result.event = toggle(grid, front);
        break;
    case SLT_DONE:
    case SLT_MINIGRID_ACTIONS:
        break;
    }
    result.truncated = grid->steps >= kind->step_limit;
    if (rules->ending && rules->ending(rules, grid, action, &result)) earned = true;
    if (earned) result.reward = reward(grid, kind->step_limit);
    return result;
}
