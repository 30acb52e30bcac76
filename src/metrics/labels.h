// A trajectory's segmentation in its forms: ids per step, ends, boundaries.
//
// ids[t] names the segment of step t; is_end[t] says that step t is the last of its segment; a
// boundary is a step whose successor has another id, so the end of the trajectory is none.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_METRICS_LABELS_H
#define SLT_METRICS_LABELS_H

#include "core/memory.h"

// { i : ids[i] != ids[i+1], 0 <= i < T-1 }, ascending; out has room for T-1. Returns how many.
int slt_boundaries(int32_t *out, const int32_t *ids, int T);

// ids 0, 1, 2, ... between ends; the last step ends a segment whether marked or not. Returns the
// number of segments.
int slt_ids_from_ends(int32_t *ids, const uint8_t *is_end, int T);

// numbers the keys by first appearance: the first distinct key is 0, the next new one 1, ...; a key
// that returns keeps its number. distinct may be NULL.
slt_status slt_renumber(slt_arena *scratch, int32_t *out, const int64_t *keys, int T,
                        int *distinct);

// marks the k smallest of n values (all of them when k > n); ties go to the lower index
slt_status slt_mark_smallest(slt_arena *scratch, uint8_t *marked, const double *values, int n,
                             int k);

#endif
