// Which trajectories a rule gets wrong: there a model can show what it sees beyond the rule.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_BASELINE_MISSES_H
#define SLT_METRICS_BASELINE_MISSES_H

#include "core/context_impl.h"
#include "slottar/dataset.h"

// the episodes of a labelled split whose segments by the rule are not the true ones, in the arena;
// INVALID when there are none
slt_status slt_baseline_misses(slt_context *context, slt_arena *arena, slt_dataset *data,
                               slt_split split, const char *rule, uint64_t seed,
                               const int64_t **episodes, int64_t *count);

#endif
