// Data sets in memory: arrays of the caller's, checked as a builder checks what it is given.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "data/dataset_impl.h"
#include "data/names.h"

// ---- the parts

static slt_status copy_text(slt_arena *arena, const char *text, const char **out) {
    char *copy;
    if (!text) return *out = NULL, SLT_OK;
    SLT_TRY(slt_arena_text(arena, text, strlen(text), &copy));
    *out = copy;
    return SLT_OK;
}

static slt_status copy_names(slt_arena *arena, const char *const *names, int64_t count,
                             const char *const **out) {
    const char **copy;
    *out = NULL;
    if (!names) return SLT_OK;
    SLT_TRY(SLT_NEW(arena, &copy, (size_t)count));
    for (int64_t i = 0; i < count; i++) SLT_TRY(copy_text(arena, names[i], &copy[i]));
    *out = copy;
    return SLT_OK;
}

static slt_status copy_texts(slt_dataset *data, const slt_dataset_arrays *arrays) {
    slt_dataset_info *info = &data->info;
    slt_arena *arena = &data->arena;
    slt_metadata *texts;
    bool discrete = info->action_kind == SLT_ACTIONS_DISCRETE;
    SLT_TRY(copy_names(arena, info->action_names, discrete ? info->action_count : info->action_size,
                       &info->action_names));
    SLT_TRY(copy_names(arena, info->observation_names, info->observation_size,
                       &info->observation_names));
    SLT_TRY(copy_names(arena, info->subtask_names, info->subtask_count, &info->subtask_names));
    SLT_TRY(copy_text(arena, info->environment, &info->environment));
    SLT_TRY(copy_text(arena, info->expert, &info->expert));
    SLT_TRY(copy_text(arena, info->observation_meaning, &info->observation_meaning));
    SLT_TRY(SLT_NEW(arena, &texts, (size_t)arrays->text_count));
    for (int i = 0; i < arrays->text_count; i++) {
        SLT_TRY(copy_text(arena, arrays->texts[i].key, &texts[i].key));
        SLT_TRY(copy_text(arena, arrays->texts[i].value, &texts[i].value));
        if (slt_dataset_is_reserved(texts[i].key))
            SLT_FAIL(SLT_INVALID, "metadata '%s' is written by the library", texts[i].key);
    }
    data->texts = texts;
    data->text_count = (size_t)arrays->text_count;
    return SLT_OK;
}

static slt_status take_offsets(slt_dataset *data, const slt_dataset_arrays *arrays) {
    slt_dataset_info *info = &data->info;
    int64_t *offsets;
    if (arrays->episodes < 1 || !arrays->offsets) SLT_FAIL(SLT_INVALID, "there is no episode");
    SLT_TRY(SLT_NEW(&data->arena, &offsets, (size_t)arrays->episodes + 1));
    memcpy(offsets, arrays->offsets, (size_t)(arrays->episodes + 1) * sizeof *offsets);
    for (int64_t i = 0; i < arrays->episodes; i++) {
        int64_t length = offsets[i + 1] - offsets[i];
        if (offsets[0] != 0 || offsets[i + 1] <= offsets[i])
            SLT_FAIL(SLT_INVALID, "offsets: episode %" PRId64 " goes from %" PRId64 " to %" PRId64,
                     i, offsets[i], offsets[i + 1]);
        if (length > info->longest) info->longest = length;
    }
    data->offsets = offsets;
    info->episodes = arrays->episodes;
    info->steps = offsets[arrays->episodes];
    return SLT_OK;
}

// an array of `rows` rows, or nothing where there is none
static slt_status take(slt_dataset *data, const char *name, slt_dtype dtype, const void *values,
                       int64_t rows, int64_t width, bool copied, const slt_array **out) {
    slt_array *array;
    if (!values) return SLT_OK;
    SLT_TRY(SLT_NEW(&data->arena, &array, 1));
    *array = (slt_array){.name = name, .dtype = dtype, .rank = 2, .shape = {rows, width}};
    array->data = values;
    if (!slt_array_measure(array)) SLT_FAIL(SLT_INVALID, "%s: too many numbers", name);
    if (copied) {
        unsigned char *bytes;
        SLT_TRY(SLT_NEW(&data->arena, &bytes, array->bytes));
        array->data = memcpy(bytes, values, array->bytes);
    }
    *out = array;
    return SLT_OK;
}

static slt_status take_arrays(slt_dataset *data, const slt_dataset_arrays *a, bool copied) {
    const slt_dataset_info *info = &data->info;
    int64_t S = info->steps, E = info->episodes, D = info->observation_size;
    bool bytes = info->observation_kind == SLT_OBSERVATIONS_U8;
    bool reals = info->observation_kind == SLT_OBSERVATIONS_F32;
    bool discrete = info->action_kind == SLT_ACTIONS_DISCRETE;
    const struct {
        const char *name;
        slt_dtype dtype;
        const void *values;
        int64_t rows, width;
        bool wanted;
        const slt_array **out;
    } parts[] = {
        {"actions", SLT_DTYPE_U8, a->actions_u8, S, 1, discrete, &data->actions},
        {"actions", SLT_DTYPE_I32, a->actions_i32, S, 1, discrete, &data->actions},
        {"actions", SLT_DTYPE_F32, a->actions_f32, S, info->action_size, !discrete, &data->actions},
        {"observations", SLT_DTYPE_U8, a->observations_u8, S, D, bytes, &data->observations},
        {"observations", SLT_DTYPE_F32, a->observations_f32, S, D, reals, &data->observations},
        {"final_observations", SLT_DTYPE_U8, a->final_u8, E, D, bytes && info->has_finals,
         &data->finals},
        {"final_observations", SLT_DTYPE_F32, a->final_f32, E, D, reals && info->has_finals,
         &data->finals},
        {"rewards", SLT_DTYPE_F32, a->rewards, S, 1, info->has_rewards, &data->rewards},
        {"segment", SLT_DTYPE_I32, a->segments, S, 1, info->has_segments, &data->segment},
        {"subtask", SLT_DTYPE_I32, a->subtasks, S, 1, info->has_subtasks, &data->subtask},
        {"split", SLT_DTYPE_U8, a->splits, E, 1, info->has_splits, &data->split},
        {"terminated", SLT_DTYPE_U8, a->terminated, E, 1, info->has_terminated, &data->terminated},
        {"truncated", SLT_DTYPE_U8, a->truncated, E, 1, info->has_truncated, &data->truncated},
        {"seed", SLT_DTYPE_I64, a->seeds, E, 1, info->has_seeds, &data->seed},
        {"task", SLT_DTYPE_I32, a->tasks, E, 1, info->has_tasks, &data->task},
    };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!parts[i].wanted) continue;
        SLT_TRY(take(data, parts[i].name, parts[i].dtype, parts[i].values, parts[i].rows,
                     parts[i].width, copied, parts[i].out));
        bool either = parts[i].out == &data->actions && discrete;
        if (!parts[i].values && !either)
            SLT_FAIL(SLT_INVALID, "%s: described, but missing", parts[i].name);
    }
    if (!data->actions) SLT_FAIL(SLT_INVALID, "actions: missing");
    return SLT_OK;
}

// ---- the whole

static slt_status check_episodes(slt_dataset *data) {
    SLT_TRY(SLT_NEW(&data->arena, &data->checked, (size_t)data->info.episodes));
    memset(data->checked, 1, (size_t)data->info.episodes); // by what follows
    for (int64_t i = 0; i < data->info.episodes; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(data, i, &episode));
        slt_status status = slt_dataset_check_addition(&data->info, &episode);
        if (status == SLT_OK) continue;
        char where[40];
        snprintf(where, sizeof where, "episode %" PRId64, i);
        return slt_fail_in(status, where);
    }
    return SLT_OK;
}

// what a list of splits needs before it is made
static slt_status check_splits(const slt_dataset *data) {
    for (int64_t i = 0; data->split && i < data->info.episodes; i++)
        if (((const uint8_t *)data->split->data)[i] >= SLT_SPLITS)
            SLT_FAIL(SLT_RANGE, "episode %" PRId64 ": split: %d", i,
                     ((const uint8_t *)data->split->data)[i]);
    return SLT_OK;
}

static slt_status fill(slt_dataset *data, const slt_dataset_arrays *arrays, bool copied) {
    data->path = "memory";
    data->info = arrays->info;
    data->info.episodes = data->info.steps = data->info.longest = 0;
    if (data->info.observation_kind == SLT_OBSERVATIONS_BITS)
        SLT_FAIL(SLT_INVALID, "observations in memory are u8 or f32: give bits as bytes");
    if (data->info.observation_kind == SLT_OBSERVATIONS_NONE)
        data->info.observation_size = data->info.observation_rank = 0,
        data->info.has_finals = false;
    SLT_TRY(slt_dataset_check_info(&data->info));
    SLT_TRY(copy_texts(data, arrays));
    SLT_TRY(take_offsets(data, arrays));
    SLT_TRY(take_arrays(data, arrays, copied));
    SLT_TRY(check_splits(data));
    SLT_TRY(check_episodes(data));
    return slt_dataset_list_splits(data);
}

static slt_status make(slt_context *context, const slt_dataset_arrays *arrays, bool copied,
                       slt_dataset **out) {
    slt_dataset *data;
    SLT_TRY(SLT_ALLOC(&context->allocator, &data, 1));
    data->context = context;
    slt_arena_init(&data->arena, &context->allocator, 0);
    slt_status status = fill(data, arrays, copied);
    if (status == SLT_OK)
        *out = data;
    else
        slt_dataset_close(data);
    return status;
}

slt_status slt_dataset_from_arrays(slt_context *context, const slt_dataset_arrays *arrays,
                                   slt_dataset **out) {
    return make(context, arrays, true, out);
}

slt_status slt_dataset_view_arrays(slt_context *context, const slt_dataset_arrays *arrays,
                                   slt_dataset **out) {
    return make(context, arrays, false, out);
}
