// Minari's metadata.json: spaces as JSON inside of JSON texts, and a part of our own ("slottar")
// with the metadata that Minari has no place for.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "core/json.h"
#include "core/text.h"
#include "data/dataset_impl.h"
#include "data/minari.h"

enum { DEEPEST = 16, LARGEST = 64 << 20 };

// ---- reading

// a JSON text inside of a text
static json_t *inner(const json_t *object, const char *key) {
    const json_t *text = json_object_get(object, key);
    json_t *found = NULL;
    if (json_is_string(text) && slt_json_parse(key, json_string_value(text),
                                               json_string_length(text), DEEPEST, &found) != SLT_OK)
        return NULL; // Infinity, say: nothing we need
    return found;
}

static bool has(const slt_array_set *set, const char *key) {
    for (int i = 0; i < set->metadata_count; i++)
        if (strcmp(set->metadata[i].key, key) == 0) return true;
    return false;
}

static slt_status take_text(slt_array_set *set, const char *key, const json_t *value) {
    if (!json_is_string(value) || has(set, key)) return SLT_OK;
    return slt_array_set_describe(set, key, json_string_value(value));
}

// Discrete(n): n actions
static slt_status take_actions(slt_array_set *set, const json_t *space) {
    const char *type = json_string_value(json_object_get(space, "type"));
    const json_t *n = json_object_get(space, "n"), *start = json_object_get(space, "start");
    if (!type || strcmp(type, "Discrete") != 0 || !json_is_integer(n)) return SLT_OK;
    if (json_integer_value(start) != 0)
        SLT_FAIL(SLT_FORMAT, "%s: action_space: starts with %lld, not 0", set->path,
                 (long long)json_integer_value(start));
    char count[32];
    snprintf(count, sizeof count, "%lld", (long long)json_integer_value(n));
    return has(set, "action_count") ? SLT_OK : slt_array_set_describe(set, "action_count", count);
}

// pictures that Minari packed as JPEG lie there as rows of bytes
static slt_status check_pictures(const slt_array_set *set, const json_t *space) {
    const slt_array *array = slt_array_set_find(set, "observations");
    const json_t *shape = json_object_get(space, "shape");
    if (!array || !json_is_array(shape) || (int)json_array_size(shape) < 2) return SLT_OK;
    if (array->rank - 1 != (int)json_array_size(shape))
        SLT_FAIL(SLT_FORMAT,
                 "%s: observations: pictures packed as JPEG are not read "
                 "(jpeg_encoding=False stores them plainly)",
                 set->path);
    return SLT_OK;
}

static slt_status take_own(slt_array_set *set, json_t *own) {
    const char *key;
    json_t *value;
    json_object_foreach(own, key, value) SLT_TRY(take_text(set, key, value));
    return SLT_OK;
}

static slt_status take_all(slt_array_set *set, json_t *root) {
    json_t *actions = inner(root, "action_space"), *seen = inner(root, "observation_space");
    json_t *environment = inner(root, "env_spec");
    slt_status status = take_own(set, json_object_get(root, "slottar"));
    if (status == SLT_OK) status = take_actions(set, actions);
    if (status == SLT_OK) status = check_pictures(set, seen);
    if (status == SLT_OK)
        status = take_text(set, "environment", json_object_get(environment, "id"));
    if (status == SLT_OK)
        status = take_text(set, "expert", json_object_get(root, "algorithm_name"));
    json_decref(actions);
    json_decref(seen);
    json_decref(environment);
    return status;
}

slt_status slt_minari_read_json(slt_array_set *set, const char *path) {
    slt_map map;
    json_t *root = NULL;
    SLT_TRY(slt_map_open(path, &map));
    slt_status status =
        map.size > LARGEST ? slt_fail(SLT_FORMAT, "%s: too large", path)
                           : slt_json_parse(path, (const char *)map.data, map.size, DEEPEST, &root);
    slt_map_close(&map);
    if (status == SLT_OK && !json_is_object(root))
        status = slt_fail(SLT_FORMAT, "%s: metadata is not an object", path);
    if (status == SLT_OK) status = take_all(set, root);
    json_decref(root);
    return status;
}

// ---- writing

// the same number in every cell of a nested list
static void add_cells(slt_text *out, const int64_t *shape, int rank, const char *number) {
    if (rank == 0) {
        slt_text_add(out, "%s", number);
        return;
    }
    slt_text_add(out, "[");
    for (int64_t i = 0; i < shape[0]; i++) {
        if (i) slt_text_add(out, ", ");
        add_cells(out, shape + 1, rank - 1, number);
    }
    slt_text_add(out, "]");
}

static void add_box(slt_text *out, const char *dtype, const int64_t *shape, int rank,
                    const char *low, const char *high) {
    slt_text_add(out, "{\"type\": \"Box\", \"dtype\": \"%s\", \"shape\": [", dtype);
    for (int i = 0; i < rank; i++) slt_text_add(out, "%s%" PRId64, i ? ", " : "", shape[i]);
    slt_text_add(out, "], \"low\": ");
    add_cells(out, shape, rank, low);
    slt_text_add(out, ", \"high\": ");
    add_cells(out, shape, rank, high);
    slt_text_add(out, "}");
}

// a text inside of the text; its failure is the caller's to see
static void quote_space(slt_text *out, const slt_text *space) {
    if (space->status == SLT_OK) slt_text_quote(out, space->bytes);
}

static void add_spaces(slt_text *out, slt_text *space, const slt_dataset_info *info) {
    bool reals = info->observation_kind == SLT_OBSERVATIONS_F32;
    add_box(space, reals ? "float32" : "uint8", info->observation_shape, info->observation_rank,
            reals ? "-Infinity" : "0", reals ? "Infinity" : "255");
    slt_text_add(out, "  \"observation_space\": ");
    quote_space(out, space);
    space->length = 0;
    if (info->action_kind == SLT_ACTIONS_DISCRETE)
        slt_text_add(space,
                     "{\"type\": \"Discrete\", \"dtype\": \"int64\", \"start\": 0, \"n\": %d}",
                     info->action_count);
    else
        add_box(space, "float32", &(int64_t){info->action_size}, 1, "-Infinity", "Infinity");
    slt_text_add(out, ",\n  \"action_space\": ");
    quote_space(out, space);
}

static void add_own(slt_text *out, const slt_dataset *data) {
    slt_text_add(out, ",\n  \"slottar\": {");
    bool first = true;
    for (size_t i = 0; i < slt_safetensors_metadata_count(data->file); i++) {
        slt_metadata one = slt_safetensors_metadata_at(data->file, i);
        if (strcmp(one.key, "format") == 0 || strcmp(one.key, "observations_bits_width") == 0)
            continue;
        slt_text_add(out, first ? "" : ", ");
        first = false;
        slt_text_quote(out, one.key);
        slt_text_add(out, ": ");
        slt_text_quote(out, one.value);
    }
    slt_text_add(out, "}");
}

slt_status slt_minari_write_json(slt_context *context, const char *native, const char *out,
                                 const char *id) {
    slt_dataset *data;
    SLT_TRY(slt_dataset_open_native(context, native, native, &data));
    const slt_dataset_info *info = slt_dataset_about(data);
    slt_text text, space;
    slt_text_init(&text, &context->allocator);
    slt_text_init(&space, &context->allocator);
    slt_text_add(&text, "{\n  \"dataset_id\": ");
    slt_text_quote(&text, id);
    slt_text_add(&text, ",\n  \"total_episodes\": %" PRId64 ",\n  \"total_steps\": %" PRId64 ",\n",
                 info->episodes, info->steps);
    slt_text_add(&text, "  \"data_format\": \"hdf5\",\n  \"jpeg_encoding\": false,\n"
                        "  \"minari_version\": \"0.5.0\",\n");
    add_spaces(&text, &space, info);
    if (info->expert) {
        slt_text_add(&text, ",\n  \"algorithm_name\": ");
        slt_text_quote(&text, info->expert);
    }
    add_own(&text, data);
    slt_text_add(&text, "\n}\n");
    slt_status status = text.status != SLT_OK ? text.status : space.status;
    if (status == SLT_OK) status = slt_file_write(out, text.bytes, text.length);
    slt_text_deinit(&text);
    slt_text_deinit(&space);
    slt_dataset_close(data);
    return status;
}
