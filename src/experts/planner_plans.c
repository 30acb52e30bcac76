// From a errand to costs: which states are goals, and how far they are.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/planner.h"

#include <string.h>

static int own_state(const slt_memory *memory) {
    return slt_path_state(memory->place.x, memory->place.y, memory->direction);
}

// unknown cells are not walked on, but behind DoorKey's open door there is only floor
static int enter_cost(const slt_planner *planner, const slt_errand *errand, int x, int y) {
    switch (slt_cell_kind(slt_memory_cell(&planner->memory, x, y))) {
    case SLT_EMPTY:
    case SLT_GOAL:
    case SLT_DOOR_OPEN:
        return 1;
    case SLT_DOOR_CLOSED:
        return 2;
    case SLT_UNSEEN:
        return errand->kind == SLT_ERRAND_STAND && x > planner->memory.door.x &&
               x < errand->cell.x + 1 && y > 0 && y < errand->cell.y + 1;
    default:
        return 0;
    }
}

static void set_enter(slt_planner *planner, const slt_errand *errand) {
    const slt_minigrid_rules *rules = planner->memory.rules;
    for (int x = 0; x < rules->width; x++)
        for (int y = 0; y < rules->height; y++)
            planner->plan.enter[slt_path_cell(x, y)] = (uint8_t)enter_cost(planner, errand, x, y);
    slt_point place = planner->memory.place;
    planner->plan.enter[slt_path_cell(place.x, place.y)] |= 1;
}

static void add_goal(slt_path_goals *goals, int state, int cost) {
    if (cost >= SLT_FAR) return;
    goals->state[goals->count] = (int16_t)state;
    goals->cost[goals->count++] = (uint8_t)cost;
}

// all states that look at a cell
static void add_facing(const slt_plan *plan, slt_point cell, slt_path_goals *goals) {
    for (int d = 0; d < 4; d++) {
        int x = cell.x - slt_step_x[d], y = cell.y - slt_step_y[d];
        if (plan->enter[slt_path_cell(x, y)]) add_goal(goals, slt_path_state(x, y, d), 0);
    }
}

// costs to the goals from where the planner is; the act is due at each goal
static bool aim(slt_planner *planner, const slt_path_goals *goals, bool acts) {
    slt_plan *plan = &planner->plan;
    int own = own_state(&planner->memory);
    memset(plan->act_cost, SLT_FAR, sizeof plan->act_cost);
    for (int i = 0; acts && i < goals->count; i++) plan->act_cost[goals->state[i]] = goals->cost[i];
    slt_paths_to(plan->enter, goals, own, plan->cost);
    return plan->cost[own] != SLT_FAR;
}

static bool plan_stand(slt_planner *planner, const slt_errand *errand) {
    slt_path_goals goals;
    goals.count = 0;
    for (int d = 0; d < 4; d++)
        add_goal(&goals, slt_path_state(errand->cell.x, errand->cell.y, d), 0);
    return aim(planner, &goals, false);
}

static bool plan_face(slt_planner *planner, const slt_errand *errand) {
    slt_path_goals goals;
    goals.count = 0;
    add_facing(&planner->plan, errand->cell, &goals);
    return aim(planner, &goals, true);
}

// ---- exploring

static bool inside(const slt_errand *errand, int x, int y) {
    return x >= errand->cell.x && x <= errand->corner.x && y >= errand->cell.y &&
           y <= errand->corner.y;
}

// a bit per byte that is zero
static uint64_t unknown_rows(uint64_t column) {
    uint64_t any = column | column >> 4;
    any |= any >> 2;
    any |= any >> 1;
    return ~any & 0x0001010101010101u;
}

// may an unknown cell of the area become visible from a state? Unknown cells count as transparent
static bool shows_unknown(const slt_memory *memory, const slt_errand *errand, int state) {
    int x = state >> 6, y = state >> 2 & 15, d = state & 3, height = memory->rules->height;
    uint64_t columns[SLT_VIEW];
    slt_view_window(memory->cells + slt_grid_index(height, x, y), height + SLT_GRID_RIM, d,
                    columns);
    uint64_t visible = slt_view_visible(columns);
    for (int i = 0; i < SLT_VIEW; i++) {
        uint64_t rows = unknown_rows(columns[i]) & visible >> i;
        for (; rows; rows &= rows - 1) {
            int j = __builtin_ctzll(rows) / 8;
            int wx = x + slt_step_x[d] * (6 - j) - slt_step_y[d] * (i - 3);
            int wy = y + slt_step_y[d] * (6 - j) + slt_step_x[d] * (i - 3);
            if (inside(errand, wx, wy)) return true;
        }
    }
    return false;
}

// a closed door of the area with something unknown behind it
static bool faces_new_door(const slt_memory *memory, const slt_errand *errand, int state) {
    int dx = slt_step_x[state & 3], dy = slt_step_y[state & 3];
    int x = (state >> 6) + dx, y = (state >> 2 & 15) + dy;
    return slt_cell_kind(slt_memory_cell(memory, x, y)) == SLT_DOOR_CLOSED &&
           inside(errand, x, y) && slt_memory_cell(memory, x + dx, y + dy) == SLT_UNSEEN;
}

// one of the nearest states that show something or face a door to open, at random
static bool plan_explore(slt_planner *planner, const slt_errand *errand) {
    const slt_memory *memory = &planner->memory;
    slt_plan *plan = &planner->plan;
    int16_t order[SLT_PATH_STATES], found[SLT_PATH_STATES];
    int own = own_state(memory), count = slt_paths_from(plan->enter, own, plan->cost, order);
    int nearest = SLT_FAR, choices = 0;
    for (int i = 0; i < count && plan->cost[order[i]] <= nearest; i++) {
        int state = order[i];
        bool door = errand->open_doors && faces_new_door(memory, errand, state);
        if (!door && (state == own || !shows_unknown(memory, errand, state))) continue;
        found[choices++] = (int16_t)state;
        nearest = plan->cost[state];
    }
    if (choices == 0) return false;
    int chosen = found[slt_pcg64_between(&planner->rng, 0, choices)];
    slt_path_goals goals;
    goals.count = 0;
    add_goal(&goals, chosen, 0);
    return aim(planner, &goals, errand->open_doors && faces_new_door(memory, errand, chosen));
}

// ---- putting down

// places where a thing would be in the way
static bool adjacent_door(const slt_planner *planner, int x, int y) {
    return planner->memory.door.x && y == planner->memory.door.y &&
           (x == planner->memory.door.x - 1 || x == planner->memory.door.x + 1);
}

typedef struct {
    uint8_t there[SLT_PATH_STATES];  // from here to a state
    uint8_t onward[SLT_PATH_STATES]; // from a state to the errand's cell, nothing being put down
    int16_t order[SLT_PATH_STATES];  // reached states
    int count;
    slt_path_goals ends;
} drop_search;

// costs on from a state when the cell before it is taken
static int onward_around(slt_planner *planner, const drop_search *search, int state) {
    uint8_t cost[SLT_PATH_STATES];
    uint8_t *front = &planner->plan.enter[slt_path_front(state)], kept = *front;
    *front = 0;
    slt_paths_to(planner->plan.enter, &search->ends, state, cost);
    *front = kept;
    return cost[state];
}

// what is minimised: all steps, or first of all the steps after the drop
static int score(const slt_errand *errand, int there, int onward) {
    if (onward == SLT_FAR) return INT32_MAX;
    return errand->late ? 256 * onward + there : there + 1 + onward;
}

static bool may_drop(const slt_planner *planner, int state) {
    int front = slt_path_front(state), x = front >> 4, y = front & 15;
    return slt_memory_cell(&planner->memory, x, y) == SLT_EMPTY && !adjacent_door(planner, x, y);
}

// all best places; states whose lower bound is above the best need no search of their own
static int best_drops(slt_planner *planner, const slt_errand *errand, drop_search *search,
                      slt_path_goals *best) {
    int least = INT32_MAX;
    bool anywhere = errand->cell.x == 0;
    for (int i = 0; i < search->count; i++) {
        int state = search->order[i], there = search->there[state];
        if (!may_drop(planner, state)) continue;
        int onward = anywhere ? 0 : search->onward[state];
        if (score(errand, there, onward) > least) continue;
        if (!anywhere) onward = onward_around(planner, search, state);
        int total = score(errand, there, onward);
        if (total > least || total == INT32_MAX) continue;
        if (total < least) best->count = 0;
        least = total;
        add_goal(best, state, errand->late || anywhere ? 0 : 1 + onward);
    }
    return best->count;
}

static bool plan_drop(slt_planner *planner, const slt_errand *errand) {
    slt_plan *plan = &planner->plan;
    drop_search search;
    search.ends.count = 0;
    search.count =
        slt_paths_from(plan->enter, own_state(&planner->memory), search.there, search.order);
    if (errand->cell.x) {
        add_facing(plan, errand->cell, &search.ends);
        slt_paths_to(plan->enter, &search.ends, -1, search.onward);
    }
    slt_path_goals best;
    best.count = 0;
    return best_drops(planner, errand, &search, &best) && aim(planner, &best, true);
}

bool slt_planner_plan(slt_planner *planner, const slt_errand *errand) {
    static bool (*const plans[])(slt_planner *, const slt_errand *) = {
        [SLT_ERRAND_STAND] = plan_stand,
        [SLT_ERRAND_FACE] = plan_face,
        [SLT_ERRAND_EXPLORE] = plan_explore,
        [SLT_ERRAND_DROP] = plan_drop,
    };
    planner->plan.act = errand->act;
    if (errand->kind == SLT_ERRAND_REST) return false;
    set_enter(planner, errand);
    return plans[errand->kind](planner, errand);
}
