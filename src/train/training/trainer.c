// A trainer: its runs get their folders, their members in one learner and their place, then all
// take steps together; a run that comes to its end is finished at once.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/training/trainer.h"

#include <math.h>
#include <stdio.h>
#include "core/clock.h"
#include "core/file.h"
#include "core/group_impl.h"
#include "core/output_impl.h"
#include "data/formats.h"
#include "engine/device.h"
#include "train/learner/companions.h"

typedef slt_trainer trainer;

// ---- members and their learner

// what every member has of its own
static slt_status make_members(trainer *t, slt_training_run *run) {
    int64_t episodes = t->task.count[SLT_SPLIT_TRAIN];
    size_t members = (size_t)run->members;
    slt_batch_layout rule = slt_ranks_batch_layout(t);
    int share = rule.ranks > 1 ? slt_feed_share(&rule) : t->batch;
    SLT_TRY(SLT_NEW(&t->arena, &run->feeds, members));
    SLT_TRY(SLT_NEW(&t->arena, &run->orders, members));
    SLT_TRY(SLT_NEW(&t->arena, &run->each, members));
    for (int m = 0; m < run->members; m++) {
        SLT_TRY(slt_feed_init(&run->feeds[m], &t->arena, &rule, share));
        SLT_TRY(SLT_NEW(&t->arena, &run->orders[m], (size_t)episodes));
        run->each[m] =
            (slt_member_state){.seed = slt_member_seed(run->request->seed, m), .least = INFINITY};
        t->learner->each[run->first + m] = *run->setup;
    }
    return SLT_OK;
}

// runs that are not over get places, one after the other
static int give_places(trainer *t) {
    int members = 0;
    for (int r = 0; r < t->run_count; r++) {
        slt_training_run *run = &t->runs[r];
        run->first = run->over ? -1 : members;
        for (int m = 0; m < run->members && !run->over; m++)
            t->places[members++] = (slt_member_ref){run, m};
    }
    return members;
}

static slt_status find_limits(const trainer *t, int members, slt_limits *train, slt_limits *use) {
    const slt_setup *setup = t->runs[0].setup;
    SLT_TRY(slt_learner_limits(setup, &t->task.model, t->task.data, t->batch,
                               slt_group_size(t->context), train));
    return slt_predict_limits(t->context, setup, &t->task.model, t->task.data, members, use);
}

static slt_status make_learner(trainer *t, int members) {
    const slt_setup *setup = t->runs[0].setup;
    slt_limits train, use;
    SLT_TRY(slt_ranks_check(t));
    SLT_TRY(find_limits(t, members, &train, &use));
    SLT_TRY(
        slt_learner_create(t->context, setup, &t->task.model, members, train, use, &t->learner));
    SLT_TRY(slt_companions_choose(&t->arena, t->task.data, t->task.episodes[SLT_SPLIT_TRAIN],
                                  t->task.count[SLT_SPLIT_TRAIN], t->learner));
    SLT_TRY(slt_learner_upload(t->learner, t->task.data));
    for (int r = 0; r < t->run_count; r++)
        if (!t->runs[r].over) SLT_TRY(make_members(t, &t->runs[r]));
    return SLT_OK;
}

// a device computes all members of a learner: it gets a smaller one when an eighth of them are over
static slt_status leave_behind(trainer *t, int going) {
    enum { PART = 8 };
    int members = t->learner->store->members, *keep, count = 0;
    slt_limits train, use;
    if (!t->context->on_device || PART * (members - going) < members) return SLT_OK;
    slt_arena_mark mark = slt_arena_now(&t->arena);
    SLT_TRY(SLT_NEW(&t->arena, &keep, (size_t)going));
    for (int r = 0; r < t->run_count; r++)
        for (int m = 0; !t->runs[r].over && m < t->runs[r].members; m++)
            keep[count++] = t->runs[r].first + m;
    SLT_TRY(find_limits(t, going, &train, &use));
    SLT_TRY(slt_learner_shrink(&t->learner, keep, going, train, use));
    slt_arena_reset(&t->arena, mark);
    give_places(t);
    return SLT_OK;
}

// ---- where a run stands

static void count_steps(const trainer *t, slt_training_run *run) {
    enum { LOOKS = 16 }; // evaluations at least, where steps are counted and not epochs
    int64_t steps = run->setup->train.steps, part = LOOKS * t->steps_per_epoch;
    run->state.limit = steps ? steps : run->setup->train.epochs * t->steps_per_epoch;
    run->every = steps ? (steps + part - 1) / part : 1;
}

// more epochs, steps or patience than the checkpoint was written with: a finished run continues
static void take_position(slt_training_run *run, const slt_checkpoint *there) {
    const slt_train_options *now = &run->setup->train, *before = &there->setup.train;
    int64_t limit = run->state.limit;
    run->state = there->state;
    if (now->epochs == before->epochs && now->steps == before->steps &&
        now->patience == before->patience)
        return;
    run->state.limit = limit;
    run->state.finished = slt_run_is_over(run);
}

static slt_status resume(trainer *t, slt_training_run *run, const char *path) {
    slt_checkpoint *there;
    slt_arena_mark mark = slt_arena_now(&t->arena);
    SLT_TRY(SLT_NEW(&t->arena, &there, 1));
    SLT_TRY(slt_checkpoint_read(t->context, path, there));
    take_position(run, there);
    slt_arena_reset(&t->arena, mark);
    if (run->members > 1)
        SLT_TRY(slt_checkpoint_load_all(t->learner, run->first, run->members, run->each, path));
    else
        SLT_TRY(slt_checkpoint_load(t->learner, run->first, path, true));
    if (run->members == 1) slt_run_copy_sums(run, 0, false);
    slt_context_log(t->context, SLT_LOG_INFO, "%s: resumes after epoch %lld, step %lld",
                    run->request->run, (long long)run->state.epoch, (long long)run->state.step);
    return SLT_OK;
}

// a fresh run, or the one that is there
static slt_status start_or_resume(trainer *t, slt_training_run *run) {
    char path[SLT_RUN_PATH];
    const char *folder = run->request->run;
    run->state.seed = run->request->seed;
    run->state.best = -INFINITY;
    run->state.best_epoch = -1;
    if (slt_run_has(folder, "last.safetensors"))
        SLT_TRY(resume(t, run, slt_run_path(path, folder, "last.safetensors")));
    else
        SLT_TRY(slt_restarts_begin(t, run));
    slt_parts_remove(folder, NULL);
    SLT_TRY(slt_run_cut_back(t->context, folder, run->state.epoch));
    slt_run_path(path, folder, "events.out.tfevents.0.slottar");
    return slt_tensorboard_open(&t->context->allocator, path, run->state.total_steps, 0,
                                &run->events);
}

// one process at a time; a worker that takes over from a killed one may be faster than its end
static slt_status lock_run(trainer *t, slt_training_run *run) {
    char path[SLT_RUN_PATH];
    slt_run_path(path, run->request->run, "lock");
    return slt_lock_take(&run->lock, t->context, path, run->request->run, 2);
}

static slt_status claim_folder(trainer *t, slt_training_run *run) {
    static const char *const files[] = {"last.safetensors",     "best.safetensors", "metrics.jsonl",
                                        "segments.safetensors", "result.json",      NULL};
    SLT_TRY(slt_folder_make(run->request->run));
    SLT_TRY(lock_run(t, run));
    SLT_TRY(slt_output_resume(run->request->run, "config.yaml", files, run->request->data));
    return slt_run_configure(t->context, run->request, run->setup, t->checksum);
}

// ---- preparing

// what every process reads for itself, before anything is written
static slt_status read_all(trainer *t) {
    const slt_training_run *first = &t->runs[0];
    SLT_TRY(slt_task_open(t->context, &t->arena, first->setup, first->request->data, &t->task));
    int64_t count = t->task.count[SLT_SPLIT_TRAIN], batch = first->setup->train.batch;
    t->batch = (int)(batch < count ? batch : count);
    t->steps_per_epoch = count / t->batch;
    SLT_TRY(slt_data_checksum(first->request->data, &t->checksum));
    slt_device *device; // whether there is one
    return slt_device_open(t->context, &device);
}

static slt_status claim_folders(trainer *t) {
    for (int r = 0; r < t->run_count; r++) {
        slt_training_run *run = &t->runs[r];
        count_steps(t, run);
        SLT_TRY(slt_ranks_compare(t, run));
        SLT_TRY(slt_trainer_drop(t, run, slt_ranks_lead(t, run, claim_folder)));
    }
    return SLT_OK;
}

static slt_status start_all(trainer *t) {
    for (int r = 0; r < t->run_count; r++) {
        slt_training_run *run = &t->runs[r];
        if (!run->over) SLT_TRY(slt_trainer_drop(t, run, slt_ranks_lead(t, run, start_or_resume)));
    }
    return slt_ranks_share_start(t);
}

// ---- the whole

// the run stands after the epoch at which this call stops; only evaluated epochs are saved
static bool is_paused(const slt_training_run *run) {
    int64_t pause = run->request->pause_epoch;
    return pause && run->state.epoch >= pause && run->state.epoch % run->every == 0;
}

// some of those that came to their end; each has a dozen files open while it is finished
static void gather_ended(trainer *t) {
    enum { FEW = 16 };
    t->due_count = 0;
    for (int r = 0; r < t->run_count && t->due_count < FEW; r++) {
        slt_training_run *run = &t->runs[r];
        if (run->over || !(run->state.finished || is_paused(run))) continue;
        run->over = true;
        t->due[t->due_count++] = run;
    }
}

// finishes those that came to their end; gives the number of members that continue
static slt_status settle(trainer *t, int *going) {
    for (gather_ended(t); t->due_count; gather_ended(t)) SLT_TRY(slt_trainer_finish(t));
    *going = 0;
    for (int r = 0; r < t->run_count; r++) *going += t->runs[r].over ? 0 : t->runs[r].members;
    return *going ? leave_behind(t, *going) : SLT_OK;
}

// to the end of the next epoch
static slt_status resume_run(trainer *t, int *going) {
    SLT_TRY(settle(t, going));
    if (!*going) return SLT_OK;
    SLT_TRY(slt_trainer_step(t));
    return slt_trainer_end_epochs(t);
}

static slt_status run_all(trainer *t) {
    int going = 1;
    SLT_TRY(slt_group_agree(t->context, read_all(t)));
    SLT_TRY(claim_folders(t));
    int members = give_places(t);
    if (!members) return SLT_OK;
    SLT_TRY(slt_group_agree(t->context, make_learner(t, members)));
    SLT_TRY(start_all(t));
    while (going) {
        slt_status status = resume_run(t, &going);
        if (status != SLT_OK && status != SLT_CANCELLED) return status;
        if (status == SLT_OK) continue;
        SLT_TRY(slt_trainer_save(t));
        SLT_FAIL(SLT_CANCELLED, "stopped on request");
    }
    return SLT_OK;
}

// ---- opening and closing

static slt_status take_runs(trainer *t, const slt_train_request *const *requests,
                            const slt_setup *const *setups, slt_train_outcome *const *outcomes) {
    size_t members = 0;
    SLT_TRY(SLT_NEW(&t->arena, &t->runs, (size_t)t->run_count));
    SLT_TRY(SLT_NEW(&t->arena, &t->due, (size_t)t->run_count));
    for (int r = 0; r < t->run_count; r++) {
        int own = requests[r]->restarts > 1 ? requests[r]->restarts : 1;
        t->runs[r] = (slt_training_run){.request = requests[r],
                                        .setup = setups[r],
                                        .outcome = outcomes[r],
                                        .members = own,
                                        .first = -1};
        members += (size_t)own;
    }
    return SLT_NEW(&t->arena, &t->places, members);
}

static slt_status close_all(trainer *t) {
    slt_status status = SLT_OK;
    for (int r = 0; t->runs && r < t->run_count; r++) {
        slt_status closed = slt_tensorboard_close(t->runs[r].events);
        if (status == SLT_OK) status = closed;
    }
    slt_learner_destroy(t->learner);
    slt_task_close(&t->task);
    for (int r = 0; t->runs && r < t->run_count; r++) {
        slt_lock_release(&t->runs[r].lock);
        slt_aside_free(t->context, &t->runs[r].best);
    }
    slt_arena_deinit(&t->arena);
    slt_free(&t->context->allocator, t);
    return status;
}

slt_status slt_trainer_run(slt_context *context, const slt_train_request *const *requests,
                           const slt_setup *const *setups, slt_train_outcome *const *outcomes,
                           int count) {
    trainer *t;
    SLT_TRY(SLT_ALLOC(&context->allocator, &t, 1));
    t->context = context;
    t->run_count = count;
    t->started = slt_seconds();
    slt_arena_init(&t->arena, &context->allocator, 1 << 20);
    slt_status status = take_runs(t, requests, setups, outcomes);
    if (status == SLT_OK) status = run_all(t);
    slt_status closed = close_all(t);
    return status != SLT_OK ? status : closed;
}
