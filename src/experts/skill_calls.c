// Calls of skills, step by step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/skill_calls.h"

#include "experts/world_family.h"
#include "skills/skills_impl.h"

// one step; false: the call is over
static bool step(slt_skill_call *call, slt_skill_rewards rewards, const float *logits) {
    const slt_env_kind *kind = call->kind;
    int action = slt_skill_player_take(call->player, call->view, logits);
    slt_env_result result = kind->step(kind, call->world, action);
    call->reward +=
        call->discount * (rewards.goal ? slt_goal_reward(kind, &result) : result.reward);
    call->discount *= rewards.gamma;
    call->steps++;
    call->terminated = result.terminated;
    call->truncated = result.truncated;
    kind->observe(kind, call->world, call->view);
    if (call->recall) {
        slt_recall_act(call->recall, action);
        slt_recall_see(call->recall, call->view);
    }
    return !result.terminated && !result.truncated &&
           !slt_skill_player_over(call->player, call->view);
}

static void see(const slt_skill_packed *policy, const slt_skill_call *call, slt_skill_sums *sums) {
    uint16_t ones[SLT_SKILL_ONES];
    int64_t count = slt_skill_player_see(call->player, call->view, ones);
    slt_skill_sums_begin(policy, sums);
    slt_skill_sums_change(policy, ones, count, NULL, 0, sums);
}

// what the last step changed; without a memory nothing else does. False: nothing
static bool see_changes(const slt_skill_packed *policy, const slt_skill_call *call,
                        slt_skill_sums *sums) {
    const slt_skills *skills = call->player->skills;
    slt_skill_change change;
    if (skills->map.things) {
        see(policy, call, sums);
        return true;
    }
    slt_skill_changes(&skills->code, call->player->before, call->view, &change);
    if (!change.came_count && !change.went_count) return false;
    call->player->past.now += slt_skill_hash(change.came, change.came_count) -
                              slt_skill_hash(change.went, change.went_count);
    slt_skill_sums_change(policy, change.came, change.came_count, change.went, change.went_count,
                          sums);
    return true;
}

void slt_skill_call_play(const slt_skill_packed *policy, slt_skill_rewards rewards,
                         slt_skill_call *call) {
    float logits[2 * SLT_SKILL_ACTIONS];
    slt_skill_sums sums;
    int count = 2 * call->player->skills->actions, head = count * call->player->skill;
    call->reward = 0;
    call->discount = 1;
    call->steps = 0;
    see(policy, call, &sums);
    slt_skill_decide(policy, &sums, head, count, logits);
    while (step(call, rewards, logits))
        if (see_changes(policy, call, &sums)) slt_skill_decide(policy, &sums, head, count, logits);
    call->reached = slt_skill_player_reached(call->player, call->view);
}
