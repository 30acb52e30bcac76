// Opening data sets and looking at episodes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data/dataset_impl.h"

#include <inttypes.h>
#include <string.h>

const slt_dataset_info *slt_dataset_about(const slt_dataset *data) { return &data->info; }
const char *slt_dataset_path(const slt_dataset *data) { return data->path; }
const int64_t *slt_dataset_offsets(const slt_dataset *data) { return data->offsets; }

const char *slt_dataset_metadata(const slt_dataset *data, const char *key) {
    for (size_t i = 0; i < data->text_count; i++)
        if (strcmp(data->texts[i].key, key) == 0) return data->texts[i].value;
    return data->file ? slt_safetensors_metadata(data->file, key) : NULL;
}

size_t slt_dataset_text_count(const slt_dataset *data) {
    return data->file ? slt_safetensors_metadata_count(data->file) : data->text_count;
}

slt_metadata slt_dataset_text_at(const slt_dataset *data, size_t index) {
    return data->file ? slt_safetensors_metadata_at(data->file, index) : data->texts[index];
}

const char *slt_split_name(slt_split split) {
    static const char *const names[SLT_SPLITS] = {"train", "valid", "test"};
    return (unsigned)split < SLT_SPLITS ? names[split] : "unknown";
}

// ---- opening

static slt_split split_of(const slt_dataset *data, int64_t index) {
    return data->split ? (slt_split)((const uint8_t *)data->split->data)[index] : SLT_SPLIT_TRAIN;
}

// count, then fill
slt_status slt_dataset_list_splits(slt_dataset *data) {
    int64_t *counts = data->member_count;
    for (int64_t i = 0; i < data->info.episodes; i++) counts[split_of(data, i)]++;
    for (int k = 0; k < SLT_SPLITS; k++) {
        SLT_TRY(SLT_NEW(&data->arena, &data->members[k], (size_t)counts[k]));
        counts[k] = 0;
    }
    for (int64_t i = 0; i < data->info.episodes; i++) {
        slt_split split = split_of(data, i);
        data->members[split][counts[split]++] = i;
    }
    return SLT_OK;
}

static slt_status load(slt_dataset *data, const char *path, const char *native) {
    char *copy;
    SLT_TRY(slt_arena_text(&data->arena, path, strlen(path), &copy));
    data->path = copy;
    SLT_TRY(slt_safetensors_open(&data->context->allocator, native, &data->file));
    SLT_TRY(slt_dataset_find_fields(data));
    SLT_TRY(slt_dataset_check_values(data));
    SLT_TRY(SLT_NEW(&data->arena, &data->checked, (size_t)data->info.episodes));
    return slt_dataset_list_splits(data);
}

slt_status slt_dataset_open_native(slt_context *context, const char *path, const char *native,
                                   slt_dataset **out) {
    slt_dataset *data;
    SLT_TRY(SLT_ALLOC(&context->allocator, &data, 1));
    data->context = context;
    slt_arena_init(&data->arena, &context->allocator, 0);
    slt_status status = load(data, path, native);
    if (status == SLT_OK)
        *out = data;
    else
        slt_dataset_close(data);
    return status;
}

void slt_dataset_close(slt_dataset *data) {
    if (!data) return;
    if (data->file) slt_safetensors_close(data->file);
    slt_arena_deinit(&data->arena);
    slt_free(&data->context->allocator, data);
}

int64_t slt_dataset_split(const slt_dataset *data, slt_split split, const int64_t **out) {
    if ((unsigned)split >= SLT_SPLITS) return 0;
    *out = data->members[split];
    return data->member_count[split];
}

// ---- episodes

static void view_actions(const slt_dataset *data, int64_t first, slt_episode *episode) {
    const slt_array *actions = data->actions;
    if (data->info.action_kind == SLT_ACTIONS_CONTINUOUS)
        episode->actions_f32 = (const float *)actions->data + first * data->info.action_size;
    else if (actions->dtype == SLT_DTYPE_U8)
        episode->actions_u8 = (const uint8_t *)actions->data + first;
    else
        episode->actions_i32 = (const int32_t *)actions->data + first;
}

static void view_observations(const slt_dataset *data, int64_t first, slt_episode *episode) {
    int64_t size = data->info.observation_size, index = episode->index;
    const slt_array *finals = data->finals;
    switch (data->info.observation_kind) {
    case SLT_OBSERVATIONS_U8:
        episode->observations_u8 = (const uint8_t *)data->observations->data + first * size;
        if (finals) episode->final_u8 = (const uint8_t *)finals->data + index * size;
        break;
    case SLT_OBSERVATIONS_F32:
        episode->observations_f32 = (const float *)data->observations->data + first * size;
        if (finals) episode->final_f32 = (const float *)finals->data + index * size;
        break;
    case SLT_OBSERVATIONS_BITS:
        episode->ones = data->bits->data;
        episode->ones_offsets = (const int64_t *)data->bits_offsets->data + first;
        if (data->final_bits) {
            const int64_t *starts = data->final_bits_offsets->data;
            episode->final_ones = (const uint16_t *)data->final_bits->data + starts[index];
            episode->final_count = starts[index + 1] - starts[index];
        }
        break;
    case SLT_OBSERVATIONS_NONE:
        break;
    }
}

// a value of a column, or a fallback when the file has no such column
#define COLUMN(array, type, row, fallback)                                                         \
    ((array) ? ((const type *)(array)->data)[row] : (type)(fallback))

slt_status slt_dataset_episode(slt_dataset *data, int64_t index, slt_episode *out) {
    if (index < 0 || index >= data->info.episodes)
        SLT_FAIL(SLT_RANGE, "%s: no episode %" PRId64 ", there are %" PRId64, data->path, index,
                 data->info.episodes);
    // threads may look at an episode that was looked at before
    if (!data->checked[index]) {
        SLT_TRY(slt_dataset_check_episode(data, index));
        data->checked[index] = 1;
    }
    int64_t first = data->offsets[index];
    slt_episode episode = {.index = index, .length = data->offsets[index + 1] - first};
    view_actions(data, first, &episode);
    view_observations(data, first, &episode);
    if (data->rewards) episode.rewards = (const float *)data->rewards->data + first;
    if (data->segment) episode.segments = (const int32_t *)data->segment->data + first;
    if (data->subtask) episode.subtasks = (const int32_t *)data->subtask->data + first;
    episode.split = split_of(data, index);
    episode.terminated = COLUMN(data->terminated, uint8_t, index, 0);
    episode.truncated = COLUMN(data->truncated, uint8_t, index, 0);
    episode.task = COLUMN(data->task, int32_t, index, -1);
    episode.seed = COLUMN(data->seed, int64_t, index, -1);
    *out = episode;
    return SLT_OK;
}

slt_status slt_dataset_check(slt_dataset *data) {
    slt_episode episode;
    for (int64_t i = 0; i < data->info.episodes; i++) {
        if (i % 1024 == 0) SLT_TRY(slt_context_check(data->context));
        SLT_TRY(slt_dataset_episode(data, i, &episode));
    }
    return SLT_OK;
}

// ---- helpers over one episode

static void spread_ones(const uint16_t *ones, int64_t count, int64_t size, float *out) {
    memset(out, 0, (size_t)size * sizeof *out);
    for (int64_t i = 0; i < count; i++) out[ones[i]] = 1;
}

slt_status slt_episode_observe(const slt_dataset_info *info, const slt_episode *episode,
                               int64_t step, float *out) {
    int64_t size = info->observation_size;
    if (step < 0 || step > episode->length)
        SLT_FAIL(SLT_RANGE, "no step %" PRId64 " in an episode of %" PRId64, step, episode->length);
    bool final = step == episode->length;
    const uint8_t *bytes = final ? episode->final_u8 : episode->observations_u8;
    const float *reals = final ? episode->final_f32 : episode->observations_f32;
    const uint16_t *ones = final ? episode->final_ones : episode->ones;
    if (bytes) {
        for (int64_t i = 0; i < size; i++) out[i] = bytes[(final ? 0 : step * size) + i];
    } else if (reals) {
        memcpy(out, reals + (final ? 0 : step * size), (size_t)size * sizeof *out);
    } else if (ones && final) {
        spread_ones(ones, episode->final_count, size, out);
    } else if (ones) {
        const int64_t *starts = episode->ones_offsets + step;
        spread_ones(ones + starts[0], starts[1] - starts[0], size, out);
    } else {
        SLT_FAIL(SLT_INVALID, "episode %" PRId64 " has no %sobservation", episode->index,
                 final ? "final " : "");
    }
    return SLT_OK;
}

int64_t slt_episode_segment_count(const slt_episode *episode) {
    if (!episode->segments) return 0;
    int64_t count = 1;
    for (int64_t t = 1; t < episode->length; t++)
        count += episode->segments[t] != episode->segments[t - 1];
    return count;
}
