// Segments of bounded length.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TRAIN_LENGTH_LIMITS_H
#define SLT_TRAIN_LENGTH_LIMITS_H

#include "core/memory.h"
#include "models/model_kind.h"

// Cuts the trajectory anew, by the most probable choice of ends whose segments have `least` to
// `most` steps (0: no bound); where no such choice exists the last segment may be shorter. ids and
// confidence of the answer are rewritten.
slt_status slt_bound_lengths(slt_arena *arena, int least, int most, slt_segmentation *answer);

#endif
