// Types of what a model finds: learned from the data of its run, kept next to its checkpoint,
// scored against names of sub-tasks.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "core/group_impl.h"
#include "data/formats.h"
#include "skills/types_impl.h"
#include "train/inference/model_api.h"
#include "train/inference/run_files.h"

// ---- learning

typedef struct {
    slt_dataset *data;
    int32_t *ids; // [steps]
} keeper;

static slt_status keep(void *user, const slt_segments *segments) {
    keeper *k = user;
    int64_t first = slt_dataset_offsets(k->data)[segments->episode];
    memcpy(k->ids + first, segments->ids, (size_t)segments->length * sizeof *k->ids);
    return SLT_OK;
}

static slt_status learn(slt_model *model, slt_arena *arena, slt_dataset *data, slt_types **out) {
    keeper k = {.data = data};
    slt_segment_options options = {0};
    int64_t steps = slt_dataset_about(data)->steps;
    SLT_TRY(slt_types_choose(arena, data, 0, &options.episodes, &options.episode_count));
    SLT_TRY(SLT_NEW(arena, &k.ids, (size_t)steps));
    for (int64_t t = 0; t < steps; t++) k.ids[t] = -1;
    SLT_TRY(slt_model_segment_as(model, data, &options, NULL, keep, &k));
    return slt_types_learn(slt_model_context(model), data, k.ids, NULL, out);
}

static const char *types_path(const slt_model *model, char path[SLT_RUN_PATH]) {
    snprintf(path, SLT_RUN_PATH, "%s", slt_model_path(model));
    char *name = strrchr(path, '/');
    snprintf(name ? name + 1 : path, SLT_RUN_PATH - (size_t)(name ? name + 1 - path : 0), "%s",
             SLT_TYPES_FILE);
    return path;
}

slt_status slt_model_learn_types(slt_model *model, slt_dataset *data) {
    slt_context *context = slt_model_context(model);
    slt_types *types = NULL;
    slt_arena arena;
    uint32_t origin;
    char path[SLT_RUN_PATH];
    if (slt_model_has_laws(model)) return SLT_OK;
    slt_arena_init(&arena, &context->allocator, 0);
    slt_status status = learn(model, &arena, data, &types);
    slt_arena_deinit(&arena);
    SLT_TRY(status);
    slt_model_hold_types(model, types);
    if (!slt_model_is_run(model) || !slt_group_leads(context)) return SLT_OK;
    SLT_TRY(slt_data_checksum(slt_model_path(model), &origin));
    slt_types_set_origin(types, origin);
    // a run that cannot be written to is used all the same
    if (slt_types_save(types, types_path(model, path), true) != SLT_OK)
        slt_context_log(context, SLT_LOG_WARNING, "types of segments were not kept: %s",
                        slt_last_error());
    return SLT_OK;
}

// those of an earlier call, unless the checkpoint is another one since
static slt_status read_kept(slt_model *model) {
    slt_types *types;
    uint32_t origin;
    char path[SLT_RUN_PATH];
    SLT_TRY(slt_types_open(slt_model_context(model), types_path(model, path), &types));
    slt_status status = slt_data_checksum(slt_model_path(model), &origin);
    if (status == SLT_OK && slt_types_origin(types) == origin)
        slt_model_hold_types(model, types);
    else
        slt_types_close(types);
    return status;
}

static bool is_kept(const slt_model *model) {
    char path[SLT_RUN_PATH];
    types_path(model, path);
    *strrchr(path, '/') = 0;
    return slt_run_has(path, SLT_TYPES_FILE);
}

slt_status slt_model_types(slt_model *model, const slt_types **out) {
    const char *path = slt_model_about(model)->data;
    slt_context *context = slt_model_context(model);
    slt_dataset *data;
    *out = NULL;
    if (!slt_model_held_types(model) && slt_model_is_run(model) && is_kept(model))
        SLT_TRY(read_kept(model));
    if (!slt_model_held_types(model) && path) {
        if (slt_dataset_open(context, path, &data) != SLT_OK) {
            slt_context_log(context, SLT_LOG_WARNING, "no types of segments: %s", slt_last_error());
            return SLT_OK;
        }
        slt_status status = slt_model_learn_types(model, data);
        slt_dataset_close(data);
        if (status == SLT_INVALID)
            slt_context_log(context, SLT_LOG_WARNING, "no types of segments: %s", slt_last_error());
        else
            SLT_TRY(status);
    }
    *out = slt_model_held_types(model);
    return SLT_OK;
}

slt_status slt_model_segment(slt_model *model, slt_dataset *data,
                             const slt_segment_options *options, slt_segments_visit visit,
                             void *user) {
    const slt_types *types = NULL;
    bool split = options && options->split_by_type;
    if ((split || (options && options->types)) && !slt_model_has_laws(model))
        SLT_TRY(slt_model_types(model, &types));
    if (split && !types)
        SLT_FAIL(SLT_INVALID,
                 "%s: no types by effect to split segments by; a run has them while "
                 "its data is there, a vote of laws has none",
                 slt_model_path(model));
    return slt_model_segment_as(model, data, options, types, visit, user);
}

// ---- scores

typedef struct {
    slt_dataset *data;
    slt_arena arena;
    int32_t *types, *names;
    int64_t count;
    bool missing;
} scorer;

// the type of most steps from first to last
static int32_t common_type(const slt_segments *s, int64_t first, int64_t last) {
    int64_t best = 0;
    int32_t type = SLT_UNKNOWN_TYPE;
    for (int64_t t = first, start = first; t <= last; t++) {
        if (t < last && s->ids[t] == s->ids[t + 1]) continue;
        if (t + 1 - start > best) best = t + 1 - start, type = s->types[s->ids[t]];
        start = t + 1;
    }
    return type;
}

static slt_status add(void *user, const slt_segments *s) {
    scorer *k = user;
    slt_episode episode;
    if (!s->types) return k->missing = true, SLT_OK;
    SLT_TRY(slt_dataset_episode(k->data, s->episode, &episode));
    if (!episode.segments) return SLT_OK;
    for (int64_t t = 0, first = 0; t < episode.length; t++) {
        if (!slt_ends_at(episode.segments, episode.length, t)) continue;
        k->types[k->count] = common_type(s, first, t);
        k->names[k->count++] = episode.subtasks[t];
        first = t + 1;
    }
    return SLT_OK;
}

slt_status slt_model_score_types(slt_model *model, slt_dataset *data,
                                 const slt_segment_options *options, slt_type_scores *out) {
    slt_segment_options chosen = options ? *options : (slt_segment_options){0};
    slt_context *context = slt_model_context(model);
    scorer k = {.data = data};
    size_t steps = (size_t)slt_dataset_about(data)->steps;
    if (!slt_dataset_about(data)->has_subtasks)
        SLT_FAIL(SLT_INVALID, "%s has no names of sub-tasks", slt_dataset_path(data));
    chosen.types = true;
    slt_arena_init(&k.arena, &context->allocator, 0);
    slt_status status = SLT_NEW(&k.arena, &k.types, steps);
    if (status == SLT_OK) status = SLT_NEW(&k.arena, &k.names, steps);
    if (status == SLT_OK) status = slt_model_segment(model, data, &chosen, add, &k);
    if (status == SLT_OK && k.missing)
        status = slt_fail(SLT_INVALID, "the model has no types of segments: its data is gone, or "
                                       "it is a checkpoint without its run");
    if (status == SLT_OK) status = slt_type_score(context, k.types, k.names, k.count, out);
    slt_arena_deinit(&k.arena);
    return status;
}
