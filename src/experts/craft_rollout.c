// Recording the bot.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/craft_rollout.h"

#include "experts/craft_bot.h"

static void record_view(slt_craft_rollout *rollout, const slt_env_kind *kind,
                        const slt_craft_world *world) {
    if (!rollout->observations) return;
    kind->observe(kind, world, rollout->observations + rollout->length * kind->observation_size);
}

// success is a matter of the return, not of the end
static slt_craft_outcome evaluate(const slt_craft_world *world, const slt_craft_task *task) {
    if (world->sketch >= task->length) return SLT_CRAFT_SUCCESS;
    return slt_craft_reached(world, task) ? SLT_CRAFT_SHORTCUT : SLT_CRAFT_TIMEOUT;
}

void slt_craft_rollout_play(slt_craft_rollout *rollout, const slt_env_kind *kind, uint32_t seed) {
    const slt_craft_variant *variant = slt_craft_variant_of(kind);
    slt_craft_world world;
    slt_craft_bot bot;
    kind->seed(kind, &world, &seed, 1);
    kind->reset(kind, &world);
    slt_craft_bot_reset(&bot, variant, seed);
    rollout->seed = seed;
    rollout->length = 0;

    slt_env_result result = {0};
    while (!result.terminated && !result.truncated) {
        record_view(rollout, kind, &world);
        int action = slt_craft_bot_act(&bot, &world);
        if (action == SLT_CRAFT_STUCK) {
            rollout->outcome = SLT_CRAFT_NO_PLAN;
            return;
        }
        result = kind->step(kind, &world, action);
        rollout->actions[rollout->length] = (uint8_t)action;
        rollout->rewards[rollout->length++] = result.reward > 0;
    }
    record_view(rollout, kind, &world);
    rollout->outcome = evaluate(&world, variant->task);
}

slt_status slt_craft_rollout_next(slt_craft_rollout *rollout, const slt_env_kind *kind,
                                  slt_episode_seeds *seeds, uint64_t counts[SLT_CRAFT_OUTCOMES]) {
    do {
        uint32_t seed;
        SLT_TRY(slt_episode_seeds_next(seeds, &seed));
        slt_craft_rollout_play(rollout, kind, seed);
        counts[rollout->outcome]++;
    } while (rollout->outcome != SLT_CRAFT_SUCCESS);
    return SLT_OK;
}
