// What a policy sees: the ones of an observation.
//
// MiniGrid's are those of slt_recall, with or without memory. Elsewhere every number that is not 0
// is a one; a policy over skills may see only the cells that change at ends of segments.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_POLICY_VIEW_H
#define SLT_EXPERTS_POLICY_VIEW_H

#include "core/memory.h"
#include "envs/env_impl.h"
#include "experts/policy_options.h"
#include "experts/recall.h"
#include "slottar/skills.h"

typedef struct {
    bool recalls; // MiniGrid
    slt_recall_kind memory;
    int size;               // numbers of an observation
    int width;              // ones are below this
    int most;               // ones of an observation
    const int32_t *place;   // [size] the one of value 1; -1: not seen. NULL: those that it recalls
    const uint16_t *levels; // [size] larger values count as the largest
} slt_policy_view;

// skills: may be NULL. UNSUPPORTED when the options ask for what the environment does not have
slt_status slt_policy_view_init(slt_policy_view *view, slt_arena *arena, const slt_env_kind *kind,
                                const slt_policy_options *options, const slt_skills *skills);
// the ones, in ascending order; gives their number. The observation is what `recall` saw last
int slt_policy_view_ones(const slt_policy_view *view, const slt_recall *recall,
                         const uint8_t *observation, uint16_t *ones);

enum { SLT_POLICY_ONES = 4096, SLT_POLICY_VIEW = 4096 }; // at most; bytes of an observation

#endif
