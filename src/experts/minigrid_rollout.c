// Playing and recording.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/minigrid_rollout.h"

slt_status slt_rollout_init(slt_rollout *rollout, slt_arena *arena, const slt_env_kind *kind,
                            int capacity) {
    if (!slt_planner_knows(kind)) SLT_FAIL(SLT_UNSUPPORTED, "there is no planner for %s", kind->id);
    if (capacity < 0) SLT_FAIL(SLT_RANGE, "episodes of %d steps", capacity);
    slt_rollout made = {.kind = kind};
    made.capacity = capacity && capacity < kind->step_limit ? capacity : kind->step_limit;
    size_t steps = (size_t)made.capacity;
    uint8_t *world;
    SLT_TRY(SLT_NEW(arena, &made.actions, steps));
    SLT_TRY(SLT_NEW(arena, &made.events, steps));
    SLT_TRY(SLT_NEW(arena, &made.rewards, steps));
    SLT_TRY(SLT_NEW(arena, &made.observations, (steps + 1) * SLT_VIEW_BYTES));
    SLT_TRY(SLT_NEW(arena, &made.planner, 1));
    SLT_TRY(SLT_NEW(arena, &world, kind->state_size));
    made.world = (slt_minigrid *)(void *)world;
    *rollout = made;
    return SLT_OK;
}

static void play_step(slt_rollout *rollout) {
    const slt_env_kind *kind = rollout->kind;
    int step = rollout->length++;
    uint8_t *view = rollout->observations + (size_t)step * SLT_VIEW_BYTES;
    int action = slt_planner_act(rollout->planner, view, rollout->world->direction);
    slt_env_result result = kind->step(kind, rollout->world, action);
    kind->observe(kind, rollout->world, view + SLT_VIEW_BYTES);
    rollout->actions[step] = (uint8_t)action;
    rollout->events[step] = (uint8_t)result.event;
    rollout->rewards[step] = result.reward;
    rollout->terminated = result.terminated;
    rollout->truncated =
        result.truncated || (!result.terminated && rollout->length == rollout->capacity);
}

void slt_rollout_play(slt_rollout *rollout, const uint32_t *words, int count, double noise) {
    const slt_env_kind *kind = rollout->kind;
    kind->seed(kind, rollout->world, words, count);
    kind->reset(kind, rollout->world);
    kind->observe(kind, rollout->world, rollout->observations);
    slt_planner_start(rollout->planner, kind, words, count, noise);
    rollout->length = 0;
    rollout->terminated = rollout->truncated = false;
    while (!rollout->terminated && !rollout->truncated) play_step(rollout);
}
