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
    int action = slt_skill_player_take(call->player, logits);
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

// a view whose last one is not known, or one with a memory, which changes in other ways
static void see(const slt_skill_packed *policy, const slt_skill_call *call) {
    uint16_t ones[SLT_SKILL_ONES];
    slt_skill_sums *sums = &call->player->sums;
    int64_t count = slt_skill_player_see(call->player, call->view, ones);
    slt_skill_sums_begin(policy, sums);
    slt_skill_sums_change(policy, ones, count, NULL, 0, sums);
}

// the sums follow the view from the player's last step on; false: nothing changed
static bool see_changes(const slt_skill_packed *policy, const slt_skill_call *call) {
    slt_skill_player *player = call->player;
    slt_skill_change change;
    if (player->skills->map.things) return see(policy, call), true;
    slt_skill_changes(&player->skills->code, player->before, call->view, &change);
    if (!change.came_count && !change.went_count) return false;
    player->past.now += slt_skill_hash(change.came, change.came_count) -
                        slt_skill_hash(change.went, change.went_count);
    slt_skill_sums_change(policy, change.came, change.came_count, change.went, change.went_count,
                          &player->sums);
    return true;
}

// the one of the skill comes, and goes when the call is over
static void ask(const slt_skill_packed *policy, const slt_skill_call *call, bool comes) {
    slt_skill_player *player = call->player;
    uint16_t one = (uint16_t)(player->skills->code.width + player->skill);
    slt_skill_sums_change(policy, &one, comes, &one, !comes, &player->sums);
}

static void begin(const slt_skill_packed *policy, slt_skill_call *call) {
    call->reward = 0;
    call->discount = 1;
    call->steps = 0;
    if (call->player->skills->map.things || !call->player->past.count) {
        see(policy, call);
    } else {
        see_changes(policy, call);
        ask(policy, call, true);
    }
}

void slt_skill_call_play(const slt_skill_packed *policy, slt_skill_rewards rewards,
                         slt_skill_call *call) {
    float logits[SLT_SKILL_HEAD];
    slt_skill_player *player = call->player;
    begin(policy, call);
    slt_skill_decide(policy, &player->sums, player->skill, logits);
    while (step(call, rewards, logits))
        if (see_changes(policy, call))
            slt_skill_decide(policy, &player->sums, player->skill, logits);
    ask(policy, call, false);
    call->reached = slt_skill_player_reached(player, call->view);
}
