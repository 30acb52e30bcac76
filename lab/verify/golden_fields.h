// Typed fields of a golden JSON object, checked, and comparisons of whole arrays.
//
// A field that is missing or of another type or size is FORMAT; arrays live in the arena.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_VERIFY_GOLDEN_FIELDS_H
#define SLT_VERIFY_GOLDEN_FIELDS_H

#include "verify/golden.h"

typedef struct {
    int32_t *values;
    int count;
} slt_golden_list;

typedef struct {
    float *values; // (rows, columns)
    int rows, columns;
} slt_golden_matrix;

// a whole number of least..most
slt_status slt_field_int(json_t *object, const char *name, int least, int most, int *out);
slt_status slt_field_number(json_t *object, const char *name, double *out);
slt_status slt_field_list(slt_arena *arena, json_t *object, const char *name, slt_golden_list *out);
// rows of equal length, none of them empty; -1 for a size leaves it open
slt_status slt_field_matrix(slt_arena *arena, json_t *object, const char *name, int rows,
                            int columns, slt_golden_matrix *out);

// compares with the object's array of whole numbers: its length, and each entry
slt_status slt_verify_list(slt_verification *verification, json_t *object, const char *name,
                           const int32_t *got, int count);
// compares with the object's number, to an absolute tolerance
slt_status slt_verify_number(slt_verification *verification, json_t *object, const char *name,
                             double got, double tolerance);

#endif
