// Sets of arrays from foreign files.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data/array_set.h"

#include <math.h>
#include <string.h>
#include "core/json.h"

void slt_array_set_init(slt_array_set *set, slt_context *context, const char *path) {
    memset(set, 0, sizeof *set);
    set->context = context;
    set->path = path;
    slt_arena_init(&set->arena, &context->allocator, 0);
}

void slt_array_set_deinit(slt_array_set *set) {
    for (int i = 0; i < set->map_count; i++) slt_map_close(&set->maps[i]);
    slt_arena_deinit(&set->arena);
    set->map_count = set->count = set->metadata_count = 0;
}

bool slt_array_set_knows(const char *name) {
    static const char *const names[] = {
        "episode_offsets",
        "episode",
        "terminals",
        "timeouts",
        "actions",
        "observations",
        "observations_bits",
        "observations_bits_offsets",
        "final_observations",
        "final_observations_bits",
        "rewards",
        "final_observations_bits_offsets",
        "segment",
        "subtask",
        "split",
        "terminated",
        "truncated",
        "seed",
        "task",
        "metadata_json",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

const slt_array *slt_array_set_find(const slt_array_set *set, const char *name) {
    for (int i = 0; i < set->count; i++)
        if (strcmp(set->arrays[i].name, name) == 0) return &set->arrays[i];
    return NULL;
}

slt_status slt_array_set_add(slt_array_set *set, const slt_array *array) {
    if (slt_array_set_find(set, array->name))
        SLT_FAIL(SLT_FORMAT, "%s: %.100s is there twice", set->path, array->name);
    if (set->count == SLT_SET_ARRAYS) SLT_FAIL(SLT_FORMAT, "%s: too many arrays", set->path);
    char *name;
    SLT_TRY(slt_arena_text(&set->arena, array->name, strlen(array->name), &name));
    set->arrays[set->count] = *array;
    set->arrays[set->count++].name = name;
    return SLT_OK;
}

slt_status slt_array_set_add_spool(slt_array_set *set, const char *name, slt_dtype dtype, int rank,
                                   const int64_t *shape, slt_spool *spool) {
    slt_array array = {.name = name, .dtype = dtype, .rank = rank};
    int64_t others = 1;
    for (int i = 0; i < rank; i++)
        if (shape[i] > 0) others *= shape[i];
    for (int i = 0; i < rank; i++)
        array.shape[i] =
            shape[i] < 0 ? (int64_t)(spool->size / slt_dtype_size(dtype)) / others : shape[i];
    if (!slt_array_measure(&array) || array.bytes != spool->size)
        SLT_FAIL(SLT_FORMAT, "%s: %s has %llu bytes, its shape %zu", set->path, name,
                 (unsigned long long)spool->size, array.bytes);
    if (set->map_count == SLT_SET_ARRAYS) SLT_FAIL(SLT_FORMAT, "%s: too many arrays", set->path);
    SLT_TRY(slt_spool_map(spool, &set->maps[set->map_count]));
    array.data = set->maps[set->map_count++].data;
    return slt_array_set_add(set, &array);
}

slt_status slt_array_set_describe(slt_array_set *set, const char *key, const char *value) {
    if (set->metadata_count == SLT_SET_TEXTS) SLT_FAIL(SLT_FORMAT, "%s: too many texts", set->path);
    char *copy[2];
    SLT_TRY(slt_arena_text(&set->arena, key, strlen(key), &copy[0]));
    SLT_TRY(slt_arena_text(&set->arena, value, strlen(value), &copy[1]));
    set->metadata[set->metadata_count++] = (slt_metadata){copy[0], copy[1]};
    return SLT_OK;
}

slt_status slt_array_set_describe_json(slt_array_set *set, const char *json, size_t length) {
    json_t *object;
    SLT_TRY(slt_json_parse(set->path, json, length, 1, &object));
    slt_status status = json_is_object(object)
                            ? SLT_OK
                            : slt_fail(SLT_FORMAT, "%s: metadata is no object", set->path);
    for (void *at = json_object_iter(object); at && status == SLT_OK;
         at = json_object_iter_next(object, at)) {
        const char *key = json_object_iter_key(at),
                   *value = json_string_value(json_object_iter_value(at));
        status = value ? slt_array_set_describe(set, key, value)
                       : slt_fail(SLT_FORMAT, "%s: metadata '%.100s' is no text", set->path, key);
    }
    json_decref(object);
    return status;
}

// ---- numbers of any type

static double half(uint16_t bits) {
    int exponent = bits >> 10 & 31, mantissa = bits & 1023;
    double value = exponent == 31  ? (mantissa ? NAN : INFINITY)
                   : exponent == 0 ? ldexp(mantissa, -24)
                                   : ldexp(mantissa + 1024, exponent - 25);
    return bits & 0x8000 ? -value : value;
}

static double brain(uint16_t bits) {
    uint32_t wide = (uint32_t)bits << 16;
    float value;
    memcpy(&value, &wide, 4);
    return (double)value;
}

#define AT(type) (((const type *)array->data)[index])

double slt_array_real(const slt_array *array, size_t index) {
    switch (array->dtype) {
    case SLT_DTYPE_F64:
        return AT(double);
    case SLT_DTYPE_F32:
        return (double)AT(float);
    case SLT_DTYPE_F16:
        return half(AT(uint16_t));
    case SLT_DTYPE_BF16:
        return brain(AT(uint16_t));
    case SLT_DTYPE_U64:
        return (double)AT(uint64_t);
    default:
        break;
    }
    int64_t value = 0;
    slt_array_whole(array, index, &value);
    return (double)value;
}

bool slt_array_whole(const slt_array *array, size_t index, int64_t *out) {
    switch (array->dtype) {
    case SLT_DTYPE_I64:
        return *out = AT(int64_t), true;
    case SLT_DTYPE_I32:
        return *out = AT(int32_t), true;
    case SLT_DTYPE_I16:
        return *out = AT(int16_t), true;
    case SLT_DTYPE_I8:
        return *out = AT(int8_t), true;
    case SLT_DTYPE_U32:
        return *out = AT(uint32_t), true;
    case SLT_DTYPE_U16:
        return *out = AT(uint16_t), true;
    case SLT_DTYPE_U8:
    case SLT_DTYPE_BOOL:
        return *out = AT(uint8_t), true;
    case SLT_DTYPE_U64:
        if (AT(uint64_t) > INT64_MAX) return false;
        return *out = (int64_t)AT(uint64_t), true;
    default:
        break;
    }
    double value = slt_array_real(array, index);
    if (!(fabs(value) <= 9e15) || value != floor(value)) return false;
    return *out = (int64_t)value, true;
}
