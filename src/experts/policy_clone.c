// Imitating demonstrations.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "experts/policy_clone.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "slottar/dataset.h"

enum { EVERY = 10 };

typedef struct {
    slt_context *context;
    const slt_policy_file *file;
    slt_policy_learner *learner;
    slt_arena *arena;
    slt_dataset *data;
    const slt_dataset_info *info;
    const char *path;
    float *reals;
    uint8_t *bytes;
    slt_recall recall;
} cloning;

// rows that are still written
typedef struct {
    slt_policy_seen view;
    uint16_t *ones, *count;
    int32_t *actions;
} rows;

static slt_status check_data(const cloning *c) {
    const slt_env_kind *kind = slt_env_find(c->file->id);
    if (c->info->action_kind != SLT_ACTIONS_DISCRETE || c->info->action_count != kind->actions ||
        c->info->observation_size != kind->observation_size)
        SLT_FAIL(SLT_SHAPE,
                 "%s has %d actions and observations of %" PRId64 " numbers, %s has %d and %d",
                 c->path, c->info->action_count, c->info->observation_size, kind->id, kind->actions,
                 kind->observation_size);
    return SLT_OK;
}

static slt_status read_view(cloning *c, const slt_episode *episode, int64_t t) {
    SLT_TRY(slt_episode_observe(c->info, episode, t, c->reals));
    for (int i = 0; i < c->file->view.size; i++) {
        float value = c->reals[i];
        if (!(value >= 0 && value <= 255 && value == floorf(value)))
            SLT_FAIL(SLT_UNSUPPORTED, "%s: observations are no whole numbers 0 to 255", c->path);
        c->bytes[i] = (uint8_t)value;
    }
    return SLT_OK;
}

static slt_status add_row(cloning *c, rows *to, int action) {
    uint16_t ones[SLT_POLICY_ONES];
    int count = slt_policy_view_ones(&c->file->view, &c->recall, c->bytes, ones);
    if (count > to->view.most || action < 0 || action >= c->file->policy.shape.actions)
        SLT_FAIL(SLT_SHAPE, "%s: %d marks and action %d do not occur in %s", c->path, count, action,
                 c->file->id);
    int row = to->view.rows++;
    memcpy(to->ones + (size_t)row * (size_t)to->view.most, ones, (size_t)count * sizeof *ones);
    to->count[row] = (uint16_t)count;
    to->actions[row] = action;
    return SLT_OK;
}

static slt_status add_episode(cloning *c, rows *to, int64_t index) {
    slt_episode episode;
    SLT_TRY(slt_context_check(c->context));
    SLT_TRY(slt_dataset_episode(c->data, index, &episode));
    if (c->file->view.recalls) slt_recall_begin(&c->recall, c->file->view.memory);
    for (int64_t t = 0; t < episode.length; t++) {
        int action = slt_episode_action(&episode, t);
        SLT_TRY(read_view(c, &episode, t));
        if (c->file->view.recalls) slt_recall_see(&c->recall, c->bytes);
        SLT_TRY(add_row(c, to, action));
        if (c->file->view.recalls) slt_recall_act(&c->recall, action);
    }
    return SLT_OK;
}

static slt_status make_rows(cloning *c, rows *out) {
    size_t most = (size_t)c->file->view.most, all = (size_t)c->info->steps;
    if (c->info->steps > INT32_MAX) SLT_FAIL(SLT_RANGE, "%s has too many steps", c->path);
    *out = (rows){0};
    SLT_TRY(SLT_NEW(c->arena, &out->count, all));
    SLT_TRY(SLT_NEW(c->arena, &out->actions, all));
    if (!(out->ones = slt_arena_take(c->arena, all, most * sizeof *out->ones))) return SLT_NOMEM;
    out->view = (slt_policy_seen){0, (int)most, out->ones, out->count, out->actions};
    return SLT_OK;
}

static slt_status read_rows(cloning *c, rows *train, rows *held_out) {
    const int64_t *episodes, *valid;
    int64_t count = slt_dataset_split(c->data, SLT_SPLIT_TRAIN, &episodes);
    int64_t valid_count = slt_dataset_split(c->data, SLT_SPLIT_VALID, &valid);
    SLT_TRY(make_rows(c, train));
    SLT_TRY(make_rows(c, held_out));
    for (int64_t i = 0; i < count; i++) {
        bool held = !valid_count && i % EVERY == EVERY - 1;
        SLT_TRY(add_episode(c, held ? held_out : train, episodes[i]));
    }
    for (int64_t i = 0; i < valid_count; i++) SLT_TRY(add_episode(c, held_out, valid[i]));
    if (!train->view.rows) SLT_FAIL(SLT_INVALID, "%s has no demonstrations", c->path);
    return SLT_OK;
}

// mean over rows of -log of the chance of what was done
static double nats(const slt_policy *policy, const slt_policy_seen *shown) {
    float logits[SLT_POLICY_ACTIONS];
    double sum = 0;
    for (int r = 0; r < shown->rows; r++) {
        slt_policy_think(policy, shown->ones + (size_t)r * (size_t)shown->most, shown->count[r],
                         logits);
        double most = (double)logits[0], all = 0;
        for (int a = 1; a < policy->shape.actions; a++)
            if ((double)logits[a] > most) most = (double)logits[a];
        for (int a = 0; a < policy->shape.actions; a++) all += exp((double)logits[a] - most);
        sum += log(all) + most - (double)logits[shown->actions[r]];
    }
    return shown->rows ? sum / shown->rows : 0;
}

static void copy_policy(const slt_policy *from, slt_policy *to) {
    for (int i = 0; i < SLT_POLICY_PARTS; i++) {
        slt_policy_matrix m = slt_policy_part(from->shape, i);
        memcpy(to->part[i], from->part[i], (size_t)m.rows * (size_t)m.columns * sizeof(float));
    }
}

// the best weights; Adam starts anew
static slt_status hand_over(cloning *c, const slt_policy *best) {
    slt_store *store = c->learner->store;
    slt_policy none;
    SLT_TRY(slt_policy_init(&none, c->arena, best->shape)); // zeros
    SLT_TRY(slt_store_edit(store));
    slt_policy_give(best, store, store->value);
    slt_policy_give(&none, store, store->moment1);
    slt_policy_give(&none, store, store->moment2);
    c->learner->updates = 0;
    return SLT_OK;
}

static slt_status imitate(cloning *c) {
    slt_store *store = c->learner->store;
    slt_policy now, best;
    rows train, held_out;
    int32_t *order;
    double least = INFINITY;
    SLT_TRY(read_rows(c, &train, &held_out));
    SLT_TRY(slt_policy_init(&now, c->arena, c->file->policy.shape));
    SLT_TRY(slt_policy_init(&best, c->arena, c->file->policy.shape));
    SLT_TRY(SLT_NEW(c->arena, &order, (size_t)train.view.rows));
    for (int epoch = 0; epoch < c->file->options.clone_epochs; epoch++) {
        SLT_TRY(slt_context_check(c->context));
        SLT_TRY(slt_policy_learner_imitate(c->learner, &train.view, order, epoch));
        SLT_TRY(slt_store_fetch(store));
        slt_policy_take(&now, store, store->value);
        double cost = held_out.view.rows ? nats(&now, &held_out.view) : -epoch;
        if (cost >= least) continue;
        least = cost;
        copy_policy(&now, &best);
    }
    slt_context_log(c->context, SLT_LOG_INFO, "%s: %d steps imitated, %.3f nats per held-out step",
                    c->path, train.view.rows, least);
    return hand_over(c, &best);
}

static slt_status run(cloning *c) {
    SLT_TRY(check_data(c));
    SLT_TRY(SLT_NEW(c->arena, &c->reals, (size_t)c->file->view.size));
    SLT_TRY(SLT_NEW(c->arena, &c->bytes, (size_t)c->file->view.size));
    return imitate(c);
}

slt_status slt_policy_clone(slt_context *context, const char *data, const slt_policy_file *file,
                            slt_policy_learner *learner) {
    slt_arena arena;
    cloning c = {context, file, learner, &arena, .path = data};
    SLT_TRY(slt_dataset_open(context, data, &c.data));
    c.info = slt_dataset_about(c.data);
    slt_arena_init(&arena, &context->allocator, 0);
    slt_status status = run(&c);
    slt_arena_deinit(&arena);
    slt_dataset_close(c.data);
    return status;
}
