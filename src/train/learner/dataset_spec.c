// What a data set means for a model.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/learner/dataset_spec.h"

#include <string.h>
#include <strings.h>
#include "train/learner/prior.h"
#include "train/learner/standard.h"

static const double FLOOR = 1e-4; // of a prior's entries, as in the paper

// ---- splits

static slt_status own_splits(slt_arena *arena, slt_dataset_spec *task) {
    int64_t episodes = slt_dataset_about(task->data)->episodes;
    int64_t *list[SLT_SPLITS];
    for (int s = 0; s < SLT_SPLITS; s++) {
        SLT_TRY(SLT_NEW(arena, &list[s], (size_t)episodes));
        task->episodes[s] = list[s];
        task->count[s] = 0;
    }
    for (int64_t i = 0; i < episodes; i++) {
        slt_split split = i % 10 == 8   ? SLT_SPLIT_VALID
                          : i % 10 == 9 ? SLT_SPLIT_TEST
                                        : SLT_SPLIT_TRAIN;
        list[split][task->count[split]++] = i;
    }
    task->own_splits = true;
    return SLT_OK;
}

static slt_status split(slt_arena *arena, slt_dataset_spec *task) {
    if (!slt_dataset_about(task->data)->has_splits) return own_splits(arena, task);
    for (int s = 0; s < SLT_SPLITS; s++)
        task->count[s] = slt_dataset_split(task->data, (slt_split)s, &task->episodes[s]);
    return SLT_OK;
}

// ---- symbols

static slt_status largest_action(slt_dataset *data, int *out) {
    *out = 0;
    for (int64_t i = 0; i < slt_dataset_about(data)->episodes; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(data, i, &episode));
        for (int64_t t = 0; t < episode.length; t++) {
            int action = slt_episode_action(&episode, t);
            if (action > *out) *out = action;
        }
    }
    return SLT_OK;
}

// the padding needs a symbol that no step carries: the last action where its name is "done" and it
// is free (the six data sets), else one more. Actions that are declared are known, used or not.
static slt_status count_symbols(const slt_dataset_spec *task, int *out) {
    const slt_dataset_info *info = slt_dataset_about(task->data);
    int largest = 0, actions = info->action_count;
    SLT_TRY(largest_action(task->data, &largest));
    bool done = info->action_names && strcasecmp(info->action_names[actions - 1], "done") == 0;
    *out = done && largest < actions - 1 ? actions : actions + 1;
    return SLT_OK;
}

static slt_status mean_length(const slt_dataset_spec *task, double *out) {
    int64_t steps = 0, count = task->count[SLT_SPLIT_TRAIN];
    for (int64_t i = 0; i < count; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(task->data, task->episodes[SLT_SPLIT_TRAIN][i], &episode));
        steps += episode.length;
    }
    *out = (double)steps / (double)count;
    return SLT_OK;
}

static bool is_continuous(const slt_dataset *data) {
    return slt_dataset_about(data)->action_kind == SLT_ACTIONS_CONTINUOUS;
}

static slt_status check_kind(const slt_model_kind *kind, const slt_dataset *data) {
    if (is_continuous(data) && !kind->vectors)
        SLT_FAIL(SLT_UNSUPPORTED,
                 "%s: its actions are continuous; %s takes discrete actions; slottar, compile and "
                 "ompn take both",
                 slt_dataset_path(data), kind->name);
    if (slt_dataset_about(data)->episodes < 1)
        SLT_FAIL(SLT_FORMAT, "%s: has no episodes", slt_dataset_path(data));
    return SLT_OK;
}

static void describe_observations(const slt_dataset_info *info, slt_model_data *model) {
    model->observation = (int)info->observation_size;
    model->observation_type =
        info->observation_kind == SLT_OBSERVATIONS_BITS ? SLT_BITS : SLT_NUMBERS;
}

// ---- prior

static slt_status prior_of_labels(slt_dataset_spec *task, int K, bool *known) {
    const int64_t *train = task->episodes[SLT_SPLIT_TRAIN];
    *known = slt_dataset_about(task->data)->has_segments;
    for (int k = 0; k < K; k++) task->prior[k] = 0;
    for (int64_t i = 0; *known && i < task->count[SLT_SPLIT_TRAIN]; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(task->data, train[i], &episode));
        int64_t segments = slt_episode_segment_count(&episode);
        if (segments > K)
            SLT_FAIL(SLT_RANGE,
                     "%s: episode %lld has %lld segments, the model %d slots; set "
                     "slots=%lld or more",
                     slt_dataset_path(task->data), (long long)episode.index, (long long)segments, K,
                     (long long)segments);
        if (segments > 0) task->prior[segments - 1] += 1;
    }
    double sum = 0;
    for (int k = 0; k < K; k++) sum += task->prior[k];
    *known = *known && sum > 0;
    for (int k = 0; k < K && *known; k++) task->prior[k] = task->prior[k] / sum + FLOOR;
    return SLT_OK;
}

static slt_status make_prior(slt_dataset_spec *task, const slt_setup *setup, int K) {
    slt_prior prior;
    bool known = false;
    SLT_TRY(slt_prior_read(setup->train.prior, setup->train.prior_spread, &prior));
    // who asks for segments and says nothing wants two at least
    if (prior.kind == SLT_PRIOR_AUTO && setup->kind->label_free && K > 1)
        prior = (slt_prior){.kind = SLT_PRIOR_RANGE, .text = "auto", .low = 2, .high = K};
    bool labels = prior.kind == SLT_PRIOR_LABELS ||
                  (prior.kind == SLT_PRIOR_AUTO && !setup->kind->label_free);
    if (labels) SLT_TRY(prior_of_labels(task, K, &known));
    if (prior.kind == SLT_PRIOR_LABELS && !known)
        SLT_FAIL(SLT_INVALID, "%s: prior=labels, but there are none", slt_dataset_path(task->data));
    return known ? SLT_OK : slt_prior_fill(&prior, K, task->prior);
}

// ---- a task

// a model that is told the number of segments needs somebody who knows it
static slt_status check_oracle(const slt_setup *setup, const slt_dataset *data) {
    bool oracle = setup->kind->oracle && setup->kind->oracle(setup->model);
    if (oracle && !slt_dataset_about(data)->has_segments)
        SLT_FAIL(SLT_INVALID, "%s: has no labels, and count=oracle needs them; say count=own",
                 slt_dataset_path(data));
    return SLT_OK;
}

static slt_status read_task(slt_arena *arena, const slt_setup *setup, slt_dataset_spec *task) {
    const slt_dataset_info *info = slt_dataset_about(task->data);
    SLT_TRY(check_kind(setup->kind, task->data));
    SLT_TRY(split(arena, task));
    bool blind = setup->kind->blind && setup->kind->blind(setup->model);
    if (!blind) describe_observations(info, &task->model);
    if (info->longest >= SLT_MOST_STEPS)
        SLT_FAIL(SLT_RANGE,
                 "%s: the longest episode has %lld steps, models take %d at most; cut it into "
                 "episodes or keep every n-th step",
                 slt_dataset_path(task->data), (long long)info->longest, SLT_MOST_STEPS - 1);
    if (is_continuous(task->data))
        SLT_TRY(slt_standard_measure(arena, task));
    else
        SLT_TRY(count_symbols(task, &task->model.symbols));
    task->model.length = setup->train.length ? (int)setup->train.length : (int)info->longest + 1;
    bool done = slt_setup_done(setup) != SLT_DONE_NONE;
    if (info->longest + done > task->model.length)
        SLT_FAIL(SLT_RANGE,
                 "%s: the longest episode has %lld steps%s, more than length=%d; set "
                 "length=%lld or leave it out",
                 slt_dataset_path(task->data), (long long)info->longest, done ? " and DONE" : "",
                 task->model.length, (long long)info->longest + done);
    if (task->count[SLT_SPLIT_TRAIN] < 1)
        SLT_FAIL(SLT_FORMAT, "%s: no training episodes", slt_dataset_path(task->data));
    SLT_TRY(check_oracle(setup, task->data));
    int slots = setup->kind->slots(setup->model);
    for (int k = 0; k < slots; k++) task->prior[k] = 1 / (double)slots;
    if (!setup->kind->no_prior) SLT_TRY(make_prior(task, setup, slots));
    SLT_TRY(mean_length(task, &task->model.mean_length));
    task->model.prior = task->prior;
    return SLT_OK;
}

slt_status slt_task_open(slt_context *context, slt_arena *arena, const slt_setup *setup,
                         const char *path, slt_dataset_spec *out) {
    memset(out, 0, sizeof *out);
    SLT_TRY(slt_dataset_open(context, path, &out->data));
    slt_status status = read_task(arena, setup, out);
    if (status != SLT_OK) slt_task_close(out);
    return status;
}

void slt_task_close(slt_dataset_spec *task) {
    slt_dataset_close(task->data);
    task->data = NULL;
}

static slt_status check_actions(const slt_model_data *model, slt_dataset *data) {
    const char *path = slt_dataset_path(data);
    int largest = 0, columns = is_continuous(data) ? slt_dataset_about(data)->action_size : 0;
    if (!columns != !model->columns)
        SLT_FAIL(SLT_SHAPE, "%s: its actions are %s, the model takes %s ones", path,
                 columns ? "continuous" : "discrete", model->columns ? "continuous" : "discrete");
    if (columns != model->columns)
        SLT_FAIL(SLT_SHAPE, "%s: actions of %d numbers, the model takes %d", path, columns,
                 model->columns);
    if (columns) return SLT_OK;
    SLT_TRY(largest_action(data, &largest));
    if (largest >= model->symbols - 1)
        SLT_FAIL(SLT_SHAPE, "%s: has action %d, the model knows 0 to %d", path, largest,
                 model->symbols - 2);
    return SLT_OK;
}

static slt_status check_fit(const slt_model_data *model, slt_dataset_spec *task) {
    const slt_dataset_info *info = slt_dataset_about(task->data);
    slt_model_data seen = {0};
    if (info->episodes < 1)
        SLT_FAIL(SLT_FORMAT, "%s: has no episodes", slt_dataset_path(task->data));
    SLT_TRY(check_actions(model, task->data));
    describe_observations(info, &seen);
    // a model that looks at none takes any
    if (!model->observation) return SLT_OK;
    if (seen.observation != model->observation || seen.observation_type != model->observation_type)
        SLT_FAIL(SLT_SHAPE, "%s: observations of %d %s, the model takes %d %s",
                 slt_dataset_path(task->data), seen.observation,
                 seen.observation_type == SLT_BITS ? "bits" : "numbers", model->observation,
                 model->observation_type == SLT_BITS ? "bits" : "numbers");
    return SLT_OK;
}

slt_status slt_task_fit(slt_arena *arena, const slt_model_data *model, slt_dataset *data,
                        slt_dataset_spec *out) {
    memset(out, 0, sizeof *out);
    out->data = data;
    out->model = *model;
    SLT_TRY(check_fit(model, out));
    return split(arena, out);
}
