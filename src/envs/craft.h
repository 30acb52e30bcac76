// The rows of Craft in the table of environments.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENVS_CRAFT_H
#define SLT_ENVS_CRAFT_H

#include "envs/craft_world.h"
#include "envs/env_impl.h"

// what the rows differ in
typedef struct {
    const slt_craft_task *task;
    bool full; // sees the far view
} slt_craft_variant;

extern const slt_env_kind slt_craft_kinds[]; // an empty id after the last

static inline const slt_craft_variant *slt_craft_variant_of(const slt_env_kind *kind) {
    return kind->parameters;
}

// true for rows of slt_craft_kinds
bool slt_craft_is(const slt_env_kind *kind);

// task: 0..SLT_CRAFT_TASKS-1
const slt_env_kind *slt_craft_find(int task, bool full);

// functions of the rows
void slt_craft_draw(const slt_env_kind *kind, const void *state, slt_canvas *out);
void slt_craft_draw_view(const uint8_t *observation, slt_canvas *out);

#endif
