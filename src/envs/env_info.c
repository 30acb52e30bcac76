// The table of environments as the public sees it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "core/error.h"
#include "core/edit_distance.h"
#include "envs/env_impl.h"
#include "slottar/env.h"

static slt_env_info describe(const slt_env_kind *kind) {
    return (slt_env_info){
        .id = kind->id,
        .actions = kind->actions,
        .action_names = kind->action_names,
        .rank = kind->rank,
        .shape = {kind->shape[0], kind->shape[1], kind->shape[2]},
        .observation_size = kind->observation_size,
        .step_limit = kind->step_limit,
    };
}

int slt_env_count(void) {
    int count = 0;
    while (slt_env_row(count)) count++;
    return count;
}

slt_status slt_env_describe(int index, slt_env_info *out) {
    const slt_env_kind *kind = slt_env_row(index);
    if (!kind) SLT_FAIL(SLT_RANGE, "there are %d environments, none %d", slt_env_count(), index);
    *out = describe(kind);
    return SLT_OK;
}

static slt_status refuse(const char *id) {
    const slt_env_kind *kind;
    const char *near = NULL;
    int best = slt_name_limit(id);
    for (int i = 0; (kind = slt_env_row(i)); i++)
        if (slt_name_nearer(id, kind->id, strlen(kind->id), &best)) near = kind->id;
    if (!near) SLT_FAIL(SLT_INVALID, "no environment '%.80s' (slottar envs lists them)", id);
    SLT_FAIL(SLT_INVALID, "no environment '%.80s' (slottar envs lists them); did you mean '%s'?",
             id, near);
}

slt_status slt_env_describe_id(const char *id, slt_env_info *out) {
    const slt_env_kind *kind = slt_env_find(id);
    if (!kind) return refuse(id);
    *out = describe(kind);
    return SLT_OK;
}
