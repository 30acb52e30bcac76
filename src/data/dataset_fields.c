// The fields of a data set file: which arrays there are, of which types and shapes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data/dataset_impl.h"

#include <inttypes.h>
#include <string.h>
#include "core/number.h"
#include "data/names.h"

static slt_status get(const slt_dataset *data, const char *name, slt_dtype dtype, int64_t rows,
                      const slt_array **out) {
    return slt_safetensors_get(data->file, name, dtype, 1, &rows, out);
}

static bool has(const slt_dataset *data, const char *name) {
    return slt_safetensors_find(data->file, name) != NULL;
}

// ---- episodes

static slt_status find_episodes(slt_dataset *data) {
    const slt_array *offsets;
    SLT_TRY(get(data, "episode_offsets", SLT_DTYPE_I64, -1, &offsets));
    if (offsets->count < 2)
        SLT_FAIL(SLT_FORMAT, "%s: episode_offsets: there is no episode", data->path);
    const int64_t *values = offsets->data;
    data->offsets = values;
    data->info.episodes = (int64_t)offsets->count - 1;
    if (values[0] != 0)
        SLT_FAIL(SLT_FORMAT, "%s: episode_offsets: starts with %" PRId64 ", not 0", data->path,
                 values[0]);
    for (int64_t i = 0; i < data->info.episodes; i++) {
        if (values[i + 1] <= values[i])
            SLT_FAIL(SLT_FORMAT,
                     "%s: episode_offsets: episode %" PRId64 " goes from %" PRId64 " to %" PRId64,
                     data->path, i, values[i], values[i + 1]);
        int64_t length = values[i + 1] - values[i];
        if (length > data->info.longest) data->info.longest = length;
    }
    data->info.steps = values[data->info.episodes];
    return SLT_OK;
}

// ---- actions

static slt_status count_discrete(slt_dataset *data) {
    const char *text = slt_safetensors_metadata(data->file, "action_count");
    int64_t count = 0;
    if (text && (!slt_number_whole(text, &count) || count < 1 || count > SLT_DATA_MOST_ACTIONS))
        SLT_FAIL(SLT_FORMAT, "%s: action_count '%.40s' is no number from 1 to %d", data->path, text,
                 SLT_DATA_MOST_ACTIONS);
    // without the number: the largest action and one
    for (size_t i = 0; !text && i < data->actions->count; i++) {
        int64_t action = data->actions->dtype == SLT_DTYPE_U8
                             ? ((const uint8_t *)data->actions->data)[i]
                             : ((const int32_t *)data->actions->data)[i];
        if (action >= count) count = action + 1;
    }
    if (count > SLT_DATA_MOST_ACTIONS)
        SLT_FAIL(SLT_FORMAT, "%s: actions: %" PRId64 " is above the limit of %d", data->path,
                 count - 1, SLT_DATA_MOST_ACTIONS - 1);
    data->info.action_count = (int)count;
    return SLT_OK;
}

static slt_status find_actions(slt_dataset *data) {
    const slt_array *actions = slt_safetensors_find(data->file, "actions");
    int64_t rows[2] = {data->info.steps, -1};
    if (actions && actions->rank == 2) {
        SLT_TRY(slt_safetensors_get(data->file, "actions", SLT_DTYPE_F32, 2, rows, &actions));
        if (actions->shape[1] < 1 || actions->shape[1] > INT32_MAX)
            SLT_FAIL(SLT_FORMAT, "%s: actions: %" PRId64 " numbers per action", data->path,
                     actions->shape[1]);
        data->actions = actions;
        data->info.action_kind = SLT_ACTIONS_CONTINUOUS;
        data->info.action_size = (int)actions->shape[1];
        return SLT_OK;
    }
    slt_dtype dtype = actions && actions->dtype == SLT_DTYPE_I32 ? SLT_DTYPE_I32 : SLT_DTYPE_U8;
    SLT_TRY(get(data, "actions", dtype, data->info.steps, &data->actions));
    return count_discrete(data);
}

// names of actions, or of the numbers of a continuous action; names of an observation's numbers
static slt_status find_names(slt_dataset *data) {
    slt_dataset_info *info = &data->info;
    bool discrete = info->action_kind == SLT_ACTIONS_DISCRETE;
    const struct {
        const char *key;
        int64_t count;
        const char *const **out;
    } lists[] = {
        {"action_names", discrete ? info->action_count : info->action_size, &info->action_names},
        {"observation_names", info->observation_size, &info->observation_names},
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        slt_status status = slt_names_split(&data->arena, lists[i].key,
                                            slt_safetensors_metadata(data->file, lists[i].key),
                                            lists[i].count, lists[i].out);
        if (status != SLT_OK) return slt_fail_in(status, data->path);
    }
    return SLT_OK;
}

// ---- observations

static slt_status take_shape(slt_dataset *data, const slt_array *array) {
    slt_dataset_info *info = &data->info;
    if (array->rank < 2 || array->rank > SLT_OBSERVATION_RANK + 1 || array->shape[0] != info->steps)
        SLT_FAIL(SLT_FORMAT,
                 "%s: observations: expected %" PRId64 " steps and 1 to %d further dimensions",
                 data->path, info->steps, SLT_OBSERVATION_RANK);
    if (array->count == 0) SLT_FAIL(SLT_FORMAT, "%s: observations: have no numbers", data->path);
    info->observation_rank = array->rank - 1;
    info->observation_size = 1;
    for (int i = 1; i < array->rank; i++) {
        info->observation_shape[i - 1] = array->shape[i];
        info->observation_size *= array->shape[i]; // cannot overflow: the array is in the file
    }
    if (info->observation_size > INT32_MAX)
        SLT_FAIL(SLT_FORMAT, "%s: observations: %" PRId64 " numbers per step", data->path,
                 info->observation_size);
    return SLT_OK;
}

static slt_status find_dense(slt_dataset *data) {
    const slt_array *found = slt_safetensors_find(data->file, "observations");
    slt_dtype dtype = found->dtype == SLT_DTYPE_F32 ? SLT_DTYPE_F32 : SLT_DTYPE_U8;
    SLT_TRY(slt_safetensors_get(data->file, "observations", dtype, -1, NULL, &data->observations));
    SLT_TRY(take_shape(data, found));
    data->info.observation_kind =
        dtype == SLT_DTYPE_F32 ? SLT_OBSERVATIONS_F32 : SLT_OBSERVATIONS_U8;
    data->info.has_finals = has(data, "final_observations");
    if (!data->info.has_finals) return SLT_OK;
    int64_t shape[SLT_ARRAY_RANK];
    memcpy(shape, found->shape, sizeof shape);
    shape[0] = data->info.episodes;
    return slt_safetensors_get(data->file, "final_observations", dtype, found->rank, shape,
                               &data->finals);
}

// places of ones and where each row's start
static slt_status find_sparse(slt_dataset *data, const char *name, const char *offsets_name,
                              int64_t rows, const slt_array **bits, const slt_array **offsets) {
    SLT_TRY(get(data, name, SLT_DTYPE_U16, -1, bits));
    SLT_TRY(get(data, offsets_name, SLT_DTYPE_I64, rows + 1, offsets));
    const int64_t *values = (*offsets)->data;
    if (values[0] != 0 || values[rows] != (int64_t)(*bits)->count)
        SLT_FAIL(SLT_FORMAT, "%s: %s: go from %" PRId64 " to %" PRId64 ", not from 0 to %zu",
                 data->path, offsets_name, values[0], values[rows], (*bits)->count);
    return SLT_OK;
}

static slt_status find_bits(slt_dataset *data) {
    slt_dataset_info *info = &data->info;
    const char *text = slt_safetensors_metadata(data->file, "observations_bits_width");
    int64_t width;
    if (!text || !slt_number_whole(text, &width) || width < 1 || width > SLT_DATA_MOST_BITS)
        SLT_FAIL(SLT_FORMAT, "%s: observations_bits_width '%.40s' is no number from 1 to %d",
                 data->path, text ? text : "", SLT_DATA_MOST_BITS);
    info->observation_kind = SLT_OBSERVATIONS_BITS;
    info->observation_rank = 1;
    info->observation_shape[0] = info->observation_size = width;
    SLT_TRY(find_sparse(data, "observations_bits", "observations_bits_offsets", info->steps,
                        &data->bits, &data->bits_offsets));
    info->has_finals = has(data, "final_observations_bits");
    if (!info->has_finals) return SLT_OK;
    return find_sparse(data, "final_observations_bits", "final_observations_bits_offsets",
                       info->episodes, &data->final_bits, &data->final_bits_offsets);
}

static slt_status find_observations(slt_dataset *data) {
    bool dense = has(data, "observations"), sparse = has(data, "observations_bits");
    if (dense && sparse)
        SLT_FAIL(SLT_FORMAT, "%s: observations and observations_bits: one is wanted", data->path);
    return dense ? find_dense(data) : sparse ? find_bits(data) : SLT_OK;
}

// ---- the rest: one number per step or per episode

static slt_status find_optional(slt_dataset *data) {
    slt_dataset_info *info = &data->info;
    const struct {
        const char *name;
        slt_dtype dtype;
        int64_t rows;
        const slt_array **out;
        bool *has;
    } fields[] = {
        {"rewards", SLT_DTYPE_F32, info->steps, &data->rewards, &info->has_rewards},
        {"segment", SLT_DTYPE_I32, info->steps, &data->segment, &info->has_segments},
        {"subtask", SLT_DTYPE_I32, info->steps, &data->subtask, &info->has_subtasks},
        {"split", SLT_DTYPE_U8, info->episodes, &data->split, &info->has_splits},
        {"terminated", SLT_DTYPE_U8, info->episodes, &data->terminated, &info->has_terminated},
        {"truncated", SLT_DTYPE_U8, info->episodes, &data->truncated, &info->has_truncated},
        {"seed", SLT_DTYPE_I64, info->episodes, &data->seed, &info->has_seeds},
        {"task", SLT_DTYPE_I32, info->episodes, &data->task, &info->has_tasks},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        *fields[i].has = has(data, fields[i].name);
        if (*fields[i].has)
            SLT_TRY(get(data, fields[i].name, fields[i].dtype, fields[i].rows, fields[i].out));
    }
    return SLT_OK;
}

// as many as the text has; a data set of sub-tasks needs them
static slt_status find_subtask_names(slt_dataset *data) {
    const char *joined = slt_safetensors_metadata(data->file, "subtask_names");
    if (data->info.has_subtasks && !joined)
        SLT_FAIL(SLT_FORMAT, "%s: subtask_names are missing", data->path);
    if (!joined || !data->info.has_subtasks) return SLT_OK;
    data->info.subtask_count = 1;
    for (const char *c = joined; *c; c++) data->info.subtask_count += *c == ',';
    return slt_names_split(&data->arena, "subtask_names", joined, data->info.subtask_count,
                           &data->info.subtask_names);
}

slt_status slt_dataset_find_fields(slt_dataset *data) {
    const char *format = slt_safetensors_metadata(data->file, "format");
    if (!format || strcmp(format, SLT_DATA_FORMAT) != 0)
        SLT_FAIL(SLT_FORMAT, "%s: format '%.40s' is no data set (%s)", data->path,
                 format ? format : "", SLT_DATA_FORMAT);
    SLT_TRY(find_episodes(data));
    SLT_TRY(find_actions(data));
    SLT_TRY(find_observations(data));
    SLT_TRY(find_names(data));
    SLT_TRY(find_optional(data));
    SLT_TRY(find_subtask_names(data));
    data->info.environment = slt_safetensors_metadata(data->file, "environment");
    data->info.expert = slt_safetensors_metadata(data->file, "expert");
    data->info.observation_meaning = slt_safetensors_metadata(data->file, "observation_meaning");
    return SLT_OK;
}
