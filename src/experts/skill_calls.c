// Calls of skills, step by step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/skill_calls.h"

#include "experts/world_family.h"

slt_status slt_skill_workspace_init(slt_skill_workspace *workspace, slt_arena *arena,
                                    slt_skill_shape shape) {
    size_t calls = SLT_SKILL_CALLS;
    SLT_TRY(SLT_NEW(arena, &workspace->ones, SLT_SKILL_ONES));
    SLT_TRY(SLT_NEW(arena, &workspace->h, calls * (size_t)shape.hidden));
    SLT_TRY(SLT_NEW(arena, &workspace->g, calls * (size_t)shape.hidden));
    return SLT_NEW(arena, &workspace->logits, calls * (size_t)shape.outputs);
}

// one step; false: the call is over
static bool step(slt_skill_call *call, slt_skill_rewards rewards, const slt_real *logits) {
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

int64_t slt_skill_calls_play(const slt_skill_packed *policy, const slt_skill_workspace *workspace,
                             slt_skill_rewards rewards, slt_skill_call *calls, int count) {
    size_t hidden = (size_t)policy->shape.hidden, outputs = (size_t)policy->shape.outputs;
    slt_skill_call *live[SLT_SKILL_CALLS];
    int64_t steps = 0;
    for (int i = 0; i < count; i++) {
        live[i] = &calls[i];
        calls[i].reward = 0;
        calls[i].discount = 1;
        calls[i].steps = 0;
    }
    for (int left = count, kept; left; left = kept) {
        for (int r = 0; r < left; r++) {
            int64_t ones = slt_skill_player_see(live[r]->player, live[r]->view, workspace->ones);
            slt_skill_see(policy, workspace->ones, ones, workspace->h + (size_t)r * hidden);
        }
        slt_skill_decide(policy, left, workspace->h, workspace->g, workspace->logits);
        steps += left;
        kept = 0;
        for (int r = 0; r < left; r++)
            if (step(live[r], rewards, workspace->logits + (size_t)r * outputs))
                live[kept++] = live[r];
    }
    for (int i = 0; i < count; i++)
        calls[i].reached = slt_skill_player_reached(calls[i].player, calls[i].view);
    return steps;
}
