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
#include "experts/world_family.h"
#include "skills/skill_play.h"
#include "skills/skills_impl.h"

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

slt_status slt_policy_file_init(slt_policy_file *file, slt_arena *arena, bool moments) {
    const slt_env_kind *kind = slt_env_find(file->id);
    SLT_TRY(slt_policy_view_init(&file->view, arena, kind, &file->options, file->skills));
    slt_policy_shape shape = {file->view.width, (int)file->options.hidden,
                              file->skills ? slt_skills_count(file->skills)
                                           : slt_world_family_of(kind)->playable};
    SLT_TRY(slt_policy_init(&file->policy, arena, shape));
    if (!moments) return SLT_OK;
    SLT_TRY(slt_policy_init(&file->moment1, arena, shape));
    return slt_policy_init(&file->moment2, arena, shape);
}

void slt_policy_close(const slt_policy_file *file) {
    if (file) slt_skills_close(file->skills);
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
    if (file->origin[0]) slt_safetensors_describe(writer, "from", file->origin);
    if (file->skills) slt_safetensors_describe(writer, "skills", file->skills->environment);
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

// skills in the order of their elements' size, so that all are aligned: those of 4 bytes and more,
// or the smaller ones after the weights
static void declare_skills(slt_safetensors_writer *writer, const slt_array *arrays, int count,
                           bool large) {
    for (size_t size = large ? 8 : 2; size >= (large ? 4 : 1); size /= 2)
        for (int i = 0; i < count; i++)
            if (slt_dtype_size(arrays[i].dtype) == size)
                slt_safetensors_declare(writer, arrays[i].name, arrays[i].dtype, arrays[i].rank,
                                        arrays[i].shape);
}

static void put_skills(slt_safetensors_writer *writer, const slt_array *arrays, int count,
                       bool large) {
    for (size_t size = large ? 8 : 2; size >= (large ? 4 : 1); size /= 2)
        for (int i = 0; i < count; i++) {
            slt_array array = arrays[i];
            slt_array_measure(&array);
            if (slt_dtype_size(array.dtype) == size)
                slt_safetensors_put(writer, array.data, array.bytes);
        }
}

static slt_status write_all(const slt_allocator *allocator, slt_arena *arena,
                            const slt_policy_file *file, const char *path) {
    slt_policy_file copy = *file;
    slt_policy *blocks[3];
    slt_array *skills = NULL;
    int count = blocks_of(&copy, blocks), skill_count = 0;
    slt_safetensors_writer *writer;
    if (file->skills) SLT_TRY(slt_skills_pack(file->skills, arena, &skills, &skill_count));
    SLT_TRY(slt_safetensors_writer_open(allocator, path, &writer));
    slt_status status = describe(writer, allocator, file);
    if (status != SLT_OK) {
        slt_safetensors_abort(writer);
        return status;
    }
    declare_skills(writer, skills, skill_count, true);
    declare_blocks(writer, blocks, count);
    declare_skills(writer, skills, skill_count, false);
    put_skills(writer, skills, skill_count, true);
    put_blocks(writer, blocks, count);
    put_skills(writer, skills, skill_count, false);
    return slt_safetensors_commit(writer);
}

slt_status slt_policy_save(const slt_allocator *allocator, const slt_policy_file *file,
                           const char *path) {
    slt_arena arena;
    slt_arena_init(&arena, allocator, 0);
    slt_status status = write_all(allocator, &arena, file, path);
    slt_arena_deinit(&arena);
    return status;
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
    if (strlen(id) >= sizeof out->id || !slt_env_find(id) || !slt_world_family_of(slt_env_find(id)))
        SLT_FAIL(SLT_FORMAT, "%s: no environment '%.60s'", path, id);
    snprintf(out->id, sizeof out->id, "%s", id);
    const char *origin = slt_safetensors_metadata(file, "from");
    snprintf(out->origin, sizeof out->origin, "%s", origin ? origin : "");
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

static slt_status read_skills(slt_context *context, const slt_safetensors *file,
                              slt_policy_file *out) {
    const char *ids = slt_safetensors_metadata(file, "skills");
    const slt_env_kind *kind = slt_env_find(out->id);
    if (!ids) return SLT_OK;
    SLT_TRY(slt_skills_unpack(context, file, ids, &out->skills));
    if (slt_skills_fit(out->skills, kind->id, kind->observation_size, kind->actions) != SLT_OK)
        SLT_FAIL(SLT_FORMAT, "%s: the skills are not for %s", slt_safetensors_path(file), kind->id);
    return SLT_OK;
}

static slt_status read_all(slt_context *context, const slt_safetensors *file, slt_arena *arena,
                           bool moments, slt_policy_file *out) {
    SLT_TRY(read_recipe(file, out));
    SLT_TRY(read_skills(context, file, out));
    slt_status status = slt_policy_file_init(out, arena, moments && !out->state.finished);
    if (status == SLT_UNSUPPORTED)
        SLT_FAIL(SLT_FORMAT, "%s: options and environment do not fit", slt_safetensors_path(file));
    SLT_TRY(status);
    slt_policy *blocks[3];
    int count = blocks_of(out, blocks);
    for (int b = 0; b < count; b++)
        for (int i = 0; i < SLT_POLICY_PARTS; i++)
            SLT_TRY(read_matrix(file, PREFIX[b], blocks[b], i));
    return SLT_OK;
}

slt_status slt_policy_load(slt_context *context, slt_arena *arena, const char *path, bool moments,
                           slt_policy_file *out) {
    slt_safetensors *file;
    SLT_TRY(slt_safetensors_open(arena->allocator, path, &file));
    memset(out, 0, sizeof *out);
    slt_status status = read_all(context, file, arena, moments, out);
    slt_safetensors_close(file);
    if (status == SLT_OK) return SLT_OK;
    slt_policy_close(out);
    out->skills = NULL;
    return status;
}

slt_status slt_policy_open(slt_context *context, slt_arena *arena, const char *path,
                           const slt_env_kind *kind, const slt_policy_file **out) {
    slt_policy_file *file;
    SLT_TRY(SLT_NEW(arena, &file, 1));
    SLT_TRY(slt_policy_load(context, arena, path, false, file));
    const slt_world_family *family = slt_world_family_of(slt_env_find(file->id));
    if (slt_world_family_of(kind) != family) {
        slt_policy_close(file);
        SLT_FAIL(SLT_UNSUPPORTED, "%s plays %s, not %s", path, family->name, kind->id);
    }
    *out = file;
    return SLT_OK;
}
