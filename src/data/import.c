// Foreign arrays become a native data set: episodes are found, types are converted, and the builder
// checks every value.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <string.h>
#include "core/number.h"
#include "data/array_set.h"
#include "data/dataset_impl.h"
#include "data/names.h"

// an import under way
typedef struct {
    slt_array_set *set;
    const slt_array *actions, *observations, *finals;
    const slt_array *ones, *ones_offsets, *final_ones, *final_ones_offsets;
    const slt_array *rewards, *segments, *subtasks, *split, *terminated, *truncated, *seed, *task;
    slt_dataset_info info;
    const int64_t *offsets; // [episodes+1]
} importing;

#define REFUSE(in, ...)                                                                            \
    do {                                                                                           \
        slt_fail(SLT_FORMAT, __VA_ARGS__);                                                         \
        slt_fail_in(SLT_FORMAT, (in)->set->path);                                                  \
        return SLT_FORMAT;                                                                         \
    } while (0)

// ---- where episodes end

static slt_status whole(const importing *in, const slt_array *array, size_t index, int64_t *out) {
    if (!slt_array_whole(array, index, out))
        REFUSE(in, "%s: number %zu is not whole", array->name, index);
    return SLT_OK;
}

// reads `count` numbers of an array into the set's arena
static slt_status read_offsets(importing *in, const slt_array *array, int64_t **out) {
    int64_t *values;
    SLT_TRY(SLT_NEW(&in->set->arena, &values, array->count));
    for (size_t i = 0; i < array->count; i++) SLT_TRY(whole(in, array, i, &values[i]));
    *out = values;
    return SLT_OK;
}

// is step `at` the last of its episode, by what the file has instead of offsets?
static slt_status is_last(const importing *in, size_t at, size_t steps, bool *out) {
    static const char *const ends[] = {"terminals", "timeouts"};
    const slt_array *episode = slt_array_set_find(in->set, "episode");
    int64_t value, next;
    *out = at + 1 == steps;
    if (*out) return SLT_OK;
    if (episode) {
        SLT_TRY(whole(in, episode, at, &value));
        SLT_TRY(whole(in, episode, at + 1, &next));
        if (next < value)
            REFUSE(in, "episode: %" PRId64 " comes after %" PRId64 " at step %zu", next, value,
                   at + 1);
        *out = next != value;
        return SLT_OK;
    }
    for (int i = 0; i < 2; i++) {
        const slt_array *flags = slt_array_set_find(in->set, ends[i]);
        if (!flags) continue;
        SLT_TRY(whole(in, flags, at, &value));
        if (value) *out = true;
    }
    return SLT_OK;
}

static slt_status find_ends(importing *in, size_t steps) {
    static const char *const sources[] = {"episode", "terminals", "timeouts"};
    bool any = false;
    for (int i = 0; i < 3; i++) {
        const slt_array *array = slt_array_set_find(in->set, sources[i]);
        any |= array != NULL;
        if (array && array->count != steps)
            REFUSE(in, "%s: has %zu numbers for %zu steps", sources[i], array->count, steps);
    }
    if (!any) REFUSE(in, "episode_offsets: missing, and no episode, terminals or timeouts instead");
    // count first, then fill
    int64_t *offsets = NULL, episodes = 0;
    for (int pass = 0; pass < 2; pass++) {
        episodes = 0;
        for (size_t t = 0; t < steps; t++) {
            bool last;
            SLT_TRY(is_last(in, t, steps, &last));
            if (!last) continue;
            episodes++;
            if (pass) offsets[episodes] = (int64_t)t + 1;
        }
        if (!pass) SLT_TRY(SLT_NEW(&in->set->arena, &offsets, (size_t)episodes + 1));
    }
    in->offsets = offsets;
    in->info.episodes = episodes;
    return SLT_OK;
}

static slt_status find_episodes(importing *in) {
    if (!in->actions || in->actions->rank < 1) REFUSE(in, "actions: missing or a single number");
    in->info.steps = in->actions->shape[0];
    if (in->info.steps < 1) REFUSE(in, "actions: there is none");
    const slt_array *array = slt_array_set_find(in->set, "episode_offsets");
    if (!array) return find_ends(in, (size_t)in->info.steps);
    int64_t *offsets;
    SLT_TRY(read_offsets(in, array, &offsets));
    in->info.episodes = (int64_t)array->count - 1;
    bool fine = in->info.episodes >= 1 && offsets[0] == 0;
    for (int64_t i = 0; fine && i < in->info.episodes; i++) fine = offsets[i] < offsets[i + 1];
    if (!fine || offsets[in->info.episodes] != in->info.steps)
        REFUSE(in, "episode_offsets: do not rise from 0 to %" PRId64, in->info.steps);
    in->offsets = offsets;
    return SLT_OK;
}

// ---- what the data set is

static const char *text(const importing *in, const char *key) {
    for (int i = 0; i < in->set->metadata_count; i++)
        if (strcmp(in->set->metadata[i].key, key) == 0) return in->set->metadata[i].value;
    return NULL;
}

static bool is_float(slt_dtype dtype) {
    return dtype == SLT_DTYPE_F64 || dtype == SLT_DTYPE_F32 || dtype == SLT_DTYPE_F16 ||
           dtype == SLT_DTYPE_BF16;
}

static slt_status describe_actions(importing *in) {
    const slt_array *actions = in->actions;
    size_t size = actions->count / (size_t)in->info.steps;
    if (is_float(actions->dtype)) {
        if (size < 1 || size > INT32_MAX) REFUSE(in, "actions: %zu numbers per action", size);
        in->info.action_kind = SLT_ACTIONS_CONTINUOUS;
        in->info.action_size = (int)size;
        return SLT_OK;
    }
    if (size != 1)
        REFUSE(in, "actions: %zu whole numbers per step; discrete actions are one", size);
    const char *count = text(in, "action_count");
    int64_t most = 0, value;
    if (count && (!slt_number_whole(count, &most) || most < 1 || most > SLT_DATA_MOST_ACTIONS))
        REFUSE(in, "action_count '%.40s' is no number from 1 to %d", count, SLT_DATA_MOST_ACTIONS);
    for (size_t i = 0; i < actions->count; i++) {
        SLT_TRY(whole(in, actions, i, &value));
        if (value < 0 || value >= (count ? most : SLT_DATA_MOST_ACTIONS))
            REFUSE(in, "actions: %" PRId64 " at step %zu is out of range", value, i);
        if (value >= most) most = value + 1;
    }
    in->info.action_count = (int)most;
    return SLT_OK;
}

// numbers without names are left out, as an array of another program
static slt_status name_subtasks(importing *in) {
    slt_dataset_info *info = &in->info;
    const char *joined = text(in, "subtask_names");
    info->has_subtasks = joined != NULL;
    if (!joined) return in->subtasks = NULL, SLT_OK;
    info->subtask_count = 1;
    for (const char *c = joined; *c; c++) info->subtask_count += *c == ',';
    return slt_names_split(&in->set->arena, "subtask_names", joined, info->subtask_count,
                           &info->subtask_names);
}

static slt_status describe_names(importing *in) {
    slt_dataset_info *info = &in->info;
    bool discrete = info->action_kind == SLT_ACTIONS_DISCRETE;
    slt_status status =
        slt_names_split(&in->set->arena, "action_names", text(in, "action_names"),
                        discrete ? info->action_count : info->action_size, &info->action_names);
    if (status == SLT_OK)
        status =
            slt_names_split(&in->set->arena, "observation_names", text(in, "observation_names"),
                            info->observation_size, &info->observation_names);
    if (status == SLT_OK && info->has_subtasks) status = name_subtasks(in);
    return status == SLT_OK ? SLT_OK : slt_fail_in(status, in->set->path);
}

// [steps] is taken as [steps, 1]
static slt_status describe_dense(importing *in) {
    slt_dataset_info *info = &in->info;
    const slt_array *array = in->observations;
    if (array->rank < 1 || array->rank > SLT_OBSERVATION_RANK + 1 || array->count == 0 ||
        array->shape[0] != info->steps)
        REFUSE(in, "observations: expected %" PRId64 " rows and at most %d further dimensions",
               info->steps, SLT_OBSERVATION_RANK);
    bool bytes = array->dtype == SLT_DTYPE_U8 || array->dtype == SLT_DTYPE_BOOL;
    info->observation_kind = bytes ? SLT_OBSERVATIONS_U8 : SLT_OBSERVATIONS_F32;
    info->observation_rank = array->rank > 1 ? array->rank - 1 : 1;
    info->observation_shape[0] = 1;
    for (int i = 1; i < array->rank; i++) info->observation_shape[i - 1] = array->shape[i];
    info->observation_size = (int64_t)array->count / info->steps;
    if (!in->finals) return SLT_OK;
    if (in->finals->count != (size_t)info->episodes * (size_t)info->observation_size)
        REFUSE(in, "final_observations: expected %" PRId64 " rows of %" PRId64 " numbers",
               info->episodes, info->observation_size);
    info->has_finals = true;
    return SLT_OK;
}

// places of ones must be whole numbers; the builder looks at the rest
static slt_status check_sparse(const importing *in, const slt_array *ones, const slt_array *offsets,
                               int64_t rows) {
    if (ones->dtype != SLT_DTYPE_U16 || !offsets || offsets->dtype != SLT_DTYPE_I64 ||
        offsets->count != (size_t)rows + 1)
        REFUSE(in, "%s: want U16 places and %" PRId64 " I64 offsets", ones->name, rows + 1);
    const int64_t *starts = offsets->data;
    bool fine = starts[0] == 0 && starts[rows] == (int64_t)ones->count;
    for (int64_t i = 0; fine && i < rows; i++) fine = starts[i] <= starts[i + 1];
    if (!fine) REFUSE(in, "%s: do not rise from 0 to %zu", offsets->name, ones->count);
    return SLT_OK;
}

static slt_status describe_sparse(importing *in) {
    slt_dataset_info *info = &in->info;
    const char *width = text(in, "observations_bits_width");
    if (!width || !slt_number_whole(width, &info->observation_size))
        REFUSE(in, "observations_bits_width: missing or no number");
    info->observation_kind = SLT_OBSERVATIONS_BITS;
    info->observation_rank = 1;
    info->observation_shape[0] = info->observation_size;
    SLT_TRY(check_sparse(in, in->ones, in->ones_offsets, info->steps));
    if (!in->final_ones) return SLT_OK;
    info->has_finals = true;
    return check_sparse(in, in->final_ones, in->final_ones_offsets, info->episodes);
}

static slt_status find_arrays(importing *in) {
    slt_dataset_info *info = &in->info;
    const struct {
        const char *name;
        const slt_array **out;
        bool *has;
        int64_t rows; // 0: looked at elsewhere
    } fields[] = {
        {"observations", &in->observations, NULL, 0},
        {"final_observations", &in->finals, NULL, 0},
        {"observations_bits", &in->ones, NULL, 0},
        {"observations_bits_offsets", &in->ones_offsets, NULL, 0},
        {"final_observations_bits", &in->final_ones, NULL, 0},
        {"final_observations_bits_offsets", &in->final_ones_offsets, NULL, 0},
        {"rewards", &in->rewards, &info->has_rewards, info->steps},
        {"segment", &in->segments, &info->has_segments, info->steps},
        {"subtask", &in->subtasks, &info->has_subtasks, info->steps},
        {"split", &in->split, &info->has_splits, info->episodes},
        {"terminated", &in->terminated, &info->has_terminated, info->episodes},
        {"truncated", &in->truncated, &info->has_truncated, info->episodes},
        {"seed", &in->seed, &info->has_seeds, info->episodes},
        {"task", &in->task, &info->has_tasks, info->episodes},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        const slt_array *found = slt_array_set_find(in->set, fields[i].name);
        *fields[i].out = found;
        if (!found || !fields[i].rows) continue;
        *fields[i].has = true;
        if (found->count != (size_t)fields[i].rows)
            REFUSE(in, "%s: has %zu numbers, not %" PRId64, fields[i].name, found->count,
                   fields[i].rows);
    }
    return SLT_OK;
}

static slt_status describe(importing *in) {
    in->actions = slt_array_set_find(in->set, "actions");
    SLT_TRY(find_episodes(in));
    SLT_TRY(find_arrays(in));
    SLT_TRY(describe_actions(in));
    if (in->ones)
        SLT_TRY(describe_sparse(in));
    else if (in->observations)
        SLT_TRY(describe_dense(in));
    SLT_TRY(describe_names(in));
    in->info.environment = text(in, "environment");
    in->info.expert = text(in, "expert");
    in->info.observation_meaning = text(in, "observation_meaning");
    return SLT_OK;
}

// ---- episode by episode

// rows [first, first+count) of `width` numbers as floats; a view where they are floats already
static slt_status reals(slt_arena *arena, const slt_array *array, int64_t first, int64_t count,
                        int64_t width, const float **out) {
    size_t at = (size_t)(first * width), total = (size_t)(count * width);
    if (array->dtype == SLT_DTYPE_F32) return *out = (const float *)array->data + at, SLT_OK;
    float *values;
    SLT_TRY(SLT_NEW(arena, &values, total));
    for (size_t i = 0; i < total; i++) values[i] = (float)slt_array_real(array, at + i);
    *out = values;
    return SLT_OK;
}

static slt_status words(const importing *in, slt_arena *arena, const slt_array *array,
                        int64_t first, int64_t count, const int32_t **out) {
    if (array->dtype == SLT_DTYPE_I32) return *out = (const int32_t *)array->data + first, SLT_OK;
    int32_t *values;
    SLT_TRY(SLT_NEW(arena, &values, (size_t)count));
    for (int64_t i = 0; i < count; i++) {
        int64_t value;
        SLT_TRY(whole(in, array, (size_t)(first + i), &value));
        if (value < INT32_MIN || value > INT32_MAX)
            REFUSE(in, "%s: %" PRId64 " is out of range", array->name, value);
        values[i] = (int32_t)value;
    }
    *out = values;
    return SLT_OK;
}

static slt_status take_observations(const importing *in, slt_arena *arena, int64_t first,
                                    slt_episode *episode) {
    int64_t size = in->info.observation_size, index = episode->index;
    switch (in->info.observation_kind) {
    case SLT_OBSERVATIONS_NONE:
        return SLT_OK;
    case SLT_OBSERVATIONS_U8:
        episode->observations_u8 = (const uint8_t *)in->observations->data + first * size;
        if (!in->finals) return SLT_OK;
        if (slt_dtype_size(in->finals->dtype) != 1)
            REFUSE(in, "final_observations: want the type of observations");
        episode->final_u8 = (const uint8_t *)in->finals->data + index * size;
        return SLT_OK;
    case SLT_OBSERVATIONS_F32:
        SLT_TRY(reals(arena, in->observations, first, episode->length, size,
                      &episode->observations_f32));
        if (!in->finals) return SLT_OK;
        return reals(arena, in->finals, index, 1, size, &episode->final_f32);
    case SLT_OBSERVATIONS_BITS:
        episode->ones = in->ones->data;
        episode->ones_offsets = (const int64_t *)in->ones_offsets->data + first;
        if (in->final_ones) {
            const int64_t *starts = (const int64_t *)in->final_ones_offsets->data + index;
            episode->final_ones = (const uint16_t *)in->final_ones->data + starts[0];
            episode->final_count = starts[1] - starts[0];
        }
        return SLT_OK;
    }
    return SLT_OK;
}

static slt_status take_numbers(const importing *in, slt_episode *episode) {
    int64_t values[5] = {0, 0, 0, -1, -1};
    const slt_array *const columns[5] = {in->split, in->terminated, in->truncated, in->task,
                                         in->seed};
    for (int i = 0; i < 5; i++)
        if (columns[i]) SLT_TRY(whole(in, columns[i], (size_t)episode->index, &values[i]));
    for (int i = 0; i < 4; i++)
        if (values[i] < -1 || values[i] > INT32_MAX)
            REFUSE(in, "%s: %" PRId64 " is out of range", columns[i]->name, values[i]);
    episode->split = (slt_split)values[0];
    episode->terminated = values[1] != 0;
    episode->truncated = values[2] != 0;
    episode->task = (int32_t)values[3];
    episode->seed = values[4];
    return SLT_OK;
}

static slt_status take_episode(const importing *in, slt_arena *arena, int64_t index,
                               slt_episode *out) {
    int64_t first = in->offsets[index];
    slt_episode episode = {.index = index, .length = in->offsets[index + 1] - first};
    if (in->info.action_kind == SLT_ACTIONS_CONTINUOUS)
        SLT_TRY(reals(arena, in->actions, first, episode.length, in->info.action_size,
                      &episode.actions_f32));
    else
        SLT_TRY(words(in, arena, in->actions, first, episode.length, &episode.actions_i32));
    SLT_TRY(take_observations(in, arena, first, &episode));
    if (in->rewards) SLT_TRY(reals(arena, in->rewards, first, episode.length, 1, &episode.rewards));
    if (in->segments)
        SLT_TRY(words(in, arena, in->segments, first, episode.length, &episode.segments));
    if (in->subtasks)
        SLT_TRY(words(in, arena, in->subtasks, first, episode.length, &episode.subtasks));
    SLT_TRY(take_numbers(in, &episode));
    *out = episode;
    return SLT_OK;
}

static slt_status fill(const importing *in, slt_dataset_builder *builder, slt_arena *scratch) {
    slt_array_set *set = in->set;
    for (int i = 0; i < set->metadata_count; i++)
        if (!slt_dataset_is_reserved(set->metadata[i].key))
            SLT_TRY(slt_dataset_builder_describe(builder, set->metadata[i].key,
                                                 set->metadata[i].value));
    slt_arena_mark start = slt_arena_now(scratch);
    for (int64_t i = 0; i < in->info.episodes; i++) {
        slt_episode episode;
        SLT_TRY(slt_context_check(set->context));
        SLT_TRY(take_episode(in, scratch, i, &episode));
        slt_status status = slt_dataset_builder_add(builder, &episode);
        if (status != SLT_OK) {
            slt_fail(status, "episode %" PRId64 ": %s", i, slt_last_error());
            return slt_fail_in(SLT_FORMAT, set->path);
        }
        slt_arena_reset(scratch, start);
        slt_context_progress(set->context, "import", (uint64_t)i + 1, (uint64_t)in->info.episodes,
                             "");
    }
    return SLT_OK;
}

slt_status slt_array_set_import(slt_array_set *set, const char *out) {
    importing in = {.set = set};
    SLT_TRY(describe(&in));
    slt_dataset_builder *builder;
    slt_status status = slt_dataset_builder_native(set->context, out, &in.info, &builder);
    if (status == SLT_INVALID) return slt_fail_in(SLT_FORMAT, set->path);
    SLT_TRY(status);
    slt_arena scratch;
    slt_arena_init(&scratch, &set->context->allocator, 1 << 16);
    status = fill(&in, builder, &scratch);
    slt_arena_deinit(&scratch);
    if (status == SLT_OK) return slt_dataset_builder_commit(builder);
    slt_dataset_builder_destroy(builder);
    return status;
}
