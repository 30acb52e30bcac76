// Restarts: how they begin, and which ones take no further part. No labels are read here.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include "core/philox.h"
#include "metrics/delimiter.h"
#include "train/training/trainer.h"

// ---- beginning

uint64_t slt_member_seed(uint64_t seed, int member) {
    if (member == 0) return seed;
    slt_words words = slt_random_words(seed, SLT_RANDOM_MEMBERS, (uint64_t)member, 0);
    return (uint64_t)words.word[0] << 32 | words.word[1];
}

// sets of symbols that a member may begin with, cheapest first
struct slt_start_sets {
    int32_t symbols[SLT_TOP_SETS][SLT_SET_SIZE];
    int size[SLT_TOP_SETS]; // symbols of each
    int count;
};

static slt_status search(slt_trainer *t, slt_delimiter_data *data, slt_delimiter_found *found) {
    enum { TRAIN = 2000, VALID = 500 }; // episodes: counts of symbols need no more
    slt_baseline_input input = {.actions = t->task.model.symbols - 1};
    slt_sequence *train, *valid;
    const float **vectors = NULL;
    size_t steps;
    SLT_TRY(slt_trainer_actions(t, SLT_SPLIT_TRAIN, TRAIN, INT64_MAX, &train, &vectors,
                                &input.train_count, &steps));
    SLT_TRY(slt_trainer_actions(t, slt_trainer_held_out(t), VALID, INT64_MAX, &valid, &vectors,
                                &input.valid_count, &steps));
    input.train = train;
    input.valid = valid;
    SLT_TRY(slt_trainer_prior(t, &input));
    SLT_TRY(slt_delimiter_pack(&t->arena, &input, data));
    return slt_delimiter_search(t->context, &t->arena, data, found);
}

static slt_status search_sets(slt_trainer *t, slt_start_sets *out) {
    slt_delimiter_data data;
    slt_delimiter_found *found;
    SLT_TRY(SLT_NEW(&t->arena, &found, 1));
    SLT_TRY(search(t, &data, found));
    out->count = found->tops;
    for (int i = 0; i < out->count; i++) {
        out->size[i] = found->top[i].count;
        for (int k = 0; k < out->size[i]; k++)
            out->symbols[i][k] = data.symbols[found->top[i].members[k]];
    }
    return SLT_OK;
}

// the cheapest sets of symbols, found once for all runs: they have data and prior in common
static slt_status find_sets(slt_trainer *t) {
    slt_start_sets *sets;
    if (t->sets) return SLT_OK;
    SLT_TRY(SLT_NEW(&t->arena, &sets, 1));
    slt_arena_mark mark = slt_arena_now(&t->arena);
    slt_status status = search_sets(t, sets);
    slt_arena_reset(&t->arena, mark);
    if (status == SLT_OK) t->sets = sets;
    return status;
}

int slt_restarts_inputs(const slt_trainer *t, const slt_training_run *run) {
    const slt_model_kind *kind = run->setup->kind;
    return kind->inputs && run->members > 1 ? kind->inputs(run->setup->model, &t->task.model) : 1;
}

int slt_restarts_input(const slt_trainer *t, const slt_training_run *run, int member) {
    const slt_store *store = t->learner->store;
    return slt_restarts_inputs(t, run) > 1 ? run->setup->kind->get_input(store, run->first + member)
                                           : 0;
}

// the first `count` members start with one of the best sets each, every head with each
static slt_status begin_from_sets(slt_trainer *t, slt_training_run *run, int count) {
    SLT_TRY(find_sets(t));
    const slt_start_sets *sets = t->sets;
    for (int m = 0; m < count && m / slt_restarts_inputs(t, run) < sets->count; m++) {
        int i = m / slt_restarts_inputs(t, run);
        run->setup->kind->start(t->learner->store, run->first + m, sets->symbols[i], sets->size[i]);
        run->each[m].rule_initialised = true;
    }
    return SLT_OK;
}

// members that start with a set; of mixed ones half, and the only one
static int rule_initialised(const slt_training_run *run) {
    switch (run->setup->kind->start ? run->setup->train.init : SLT_BEGIN_RANDOM) {
    case SLT_BEGIN_TABLE:
        return run->members;
    case SLT_BEGIN_MIXED:
        return (run->members + 1) / 2;
    default:
        return 0;
    }
}

slt_status slt_restarts_begin(slt_trainer *t, slt_training_run *run) {
    slt_store *store = t->learner->store;
    const slt_model_kind *kind = run->setup->kind;
    for (int m = 0; m < run->members; m++)
        SLT_TRY(slt_store_init(store, run->first + m, run->each[m].seed));
    for (int m = 0; m < run->members && slt_restarts_inputs(t, run) > 1; m++)
        kind->set_input(store, run->first + m,
                        (m + 1) % slt_restarts_inputs(t, run)); // the first as if alone
    return rule_initialised(run) ? begin_from_sets(t, run, rule_initialised(run)) : SLT_OK;
}

// ---- after an epoch

// a single bad epoch stops nobody: the best ones so far are compared
static void prune(slt_training_run *run) {
    double far = run->setup->train.prune_margin, least = INFINITY;
    if (far <= 0 || 3 * run->state.total_steps < run->state.limit) return;
    for (int m = 0; m < run->members; m++)
        if (run->each[m].health != SLT_MEMBER_BROKEN) least = fmin(least, run->each[m].least);
    for (int m = 0; m < run->members; m++)
        if (run->each[m].health == SLT_MEMBER_RUNS && run->each[m].least > least + far)
            run->each[m].health = SLT_MEMBER_STOPPED;
}

void slt_restarts_record(slt_training_run *run, const slt_restart_report *report) {
    for (int m = 0; m < run->members; m++)
        run->each[m].least = fmin(run->each[m].least, report->losses[m]);
    prune(run);
}

bool slt_restarts_settle(const slt_training_run *run) { return run->setup->train.lr_end < 1; }

int slt_restarts_kept(const slt_training_run *run) {
    for (int m = 0; m < run->members; m++)
        if (run->each[m].kept) return m;
    return -1;
}
