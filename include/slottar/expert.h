// Experts at work: episodes played by a bot, a planner or at random, recorded as a data set.
//
//     const char *const set[] = {"craft-full"};
//     slt_collect_request request = {.environments = set,
//                                    .environment_count = 1,
//                                    .path = "craft-full.safetensors",
//                                    .episodes = {200, 20, 20}};
//     slt_collect(context, &request, NULL);
//
// docs/data.md tells what the named sets are.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLOTTAR_EXPERT_H
#define SLOTTAR_EXPERT_H

#include <stdbool.h>
#include <stdint.h>
#include "slottar/context.h"
#include "slottar/dataset.h"
#include "slottar/env.h"

#ifdef __cplusplus
extern "C" {
#endif

// A named set: environments that are mixed evenly, and the paper's sizes. Texts are static.
enum { SLT_SET_ENVIRONMENTS = 10 };

typedef struct {
    const char *name;
    const char *environments[SLT_SET_ENVIRONMENTS]; // ids; NULL after the last
    int64_t episodes[SLT_SPLITS];
    int longest; // steps; longer episodes are dropped
} slt_set_info;

// The named sets in order; RANGE for a place beyond the last.
SLT_API int slt_set_count(void);
SLT_API slt_status slt_set_describe(int index, slt_set_info *out);

// What to play. Zero-initialise, then set what you need; only the first three are needed.
typedef struct {
    const char *const *environments; // ids with equal actions and observations, 10 at most; or the
    int environment_count;           // name of one set
    const char *path;                // of the data set; its ending decides the format
    bool overwrite;                  // replaces a file that exists, else EXISTS (output.h)

    // Wanted episodes per split, shared out evenly among the environments; all 0: 10 000, 1 000 and
    // 1 000. Splits are stored when more than the first is wanted.
    int64_t episodes[SLT_SPLITS];
    const char *observations; // Craft: "full" or "partial"; NULL: as the id says
    const char
        *expert;  // "bot", "random", or a file: a policy (policy.h), skills (skills.h); NULL: "bot"
    double noise; // share of steps with a random action instead of the expert's
    const char *truth;     // MiniGrid: "effects", "reference", "natural"; NULL: effects
    bool single_delimiter; // MiniGrid: pickup is recorded as toggle; segments stay as they are
    uint64_t seed;         // 0: the standard set
    int segments;          // of an episode; others are dropped; 0: any number
} slt_collect_request;

// Why candidates are left out. Random play is never left out: it is cut at the longest length.
typedef enum {
    SLT_REJECTED_STUCK,    // the expert gave up: something cannot be reached
    SLT_REJECTED_TIMEOUT,  // the step limit came first
    SLT_REJECTED_FAILED,   // it ended without all that the task asks for
    SLT_REJECTED_OVERLONG, // longer than the named set allows
    SLT_REJECTED_SEGMENTS, // not the number of segments that was asked for
    SLT_REJECTIONS,
} slt_rejection;

SLT_API const char *slt_rejection_name(slt_rejection rejection); // "stuck", ...

enum { SLT_COLLECT_SKILLS = 512 }; // at most

typedef struct {
    int64_t episodes[SLT_SPLITS]; // recorded
    int64_t steps;                // of these
    int64_t candidates;           // recorded and rejected
    int64_t rejected[SLT_REJECTIONS];
    double playing, writing; // seconds
    // Where skills play, for each in all candidates: how often it was started, and how often its
    // last step had an effect of its own. A skill that the step limit cuts short is started too.
    int skill_count;
    int64_t skill_starts[SLT_COLLECT_SKILLS], skill_reached[SLT_COLLECT_SKILLS];
} slt_collect_summary;

// Plays and writes a data set: the same request gives the same bytes, for any number of threads.
// Candidates have seeds of their own, upward from a base per split and environment; those that are
// rejected are skipped. Reports progress in stage "collect" and can be cancelled; the file appears
// at the end, whole, or not at all. `summary` may be NULL.
//
// INVALID, RANGE or UNSUPPORTED when the request makes no sense: unknown names, environments that
// do not fit together, more episodes than a split has seeds.
SLT_API slt_status slt_collect(slt_context *context, const slt_collect_request *request,
                               slt_collect_summary *summary);

// ---- step by step

// An expert for every copy of a batch. Some look at the worlds themselves, so it must be asked
// before each step of the batch, and what it says must be done.
typedef struct slt_expert slt_expert;

// name: "bot" (also NULL), "random" or the path of a policy (policy.h) or of skills (skills.h);
// noise: share of random actions. UNSUPPORTED when there is no such expert for the environment.
// Destroy accepts NULL and comes before that of the batch.
SLT_API slt_status slt_expert_create(const slt_env_batch *batch, const char *name, double noise,
                                     slt_expert **out);
SLT_API void slt_expert_destroy(slt_expert *expert);

// A new episode begins in all copies, or in those with mask[i] != 0 when mask is given: to be
// called after every reset, automatic ones too. With the seed of the copy's own reset the expert
// plays the very episode that slt_collect records for that seed.
SLT_API void slt_expert_begin(slt_expert *expert, const uint32_t *seeds, const uint8_t *mask);

// The next actions, for the present observations [n][observation_size]; -1: the expert gives up, 0
// for copies whose episode has ended. INVALID when it was not told of a
// new episode.
SLT_API slt_status slt_expert_act(slt_expert *expert, const uint8_t *observations,
                                  int64_t *actions);

// The skill that a copy's last action belongs to, and how many actions of it there were by then;
// -1: an expert without skills, or one that has not acted yet. RANGE for a copy that there is not.
SLT_API slt_status slt_expert_skill(const slt_expert *expert, int copy, int *skill, int *steps);

#ifdef __cplusplus
}
#endif
#endif
