// Typed fields of a golden JSON object.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "verify/golden_fields.h"

#include <limits.h>
#include <stdio.h>

slt_status slt_field_int(json_t *object, const char *name, int least, int most, int *out) {
    json_t *field = json_object_get(object, name);
    if (!json_is_integer(field)) SLT_FAIL(SLT_FORMAT, "field '%s' is no whole number", name);
    json_int_t value = json_integer_value(field);
    if (value < least || value > most)
        SLT_FAIL(SLT_FORMAT, "field '%s' is %lld, not %d..%d", name, (long long)value, least, most);
    *out = (int)value;
    return SLT_OK;
}

slt_status slt_field_number(json_t *object, const char *name, double *out) {
    json_t *field = json_object_get(object, name);
    if (!json_is_number(field)) SLT_FAIL(SLT_FORMAT, "field '%s' is no number", name);
    *out = json_number_value(field);
    return SLT_OK;
}

slt_status slt_field_list(slt_arena *arena, json_t *object, const char *name,
                          slt_golden_list *out) {
    json_t *field = json_object_get(object, name);
    if (!json_is_array(field) || json_array_size(field) > INT_MAX / 2)
        SLT_FAIL(SLT_FORMAT, "field '%s' is no list", name);
    slt_golden_list list = {.count = (int)json_array_size(field)};
    SLT_TRY(SLT_NEW(arena, &list.values, (size_t)list.count));
    for (int i = 0; i < list.count; i++) {
        json_t *entry = json_array_get(field, (size_t)i);
        json_int_t value = json_integer_value(entry);
        if (!json_is_integer(entry) || value < INT32_MIN || value > INT32_MAX)
            SLT_FAIL(SLT_FORMAT, "field '%s', entry %d is no whole number", name, i);
        list.values[i] = (int32_t)value;
    }
    *out = list;
    return SLT_OK;
}

static slt_status read_row(json_t *row, const char *name, float *out, int columns) {
    if (!json_is_array(row) || json_array_size(row) != (size_t)columns)
        SLT_FAIL(SLT_FORMAT, "field '%s' has a row that is not %d long", name, columns);
    for (int i = 0; i < columns; i++) {
        json_t *entry = json_array_get(row, (size_t)i);
        if (!json_is_number(entry)) SLT_FAIL(SLT_FORMAT, "field '%s' holds no numbers", name);
        out[i] = (float)json_number_value(entry);
    }
    return SLT_OK;
}

slt_status slt_field_matrix(slt_arena *arena, json_t *object, const char *name, int rows,
                            int columns, slt_golden_matrix *out) {
    json_t *field = json_object_get(object, name);
    size_t height = json_array_size(field), width = json_array_size(json_array_get(field, 0));
    if (height < 1 || width < 1 || height > INT_MAX / 2 || width > INT_MAX / 2)
        SLT_FAIL(SLT_FORMAT, "field '%s' is no list of lists", name);
    if ((rows >= 0 && height != (size_t)rows) || (columns >= 0 && width != (size_t)columns))
        SLT_FAIL(SLT_FORMAT, "field '%s' is %zu by %zu, not %d by %d", name, height, width, rows,
                 columns);
    // what is allocated must be there: every row is as long as the first
    size_t cells = 0;
    for (size_t i = 0; i < height; i++) cells += json_array_size(json_array_get(field, i));
    if (cells != height * width) SLT_FAIL(SLT_FORMAT, "field '%s' has rows of two lengths", name);

    slt_golden_matrix matrix = {.rows = (int)height, .columns = (int)width};
    SLT_TRY(SLT_NEW(arena, &matrix.values, cells));
    for (size_t i = 0; i < height; i++)
        SLT_TRY(read_row(json_array_get(field, i), name, matrix.values + i * width, (int)width));
    *out = matrix;
    return SLT_OK;
}

slt_status slt_verify_list(slt_verification *verification, json_t *object, const char *name,
                           const int32_t *got, int count) {
    slt_golden_list want;
    slt_arena_mark mark = slt_arena_now(verification->arena);
    SLT_TRY(slt_field_list(verification->arena, object, name, &want));
    char what[96];
    snprintf(what, sizeof what, "length of %s", name);
    slt_verify_same(verification, want.count, count, what);
    for (int i = 0; i < want.count && i < count; i++) {
        snprintf(what, sizeof what, "%s[%d]", name, i);
        slt_verify_same(verification, want.values[i], got[i], what);
    }
    slt_arena_reset(verification->arena, mark);
    return SLT_OK;
}

slt_status slt_verify_number(slt_verification *verification, json_t *object, const char *name,
                             double got, double tolerance) {
    double want = 0;
    SLT_TRY(slt_field_number(object, name, &want));
    slt_verify_near(verification, want, got, tolerance, 1, name);
    return SLT_OK;
}
