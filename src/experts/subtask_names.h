// What the segments of a demonstration complete, by name: labels for types of segments.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EXPERTS_SUBTASK_NAMES_H
#define SLT_EXPERTS_SUBTASK_NAMES_H

#include "envs/craft_rules.h"
#include "experts/segment_truth.h"

enum { SLT_CRAFT_SUBTASKS = SLT_CRAFT_KINDS - SLT_CRAFT_IRON, SLT_MINIGRID_SUBTASKS = 12 };

extern const char *const slt_craft_subtasks[SLT_CRAFT_SUBTASKS];
extern const char *const slt_minigrid_subtasks[SLT_MINIGRID_SUBTASKS];

// Craft: the item that a paid sub-task of the sketch brings
void slt_craft_name(const slt_env_kind *kind, const slt_truth_steps *steps, const int32_t *segments,
                    int32_t *subtasks);
// MiniGrid: what the last action did to the cell before the agent
void slt_minigrid_name(const slt_env_kind *kind, const slt_truth_steps *steps,
                       const int32_t *segments, int32_t *subtasks);

#endif
