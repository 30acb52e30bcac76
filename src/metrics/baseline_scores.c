// A rule evaluated on a split of a data set: the baselines that every model has to beat.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/baseline_impl.h"
#include "metrics/baseline_misses.h"

#include "slottar/metrics.h"

// actions and labels of one split
typedef struct {
    slt_sequence *actions, *truth;
    const float **vectors; // NULL: actions are discrete
    int32_t **ids, *counts;
    size_t count;
    bool labelled;
} split_view;

static slt_status view_episode(slt_arena *arena, const slt_episode *episode, split_view *view,
                               size_t i) {
    int32_t *actions;
    SLT_TRY(SLT_NEW(arena, &actions, (size_t)episode->length));
    SLT_TRY(SLT_NEW(arena, &view->ids[i], (size_t)episode->length));
    if (view->vectors) view->vectors[i] = episode->actions_f32; // and one symbol for all
    for (int64_t t = 0; t < episode->length && !episode->actions_f32; t++)
        actions[t] = slt_episode_action(episode, t);
    view->actions[i] = (slt_sequence){actions, (int32_t)episode->length};
    view->truth[i] = (slt_sequence){episode->segments, (int32_t)episode->length};
    view->counts[i] = (int32_t)slt_episode_segment_count(episode);
    view->labelled = view->labelled && view->counts[i] > 0;
    return SLT_OK;
}

// the episodes of a list
static slt_status view_some(slt_arena *arena, slt_dataset *data, const int64_t *episodes,
                            int64_t count, split_view *view) {
    *view = (split_view){.count = (size_t)count, .labelled = count > 0};
    SLT_TRY(SLT_NEW(arena, &view->actions, (size_t)count));
    SLT_TRY(SLT_NEW(arena, &view->truth, (size_t)count));
    SLT_TRY(SLT_NEW(arena, &view->ids, (size_t)count));
    SLT_TRY(SLT_NEW(arena, &view->counts, (size_t)count));
    if (slt_dataset_about(data)->action_kind != SLT_ACTIONS_DISCRETE)
        SLT_TRY(SLT_NEW(arena, &view->vectors, (size_t)count));
    for (int64_t i = 0; i < count; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(data, episodes[i], &episode));
        SLT_TRY(view_episode(arena, &episode, view, (size_t)i));
    }
    return SLT_OK;
}

static slt_status view_split(slt_arena *arena, slt_dataset *data, slt_split split,
                             split_view *view) {
    const int64_t *episodes;
    int64_t count = slt_dataset_split(data, split, &episodes);
    return view_some(arena, data, episodes, count, view);
}

// share of training episodes with n segments
static slt_status make_prior(slt_arena *arena, const split_view *train, slt_baseline_input *input) {
    int32_t most = 0;
    for (size_t i = 0; i < train->count; i++)
        if (train->counts[i] > most) most = train->counts[i];
    double *prior;
    SLT_TRY(SLT_NEW(arena, &prior, (size_t)most + 1));
    for (size_t i = 0; i < train->count; i++) prior[train->counts[i]] += 1 / (double)train->count;
    input->prior = prior;
    input->prior_size = most + 1;
    return SLT_OK;
}

// scores of a rule on some labelled episodes; each: [their number] or NULL
static slt_status evaluate(slt_context *context, slt_arena *arena, slt_dataset *data,
                           split_view *target, const char *rule, uint64_t seed,
                           slt_score_summary *summary, slt_scores *each,
                           slt_baseline_report *report) {
    const slt_dataset_info *info = slt_dataset_about(data);
    bool discrete = info->action_kind == SLT_ACTIONS_DISCRETE;
    split_view train, valid;
    if (!slt_rule_takes(rule, discrete) && slt_rule_takes(rule, !discrete))
        SLT_FAIL(SLT_UNSUPPORTED, "%s: its actions are %s; the rule %s takes %s ones",
                 slt_dataset_path(data), discrete ? "discrete" : "continuous", rule,
                 discrete ? "continuous" : "discrete");
    SLT_TRY(view_split(arena, data, SLT_SPLIT_TRAIN, &train));
    SLT_TRY(view_split(arena, data, SLT_SPLIT_VALID, &valid));
    slt_baseline_input input = {.train = train.actions,
                                .valid = valid.actions,
                                .target = target->actions,
                                .train_count = train.count,
                                .valid_count = valid.count,
                                .target_count = target->count,
                                .actions = discrete ? info->action_count : 1,
                                .true_counts = target->counts,
                                .seed = seed,
                                .train_vectors = train.vectors,
                                .target_vectors = target->vectors,
                                .channels = discrete ? 0 : info->action_size};
    if (train.labelled) SLT_TRY(make_prior(arena, &train, &input));
    SLT_TRY(slt_baseline_segment(context, rule, &input, target->ids, report));
    slt_sequence *predicted;
    SLT_TRY(SLT_NEW(arena, &predicted, target->count));
    for (size_t i = 0; i < target->count; i++)
        predicted[i] = (slt_sequence){target->ids[i], target->truth[i].length};
    return slt_score_many(context, target->truth, predicted, target->count, SLT_TOLERANCE, summary,
                          each);
}

static slt_status view_labelled(slt_arena *arena, slt_dataset *data, slt_split split,
                                split_view *view) {
    SLT_TRY(view_split(arena, data, split, view));
    if (!view->labelled)
        SLT_FAIL(SLT_INVALID, "%s: scores need labels ('segment') on its %s split",
                 slt_dataset_path(data), slt_split_name(split));
    return SLT_OK;
}

slt_status slt_baseline_misses(slt_context *context, slt_arena *arena, slt_dataset *data,
                               slt_split split, const char *rule, uint64_t seed,
                               const int64_t **episodes, int64_t *count) {
    split_view view;
    slt_scores *each;
    const int64_t *all;
    int64_t *missed;
    SLT_TRY(view_labelled(arena, data, split, &view));
    SLT_TRY(SLT_NEW(arena, &each, view.count));
    SLT_TRY(SLT_NEW(arena, &missed, view.count));
    SLT_TRY(evaluate(context, arena, data, &view, rule, seed, NULL, each, NULL));
    slt_dataset_split(data, split, &all);
    *count = 0;
    for (size_t i = 0; i < view.count; i++)
        if (each[i].align < 1) missed[(*count)++] = all[i];
    *episodes = missed;
    if (!*count)
        SLT_FAIL(SLT_INVALID, "%s: the rule %s gets none of its %s split wrong: score all of it",
                 slt_dataset_path(data), rule, slt_split_name(split));
    return SLT_OK;
}

static slt_status score(slt_context *context, slt_arena *arena, slt_dataset *data, slt_split split,
                        const char *missed_by, const char *rule, uint64_t seed,
                        slt_score_summary *summary, slt_baseline_report *report) {
    split_view target;
    if (missed_by) {
        const int64_t *missed;
        int64_t count;
        SLT_TRY(slt_baseline_misses(context, arena, data, split, missed_by, seed, &missed, &count));
        SLT_TRY(view_some(arena, data, missed, count, &target));
    } else {
        SLT_TRY(view_labelled(arena, data, split, &target));
    }
    return evaluate(context, arena, data, &target, rule, seed, summary, NULL, report);
}

slt_status slt_baseline_score(slt_context *context, slt_dataset *data, slt_split split,
                              const char *missed_by, const char *rule, uint64_t seed,
                              slt_score_summary *summary, slt_baseline_report *report) {
    slt_arena arena;
    slt_arena_init(&arena, &context->allocator, 1 << 20);
    slt_status status = score(context, &arena, data, split, missed_by, rule, seed, summary, report);
    slt_arena_deinit(&arena);
    return status;
}
