// The file of a policy: weights, the recipe, how far training is; until it is finished Adam's
// moments too, so that training can continue from it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_POLICY_FILE_H
#define SLT_EXPERTS_POLICY_FILE_H

#include "core/context_impl.h"
#include "experts/policy_net.h"
#include "experts/policy_view.h"

typedef struct {
    uint64_t seed;
    int64_t laps, frames, updates; // updates: steps of the optimiser
    double mean_return;            // of the last evaluation
    bool finished;
} slt_policy_state;

enum { SLT_POLICY_ORIGIN = 512 };

typedef struct slt_policy_file {
    char id[64];                    // of the environment
    char origin[SLT_POLICY_ORIGIN]; // demonstrations that it started from; "": none
    slt_policy_options options;
    slt_policy_state state;
    slt_skills *skills; // its actions; NULL: those of the environment
    slt_policy_view view;
    slt_policy policy, moment1, moment2; // moments: of an unfinished one only
} slt_policy_file;

// view and weights from id, options and skills, in memory of the arena's; moments too where they
// are wanted
slt_status slt_policy_file_init(slt_policy_file *file, slt_arena *arena, bool moments);
// skills are closed; accepts NULL
void slt_policy_close(const slt_policy_file *file);
slt_status slt_policy_save(const slt_allocator *allocator, const slt_policy_file *file,
                           const char *path);
// Reads and checks a file, whatever is in it; moments: those of an unfinished one as well. FORMAT,
// with the file's name, for what is no policy.
slt_status slt_policy_load(slt_context *context, slt_arena *arena, const char *path, bool moments,
                           slt_policy_file *out);
// the same, without moments, for who is to play in this environment
slt_status slt_policy_open(slt_context *context, slt_arena *arena, const char *path,
                           const slt_env_kind *kind, const slt_policy_file **out);

#endif
