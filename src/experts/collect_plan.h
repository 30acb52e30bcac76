// A request to collect, checked and spelled out.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_COLLECT_PLAN_H
#define SLT_EXPERTS_COLLECT_PLAN_H

#include "experts/episode_record.h"

typedef struct {
    const slt_env_kind *kinds[SLT_SET_ENVIRONMENTS]; // by task
    int tasks;
    int64_t episodes[SLT_SPLITS];
    slt_play_rules rules;
    uint64_t seed;
} slt_collect_plan;

slt_status slt_collect_plan_init(slt_collect_plan *plan, const slt_collect_request *request);

// episodes of a split that fall to a task: even shares, the first tasks take what is left over
int64_t slt_collect_share(const slt_collect_plan *plan, int split, int task);

#endif
