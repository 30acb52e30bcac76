// Segments split where their types show a boundary that the model missed.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_SPLIT_SEGMENTS_H
#define SLT_TRAIN_SPLIT_SEGMENTS_H

#include "core/memory.h"
#include "slottar/skills.h"

// Confidence of an added boundary: the share of the steps with its effect that end segments.
slt_status slt_split_segments(slt_arena *arena, const slt_types *types, slt_dataset *data,
                              slt_segments *segments);

#endif
