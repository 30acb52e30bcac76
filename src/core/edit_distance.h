// The nearest of several names, for "did you mean".
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_EDIT_DISTANCE_H
#define SLT_CORE_EDIT_DISTANCE_H

#include <stdbool.h>
#include <stddef.h>

// number of letters to change, add, drop or swap with a neighbour; large for texts above 63 bytes
int slt_edit_distance(const char *left, size_t left_length, const char *right, size_t right_length);

// keeps the best: looks at one name more, gives true when it is nearer than *best (start with
// slt_name_limit of the wanted word)
bool slt_name_nearer(const char *wanted, const char *name, size_t length, int *best);
int slt_name_limit(const char *wanted);

#endif
