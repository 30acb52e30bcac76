// Worlds that a policy learns from: N copies, played side by side for T steps between two updates,
// and what came of it. A step of a policy over skills is a whole skill. Everything follows from the
// seed, the lap and the policy's logits.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_POLICY_WORLDS_H
#define SLT_EXPERTS_POLICY_WORLDS_H

#include "core/context_impl.h"
#include "experts/planner.h"
#include "experts/policy_net.h"
#include "experts/policy_view.h"
#include "experts/skill_calls.h"

typedef struct {
    const slt_env_kind *kind;
    void *world;
    slt_recall recall;
    uint8_t *view;            // what is seen now
    slt_skill_player *player; // NULL: there are no skills
    slt_planner *planner;     // NULL: nobody is imitated
    uint8_t *visits;          // [SLT_VISITS] of this episode, by hash; NULL: there is no bonus
    uint32_t doors;           // which are open, as a hash
    double returned;          // of the episode at hand, without bonus
} slt_world_copy;

enum { SLT_VISITS = 4096 };

// what the copies met since the lap began
typedef struct {
    int64_t episodes, solved;
    int64_t frames; // steps of the environment
    double returned;
} slt_lap_tally;

typedef struct {
    slt_context *context;
    int N, T;
    const slt_policy_view *view;
    int most;     // ones of an observation
    int actions;  // that the policy chooses from
    int playable; // actions of the environment
    bool apes;    // the planner acts
    uint64_t seed;
    uint32_t clock; // steps since the run began, for random numbers
    double bonus;
    slt_world_copy *copies;   // [N]
    const slt_skills *skills; // NULL: the policy acts itself
    slt_skill_packed packed;
    slt_skill_rewards skill_rewards;

    uint16_t *ones;         // [T+1][N][most] of what was seen before each step, and after the last
    uint16_t *count;        // [T+1][N]
    int32_t *actions_taken; // [T][N], as all below
    float *chances;         // log-probabilities
    float *rewards;         // with bonus; of a skill: discounted from its first step
    float *discounts;       // of what comes after a skill; NULL without skills: gamma
    uint8_t *ended;         // the episode ended with this step
    slt_lap_tally *tallies; // [N]
} slt_worlds;

// kinds: shared out evenly among the copies, one after the other; view, skills (or NULL) and the
// policy's number of actions are those of its file
slt_status slt_worlds_init(slt_worlds *worlds, slt_context *context, slt_arena *arena,
                           const slt_policy_options *options, const slt_policy_view *view,
                           const slt_skills *skills, const slt_env_kind *const *kinds,
                           int kind_count, uint64_t seed);
// all worlds begin anew; apes: the planner acts
void slt_worlds_begin(slt_worlds *worlds, int64_t lap, bool apes);
// step t of every copy by the policy's logits [N][actions]
void slt_worlds_play(slt_worlds *worlds, int t, const slt_real *logits);
// what was seen after the last step is before the first one of the next update
void slt_worlds_turn(slt_worlds *worlds);
slt_lap_tally slt_worlds_tally(const slt_worlds *worlds);

// Advantages and what values should have been, by generalised advantage estimation
// (arXiv:1506.02438): A_t = δ_t + γλ·A_{t+1}, δ_t = r_t + γ·V_{t+1} - V_t, nothing beyond an end.
// After a skill of n steps γ is γ^n.
// values: [T+1][N]; out: [T][N]
void slt_worlds_advantages(const slt_worlds *worlds, const float *values, double gamma,
                           double lambda, float *advantages, float *targets);

#endif
