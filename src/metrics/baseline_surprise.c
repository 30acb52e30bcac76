// surprise: cuts after the steps whose action is least expected after the two before it.
//
// A trigram model with add-0.1 smoothing, counted on the training trajectories.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/action_code.h"
#include "metrics/baseline_impl.h"

#define SMOOTH 0.1
enum { MOST_CELLS = 1 << 24 };

typedef struct {
    slt_history history;
    uint32_t *counts; // (contexts, actions)
    uint32_t *totals; // (contexts)
} trigrams;

// the context of step t
static int context_at(const slt_history *history, const int32_t *actions, int t) {
    int none = history->symbols;
    return slt_history_context(history, t > 0 ? actions[t - 1] : none,
                               t > 1 ? actions[t - 2] : none);
}

static void count(trigrams *model, const slt_sequence *sequence) {
    for (int t = 0; t < sequence->length; t++) {
        int context = context_at(&model->history, sequence->values, t);
        model->counts[(size_t)context * model->history.symbols + sequence->values[t]]++;
        model->totals[context]++;
    }
}

static slt_status prepare(slt_baseline_job *job) {
    trigrams *model;
    SLT_TRY(SLT_NEW(job->arena, &model, 1));
    SLT_TRY(slt_history_init(&model->history, job->input->actions, 1, MOST_CELLS));
    if (model->history.order < 2)
        slt_baseline_note(job, "%d actions: only %d of history", job->input->actions,
                          model->history.order);
    size_t contexts = (size_t)model->history.contexts;
    SLT_TRY(SLT_NEW(job->arena, &model->counts, contexts * job->input->actions));
    SLT_TRY(SLT_NEW(job->arena, &model->totals, contexts));
    for (size_t i = 0; i < job->input->train_count; i++) count(model, &job->input->train[i]);
    job->learned = model;
    return SLT_OK;
}

static double expectation(const trigrams *model, const int32_t *actions, int t) {
    int context = context_at(&model->history, actions, t);
    uint32_t seen = model->counts[(size_t)context * model->history.symbols + actions[t]];
    return -slt_code_nats(1, seen, model->totals[context], SMOOTH, model->history.symbols);
}

static slt_status cut(slt_baseline_job *job, uint8_t *is_end, size_t index, int cuts) {
    const slt_sequence *target = &job->input->target[index];
    int n = target->length - 1; // the last step is an end anyway
    double *log_p;
    SLT_TRY(SLT_NEW(job->arena, &log_p, (size_t)n));
    for (int t = 0; t < n; t++) log_p[t] = expectation(job->learned, target->values, t);
    return slt_mark_smallest(job->arena, is_end, log_p, n, cuts);
}

const slt_baseline slt_baseline_surprise = {
    .name = "surprise",
    .help = "boundaries after the most surprising actions (trigrams), as many as the labels have",
    .needs = SLT_NEEDS_COUNT | SLT_NEEDS_TRAIN | SLT_NEEDS_SYMBOLS,
    .prepare = prepare,
    .cut = cut,
};
