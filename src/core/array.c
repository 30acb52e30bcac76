// Element types and sizes of arrays.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/array.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    size_t size;
    const char *npy;
} types[SLT_DTYPES] = {
#define ROW(name, bytes, npy) {#name, bytes, npy},
    SLT_DTYPE_LIST(ROW)
#undef ROW
};

size_t slt_dtype_size(slt_dtype dtype) { return types[dtype].size; }
const char *slt_dtype_name(slt_dtype dtype) { return types[dtype].name; }
const char *slt_dtype_npy(slt_dtype dtype) { return types[dtype].npy; }

bool slt_dtype_find(const char *name, slt_dtype *out) {
    for (int i = 0; i < SLT_DTYPES; i++)
        if (strcmp(types[i].name, name) == 0) return *out = (slt_dtype)i, true;
    return false;
}

bool slt_array_measure(slt_array *array) {
    size_t count = 1;
    if (array->rank < 0 || array->rank > SLT_ARRAY_RANK) return false;
    for (int i = 0; i < array->rank; i++) {
        if (array->shape[i] < 0 || (uint64_t)array->shape[i] > SIZE_MAX) return false;
        if (!slt_size_mul(count, (size_t)array->shape[i], &count)) return false;
    }
    array->count = count;
    return slt_size_mul(count, slt_dtype_size(array->dtype), &array->bytes);
}

const char *slt_shape_text(const int64_t *shape, int rank, char out[SLT_SHAPE_TEXT]) {
    int at = snprintf(out, SLT_SHAPE_TEXT, "[");
    for (int i = 0; i < rank && i < SLT_ARRAY_RANK; i++)
        at += snprintf(out + at, (size_t)(SLT_SHAPE_TEXT - at), "%s%" PRId64, i ? ", " : "",
                       shape[i]);
    snprintf(out + at, (size_t)(SLT_SHAPE_TEXT - at), "]");
    return out;
}
