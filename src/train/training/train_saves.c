// The checkpoints of a run: last.safetensors, where it stands, and best.safetensors, its best
// epoch. Writing them takes one part in twenty of the time at most: where epochs are short, some
// are not written, and their best is kept in memory. A killed run continues from the last one that
// was, to the same end; whoever stops, pauses or finishes a run writes what is missing.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/clock.h"
#include "train/training/trainer.h"

typedef slt_trainer trainer;

void slt_run_copy_sums(slt_training_run *run, int member, bool saving) {
    slt_progress_state *state = &run->state;
    slt_member_state *each = &run->each[member];
    double *from[] = {&state->loss, &state->reconstruction, &state->kl};
    double *to[] = {&each->loss, &each->reconstruction, &each->kl};
    for (int i = 0; i < 3; i++) *(saving ? from : to)[i] = *(saving ? to : from)[i];
}

static slt_status save_member(trainer *t, slt_training_run *run, int member, const char *name) {
    char path[SLT_RUN_PATH];
    slt_run_copy_sums(run, member, true);
    return slt_checkpoint_save(t->learner, run->first + member, &run->state,
                               slt_run_path(path, run->request->run, name));
}

slt_status slt_run_save_best(slt_trainer *t, slt_training_run *run) {
    char path[SLT_RUN_PATH];
    if (!run->best_waits) return SLT_OK;
    run->best_waits = false;
    return slt_checkpoint_save_aside(t->learner, run->first, &run->best,
                                     slt_run_path(path, run->request->run, "best.safetensors"));
}

static slt_status save_last(trainer *t, slt_training_run *run) {
    char path[SLT_RUN_PATH];
    if (run->members == 1) return save_member(t, run, 0, "last.safetensors");
    run->state.loss = run->state.reconstruction = run->state.kl = 0;
    return slt_checkpoint_save_all(t->learner, run->first, run->members, run->each, &run->state,
                                   slt_run_path(path, run->request->run, "last.safetensors"));
}

// the best first: one that is newer than the last checkpoint comes again when the run continues
slt_status slt_run_save(slt_trainer *t, slt_training_run *run) {
    double started = slt_seconds();
    SLT_TRY(slt_run_save_best(t, run));
    SLT_TRY(save_last(t, run));
    run->waits = false;
    run->saved = slt_seconds();
    run->saving = run->saved - started;
    return SLT_OK;
}

static slt_status keep_best(trainer *t, slt_training_run *run, bool now) {
    int picked = run->end.record.restarts.picked;
    run->best_waits = !now;
    if (now) return save_member(t, run, picked, "best.safetensors");
    slt_run_copy_sums(run, picked, true);
    return slt_checkpoint_put_aside(t->learner, run->first + picked, &run->state, &run->best);
}

slt_status slt_run_keep_epoch(slt_trainer *t, slt_training_run *run) {
    enum { PART = 20 };
    double started = slt_seconds();
    bool now = started - run->saved >= PART * run->saving;
    if (run->end.better) SLT_TRY(keep_best(t, run, now));
    SLT_TRY(slt_run_log(t->context, run->request->run, run->events, &run->end.record));
    run->waits = true;
    if (!now) return SLT_OK;
    SLT_TRY(slt_run_save(t, run));
    run->saving = run->saved - started;
    return SLT_OK;
}
