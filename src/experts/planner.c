// A planner's life: see, decide, plan, move.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/planner.h"

static const double variety = 0.15;

bool slt_planner_knows(const slt_env_kind *kind) { return slt_planner_family_of(kind) != NULL; }

enum { SEED_WORDS = 8, PLANNER_WORD = 0x706c616e }; // "plan"

// the seed's first words, then a word of our own at a fixed place
static void seed_own(slt_pcg64 *rng, const uint32_t *words, int count) {
    uint32_t own[SEED_WORDS + 1] = {[SEED_WORDS] = PLANNER_WORD};
    for (int i = 0; i < count && i < SEED_WORDS; i++) own[i] = words[i];
    slt_pcg64_seed(rng, own, SEED_WORDS + 1);
}

void slt_planner_start(slt_planner *planner, const slt_env_kind *kind, const uint32_t *words,
                       int count, double noise) {
    const slt_planner_family *family = slt_planner_family_of(kind);
    *planner = (slt_planner){.kind = kind, .family = family, .noise = noise};
    seed_own(&planner->rng, words, count);
    if (family->key_first > 0)
        planner->key_first = slt_pcg64_double(&planner->rng) < family->key_first;
    slt_point from, to;
    const slt_minigrid_rules *rules = slt_minigrid_rules_of(kind);
    family->starts(rules, &from, &to);
    slt_memory_init(&planner->memory, rules, family->fits, from, to);
}

// the nearest thing that lies about and can be reached
static bool clear_the_way(slt_planner *planner) {
    const slt_memory *memory = &planner->memory;
    if (memory->carried != SLT_EMPTY)
        return slt_planner_plan(planner, &(slt_errand){.kind = SLT_ERRAND_DROP, .act = SLT_DROP});
    for (int kind = SLT_KEY; kind < SLT_BOX; kind += SLT_BALL - SLT_KEY) {
        slt_errand errand = {.kind = SLT_ERRAND_FACE, .act = SLT_PICKUP};
        if (slt_memory_find(memory, kind, &errand.cell) && slt_planner_plan(planner, &errand))
            return true;
    }
    return false;
}

// a plan for the errand, or for what makes it possible
static bool plan_again(slt_planner *planner) {
    slt_errand errand = slt_planner_errand(planner);
    planner->memory.changed = false;
    if (slt_planner_plan(planner, &errand)) return true;
    const slt_minigrid_rules *rules = planner->memory.rules;
    slt_errand anything = {.kind = SLT_ERRAND_EXPLORE,
                           .act = SLT_TOGGLE,
                           .cell = {0, 0},
                           .corner = {rules->width - 1, rules->height - 1},
                           .open_doors = true};
    if (errand.kind == SLT_ERRAND_EXPLORE && slt_planner_plan(planner, &anything)) return true;
    return clear_the_way(planner);
}

// the optimal actions in the present state, in the order of preference
static int optimal_actions(const slt_planner *planner, int actions[3]) {
    const slt_memory *memory = &planner->memory;
    const slt_plan *plan = &planner->plan;
    int x = memory->place.x, y = memory->place.y, d = memory->direction;
    int state = slt_path_state(x, y, d), cost = plan->cost[state], count = 0;
    if (cost == SLT_FAR) return 0;
    if (plan->act_cost[state] == cost) {
        actions[0] = plan->act;
        return 1;
    }
    int front = slt_path_front(state), enter = plan->enter[front];
    if (enter && plan->cost[front << 2 | d] + enter == cost)
        actions[count++] = enter == 2 ? SLT_TOGGLE : SLT_FORWARD;
    if (plan->cost[slt_path_state(x, y, (d + 3) & 3)] + 1 == cost) actions[count++] = SLT_TURN_LEFT;
    if (plan->cost[slt_path_state(x, y, (d + 1) & 3)] + 1 == cost)
        actions[count++] = SLT_TURN_RIGHT;
    return count;
}

static int decide(slt_planner *planner) {
    int actions[3], count = 0;
    if (!planner->memory.changed) count = optimal_actions(planner, actions);
    // the map is another one, or a random action has led off the planned states
    if (count == 0) count = plan_again(planner) ? optimal_actions(planner, actions) : 0;
    if (count == 0) return SLT_DONE;
    if (count == 1 || slt_pcg64_double(&planner->rng) >= variety) return actions[0];
    return actions[slt_pcg64_between(&planner->rng, 0, count)];
}

int slt_planner_act(slt_planner *planner, const uint8_t *view, int direction) {
    slt_memory_see(&planner->memory, view, direction);
    int action;
    if (planner->noise > 0 && slt_pcg64_double(&planner->rng) < planner->noise)
        action = (int)slt_pcg64_between(&planner->rng, 0, SLT_MINIGRID_ACTIONS);
    else
        action = decide(planner);
    slt_memory_act(&planner->memory, action);
    return action;
}
