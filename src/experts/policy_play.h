// A policy that plays: one episode at a time, actions drawn from what it thinks.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_POLICY_PLAY_H
#define SLT_EXPERTS_POLICY_PLAY_H

#include "core/context_impl.h"
#include "experts/policy_file.h"
#include "skills/skill_play.h"
#include "slottar/policy.h"

typedef struct {
    const slt_policy_file *policy;
    uint32_t seed, step;
    slt_recall recall;
    slt_skill_player skill; // of a policy over skills
} slt_policy_player;

// an episode begins; all that is drawn follows from the seed
void slt_policy_player_start(slt_policy_player *player, const slt_policy_file *policy,
                             uint32_t seed);
// an action for what is seen
int slt_policy_player_act(slt_policy_player *player, const uint8_t *view);
// what was done then: that action, or another one
void slt_policy_player_done(slt_policy_player *player, int action);

// means over episodes from seed `first` on, on all threads
slt_status slt_policy_score(slt_context *context, const slt_policy_file *policy,
                            const slt_env_kind *kind, uint32_t first, int64_t episodes,
                            slt_policy_scores *out);

#endif
