// Steps of training: shuffled batches for every member of every run that continues, and what the
// steps noted. Stopped at any step, a run continues after it; a step that is cancelled halfway
// counts as never begun.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdlib.h>
#include "core/clock.h"
#include "core/parallel_for.h"
#include "core/group_impl.h"
#include "core/philox.h"
#include "train/training/batch_order.h"
#include "train/training/trainer.h"

typedef slt_trainer trainer;

// ---- the order of an epoch

typedef struct {
    uint64_t key;
    int64_t episode;
} shuffled;

static int by_key(const void *a, const void *b) {
    const shuffled *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->episode < y->episode ? -1 : x->episode > y->episode;
}

// in batches of one task each
static slt_status group_tasks(trainer *t, int64_t count, int64_t *order) {
    int32_t *task;
    slt_status status = SLT_OK;
    SLT_TRY(SLT_ALLOC(&t->context->allocator, &task, (size_t)count));
    for (int64_t i = 0; i < count && status == SLT_OK; i++) {
        slt_episode episode;
        status = slt_dataset_episode(t->task.data, order[i], &episode);
        if (status == SLT_OK) task[i] = episode.task;
    }
    int64_t batch = t->learner->setup.train.batch;
    if (status == SLT_OK)
        status = slt_order_by_task(&t->context->allocator, task, count, batch, order);
    slt_free(&t->context->allocator, task);
    return status;
}

// a function of seed and epoch alone
static slt_status shuffle(trainer *t, slt_training_run *run, int member) {
    int64_t count = t->task.count[SLT_SPLIT_TRAIN];
    shuffled *list;
    SLT_TRY(SLT_ALLOC(&t->context->allocator, &list, (size_t)count));
    for (int64_t i = 0; i < count; i++) {
        slt_words words = slt_random_words(run->each[member].seed, SLT_RANDOM_SHUFFLE, (uint64_t)i,
                                           (uint32_t)run->state.epoch);
        list[i].key = (uint64_t)words.word[0] << 32 | words.word[1];
        list[i].episode = t->task.episodes[SLT_SPLIT_TRAIN][i];
    }
    qsort(list, (size_t)count, sizeof *list, by_key);
    for (int64_t i = 0; i < count; i++) run->orders[member][i] = list[i].episode;
    slt_free(&t->context->allocator, list);
    bool same = t->learner->setup.train.batch_tasks == SLT_TASKS_SAME;
    return same ? group_tasks(t, count, run->orders[member]) : SLT_OK;
}

static slt_status shuffle_one(void *user, int place) {
    trainer *t = user;
    slt_training_run *run = t->places[place].run;
    if (run->ordered == run->state.epoch + 1) return SLT_OK;
    return shuffle(t, run, t->places[place].member);
}

// those that begin an epoch, or continue in the middle of one
static slt_status shuffle_all(trainer *t) {
    SLT_TRY(slt_parallel_for(t->context, t->learner->store->members, shuffle_one, t));
    for (int r = 0; r < t->run_count; r++) {
        slt_training_run *run = &t->runs[r];
        if (run->first < 0 || run->ordered == run->state.epoch + 1) continue;
        run->ordered = run->state.epoch + 1;
        run->noted = run->state.step;
    }
    return SLT_OK;
}

// ---- what the steps noted

static slt_status diverged(const slt_training_run *run, const slt_step_stats *note) {
    SLT_FAIL(SLT_DIVERGED,
             "%s: step %lld of epoch %lld gave a loss of %g and a gradient of norm %g; the "
             "checkpoint before it is whole; try a smaller lr or max_grad_norm=1",
             run->request->run, (long long)run->noted + 1, (long long)run->state.epoch + 1,
             (double)note->value[SLT_LOSS], note->norm);
}

static bool is_alive(const slt_training_run *run) {
    for (int m = 0; m < run->members; m++)
        if (run->each[m].health == SLT_MEMBER_RUNS) return true;
    return false;
}

// adds a member's note to its sums; a member whose numbers are out of bounds stops
static void write_stats(slt_member_state *each, const slt_step_stats *note) {
    if (each->health != SLT_MEMBER_RUNS) return;
    if (!isfinite(note->value[SLT_LOSS]) || !isfinite(note->norm)) {
        each->health = SLT_MEMBER_BROKEN;
        return;
    }
    each->loss += (double)note->value[SLT_LOSS];
    each->reconstruction += (double)note->value[SLT_LOSS_RECONSTRUCTION];
    each->kl += (double)note->value[SLT_LOSS_KL];
}

// adds up what the steps gave, in their order; a device may lag by some steps. An error when
// the last member stops
static slt_status read_stats_of(trainer *t, slt_training_run *run, bool wait) {
    slt_step_stats note = {0};
    bool there;
    for (int m = 0; m < run->members; m++)
        for (;;) {
            SLT_TRY(slt_tape_stats(t->learner->train.tape, run->first + m, wait, &note, &there));
            if (!there) break;
            write_stats(&run->each[m], &note);
            if (run->members == 1 && !is_alive(run)) return diverged(run, &note);
            if (m == 0) run->noted++;
        }
    return is_alive(run) ? SLT_OK : diverged(run, &note);
}

static slt_status read_stats(trainer *t, bool wait) {
    for (int r = 0; r < t->run_count; r++) {
        slt_training_run *run = &t->runs[r];
        if (!run->over) SLT_TRY(slt_trainer_drop(t, run, read_stats_of(t, run, wait)));
    }
    return SLT_OK;
}

static slt_status bad_weight(const slt_training_run *run, const char *weight) {
    SLT_FAIL(SLT_DIVERGED,
             "%s: step %lld of epoch %lld made weights '%s' that are not finite; the "
             "checkpoint before it is whole; try a smaller lr or max_grad_norm=1",
             run->request->run, (long long)run->state.step, (long long)run->state.epoch + 1,
             weight);
}

slt_status slt_run_check_weights(slt_trainer *t, slt_training_run *run) {
    slt_store *store = t->learner->store;
    SLT_TRY(slt_store_fetch(store));
    for (int m = 0; m < run->members; m++) {
        const char *weight = slt_checkpoint_bad_weight(store, run->first + m);
        if (!weight) continue;
        if (run->members == 1) return bad_weight(run, weight);
        SLT_TRY(slt_store_edit(store));
        run->each[m].health = SLT_MEMBER_BROKEN;
        slt_checkpoint_clear(store, run->first + m);
    }
    return is_alive(run) ? SLT_OK : diverged(run, &(slt_step_stats){.norm = INFINITY});
}

// ---- a step

static double learning_rate(const slt_training_run *run) {
    const slt_train_options *o = &run->setup->train;
    double gone = (double)run->state.total_steps / (double)run->state.limit;
    return o->lr * (o->lr_end < 1 ? 1 - (1 - o->lr_end) * gone : 1);
}

// by any thread: members share nothing
static slt_status feed(void *user, int place) {
    trainer *t = user;
    slt_training_run *run = t->places[place].run;
    int member = t->places[place].member;
    const slt_member_state *each = &run->each[member];
    bool runs = !run->over && each->health == SLT_MEMBER_RUNS;
    if (!runs && slt_learner_rest(t->learner, place)) return SLT_OK;
    const int64_t *episodes = run->orders[member] + run->state.step * t->batch;
    SLT_TRY(slt_feed_fill(&run->feeds[member], episodes, t->batch));
    slt_learner_feed(t->learner, place, &run->feeds[member], each->seed, run->state.total_steps,
                     learning_rate(run), runs);
    return SLT_OK;
}

static slt_status take_step(trainer *t) {
    SLT_TRY(slt_learner_each(t->learner, feed, t));
    SLT_TRY(slt_learner_step(t->learner));
    t->taken++;
    for (int r = 0; r < t->run_count; r++) {
        if (t->runs[r].over) continue;
        t->runs[r].state.step++;
        t->runs[r].state.total_steps++;
    }
    return read_stats(t, false);
}

// where the time is bounded: so many steps as fit, evaluated once by the first ones of this call
static void fit_into_time(trainer *t, slt_training_run *run) {
    enum { PROBE = 20 };
    static const double SPARE = 0.85; // the rest is for evaluations
    slt_progress_state *state = &run->state;
    double now = slt_seconds(), seconds = run->request->seconds;
    if (t->taken != PROBE || !slt_group_leads(t->context)) return;
    double each = (now - t->stepping) / PROBE, left = seconds - (now - t->started);
    int64_t fits = state->total_steps + (int64_t)(SPARE * left / each);
    if (fits < state->total_steps + 1) fits = state->total_steps + 1;
    if (fits >= state->limit) return;
    slt_context_log(t->context, SLT_LOG_INFO, "%lld steps fit into %.0f s, not %lld",
                    (long long)fits, seconds, (long long)state->limit);
    state->limit = fits;
}

static slt_status watch_time(trainer *t) {
    for (int r = 0; r < t->run_count; r++) {
        slt_training_run *run = &t->runs[r];
        if (run->over || run->request->seconds <= 0) continue;
        fit_into_time(t, run);
        SLT_TRY(slt_group_share(t->context, &run->state.limit, sizeof run->state.limit));
    }
    return SLT_OK;
}

// ---- steps until an epoch ends

bool slt_run_ends_epoch(const slt_trainer *t, const slt_training_run *run) {
    return !run->over &&
           (run->state.step >= t->steps_per_epoch || run->state.total_steps >= run->state.limit);
}

// does every run continue?
static bool continues(const trainer *t) {
    bool going = false;
    for (int r = 0; r < t->run_count; r++) {
        if (slt_run_ends_epoch(t, &t->runs[r])) return false;
        going |= !t->runs[r].over;
    }
    return going;
}

static slt_status check_and_save(trainer *t, slt_training_run *run) {
    SLT_TRY(slt_run_check_weights(t, run));
    return slt_ranks_lead(t, run, slt_run_save);
}

slt_status slt_trainer_save(slt_trainer *t) {
    SLT_TRY(read_stats(t, true));
    for (int r = 0; r < t->run_count; r++) {
        slt_training_run *run = &t->runs[r];
        if (!run->over) SLT_TRY(slt_trainer_drop(t, run, check_and_save(t, run)));
    }
    return SLT_OK;
}

slt_status slt_trainer_step(slt_trainer *t) {
    SLT_TRY(shuffle_all(t));
    while (continues(t)) {
        if (slt_ranks_stop(t)) SLT_FAIL(SLT_CANCELLED, "stopped on request");
        SLT_TRY(take_step(t));
        SLT_TRY(watch_time(t));
        slt_trainer_tell(t, "");
    }
    return read_stats(t, true);
}
