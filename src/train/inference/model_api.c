// A trained model: opening, segmenting, scoring.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include "core/output_impl.h"
#include "core/yaml_config.h"
#include "data/dataset_impl.h"
#include "metrics/baseline_misses.h"
#include "train/inference/predict.h"
#include "train/learner/checkpoint.h"
#include "train/inference/length_limits.h"
#include "train/inference/run_files.h"
#include "train/inference/segments.h"
#include "train/inference/split_segments.h"
#include "train/learner/dataset_spec.h"
#include "train/inference/model_api.h"
#include "slottar/skills.h"
#include "train/inference/vote_answers.h"

struct slt_model {
    slt_context *context;
    slt_arena arena;
    slt_checkpoint checkpoint;
    const slt_episode *companions;
    slt_learner *learner;
    slt_segmenter *vote; // instead of a checkpoint: members that vote
    void *stream_plan;   // NULL: nothing streamed yet
    slt_types *types;    // NULL: not learned
    slt_model_info info;
    bool folder; // a run directory was opened
    char path[SLT_RUN_PATH];
};

// ---- opening

// the data set that a run's config names
static slt_status read_data_path(slt_model *model, const char *run) {
    char path[SLT_RUN_PATH];
    slt_yaml yaml;
    if (!slt_run_has(run, "config.yaml")) return SLT_OK;
    SLT_TRY(slt_yaml_load(&model->arena, slt_run_path(path, run, "config.yaml"), &yaml));
    const slt_yaml_entry *entry = slt_yaml_find(&yaml, "data");
    if (entry && entry->count == 1) model->info.data = entry->values[0];
    return SLT_OK;
}

static slt_status find_checkpoint(slt_model *model, const char *path) {
    struct stat info;
    model->folder = stat(path, &info) == 0 && S_ISDIR(info.st_mode);
    if (!model->folder) {
        snprintf(model->path, sizeof model->path, "%s", path);
        return SLT_OK;
    }
    if (slt_run_has(path, SLT_MEMBERS_FILE)) {
        slt_run_path(model->path, path, SLT_MEMBERS_FILE);
        return SLT_OK;
    }
    if (!slt_run_has(path, "best.safetensors"))
        SLT_FAIL(SLT_IO,
                 "%s: no best.safetensors in it; is it a run directory, and has its first "
                 "epoch ended?",
                 path);
    slt_run_path(model->path, path, "best.safetensors");
    return read_data_path(model, path);
}

static slt_status open_vote(slt_model *model) {
    SLT_TRY(slt_segmenter_open(model->context, model->path, &model->vote));
    slt_segmenter_fits fits = slt_segmenter_takes(model->vote);
    model->info = (slt_model_info){.name = "vote",
                                   .actions = fits.continuous ? 0 : fits.actions,
                                   .action_size = fits.continuous ? fits.actions : 0,
                                   .observation = fits.observation,
                                   .data = fits.data,
                                   .trust = slt_vote_trust(slt_segmenter_result(model->vote))};
    return SLT_OK;
}

static slt_status open_model(slt_model *model, const char *path) {
    slt_checkpoint *c = &model->checkpoint;
    SLT_TRY(find_checkpoint(model, path));
    bool vote;
    SLT_TRY(slt_segmenter_is(model->context, model->path, &vote));
    if (vote) return open_vote(model);
    SLT_TRY(slt_checkpoint_read(model->context, model->path, c));
    SLT_TRY(slt_checkpoint_standard(&model->arena, c, model->path));
    SLT_TRY(slt_checkpoint_check(model->context, c, model->path));
    SLT_TRY(slt_checkpoint_companions(&model->arena, c, model->path, &model->companions));
    model->info.name = c->setup.kind->name;
    model->info.slots = c->setup.kind->slots(c->setup.model);
    model->info.length = c->data.length;
    model->info.actions = c->data.columns ? 0 : c->data.symbols - 1;
    model->info.action_size = c->data.columns;
    model->info.observation = c->data.observation;
    model->info.epoch = c->state.epoch;
    model->info.trust = c->trust;
    return SLT_OK;
}

slt_status slt_model_open(slt_context *context, const char *path, slt_model **out) {
    slt_model *model;
    SLT_TRY(SLT_ALLOC(&context->allocator, &model, 1));
    model->context = context;
    slt_arena_init(&model->arena, &context->allocator, 0);
    slt_status status = open_model(model, path);
    if (status != SLT_OK) {
        slt_model_close(model);
        return status;
    }
    *out = model;
    return SLT_OK;
}

void slt_model_close(slt_model *model) {
    if (!model) return;
    slt_learner_destroy(model->learner);
    slt_segmenter_close(model->vote);
    slt_types_close(model->types);
    slt_arena_deinit(&model->arena);
    slt_free(&model->context->allocator, model);
}

const slt_model_info *slt_model_about(const slt_model *model) { return &model->info; }
slt_context *slt_model_context(const slt_model *model) { return model->context; }
const char *slt_model_path(const slt_model *model) { return model->path; }
slt_segmenter *slt_model_vote(slt_model *model) { return model->vote; }
const slt_checkpoint *slt_model_checkpoint(const slt_model *model) { return &model->checkpoint; }
slt_arena *slt_model_arena(slt_model *model) { return &model->arena; }
void **slt_model_stream_plan(slt_model *model) { return &model->stream_plan; }

slt_status slt_model_take(slt_model *model, const char *group, int answer) {
    if (!model->vote)
        SLT_FAIL(SLT_INVALID, "%s is one model: groups and answers are for members that vote",
                 model->path);
    SLT_TRY(slt_segmenter_take(model->vote, group, answer));
    model->info.trust = slt_vote_trust(slt_segmenter_result(model->vote));
    return SLT_OK;
}

bool slt_model_is_run(const slt_model *model) { return model->folder; }
slt_types *slt_model_held_types(const slt_model *model) { return model->types; }

void slt_model_hold_types(slt_model *model, slt_types *types) {
    slt_types_close(model->types);
    model->types = types;
}

bool slt_model_has_laws(slt_model *model) {
    if (!model->vote) return false;
    const slt_vote_result *result = slt_segmenter_result(model->vote);
    const char *name = result->groups[result->chosen].name;
    return strcmp(name, "events") != 0 && strcmp(name, "mdl") != 0;
}

// ---- using

// positions of a tape: those of training, more where the model takes longer trajectories
static int positions(const slt_checkpoint *c, slt_dataset *data) {
    int64_t longest = slt_dataset_about(data)->longest + 1;
    bool any = c->setup.kind->any_length && c->setup.kind->any_length(c->setup.model);
    if (!any || longest <= c->data.length) return c->data.length;
    return longest < SLT_MOST_STEPS ? (int)longest : SLT_MOST_STEPS;
}

// a learner with room for trajectories of this data set, for segments alone or for scores too
static slt_status make_learner(slt_model *model, slt_dataset *data, bool segments_alone) {
    slt_checkpoint *c = &model->checkpoint;
    slt_limits none = {0, 0, 0, 0}, use;
    slt_learner_destroy(model->learner);
    model->learner = NULL;
    c->data.prior = c->prior;
    slt_model_data fitted = c->data;
    fitted.segments_alone = segments_alone;
    fitted.length = positions(c, data);
    SLT_TRY(slt_predict_limits(model->context, &c->setup, &fitted, data, 1, &use));
    SLT_TRY(slt_learner_create(model->context, &c->setup, &fitted, 1, none, use, &model->learner));
    model->learner->companions = model->companions;
    return slt_checkpoint_load(model->learner, 0, model->path, false);
}

slt_status slt_model_read_weights(slt_model *model, slt_learner **out) {
    slt_checkpoint *c = &model->checkpoint;
    slt_limits none = {0, 0, 0, 0}, use = {.trajectories = 1, .tokens = 2};
    use.slots = c->setup.kind->slots(c->setup.model);
    use.length = c->data.length;
    c->data.prior = c->prior;
    slt_model_data data = c->data;
    data.segments_alone = true;
    SLT_TRY(slt_learner_create(model->context, &c->setup, &data, 1, none, use, out));
    slt_status status = slt_checkpoint_load(*out, 0, model->path, false);
    if (status == SLT_OK) status = slt_store_fetch((*out)->store);
    if (status != SLT_OK) slt_learner_destroy(*out);
    return status;
}

typedef struct {
    slt_arena arena;
    slt_segments_visit visit;
    void *user;
    int min_length, max_length;
    const slt_calibration *calibration;
    slt_dataset *data;
    const slt_types *types; // instead of what the model says of them; or NULL
    bool split_by_type;
} visitor;

static slt_status show(void *user, const slt_episode *episode, const slt_segmentation *found) {
    visitor *v = user;
    slt_segments segments;
    slt_arena_mark mark = slt_arena_now(&v->arena);
    slt_segmentation bounded = *found;
    if (v->min_length || v->max_length)
        SLT_TRY(slt_bound_lengths(&v->arena, v->min_length, v->max_length, &bounded));
    SLT_TRY(slt_segments_of(&v->arena, episode->index, &bounded, v->calibration, &segments));
    if (v->types) {
        int32_t *types;
        if (v->split_by_type) SLT_TRY(slt_split_segments(&v->arena, v->types, v->data, &segments));
        SLT_TRY(SLT_NEW(&v->arena, &types, (size_t)segments.segments));
        SLT_TRY(slt_types_of(v->types, v->data, episode->index, segments.ids, types));
        segments.types = types;
    }
    slt_status status = v->visit(v->user, &segments);
    slt_arena_reset(&v->arena, mark);
    return status;
}

static slt_status all_episodes(slt_arena *arena, slt_dataset *data, const int64_t **out) {
    int64_t count = slt_dataset_about(data)->episodes, *list;
    SLT_TRY(SLT_NEW(arena, &list, (size_t)count));
    for (int64_t i = 0; i < count; i++) list[i] = i;
    *out = list;
    return SLT_OK;
}

// the episodes that the options ask for, and a learner for them
static slt_status choose(slt_model *model, slt_arena *arena, slt_dataset *data,
                         const slt_segment_options *options, bool segments_alone,
                         const int64_t **episodes, int64_t *count) {
    slt_dataset_spec *task;
    SLT_TRY(SLT_NEW(arena, &task, 1));
    SLT_TRY(slt_task_fit(arena, &model->checkpoint.data, data, task));
    if (options->missed_by && !options->one_split)
        SLT_FAIL(SLT_INVALID, "missed_by is for the trajectories of one split: set one_split");
    if (options->missed_by) {
        SLT_TRY(slt_baseline_misses(model->context, arena, data, options->split, options->missed_by,
                                    options->seed, episodes, count));
    } else if (options->episodes) {
        *episodes = options->episodes;
        *count = options->episode_count;
    } else if (options->one_split) {
        *episodes = task->episodes[options->split];
        *count = task->count[options->split];
    } else {
        SLT_TRY(all_episodes(arena, data, episodes));
        *count = slt_dataset_about(data)->episodes;
    }
    return make_learner(model, data, segments_alone);
}

// numbers that are zeros and ones, as arrays in memory have them, for a model of bits: *packed is
// what it reads, the caller's to close; NULL: the data as it is
static slt_status pack(slt_model *model, slt_dataset *data, slt_dataset **packed) {
    const slt_dataset_info *info = slt_dataset_about(data);
    const slt_model_data *wanted = &model->checkpoint.data;
    bool numbers = info->observation_kind == SLT_OBSERVATIONS_U8 ||
                   info->observation_kind == SLT_OBSERVATIONS_F32;
    *packed = NULL;
    if (model->vote || wanted->observation_type != SLT_BITS || !numbers) return SLT_OK;
    if (info->observation_size != wanted->observation) return SLT_OK; // refused by its size
    return slt_dataset_pack(model->context, data, packed);
}

static slt_status answer(slt_model *model, slt_dataset *data, const slt_segment_options *options,
                         slt_predict_visit visit, void *user) {
    slt_dataset *packed;
    slt_arena arena;
    const int64_t *episodes;
    int64_t count = 0;
    slt_predict_losses losses;
    slt_predict_request request = {
        .seed = options->seed, .pictures = options->pictures, .visit = visit, .user = user};
    if (model->vote) return slt_vote_answers(model->vote, data, options, visit, user);
    SLT_TRY(pack(model, data, &packed));
    data = packed ? packed : data;
    slt_arena_init(&arena, &model->context->allocator, 0);
    slt_status status = choose(model, &arena, data, options, true, &episodes, &count);
    if (status == SLT_OK)
        status = slt_predict(model->learner, data, episodes, count, &request, 1, &losses);
    slt_arena_deinit(&arena);
    slt_dataset_close(packed);
    return status;
}

slt_status slt_model_segment_as(slt_model *model, slt_dataset *data,
                                const slt_segment_options *options, const slt_types *types,
                                slt_segments_visit visit, void *user) {
    slt_segment_options chosen = options ? *options : (slt_segment_options){0};
    visitor v = {.visit = visit,
                 .user = user,
                 .min_length = chosen.min_length,
                 .max_length = chosen.max_length,
                 .calibration = &model->checkpoint.calibration,
                 .data = data,
                 .types = types,
                 .split_by_type = chosen.split_by_type};
    slt_arena_init(&v.arena, &model->context->allocator, 0);
    slt_status status = answer(model, data, &chosen, show, &v);
    slt_arena_deinit(&v.arena);
    return status;
}

slt_status slt_model_save_segments(slt_model *model, slt_dataset *data,
                                   const slt_segment_options *options, const char *path) {
    slt_segment_options chosen = options ? *options : (slt_segment_options){0};
    const char *split = chosen.one_split ? slt_split_name(chosen.split) : NULL;
    slt_segments_file *file;
    slt_lock lock;
    const char *inputs[] = {slt_dataset_path(data), model->path};
    slt_output_request output = {path, false, chosen.overwrite, inputs, 2};
    chosen.pictures = true;
    if (model->vote)
        SLT_FAIL(SLT_UNSUPPORTED,
                 "%s: a vote has no masks to save; `segment -o` writes its answers", model->path);
    SLT_TRY(slt_output_claim(&lock, model->context, &output));
    slt_status status = slt_segments_file_create(model->context, path, &model->checkpoint.setup,
                                                 slt_dataset_path(data), split,
                                                 &model->checkpoint.calibration, &file);
    if (status == SLT_OK) {
        status = answer(model, data, &chosen, slt_segments_file_add, file);
        if (status == SLT_OK)
            status = slt_segments_file_commit(file);
        else
            slt_segments_file_destroy(file);
    }
    slt_lock_release(&lock);
    return status;
}

slt_status slt_model_score(slt_model *model, slt_dataset *data, const slt_segment_options *options,
                           slt_run_scores *out) {
    slt_segment_options chosen = options ? *options : (slt_segment_options){0};
    slt_arena arena;
    const int64_t *episodes;
    int64_t count = 0;
    slt_evaluation evaluation;
    slt_dataset *packed;
    if (model->vote) {
        SLT_TRY(slt_vote_evaluate(model->context, model->vote, data, &chosen, &evaluation, &count));
        *out = slt_run_scores_of(&evaluation, count);
        out->told = slt_segmenter_told(model->vote);
        return SLT_OK;
    }
    SLT_TRY(pack(model, data, &packed));
    data = packed ? packed : data;
    slt_arena_init(&arena, &model->context->allocator, 0);
    slt_status status = choose(model, &arena, data, &chosen, false, &episodes, &count);
    slt_predict_request request = {
        .seed = chosen.seed, .pictures = true, .calibration = &model->checkpoint.calibration};
    if (status == SLT_OK)
        status = slt_evaluate(model->learner, data, episodes, count, &request, 1, &evaluation);
    if (status == SLT_OK) {
        *out = slt_run_scores_of(&evaluation, count);
        out->told =
            slt_setup_told(&model->checkpoint.setup, model->checkpoint.prior, out->told_count);
    }
    slt_arena_deinit(&arena);
    slt_dataset_close(packed);
    return status;
}
