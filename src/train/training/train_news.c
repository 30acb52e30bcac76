// What a trainer says: progress, the scores of an epoch; and a run that ends for its own fault.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include "core/number.h"
#include "train/training/trainer.h"

bool slt_is_own_fault(slt_status status) {
    return status == SLT_DIVERGED || status == SLT_INVALID || status == SLT_SHAPE ||
           status == SLT_RANGE;
}

slt_status slt_trainer_drop(slt_trainer *t, slt_training_run *run, slt_status status) {
    if (status == SLT_OK || !slt_is_own_fault(status)) return status;
    run->over = true;
    run->outcome->status = status;
    snprintf(run->outcome->message, sizeof run->outcome->message, "%s", slt_last_error());
    if (t->run_count > 1) slt_context_log(t->context, SLT_LOG_INFO, "%s", slt_last_error());
    return slt_ranks_lead(t, run, slt_run_save_best);
}

// the least and the most of a number
typedef struct {
    double low, high;
} range;

static void widen(range *r, double value) {
    r->low = fmin(r->low, value);
    r->high = fmax(r->high, value);
}

void slt_trainer_tell(slt_trainer *t, const char *news) {
    uint64_t done = 0, all = 0;
    for (int r = 0; r < t->run_count; r++) {
        const slt_training_run *run = &t->runs[r];
        int64_t limit = run->over ? run->state.total_steps : run->state.limit;
        done += (uint64_t)run->state.total_steps;
        all += (uint64_t)limit;
    }
    slt_context_progress(t->context, "train", done, all, news);
}

static void tell_run(slt_trainer *t, const slt_training_run *run) {
    const slt_epoch_record *record = &run->end.record;
    char news[160], labels[64] = "";
    if (record->valid.has_labels)
        slt_format(labels, sizeof labels, ", F1 %.2f, alignment %.2f",
                   100 * record->valid.scores.mean.f1, 100 * record->valid.scores.mean.align);
    slt_format(news, sizeof news, "epoch %lld: loss %.4f, held out %.4f%s%s",
               (long long)record->epoch, record->train_loss, record->valid.losses.loss, labels,
               run->end.better && run->members == 1 ? "  *" : "");
    slt_trainer_tell(t, news);
}

// of several runs the least and the most
static void tell_runs(slt_trainer *t) {
    range loss = {INFINITY, -INFINITY}, held_out = loss, f1 = loss;
    char news[160], labels[64] = "";
    int ended = 0, better = 0;
    for (int i = 0; i < t->due_count; i++) {
        const slt_epoch_record *record = &t->due[i]->end.record;
        widen(&loss, record->train_loss);
        widen(&held_out, record->valid.losses.loss);
        widen(&f1, record->valid.scores.mean.f1);
        better += t->due[i]->end.better;
    }
    for (int r = 0; r < t->run_count; r++) ended += t->runs[r].over || t->runs[r].state.finished;
    if (t->due[0]->end.record.valid.has_labels)
        slt_format(labels, sizeof labels, ", F1 %.2f to %.2f", 100 * f1.low, 100 * f1.high);
    slt_format(
        news, sizeof news,
        "epoch %lld of %d runs: loss %.4f to %.4f, held out %.4f to %.4f%s; %d better, %d ended",
        (long long)t->due[0]->end.record.epoch, t->due_count, loss.low, loss.high, held_out.low,
        held_out.high, labels, better, ended);
    slt_trainer_tell(t, news);
}

void slt_trainer_tell_epoch(slt_trainer *t) {
    if (t->run_count == 1 && !t->runs[0].over)
        tell_run(t, &t->runs[0]);
    else
        tell_runs(t);
}
