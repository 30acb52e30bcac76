// Checked access to golden JSON.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "verify/golden_json.h"

#include <stdio.h>

static slt_status take_whole(const json_t *value, int64_t low, int64_t high, const char *what,
                             int64_t *out) {
    if (!json_is_integer(value)) SLT_FAIL(SLT_FORMAT, "field '%s' is no whole number", what);
    int64_t number = json_integer_value(value);
    if (number < low || number > high)
        SLT_FAIL(SLT_FORMAT, "field '%s' is %lld, not from %lld to %lld", what, (long long)number,
                 (long long)low, (long long)high);
    *out = number;
    return SLT_OK;
}

static slt_status take_list(json_t *value, size_t count, const char *what, json_t **out) {
    if (!json_is_array(value)) SLT_FAIL(SLT_FORMAT, "field '%s' is no list", what);
    if (count != SLT_ANY_COUNT && json_array_size(value) != count)
        SLT_FAIL(SLT_FORMAT, "field '%s' has %zu entries, not %zu", what, json_array_size(value),
                 count);
    *out = value;
    return SLT_OK;
}

slt_status slt_golden_whole(const json_t *object, const char *key, int64_t low, int64_t high,
                            int64_t *out) {
    return take_whole(json_object_get(object, key), low, high, key, out);
}

slt_status slt_golden_whole_at(const json_t *list, size_t index, int64_t low, int64_t high,
                               const char *what, int64_t *out) {
    return take_whole(json_array_get(list, index), low, high, what, out);
}

slt_status slt_golden_array(const json_t *object, const char *key, size_t count, json_t **out) {
    return take_list(json_object_get(object, key), count, key, out);
}

slt_status slt_golden_list_at(const json_t *list, size_t index, size_t count, const char *what,
                              json_t **out) {
    return take_list(json_array_get(list, index), count, what, out);
}

slt_status slt_golden_string(const json_t *object, const char *key, const char **out) {
    const json_t *value = json_object_get(object, key);
    if (!json_is_string(value)) SLT_FAIL(SLT_FORMAT, "field '%s' is no text", key);
    *out = json_string_value(value);
    return SLT_OK;
}

slt_status slt_golden_each(slt_verification *verification, const slt_golden *golden,
                           slt_status (*check)(slt_verification *verification,
                                               const json_t *line)) {
    size_t offset = 0;
    slt_status status = SLT_OK;
    for (int number = 1; status == SLT_OK; number++) {
        json_t *line;
        SLT_TRY(slt_golden_next(golden, &offset, &line));
        if (!line) break;
        char where[32];
        snprintf(where, sizeof where, "line %d", number);
        verification->where = where;
        slt_arena_mark mark = slt_arena_now(verification->arena);
        status = check(verification, line);
        slt_arena_reset(verification->arena, mark);
        if (status != SLT_OK) slt_fail_in(slt_fail_in(status, where), golden->path);
        verification->where = NULL;
        json_decref(line);
    }
    return status;
}
