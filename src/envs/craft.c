// Craft as environments: 13 tasks, each with full and with partial observation.
//
// An episode ends when the goal is in the pocket (terminated) or after 64 steps (truncated; a last
// step that reaches the goal is terminated). The reward is 1 for every sub-task in its turn.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "envs/craft.h"

static const char *const action_names[SLT_CRAFT_ACTIONS] = {"down",  "up",  "left",
                                                            "right", "use", "done"};

// numpy's RandomState(seed) below 2^32, RandomState([words]) beyond
static void seed(const slt_env_kind *kind, void *state, const uint32_t *words, int count) {
    (void)kind;
    slt_craft_world *world = state;
    if (count == 1)
        slt_mt19937_seed(&world->random, words[0]);
    else
        slt_mt19937_seed_words(&world->random, words, count);
}

static void reset(const slt_env_kind *kind, void *state) {
    slt_craft_reset(state, slt_craft_variant_of(kind)->task);
}

static slt_env_result step(const slt_env_kind *kind, void *state, int action) {
    const slt_craft_task *task = slt_craft_variant_of(kind)->task;
    slt_craft_world *world = state;
    slt_env_result result = {.reward = slt_craft_act(world, task, action)};
    result.terminated = slt_craft_reached(world, task);
    result.truncated = ++world->steps >= kind->step_limit && !result.terminated;
    result.event = action == SLT_CRAFT_USE ? SLT_EVENT_USE : SLT_EVENT_NONE;
    return result;
}

static void observe(const slt_env_kind *kind, const void *state, uint8_t *out) {
    slt_craft_observe(state, slt_craft_variant_of(kind)->full, out);
}

static bool valid(const slt_env_kind *kind, const void *state) {
    return slt_craft_valid(state, slt_craft_variant_of(kind)->task);
}

// clang-format off
#define K(kind) 0

enum {
#define ROW(name, ...) NUMBER_##name,
    SLT_CRAFT_TASK_LIST(ROW, K)
#undef ROW
};

static const slt_craft_variant variants[SLT_CRAFT_TASKS][2] = {
#define ROW(name, ...)                                                                         \
    {{&slt_craft_tasks[NUMBER_##name], true}, {&slt_craft_tasks[NUMBER_##name], false}},
    SLT_CRAFT_TASK_LIST(ROW, K)
#undef ROW
};

#define KIND(name, variant)                                                                    \
    {.id = name, .actions = SLT_CRAFT_ACTIONS, .action_names = action_names,                   \
     .rank = 1, .shape = {SLT_CRAFT_FEATURES}, .observation_size = SLT_CRAFT_FEATURES,         \
     .step_limit = SLT_CRAFT_STEPS, .state_size = sizeof(slt_craft_world),                     \
     .parameters = variant, .seed = seed, .reset = reset, .step = step, .observe = observe,    \
     .valid = valid, .draw = slt_craft_draw, .draw_view = slt_craft_draw_view},

const slt_env_kind slt_craft_kinds[] = {
#define ROW(name, ...)                                                                         \
    KIND(#name "full-v0", &variants[NUMBER_##name][0]) KIND(#name "-v0", &variants[NUMBER_##name][1])
    SLT_CRAFT_TASK_LIST(ROW, K)
#undef ROW
    {.id = NULL},
};
// clang-format on

bool slt_craft_is(const slt_env_kind *kind) { return kind->step == step; }

const slt_env_kind *slt_craft_find(int task, bool full) {
    return &slt_craft_kinds[2 * task + !full];
}
