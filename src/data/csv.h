// csv files: a row per step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_DATA_CSV_H
#define SLT_DATA_CSV_H

#include "data/array_set.h"

// The first row names the columns: `episode` (a number that rises from episode to episode, or a
// name) and `action` are needed, or others are chosen by the set's patterns; `segment`, `reward`,
// `split`, `task` and `seed` are known (the last three are taken from the first row of an episode);
// all other columns are the observation, in their order. One column of actions holds whole numbers
// (classes), names, which are numbered in the order of their appearance, or numbers with a fraction
// (continuous); several columns are a continuous action.
slt_status slt_csv_read(slt_array_set *set);
// csv_label.c: a copy of the set's file with labels, one per row
slt_status slt_csv_label(slt_array_set *set, const int32_t *segments, int64_t steps,
                         const char *out);

#endif
