// Policies: writing and reading.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/policy_file.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "core/number.h"
#include "core/safetensors.h"

static const char FORMAT_NAME[] = "slottar-policy-1";

// one list makes the metadata: name, printf format, scanf format
// clang-format off
#define STATE_NUMBERS(X)                                                                           \
    X(seed,        PRIu64, SCNu64)                                                                 \
    X(laps,        PRId64, SCNd64)                                                                 \
    X(frames,      PRId64, SCNd64)                                                                 \
    X(updates,     PRId64, SCNd64)                                                                 \
    X(mean_return, "a",    "la")
// clang-format on

static const char *const PREFIX[] = {"", "adam_m.", "adam_v."};

slt_policy_shape slt_policy_shape_of(const slt_policy_options *options) {
    return (slt_policy_shape){(slt_recall_kind)options->memory, (int)options->hidden,
                              SLT_MINIGRID_ACTIONS};
}

slt_status slt_policy_file_init(slt_policy_file *file, slt_arena *arena, bool moments) {
    slt_policy_shape shape = slt_policy_shape_of(&file->options);
    SLT_TRY(slt_policy_init(&file->policy, arena, shape));
    if (!moments) return SLT_OK;
    SLT_TRY(slt_policy_init(&file->moment1, arena, shape));
    return slt_policy_init(&file->moment2, arena, shape);
}

// the blocks that a file has; gives their number
static int blocks_of(slt_policy_file *file, slt_policy *blocks[3]) {
    blocks[0] = &file->policy;
    blocks[1] = &file->moment1;
    blocks[2] = &file->moment2;
    return file->moment1.part[0] && !file->state.finished ? 3 : 1;
}

// ---- writing

static void describe_state(slt_safetensors_writer *writer, const slt_policy_state *state) {
    char text[64];
#define DESCRIBE(name, print, scan)                                                                \
    slt_format(text, sizeof text, "%" print, state->name);                                         \
    slt_safetensors_describe(writer, "run." #name, text);
    STATE_NUMBERS(DESCRIBE)
#undef DESCRIBE
    slt_safetensors_describe(writer, "run.finished", state->finished ? "1" : "0");
}

static slt_status describe(slt_safetensors_writer *writer, const slt_allocator *allocator,
                           const slt_policy_file *file) {
    slt_policy_options options = file->options;
    slt_options tables[] = {{slt_policy_rows(), &options}, {NULL, NULL}};
    slt_safetensors_describe(writer, "format", FORMAT_NAME);
    slt_safetensors_describe(writer, "environment", file->id);
    describe_state(writer, &file->state);
    slt_text text;
    slt_text_init(&text, allocator);
    slt_options_to_yaml(tables, &text);
    if (text.status == SLT_OK) slt_safetensors_describe(writer, "options", text.bytes);
    slt_status status = text.status;
    slt_text_deinit(&text);
    return status;
}

static void put_blocks(slt_safetensors_writer *writer, slt_policy *const *blocks, int count) {
    for (int b = 0; b < count; b++)
        for (int i = 0; i < SLT_POLICY_PARTS; i++) {
            slt_policy_matrix m = slt_policy_part(blocks[0]->shape, i);
            slt_safetensors_put(writer, blocks[b]->part[i],
                                (size_t)m.rows * (size_t)m.columns * sizeof(float));
        }
}

static void declare_blocks(slt_safetensors_writer *writer, slt_policy *const *blocks, int count) {
    for (int b = 0; b < count; b++)
        for (int i = 0; i < SLT_POLICY_PARTS; i++) {
            char name[64];
            slt_policy_matrix m = slt_policy_part(blocks[0]->shape, i);
            int64_t shape[2] = {m.rows, m.columns};
            snprintf(name, sizeof name, "%s%s", PREFIX[b], m.name);
            slt_safetensors_declare(writer, name, SLT_DTYPE_F32, 2, shape);
        }
}

slt_status slt_policy_save(const slt_allocator *allocator, const slt_policy_file *file,
                           const char *path) {
    slt_policy_file copy = *file;
    slt_policy *blocks[3];
    int count = blocks_of(&copy, blocks);
    slt_safetensors_writer *writer;
    SLT_TRY(slt_safetensors_writer_open(allocator, path, &writer));
    slt_status status = describe(writer, allocator, file);
    if (status != SLT_OK) {
        slt_safetensors_abort(writer);
        return status;
    }
    declare_blocks(writer, blocks, count);
    put_blocks(writer, blocks, count);
    return slt_safetensors_commit(writer);
}

// ---- reading

static slt_status need(const slt_safetensors *file, const char *key, const char **out) {
    *out = slt_safetensors_metadata(file, key);
    if (!*out)
        SLT_FAIL(SLT_FORMAT, "%s: metadata '%s' is missing", slt_safetensors_path(file), key);
    return SLT_OK;
}

static slt_status read_state(const slt_safetensors *file, slt_policy_state *state) {
    const char *text;
#define READ(name, print, scan)                                                                    \
    SLT_TRY(need(file, "run." #name, &text));                                                      \
    if (slt_scan(text, "%" scan, &state->name) != 1)                                               \
        SLT_FAIL(SLT_FORMAT, "%s: metadata 'run." #name "' is '%.40s'",                            \
                 slt_safetensors_path(file), text);
    STATE_NUMBERS(READ)
#undef READ
    if (state->laps < 0 || state->frames < 0 || state->updates < 0)
        SLT_FAIL(SLT_FORMAT, "%s: a count is negative", slt_safetensors_path(file));
    SLT_TRY(need(file, "run.finished", &text));
    state->finished = strcmp(text, "1") == 0;
    return SLT_OK;
}

static slt_status read_recipe(const slt_safetensors *file, slt_policy_file *out) {
    const char *format, *id, *yaml, *path = slt_safetensors_path(file);
    format = slt_safetensors_metadata(file, "format");
    if (!format || strcmp(format, FORMAT_NAME) != 0)
        SLT_FAIL(SLT_FORMAT, "%s: no policy of this program", path);
    SLT_TRY(need(file, "environment", &id));
    if (strlen(id) >= sizeof out->id || !slt_env_find(id))
        SLT_FAIL(SLT_FORMAT, "%s: no environment '%.60s'", path, id);
    snprintf(out->id, sizeof out->id, "%s", id);
    slt_options tables[] = {{slt_policy_rows(), &out->options}, {NULL, NULL}};
    SLT_TRY(slt_options_defaults(tables));
    SLT_TRY(need(file, "options", &yaml));
    SLT_TRY(slt_options_from_yaml(NULL, tables, path, yaml, strlen(yaml)));
    return read_state(file, &out->state);
}

static slt_status read_matrix(const slt_safetensors *file, const char *prefix, slt_policy *block,
                              int part) {
    char name[64];
    const slt_array *array;
    slt_policy_matrix m = slt_policy_part(block->shape, part);
    int64_t shape[2] = {m.rows, m.columns};
    size_t count = (size_t)m.rows * (size_t)m.columns;
    snprintf(name, sizeof name, "%s%s", prefix, m.name);
    SLT_TRY(slt_safetensors_get(file, name, SLT_DTYPE_F32, 2, shape, &array));
    memcpy(block->part[part], array->data, count * sizeof(float));
    for (size_t i = 0; i < count; i++)
        if (!isfinite(block->part[part][i]))
            SLT_FAIL(SLT_FORMAT, "%s: '%s' has a number that is not finite",
                     slt_safetensors_path(file), name);
    return SLT_OK;
}

static slt_status read_all(const slt_safetensors *file, slt_arena *arena, bool moments,
                           slt_policy_file *out) {
    SLT_TRY(read_recipe(file, out));
    SLT_TRY(slt_policy_file_init(out, arena, moments && !out->state.finished));
    slt_policy *blocks[3];
    int count = blocks_of(out, blocks);
    for (int b = 0; b < count; b++)
        for (int i = 0; i < SLT_POLICY_PARTS; i++)
            SLT_TRY(read_matrix(file, PREFIX[b], blocks[b], i));
    return SLT_OK;
}

slt_status slt_policy_load(slt_arena *arena, const char *path, bool moments, slt_policy_file *out) {
    slt_safetensors *file;
    SLT_TRY(slt_safetensors_open(arena->allocator, path, &file));
    memset(out, 0, sizeof *out);
    slt_status status = read_all(file, arena, moments, out);
    slt_safetensors_close(file);
    return status;
}

slt_status slt_policy_open(slt_arena *arena, const char *path, const slt_env_kind *kind,
                           const slt_policy_file **out) {
    slt_policy_file *file;
    SLT_TRY(SLT_NEW(arena, &file, 1));
    SLT_TRY(slt_policy_load(arena, path, false, file));
    if (!slt_minigrid_is(kind))
        SLT_FAIL(SLT_UNSUPPORTED, "%s plays MiniGrid, not %s", path, kind->id);
    *out = file;
    return SLT_OK;
}
