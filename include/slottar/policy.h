// Policies: experts that learn an environment by reinforcement.
//
//     slt_policy_request request = {.environment = "MiniGrid-DoorKey-8x8-v0",
//                                   .path = "doorkey-policy.safetensors"};
//     slt_policy_result result;
//     slt_policy_train(context, &request, &result);
//
// The file is an expert: slt_collect and slt_expert_create take its path in place of a name.
// docs/experts.md tells how a policy learns, and what the presets are.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_POLICY_H
#define SLOTTAR_POLICY_H

#include <stdbool.h>
#include <stdint.h>
#include "slottar/context.h"
#include "slottar/option.h"

#ifdef __cplusplus
extern "C" {
#endif

// What to learn. environment and path are needed; the rest may stay zero. Reward is 1 for the goal
// of a Craft task, and what MiniGrid pays. A policy over skills discounts inside a skill, and what
// comes after it by the power of its steps; its file has the skills in it.
typedef struct {
    const char *environment;     // an id, or a named set of one: "doorkey"
    const char *path;            // of the policy, NAME.safetensors; lines go to NAME.jsonl
    const char *preset;          // an id or a set whose recipe is taken; NULL: the environment's
                                 // own, where it has one; "none": the plain options
    const char *config;          // a YAML file of options
    const char *skills;          // a file of skills (skills.h): what the policy chooses from
    const char *from;            // a data set whose actions the policy imitates before it learns
    const char *const *settings; // "key=value", the last word
    int setting_count;
    uint64_t seed;
    int64_t pause_lap; // stops after this lap, to continue in a later call; 0: learns to the end
} slt_policy_request;

// Episodes of a policy that samples its actions.
typedef struct {
    int64_t episodes;
    double mean_return, success, length; // means; success: share with a reward
} slt_policy_scores;

typedef struct {
    int64_t laps, frames;     // since the beginning
    int64_t call_frames;      // of this call
    double seconds, working;  // of this call, on the wall and of all threads
    bool reached;             // the goal
    slt_policy_scores scores; // over 1,000 episodes that it never met
} slt_policy_result;

// Learns until an evaluation reaches the goal or all frames are played, or continues from where the
// file stands; a finished one is evaluated again. The same request gives the same file, bit for
// bit, for any number of threads, however often it was stopped. Reports progress in stage
// "train-expert".
//
// CANCELLED after slt_context_cancel: the file holds the last lap, the same call continues from
// there. DIVERGED when a number is not finite; the file before it stays. INVALID when the request
// makes no sense or the file belongs to another one. IO when another process writes the file.
SLT_API slt_status slt_policy_train(slt_context *context, const slt_policy_request *request,
                                    slt_policy_result *result);

// Plays `episodes` episodes of an environment from seed `first` on, with sampled actions.
SLT_API slt_status slt_policy_evaluate(slt_context *context, const char *path,
                                       const char *environment, uint32_t first, int64_t episodes,
                                       slt_policy_scores *out);

// The options of learning, and the environments that have a recipe of their own, in order; NULL
// after the last. The recipe as "key=value ...".
SLT_API const slt_option *slt_policy_options_of(void);
SLT_API const char *slt_policy_preset(int index);
SLT_API const char *slt_policy_recipe(int index);

#ifdef __cplusplus
}
#endif
#endif
