// The end of an epoch. Of all runs that stand there (t->due), each with its own slt_epoch_end:
//
//     find_due   weights are finite; an epoch that is not evaluated ends here
//     measure    restarts are compared and one is picked; its losses and scores
//     advance    is it the best epoch, is it the last one? the run goes to the next
//     write_due  metrics.jsonl, TensorBoard, checkpoints (train_saves.c); progress (train_news.c)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "core/clock.h"
#include "core/group_impl.h"
#include "core/parallel_for.h"
#include "train/training/trainer.h"

typedef slt_trainer trainer;

static void next_epoch(slt_training_run *run) {
    run->state.epoch++;
    run->state.step = 0;
    for (int m = 0; m < run->members; m++)
        run->each[m].loss = run->each[m].reconstruction = run->each[m].kl = 0;
}

static slt_status find_due(trainer *t) {
    t->due_count = 0;
    for (int r = 0; r < t->run_count; r++) {
        slt_training_run *run = &t->runs[r];
        if (!slt_run_ends_epoch(t, run)) continue;
        int64_t epoch = run->state.epoch + 1, step = run->state.total_steps;
        run->end = (slt_epoch_end){.record = {.epoch = epoch, .step = step}};
        if (epoch % run->every && step < run->state.limit) {
            next_epoch(run);
            continue;
        }
        slt_status whole = slt_group_agree(t->context, slt_run_check_weights(t, run));
        SLT_TRY(slt_trainer_drop(t, run, whole));
        if (!run->over) t->due[t->due_count++] = run;
    }
    return SLT_OK;
}

static slt_status compare_restarts(trainer *t, slt_training_run *none) {
    (void)none;
    return slt_restarts_evaluate(t, false);
}

// process 0 picks a restart, all take part in its scores
static slt_status measure(trainer *t) {
    slt_evaluation *valid;
    SLT_TRY(slt_ranks_lead(t, NULL, compare_restarts));
    for (int i = 0; i < t->due_count; i++) {
        slt_restart_report *restarts = &t->due[i]->end.record.restarts;
        if (t->due[i]->members > 1)
            SLT_TRY(slt_group_share(t->context, restarts, sizeof *restarts));
    }
    slt_arena_mark mark = slt_arena_now(&t->arena);
    SLT_TRY(SLT_NEW(&t->arena, &valid, (size_t)t->due_count));
    SLT_TRY(slt_trainer_evaluate(t, slt_trainer_held_out(t), false, NULL, valid));
    for (int i = 0; i < t->due_count; i++) {
        slt_epoch_record *record = &t->due[i]->end.record;
        const slt_member_state *picked = &t->due[i]->each[record->restarts.picked];
        double steps = (double)t->due[i]->state.step;
        record->valid = valid[i];
        record->train_loss = picked->loss / steps;
        record->train_rec = picked->reconstruction / steps;
        record->train_kl = picked->kl / steps;
    }
    slt_arena_reset(&t->arena, mark);
    return SLT_OK;
}

// higher is better; without labels, of restarts, or on request the held-out loss decides
static double score_of(const slt_training_run *run) {
    const slt_evaluation *valid = &run->end.record.valid;
    const slt_scores *mean = &valid->scores.mean;
    bool by_loss = run->members > 1 || !valid->has_labels;
    switch (by_loss ? SLT_STOP_LOSS : run->setup->train.early_stop) {
    case SLT_STOP_F1_ALIGN:
        return (mean->f1 + mean->align) / 2;
    case SLT_STOP_ARI_F1_ALIGN:
        return (mean->ari + mean->f1 + mean->align) / 3;
    default:
        return -valid->losses.loss;
    }
}

bool slt_run_is_over(const slt_training_run *run) {
    const slt_train_options *o = &run->setup->train;
    const slt_progress_state *state = &run->state;
    return state->total_steps >= state->limit || (!o->steps && state->epoch >= o->epochs) ||
           state->waited >= o->patience;
}

// the best epoch is kept. Restarts have no patience; the last epoch is kept where they settle
static void judge_epoch(slt_training_run *run) {
    slt_progress_state *state = &run->state;
    double score = score_of(run);
    bool alone = run->members == 1;
    run->end.better = score > state->best || (!alone && slt_restarts_settle(run));
    state->waited = run->end.better || !alone ? 0 : state->waited + 1;
    if (run->end.better) {
        state->best = score;
        state->best_epoch = state->epoch;
        for (int m = 0; m < run->members; m++)
            run->each[m].kept = m == run->end.record.restarts.picked;
    }
    state->finished = slt_run_is_over(run);
}

static slt_status advance(trainer *t, slt_training_run *run) {
    slt_epoch_record *record = &run->end.record;
    if (run->members > 1)
        record->valid.losses.loss = record->restarts.losses[record->restarts.picked];
    if (!isfinite(record->valid.losses.loss))
        SLT_FAIL(SLT_DIVERGED,
                 "%s: epoch %lld has a held-out loss of %g; the checkpoint before it is whole; try "
                 "a smaller lr or max_grad_norm=1",
                 run->request->run, (long long)record->epoch, record->valid.losses.loss);
    record->seconds = slt_seconds() - t->started;
    SLT_TRY(slt_group_share(t->context, record, sizeof *record));
    if (run->members > 1) slt_restarts_record(run, &record->restarts);
    next_epoch(run);
    judge_epoch(run);
    return SLT_OK;
}

// by all threads: a run has files of its own
static slt_status write_one(void *user, int i) {
    trainer *t = user;
    return t->due[i]->over ? SLT_OK : slt_run_keep_epoch(t, t->due[i]);
}

static slt_status write_due(trainer *t, slt_training_run *none) {
    (void)none;
    SLT_TRY(slt_store_fetch(t->learner->store));
    return slt_parallel_for(t->context, t->due_count, write_one, t);
}

slt_status slt_trainer_end_epochs(slt_trainer *t) {
    SLT_TRY(find_due(t));
    if (!t->due_count) return SLT_OK;
    SLT_TRY(measure(t));
    for (int i = 0; i < t->due_count; i++)
        SLT_TRY(slt_trainer_drop(t, t->due[i], advance(t, t->due[i])));
    SLT_TRY(slt_ranks_lead(t, NULL, write_due));
    if (slt_group_leads(t->context)) slt_trainer_tell_epoch(t);
    return SLT_OK;
}
