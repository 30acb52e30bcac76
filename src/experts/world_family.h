// What recording has to know of a pattern of worlds: how views are kept, what success is, where
// segments end. One row of the table in world_family.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_WORLD_FAMILY_H
#define SLT_EXPERTS_WORLD_FAMILY_H

#include "experts/segment_truth.h"
#include "slottar/dataset.h"

typedef struct {
    const char *name;
    bool (*has)(const slt_env_kind *kind);
    const char *meaning; // of the observations
    slt_observation_kind observations;
    int most_ones;    // BITS: in one observation
    int playable;     // a random action is one of 0..playable-1
    int pickup;       // becomes `toggle` with a single delimiter; -1: there is none
    int toggle;       //
    const char *rule; // the only rule of truth; NULL: there is a choice
    // a terminated episode did all that the task asks for; reward: the last step's
    bool (*succeeded)(const slt_env_kind *kind, const void *world, double reward);
    void (*label)(slt_truth rule, const slt_env_kind *kind, const slt_truth_steps *steps,
                  int32_t *segments);
    // the reward for reaching the goal, and for nothing on the way
    double (*goal_reward)(const slt_env_result *result);
    // sub-tasks: names, and which one each step's segment completes; -1: none
    const char *const *subtasks;
    int subtask_count;
    void (*name_subtasks)(const slt_env_kind *kind, const slt_truth_steps *steps,
                          const int32_t *segments, int32_t *subtasks);
} slt_world_family;

// NULL when episodes of the environment cannot be recorded
const slt_world_family *slt_world_family_of(const slt_env_kind *kind);

// the reward of a step that counts the goal alone; 0 for an environment without a family
double slt_goal_reward(const slt_env_kind *kind, const slt_env_result *result);

#endif
