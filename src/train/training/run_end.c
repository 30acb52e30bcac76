// The end of a run: its best epoch is brought back, its restarts are compared once more, both
// held-out splits are scored, and result.json and segments.safetensors are written.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "core/clock.h"
#include "core/group_impl.h"
#include "core/parallel_for.h"
#include "train/inference/segments.h"
#include "train/training/trainer.h"

typedef slt_trainer trainer;

slt_status slt_trainer_evaluate(slt_trainer *t, slt_split split, bool at_end,
                                slt_segments_file **segments, slt_evaluation *out) {
    slt_predict_request *requests;
    SLT_TRY(SLT_NEW(&t->arena, &requests, (size_t)t->due_count));
    for (int i = 0; i < t->due_count; i++) {
        const slt_training_run *run = t->due[i];
        int picked =
            at_end ? run->outcome->result.restarts.picked : run->end.record.restarts.picked;
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

// files that are not committed leave nothing
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
    if (status == SLT_OK) status = slt_trainer_evaluate(t, SLT_SPLIT_TEST, true, files, test);
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
    SLT_TRY(slt_trainer_evaluate(t, SLT_SPLIT_VALID, true, NULL, valid));
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
