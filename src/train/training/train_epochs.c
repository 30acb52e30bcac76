// After an epoch: scores on the held-out split, the best epoch kept, files written; and the result
// of a run that came to its end.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include "core/clock.h"
#include "core/parallel_for.h"
#include "core/group_impl.h"
#include "core/number.h"
#include "train/inference/segments.h"
#include "train/training/trainer.h"

typedef slt_trainer trainer;

// ---- scores

// of the runs that are due, one member each. Between epochs all processes take part; at the end
// process 0 looks at everything: it may keep the answers in `segments`, else NULL
static slt_status evaluate(trainer *t, slt_split split, bool at_end, slt_segments_file **segments,
                           slt_evaluation *out) {
    slt_predict_request *requests;
    SLT_TRY(SLT_NEW(&t->arena, &requests, (size_t)t->due_count));
    for (int i = 0; i < t->due_count; i++) {
        const slt_training_run *run = t->due[i];
        int picked = at_end ? run->outcome->result.restarts.picked : run->record.restarts.picked;
        requests[i] = (slt_predict_request){.member = run->first + picked,
                                            .seed = run->request->seed,
                                            .pictures = at_end,
                                            .shared = !at_end,
                                            .calibration = &run->calibration,
                                            .visit = segments ? slt_segments_file_add : NULL,
                                            .user = segments ? segments[i] : NULL};
    }
    return slt_evaluate(t->learner, t->task.data, t->task.episodes[split], t->task.count[split],
                        requests, t->due_count, out);
}

// higher is better; without labels, or on request, the held-out loss decides
static double score_of(const slt_training_run *run) {
    const slt_evaluation *valid = &run->record.valid;
    const slt_scores *mean = &valid->scores.mean;
    switch (valid->has_labels ? run->setup->train.early_stop : SLT_STOP_LOSS) {
    case SLT_STOP_F1_ALIGN:
        return (mean->f1 + mean->align) / 2;
    case SLT_STOP_ARI_F1_ALIGN:
        return (mean->ari + mean->f1 + mean->align) / 3;
    default:
        return -valid->losses.loss;
    }
}

static slt_status evaluate_restarts(trainer *t, slt_training_run *none) {
    (void)none;
    return slt_restarts_evaluate(t, false);
}

// whose scores are those of the epoch: the only member's, or the best one's
static slt_status pick(trainer *t, slt_training_run *run) {
    slt_epoch_record *record = &run->record;
    if (run->members > 1)
        SLT_TRY(slt_group_share(t->context, &record->restarts, sizeof record->restarts));
    const slt_member_state *picked = &run->each[record->restarts.picked];
    double steps = (double)run->state.step;
    record->train_loss = picked->loss / steps;
    record->train_rec = picked->reconstruction / steps;
    record->train_kl = picked->kl / steps;
    return SLT_OK;
}

static slt_status pick_due(trainer *t) {
    SLT_TRY(slt_ranks_lead(t, NULL, evaluate_restarts));
    for (int i = 0; i < t->due_count; i++) SLT_TRY(pick(t, t->due[i]));
    return SLT_OK;
}

static slt_status score_due(trainer *t) {
    slt_arena_mark mark = slt_arena_now(&t->arena);
    slt_evaluation *valid;
    SLT_TRY(SLT_NEW(&t->arena, &valid, (size_t)t->due_count));
    SLT_TRY(evaluate(t, slt_trainer_held_out(t), false, NULL, valid));
    for (int i = 0; i < t->due_count; i++) t->due[i]->record.valid = valid[i];
    slt_arena_reset(&t->arena, mark);
    return SLT_OK;
}

// ---- the end of an epoch

// the best epoch is kept; of restarts, which all go to their end, the last one where they settle,
// else that of the least held-out loss of all
static bool is_better(slt_training_run *run) {
    bool alone = run->members == 1;
    double score = alone ? score_of(run) : -run->record.valid.losses.loss;
    bool better = score > run->state.best || (!alone && slt_restarts_settle(run));
    run->state.waited = better || !alone ? 0 : run->state.waited + 1;
    if (!better) return false;
    run->state.best = score;
    run->state.best_epoch = run->state.epoch;
    for (int m = 0; m < run->members; m++) run->each[m].kept = m == run->record.restarts.picked;
    return true;
}

static bool is_last(const slt_training_run *run) {
    const slt_train_options *o = &run->setup->train;
    bool by_epochs = !o->steps && run->state.epoch >= o->epochs;
    return run->state.total_steps >= run->state.limit || by_epochs ||
           run->state.waited >= o->patience;
}

static void next_epoch(slt_training_run *run) {
    run->state.epoch++;
    run->state.step = 0;
    for (int m = 0; m < run->members; m++)
        run->each[m].loss = run->each[m].reconstruction = run->each[m].kl = 0;
}

static slt_status end_epoch(trainer *t, slt_training_run *run) {
    slt_epoch_record *record = &run->record;
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
    run->better = is_better(run);
    run->state.finished = is_last(run);
    return SLT_OK;
}

// begins the record of the epoch; false: it is one that nobody looks at
static bool looks(slt_training_run *run) {
    run->record = (slt_epoch_record){.epoch = run->state.epoch + 1, .step = run->state.total_steps};
    return run->record.epoch % run->every == 0 || run->state.total_steps >= run->state.limit;
}

// runs that stand at the end of an epoch that is looked at
static slt_status gather_due(trainer *t) {
    t->due_count = 0;
    for (int r = 0; r < t->run_count; r++) {
        slt_training_run *run = &t->runs[r];
        if (!slt_run_ends_epoch(t, run)) continue;
        if (!looks(run)) {
            next_epoch(run);
            continue;
        }
        slt_status whole = slt_group_agree(t->context, slt_run_check_weights(t, run));
        SLT_TRY(slt_trainer_drop(t, run, whole));
        if (!run->over) t->due[t->due_count++] = run;
    }
    return SLT_OK;
}

// by all threads: a run has files of its own
static slt_status keep_one(void *user, int i) {
    trainer *t = user;
    return t->due[i]->over ? SLT_OK : slt_run_keep_epoch(t, t->due[i]);
}

static slt_status keep_due(trainer *t, slt_training_run *none) {
    (void)none;
    SLT_TRY(slt_store_fetch(t->learner->store));
    return slt_parallel_for(t->context, t->due_count, keep_one, t);
}

slt_status slt_trainer_end_epochs(slt_trainer *t) {
    SLT_TRY(gather_due(t));
    if (!t->due_count) return SLT_OK;
    SLT_TRY(pick_due(t));
    SLT_TRY(score_due(t));
    for (int i = 0; i < t->due_count; i++)
        SLT_TRY(slt_trainer_drop(t, t->due[i], end_epoch(t, t->due[i])));
    SLT_TRY(slt_ranks_lead(t, NULL, keep_due));
    if (slt_group_leads(t->context)) slt_trainer_tell_epoch(t);
    return SLT_OK;
}

// ---- the end of a run

// its best epoch; restarts are evaluated together, those that settle as they stand
static slt_status bring_best(trainer *t, slt_training_run *run) {
    slt_train_result *result = &run->outcome->result;
    char path[SLT_RUN_PATH];
    *result = (slt_train_result){.epochs = run->state.epoch,
                                 .best_epoch = run->state.best_epoch,
                                 .steps = run->state.total_steps};
    int member = run->members > 1 ? slt_restarts_kept(run) : 0;
    if (member < 0 || (run->members > 1 && slt_restarts_settle(run))) return SLT_OK;
    slt_run_path(path, run->request->run, "best.safetensors");
    run->each[member].health = SLT_MEMBER_STOPPED; // whatever came of it later
    return slt_checkpoint_load(t->learner, run->first + member, path, false);
}

static slt_status open_segments(trainer *t, slt_segments_file **files) {
    char path[SLT_RUN_PATH];
    for (int i = 0; i < t->due_count; i++) {
        const slt_training_run *run = t->due[i];
        slt_run_path(path, run->request->run, "segments.safetensors");
        SLT_TRY(slt_segments_file_create(t->context, path, run->setup, run->request->data,
                                         slt_split_name(SLT_SPLIT_TEST), &run->calibration,
                                         &files[i]));
    }
    return SLT_OK;
}

// files that are not committed leave nothing behind
static slt_status close_segments(trainer *t, slt_status status, slt_segments_file **files) {
    for (int i = 0; i < t->due_count; i++)
        if (status == SLT_OK)
            status = slt_segments_file_commit(files[i]);
        else if (files[i])
            slt_segments_file_destroy(files[i]);
    return status;
}

// the test split, with segments.safetensors
static slt_status test_and_keep(trainer *t, slt_evaluation *test) {
    slt_segments_file **files;
    SLT_TRY(SLT_NEW(&t->arena, &files, (size_t)t->due_count));
    slt_status status = open_segments(t, files);
    if (status == SLT_OK) status = evaluate(t, SLT_SPLIT_TEST, true, files, test);
    return close_segments(t, status, files);
}

static slt_status end_run(trainer *t, slt_training_run *run, const slt_evaluation *valid,
                          const slt_evaluation *test) {
    slt_train_result *result = &run->outcome->result;
    char path[SLT_RUN_PATH];
    result->seconds = slt_seconds() - t->started;
    result->valid = slt_run_scores_of(valid, t->task.count[SLT_SPLIT_VALID]);
    result->test = slt_run_scores_of(test, t->task.count[SLT_SPLIT_TEST]);
    bool counted = result->valid.told_count || result->test.told_count;
    result->valid.told = result->test.told = slt_setup_told(run->setup, t->task.prior, counted);
    run->outcome->status = SLT_OK;
    SLT_TRY(slt_checkpoint_put_trust(t->context,
                                     slt_run_path(path, run->request->run, "best.safetensors"),
                                     &result->trust, &run->calibration));
    SLT_TRY(slt_run_result(t->context, run->request->run, result, &run->calibration));
    slt_aside_free(t->context, &run->best);
    slt_status closed = slt_tensorboard_close(run->events);
    run->events = NULL;
    return closed;
}

// what was not written yet
static slt_status save_one(void *user, int i) {
    trainer *t = user;
    slt_training_run *run = t->due[i];
    return run->waits ? slt_run_save(t, run) : SLT_OK;
}

// scores of the best epochs on both held-out splits
static slt_status finish_due(trainer *t, slt_training_run *none) {
    (void)none;
    slt_evaluation *valid, *test;
    SLT_TRY(SLT_NEW(&t->arena, &valid, (size_t)t->due_count));
    SLT_TRY(SLT_NEW(&t->arena, &test, (size_t)t->due_count));
    SLT_TRY(slt_store_fetch(t->learner->store));
    SLT_TRY(slt_parallel_for(t->context, t->due_count, save_one, t));
    for (int i = 0; i < t->due_count; i++) SLT_TRY(bring_best(t, t->due[i]));
    SLT_TRY(slt_restarts_evaluate(t, true));
    SLT_TRY(slt_doubt(t));
    SLT_TRY(evaluate(t, SLT_SPLIT_VALID, true, NULL, valid));
    SLT_TRY(test_and_keep(t, test));
    for (int i = 0; i < t->due_count; i++) SLT_TRY(end_run(t, t->due[i], &valid[i], &test[i]));
    return SLT_OK;
}

slt_status slt_trainer_finish(slt_trainer *t) {
    slt_arena_mark mark = slt_arena_now(&t->arena);
    SLT_TRY(slt_ranks_lead(t, NULL, finish_due));
    slt_arena_reset(&t->arena, mark);
    for (int i = 0; i < t->due_count; i++) {
        slt_train_outcome *outcome = t->due[i]->outcome;
        SLT_TRY(slt_group_share(t->context, outcome, sizeof *outcome));
        slt_lock_release(&t->due[i]->lock);
    }
    return SLT_OK;
}
