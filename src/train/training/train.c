// Training: one run or many. Runs of one shape on one data set share a learner, some at a time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "slottar/train.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include "core/group_impl.h"
#include "train/training/trainer.h"

// ---- many runs

// what is to be trained; lists: [count]
typedef struct {
    slt_context *context;
    slt_arena arena;
    const slt_train_request *requests;
    slt_train_outcome *outcomes;
    int count;
    int most_runs, most_members; // that are trained together
    slt_setup *setups;
    bool *taken; // it has an outcome, or is about to get one
    // those that are trained together
    const slt_train_request **request;
    const slt_setup **setup;
    slt_train_outcome **outcome;
} population;

static slt_status reserve(population *c) {
    size_t count = (size_t)c->count;
    SLT_TRY(SLT_NEW(&c->arena, &c->setups, count));
    SLT_TRY(SLT_NEW(&c->arena, &c->taken, count));
    SLT_TRY(SLT_NEW(&c->arena, &c->request, count));
    SLT_TRY(SLT_NEW(&c->arena, &c->setup, count));
    return SLT_NEW(&c->arena, &c->outcome, count);
}

static slt_status check(const slt_train_request *request) {
    if (!request->model || !request->data || !request->run)
        SLT_FAIL(SLT_INVALID, "training needs a model, a data set and a run directory");
    if (request->restarts < 0 || request->restarts > SLT_MOST_RESTARTS)
        SLT_FAIL(SLT_RANGE, "%d restarts are not 1 to %d", request->restarts, SLT_MOST_RESTARTS);
    return SLT_OK;
}

static void note_fault(slt_train_outcome *outcome, slt_status status) {
    outcome->status = status;
    snprintf(outcome->message, sizeof outcome->message, "%s", slt_last_error());
}

// options of all; numbers that do not fit together are the outcome of their run
static slt_status read_setups(population *c) {
    for (int i = 0; i < c->count; i++) {
        memset(&c->outcomes[i], 0, sizeof c->outcomes[i]);
        slt_status status = check(&c->requests[i]);
        if (status == SLT_OK) status = slt_setup_read(c->context, &c->setups[i], &c->requests[i]);
        status = slt_group_agree(c->context, status);
        if (status != SLT_OK && !slt_is_own_fault(status)) return status;
        c->taken[i] = status != SLT_OK;
        if (c->taken[i]) note_fault(&c->outcomes[i], status);
    }
    return SLT_OK;
}

static bool same_population(const population *c, int a, int b) {
    return strcmp(c->requests[a].data, c->requests[b].data) == 0 &&
           slt_setup_same_shape(&c->setups[a], &c->setups[b]);
}

// the first that has no outcome, and those that fit to it
static int take_population(population *c) {
    int count = 0, first = 0, members = 0;
    while (first < c->count && c->taken[first]) first++;
    for (int i = first; i < c->count && count < c->most_runs; i++) {
        if (c->taken[i] || !same_population(c, first, i)) continue;
        members += c->requests[i].restarts > 1 ? c->requests[i].restarts : 1;
        if (count && members > c->most_members) break;
        c->taken[i] = true;
        c->request[count] = &c->requests[i];
        c->setup[count] = &c->setups[i];
        c->outcome[count++] = &c->outcomes[i];
    }
    return count;
}

// one shape, one data set: what is wrong with them is wrong with each of these runs. What does not
// fit into a device's memory goes in two halves
static slt_status train_population(population *c, int first, int count) {
    slt_status status = slt_trainer_run(c->context, c->request + first, c->setup + first,
                                        c->outcome + first, count);
    if (status == SLT_NOMEM && c->context->on_device && count > 1) {
        slt_context_log(c->context, SLT_LOG_INFO, "%d runs at once do not fit (%s)", count,
                        slt_last_error());
        SLT_TRY(train_population(c, first, count / 2));
        return train_population(c, first + count / 2, count - count / 2);
    }
    if (status == SLT_OK || !slt_is_own_fault(status)) return status;
    for (int i = 0; i < count; i++) note_fault(c->outcome[first + i], status);
    return SLT_OK;
}

static slt_status train_all(population *c) {
    SLT_TRY(reserve(c));
    SLT_TRY(read_setups(c));
    for (int count; (count = take_population(c)) > 0;) SLT_TRY(train_population(c, 0, count));
    return SLT_OK;
}

// a device wants many at once; on the CPU a member per thread keeps them busy, and few save memory
static int as_many_as_suit(const slt_context *context) {
    enum { PER_THREAD = 2 };
    return context->on_device ? SLT_POPULATION_OF_DEVICE
                              : PER_THREAD * slt_context_threads(context);
}

slt_status slt_train_many(slt_context *context, const slt_train_request *requests, int count,
                          int at_once, slt_train_outcome *outcomes) {
    if (count < 1) SLT_FAIL(SLT_RANGE, "%d runs to train", count);
    population c = {.context = context,
                    .requests = requests,
                    .outcomes = outcomes,
                    .count = count,
                    .most_runs = at_once > 0 && at_once < SLT_MOST_RUNS ? at_once : SLT_MOST_RUNS,
                    .most_members = at_once > 0 ? INT_MAX : as_many_as_suit(context)};
    slt_arena_init(&c.arena, &context->allocator, 0);
    slt_status status = train_all(&c);
    slt_arena_deinit(&c.arena);
    return status;
}

// ---- one run

slt_status slt_train(slt_context *context, const slt_train_request *request,
                     slt_train_result *result) {
    slt_train_outcome *outcome;
    SLT_TRY(SLT_ALLOC(&context->allocator, &outcome, 1));
    slt_status status = slt_train_many(context, request, 1, 1, outcome);
    if (status == SLT_OK && outcome->status != SLT_OK)
        status = slt_fail(outcome->status, "%s", outcome->message);
    if (status == SLT_OK) *result = outcome->result;
    slt_free(&context->allocator, outcome);
    return status;
}

// ---- looking options up

const slt_option *slt_train_options_of(const char *model, int part) {
    const slt_model_kind *kind = slt_model_find(model);
    if (!kind) return NULL;
    return part == 0 ? slt_train_rows() : part == 1 ? kind->rows() : NULL;
}

const char *slt_model_settings(const char *model) {
    const slt_model_kind *kind = slt_model_find(model);
    return kind && kind->training ? kind->training : "";
}

int slt_model_restarts(const char *model) {
    const slt_model_kind *kind = slt_model_find(model);
    return kind && kind->restarts ? kind->restarts : 1;
}

const char *slt_model_name(int index) {
    const slt_model_kind *kind = slt_model_row(index);
    return kind ? kind->name : NULL;
}

const char *slt_model_preset(const char *model, int index) { return slt_preset_name(model, index); }
