// The families: Craft and MiniGrid.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/world_family.h"

#include "envs/craft.h"
#include "envs/minigrid.h"
#include "experts/subtask_names.h"

// ---- Craft

// the goal alone is not enough: all sub-tasks, in their order
static bool craft_succeeded(const slt_env_kind *kind, const void *world, double reward) {
    (void)reward;
    return ((const slt_craft_world *)world)->sketch >= slt_craft_variant_of(kind)->task->length;
}

// the world pays for every sub-task; the episode terminates with the goal alone
static double craft_goal(const slt_env_result *result) { return result->terminated; }

// every USE ends a segment, and the last step does
static void craft_label(slt_truth rule, const slt_env_kind *kind, const slt_truth_steps *steps,
                        int32_t *segments) {
    (void)rule, (void)kind;
    int32_t id = 0;
    for (int t = 0; t < steps->length; t++) {
        segments[t] = id;
        id += steps->events[t] == SLT_EVENT_USE;
    }
}

// ---- MiniGrid

static bool minigrid_succeeded(const slt_env_kind *kind, const void *world, double reward) {
    (void)kind, (void)world;
    return reward > 0;
}

static double minigrid_goal(const slt_env_result *result) { return result->reward; }

static void minigrid_label(slt_truth rule, const slt_env_kind *kind, const slt_truth_steps *steps,
                           int32_t *segments) {
    slt_truth_segments(rule, kind, steps, segments);
}

// ---- the table

enum {
    // a cell of the near view shows one kind, a cell of the map adds at most one to the far view
    CRAFT_ONES = 25 + SLT_CRAFT_SIZE * SLT_CRAFT_SIZE + SLT_CRAFT_KINDS + 1,
};

static const slt_world_family families[] = {
    {.name = "Craft",
     .has = slt_craft_is,
     .meaning = "bits: 5x5 cells around the agent x 21 kinds; 5x5 blocks of 5x5 cells x 21 kinds "
                "(full view only); 21 kinds in the pocket; 4 directions",
     .observations = SLT_OBSERVATIONS_BITS,
     .most_ones = CRAFT_ONES,
     .playable = SLT_CRAFT_DONE, // DONE is the baselines' end mark
     .pickup = -1,
     .toggle = -1,
     .rule = "use",
     .succeeded = craft_succeeded,
     .goal_reward = craft_goal,
     .label = craft_label,
     .subtasks = slt_craft_subtasks,
     .subtask_count = SLT_CRAFT_SUBTASKS,
     .name_subtasks = slt_craft_name},
    {.name = "MiniGrid",
     .has = slt_minigrid_is,
     .meaning = "7x7 cells before the agent, left to right, each column far to near: type, colour, "
                "state",
     .observations = SLT_OBSERVATIONS_U8,
     .playable = SLT_MINIGRID_ACTIONS,
     .pickup = SLT_PICKUP,
     .toggle = SLT_TOGGLE,
     .succeeded = minigrid_succeeded,
     .goal_reward = minigrid_goal,
     .label = minigrid_label,
     .subtasks = slt_minigrid_subtasks,
     .subtask_count = SLT_MINIGRID_SUBTASKS,
     .name_subtasks = slt_minigrid_name},
};

const slt_world_family *slt_world_family_of(const slt_env_kind *kind) {
    for (size_t i = 0; i < sizeof families / sizeof *families; i++)
        if (families[i].has(kind)) return &families[i];
    return NULL;
}

double slt_goal_reward(const slt_env_kind *kind, const slt_env_result *result) {
    const slt_world_family *family = slt_world_family_of(kind);
    return family ? family->goal_reward(result) : 0;
}
