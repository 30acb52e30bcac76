// Training: epochs of shuffled batches, an evaluation behind each, the best epoch kept, everything
// resumable at every step. A step that is cancelled halfway counts as never begun.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/file.h"
#include "core/group_impl.h"
#include "core/philox.h"
#include "engine/device.h"
#include "train/companions.h"
#include "train/segments.h"
#include "train/trainer.h"

typedef slt_trainer trainer;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- preparing

// what every member has of its own
static slt_status make_members(trainer *t, int64_t episodes) {
    size_t members = (size_t)t->members;
    slt_feed_rule rule = slt_ranks_feed_rule(t);
    int share = rule.ranks > 1 ? slt_feed_share(&rule) : t->batch;
    SLT_TRY(SLT_NEW(&t->arena, &t->feeds, members));
    SLT_TRY(SLT_NEW(&t->arena, &t->orders, members));
    SLT_TRY(SLT_NEW(&t->arena, &t->each, members));
    for (int m = 0; m < t->members; m++) {
        SLT_TRY(slt_feed_init(&t->feeds[m], &t->arena, &rule, share));
        SLT_TRY(SLT_NEW(&t->arena, &t->orders[m], (size_t)episodes));
        t->each[m] = (slt_member_state){.seed = slt_member_seed(t->request->seed, m)};
    }
    return slt_companions_choose(&t->arena, t->task.data, t->task.episodes[SLT_SPLIT_TRAIN],
                                 episodes, t->learner);
}

static slt_status make_learner(trainer *t) {
    enum { LOOKS = 16 }; // evaluations at least, where steps are counted and not epochs
    int64_t count = t->task.count[SLT_SPLIT_TRAIN];
    t->batch = t->setup.train.batch < count ? (int)t->setup.train.batch : (int)count;
    t->steps_per_epoch = count / t->batch;
    int64_t steps = t->setup.train.steps, part = LOOKS * t->steps_per_epoch;
    t->state.limit = steps ? steps : t->setup.train.epochs * t->steps_per_epoch;
    t->every = steps ? (steps + part - 1) / part : 1;
    slt_limits train, use;
    SLT_TRY(slt_ranks_check(t));
    SLT_TRY(slt_learner_limits(&t->setup, &t->task.model, t->task.data, t->batch,
                               slt_group_size(t->context), &train));
    SLT_TRY(slt_answer_limits(t->context, &t->setup, &t->task.model, t->task.data, &use));
    SLT_TRY(slt_learner_create(t->context, &t->setup, &t->task.model, t->members, train, use,
                               &t->learner));
    return make_members(t, count);
}

// the sums of the epoch at hand, of a run without restarts
static void copy_sums(slt_member_state *each, slt_progress_state *state, bool saving) {
    double *from[] = {&state->loss, &state->reconstruction, &state->kl};
    double *to[] = {&each->loss, &each->reconstruction, &each->kl};
    for (int i = 0; i < 3; i++) *(saving ? from : to)[i] = *(saving ? to : from)[i];
}

static slt_status resume(trainer *t, const char *path) {
    slt_checkpoint *there;
    SLT_TRY(SLT_NEW(&t->arena, &there, 1));
    SLT_TRY(slt_checkpoint_read(t->context, path, there));
    if (t->members > 1)
        SLT_TRY(slt_checkpoint_load_all(t->learner, t->each, path));
    else
        SLT_TRY(slt_checkpoint_load(t->learner, 0, path, true));
    t->state = there->state;
    if (t->members == 1) copy_sums(&t->each[0], &t->state, false);
    slt_context_log(t->context, SLT_LOG_INFO, "%s: goes on behind epoch %lld, step %lld",
                    t->request->run, (long long)t->state.epoch, (long long)t->state.step);
    return SLT_OK;
}

// a fresh run, or the one that is there
static slt_status start_or_resume(trainer *t) {
    char path[SLT_RUN_PATH];
    t->state.seed = t->request->seed;
    t->state.best = -INFINITY;
    t->state.best_epoch = -1;
    if (slt_run_has(t->request->run, "last.safetensors"))
        SLT_TRY(resume(t, slt_run_path(path, t->request->run, "last.safetensors")));
    else
        SLT_TRY(slt_restarts_begin(t));
    slt_parts_remove(t->request->run, NULL);
    SLT_TRY(slt_run_cut_back(t->context, t->request->run, t->state.epoch));
    slt_run_path(path, t->request->run, "events.out.tfevents.0.slottar");
    return slt_tensorboard_open(&t->context->allocator, path, t->state.total_steps, 0, &t->events);
}

// one process at a time; a worker that takes over from a killed one may be faster than its end
static slt_status lock_run(trainer *t) {
    char path[SLT_RUN_PATH];
    slt_run_path(path, t->request->run, "lock");
    return slt_lock_take(&t->lock, t->context, path, t->request->run, 2);
}

// what every process reads for itself, before anything is written
static slt_status read_all(trainer *t) {
    SLT_TRY(slt_setup_read(&t->setup, t->request));
    SLT_TRY(slt_task_open(t->context, &t->arena, &t->setup, t->request->data, &t->task));
    slt_device *device; // whether there is one
    return slt_device_open(t->context, &device);
}

static slt_status claim_folder(trainer *t) {
    SLT_TRY(slt_folder_make(t->request->run));
    SLT_TRY(lock_run(t));
    return slt_run_configure(t->context, t->request, &t->setup);
}

static slt_status prepare(trainer *t) {
    SLT_TRY(slt_group_agree(t->context, read_all(t)));
    SLT_TRY(slt_ranks_compare(t));
    SLT_TRY(slt_ranks_lead(t, claim_folder));
    SLT_TRY(slt_group_agree(t->context, make_learner(t)));
    SLT_TRY(slt_ranks_lead(t, start_or_resume));
    return slt_ranks_share_start(t);
}

// ---- one epoch

typedef struct {
    uint64_t key;
    int64_t episode;
} shuffled;

static int by_key(const void *a, const void *b) {
    const shuffled *x = a, *y = b;
    if (x->key != y->key) return x->key < y->key ? -1 : 1;
    return x->episode < y->episode ? -1 : x->episode > y->episode;
}

// the order of an epoch is a function of seed and epoch alone
static slt_status shuffle(trainer *t, int member) {
    int64_t count = t->task.count[SLT_SPLIT_TRAIN];
    slt_arena_mark mark = slt_arena_now(&t->arena);
    shuffled *list;
    SLT_TRY(SLT_NEW(&t->arena, &list, (size_t)count));
    for (int64_t i = 0; i < count; i++) {
        slt_words words = slt_random_words(t->each[member].seed, SLT_RANDOM_SHUFFLE, (uint64_t)i,
                                           (uint32_t)t->state.epoch);
        list[i].key = (uint64_t)words.word[0] << 32 | words.word[1];
        list[i].episode = t->task.episodes[SLT_SPLIT_TRAIN][i];
    }
    qsort(list, (size_t)count, sizeof *list, by_key);
    for (int64_t i = 0; i < count; i++) t->orders[member][i] = list[i].episode;
    slt_arena_reset(&t->arena, mark);
    return SLT_OK;
}

static slt_status diverged(const trainer *t, const slt_note *note) {
    SLT_FAIL(SLT_DIVERGED,
             "%s: step %lld of epoch %lld gave a loss of %g and a gradient of norm %g; the "
             "checkpoint before it is whole; try a smaller lr or max_grad_norm=1",
             t->request->run, (long long)t->noted + 1, (long long)t->state.epoch + 1,
             (double)note->value[SLT_LOSS], note->norm);
}

// adds a member's note to its sums; a member whose numbers are out of bounds stops
static void take_note(slt_member_state *each, const slt_note *note) {
    if (each->health != SLT_MEMBER_RUNS) return;
    if (!isfinite(note->value[SLT_LOSS]) || !isfinite(note->norm)) {
        each->health = SLT_MEMBER_BROKEN;
        return;
    }
    each->loss += (double)note->value[SLT_LOSS];
    each->reconstruction += (double)note->value[SLT_LOSS_RECONSTRUCTION];
    each->kl += (double)note->value[SLT_LOSS_KL];
}

// adds up what the steps gave, in their order; a device may be some steps behind. An error when
// the last member stops
static slt_status take_notes(trainer *t, bool wait) {
    slt_note note = {0};
    bool there, alive = false;
    for (int m = 0; m < t->members; m++) {
        for (;;) {
            SLT_TRY(slt_tape_note(t->learner->train.tape, m, wait, &note, &there));
            if (!there) break;
            take_note(&t->each[m], &note);
            if (t->members == 1 && t->each[m].health != SLT_MEMBER_RUNS) return diverged(t, &note);
            if (m == 0) t->noted++;
        }
        alive |= t->each[m].health == SLT_MEMBER_RUNS;
    }
    return alive ? SLT_OK : diverged(t, &note);
}

static double learning_rate(const trainer *t) {
    const slt_train_options *o = &t->setup.train;
    double gone = (double)t->state.total_steps / (double)t->state.limit;
    return o->lr * (o->lr_end < 1 ? 1 - (1 - o->lr_end) * gone : 1);
}

static slt_status train_step(trainer *t) {
    for (int m = 0; m < t->members; m++) {
        bool runs = t->each[m].health == SLT_MEMBER_RUNS;
        if (!runs && slt_learner_rest(t->learner, m)) continue;
        SLT_TRY(slt_feed_fill(&t->feeds[m], t->orders[m] + t->state.step * t->batch, t->batch));
        slt_learner_feed(t->learner, m, &t->feeds[m], t->each[m].seed, t->state.total_steps,
                         learning_rate(t), runs);
    }
    SLT_TRY(slt_learner_step(t->learner));
    t->state.step++;
    t->state.total_steps++;
    return take_notes(t, false);
}

// what the last step did shows first in the weights: no member with a number out of bounds is saved
static slt_status check_weights(trainer *t) {
    slt_store *store = t->learner->store;
    bool alive = false;
    SLT_TRY(slt_store_fetch(store));
    for (int m = 0; m < t->members; m++) {
        const char *weight = slt_checkpoint_bad_weight(store, m);
        if (weight && t->members == 1)
            SLT_FAIL(SLT_DIVERGED,
                     "%s: step %lld of epoch %lld made weights '%s' that are not finite; the "
                     "checkpoint before it is whole; try a smaller lr or max_grad_norm=1",
                     t->request->run, (long long)t->state.step, (long long)t->state.epoch + 1,
                     weight);
        if (weight) {
            SLT_TRY(slt_store_edit(store));
            t->each[m].health = SLT_MEMBER_BROKEN;
            slt_checkpoint_clear(store, m);
        }
        alive |= t->each[m].health == SLT_MEMBER_RUNS;
    }
    return alive ? SLT_OK : diverged(t, &(slt_note){.norm = INFINITY});
}

static slt_status save_member(trainer *t, int member, const char *name) {
    char path[SLT_RUN_PATH];
    copy_sums(&t->each[member], &t->state, true);
    return slt_checkpoint_save(t->learner, member, &t->state,
                               slt_run_path(path, t->request->run, name));
}

static slt_status save_last(trainer *t) {
    char path[SLT_RUN_PATH];
    if (t->members == 1) return save_member(t, 0, "last.safetensors");
    t->state.loss = t->state.reconstruction = t->state.kl = 0;
    return slt_checkpoint_save_all(t->learner, t->each, &t->state,
                                   slt_run_path(path, t->request->run, "last.safetensors"));
}

// where the time is bounded: so many steps as fit, judged once by the first ones of this call
static void fit_into_time(trainer *t) {
    enum { PROBE = 20 };
    static const double SPARE = 0.85; // the rest is for evaluations
    int64_t taken = t->state.total_steps - t->first_step;
    if (t->request->seconds <= 0 || taken != PROBE || !slt_group_leads(t->context)) return;
    double each = (now() - t->stepping) / PROBE, left = t->request->seconds - (now() - t->started);
    int64_t fits = t->state.total_steps + (int64_t)(SPARE * left / each);
    if (fits < t->state.total_steps + 1) fits = t->state.total_steps + 1;
    if (fits >= t->state.limit) return;
    slt_context_log(t->context, SLT_LOG_INFO, "%lld steps fit into %.0f s, not %lld",
                    (long long)fits, t->request->seconds, (long long)t->state.limit);
    t->state.limit = fits;
}

// keeps what is there: the state behind the last step that was finished
static slt_status stop(trainer *t) {
    SLT_TRY(take_notes(t, true));
    SLT_TRY(check_weights(t));
    SLT_TRY(slt_ranks_lead(t, save_last));
    SLT_FAIL(SLT_CANCELLED, "stopped on request");
}

static slt_status run_steps(trainer *t) {
    for (int m = 0; m < t->members; m++) SLT_TRY(shuffle(t, m));
    t->noted = t->state.step;
    while (t->state.step < t->steps_per_epoch && t->state.total_steps < t->state.limit) {
        slt_status status = slt_ranks_stop(t) ? SLT_CANCELLED : train_step(t);
        if (status == SLT_CANCELLED) return stop(t);
        SLT_TRY(status);
        fit_into_time(t);
        if (t->request->seconds > 0)
            SLT_TRY(slt_group_share(t->context, &t->state.limit, sizeof t->state.limit));
        slt_context_progress(t->context, "train", (uint64_t)t->state.total_steps,
                             (uint64_t)t->state.limit, "");
    }
    return take_notes(t, true);
}

// ---- behind an epoch

slt_split slt_trainer_held_out(const slt_trainer *t) {
    return t->task.count[SLT_SPLIT_VALID] ? SLT_SPLIT_VALID : SLT_SPLIT_TRAIN;
}

// between epochs all processes take part; at the end process 0 looks at everything: it may keep the
// answers in `segments`, else NULL
static slt_status evaluate(trainer *t, int member, slt_split split, bool at_end,
                           slt_segments_file *segments, slt_evaluation *out) {
    slt_answer_request request = {.member = member,
                                  .seed = t->request->seed,
                                  .pictures = at_end,
                                  .shared = !at_end,
                                  .visit = segments ? slt_segments_file_add : NULL,
                                  .user = segments};
    return slt_evaluate(t->learner, t->task.data, t->task.episodes[split], t->task.count[split],
                        &request, out);
}

// higher is better; without labels, or on request, the held-out loss decides
static double score_of(const trainer *t, const slt_evaluation *valid) {
    const slt_scores *mean = &valid->scores.mean;
    switch (valid->has_labels ? t->setup.train.early_stop : SLT_STOP_LOSS) {
    case SLT_STOP_F1_ALIGN:
        return (mean->f1 + mean->align) / 2;
    case SLT_STOP_ARI_F1_ALIGN:
        return (mean->ari + mean->f1 + mean->align) / 3;
    default:
        return -valid->losses.loss;
    }
}

static void tell(trainer *t, const slt_epoch_record *record, bool best) {
    char news[160], labels[64] = "";
    if (record->valid.has_labels)
        snprintf(labels, sizeof labels, ", F1 %.2f, alignment %.2f",
                 100 * record->valid.scores.mean.f1, 100 * record->valid.scores.mean.align);
    snprintf(news, sizeof news, "epoch %lld: loss %.4f, held out %.4f%s%s",
             (long long)record->epoch, record->train_loss, record->valid.losses.loss, labels,
             best ? "  *" : "");
    slt_context_progress(t->context, "train", (uint64_t)t->state.total_steps,
                         (uint64_t)t->state.limit, news);
}

static slt_status judge_members(trainer *t) {
    return slt_restarts_judge(t, false, &t->record.restarts);
}

// scores of the epoch: of the only member, or of the best one
static slt_status judge(trainer *t) {
    slt_epoch_record *record = &t->record;
    SLT_TRY(slt_group_agree(t->context, check_weights(t)));
    if (t->members > 1) {
        SLT_TRY(slt_ranks_lead(t, judge_members));
        SLT_TRY(slt_group_share(t->context, &record->restarts, sizeof record->restarts));
    }
    int member = record->restarts.picked;
    double steps = (double)t->state.step;
    record->train_loss = t->each[member].loss / steps;
    record->train_rec = t->each[member].reconstruction / steps;
    record->train_kl = t->each[member].kl / steps;
    SLT_TRY(evaluate(t, member, slt_trainer_held_out(t), false, NULL, &record->valid));
    if (t->members > 1) record->valid.losses.loss = record->restarts.losses[member];
    if (!isfinite(record->valid.losses.loss))
        SLT_FAIL(SLT_DIVERGED,
                 "%s: epoch %lld has a held-out loss of %g; the checkpoint before it is whole; try "
                 "a smaller lr or max_grad_norm=1",
                 t->request->run, (long long)record->epoch, record->valid.losses.loss);
    record->seconds = now() - t->started;
    return SLT_OK;
}

// the best epoch is kept; of restarts, which go to the end of their falling rate, the last one
static bool is_better(trainer *t, const slt_epoch_record *record) {
    double score = score_of(t, &record->valid);
    bool better = t->members > 1 || score > t->state.best;
    t->state.waited = better ? 0 : t->state.waited + 1;
    if (better) t->state.best = score;
    if (better) t->state.best_epoch = t->state.epoch;
    return better;
}

static bool is_last(const trainer *t) {
    bool by_epochs = !t->setup.train.steps && t->state.epoch >= t->setup.train.epochs;
    return t->state.total_steps >= t->state.limit || by_epochs ||
           t->state.waited >= t->setup.train.patience;
}

static void next_epoch(trainer *t) {
    t->state.epoch++;
    t->state.step = 0;
    for (int m = 0; m < t->members; m++)
        t->each[m].loss = t->each[m].reconstruction = t->each[m].kl = 0;
}

static slt_status keep_epoch(trainer *t) {
    const slt_epoch_record *record = &t->record;
    if (t->better) SLT_TRY(save_member(t, record->restarts.picked, "best.safetensors"));
    SLT_TRY(slt_run_log(t->context, t->request->run, t->events, record));
    SLT_TRY(save_last(t));
    tell(t, record, t->better && t->members == 1);
    return SLT_OK;
}

static slt_status end_epoch(trainer *t) {
    t->record = (slt_epoch_record){.epoch = t->state.epoch + 1, .step = t->state.total_steps};
    bool looks = t->record.epoch % t->every == 0 || t->state.total_steps >= t->state.limit;
    if (looks) {
        slt_status status = judge(t);
        if (status == SLT_CANCELLED) return stop(t); // the next call evaluates again
        SLT_TRY(status);
        SLT_TRY(slt_group_share(t->context, &t->record, sizeof t->record));
        if (t->members > 1) slt_restarts_thin_out(t, &t->record.restarts);
    }
    next_epoch(t);
    if (!looks) return SLT_OK;
    t->better = is_better(t, &t->record);
    t->state.finished = is_last(t);
    return slt_ranks_lead(t, keep_epoch);
}

// the test split, with segments.safetensors
static slt_status test_and_keep(trainer *t, int member, slt_evaluation *out) {
    char path[SLT_RUN_PATH];
    slt_segments_file *file;
    slt_run_path(path, t->request->run, "segments.safetensors");
    SLT_TRY(slt_segments_file_create(t->context, path, &t->setup, t->request->data,
                                     slt_split_name(SLT_SPLIT_TEST), &file));
    slt_status status = evaluate(t, member, SLT_SPLIT_TEST, true, file, out);
    if (status == SLT_OK) return slt_segments_file_commit(file);
    slt_segments_file_destroy(file);
    return status;
}

// scores of the best epoch on both held-out splits
static slt_status finish(trainer *t) {
    slt_train_result *result = t->result;
    char path[SLT_RUN_PATH];
    slt_evaluation valid = {0}, test = {0};
    *result = (slt_train_result){
        .epochs = t->state.epoch, .best_epoch = t->state.best_epoch, .steps = t->state.total_steps};
    slt_run_path(path, t->request->run, "best.safetensors");
    if (t->members > 1)
        SLT_TRY(slt_restarts_judge(t, true, &result->restarts));
    else
        SLT_TRY(slt_checkpoint_load(t->learner, 0, path, false));
    int member = result->restarts.picked;
    SLT_TRY(evaluate(t, member, SLT_SPLIT_VALID, true, NULL, &valid));
    SLT_TRY(test_and_keep(t, member, &test));
    result->seconds = now() - t->started;
    result->valid = slt_run_scores_of(&valid, t->task.count[SLT_SPLIT_VALID]);
    result->test = slt_run_scores_of(&test, t->task.count[SLT_SPLIT_TEST]);
    return slt_run_result(t->context, t->request->run, result);
}

// the run stands behind the epoch at which this call stops; only evaluated epochs are saved
static bool is_paused(const trainer *t) {
    int64_t pause = t->request->pause_epoch;
    return pause && t->state.epoch >= pause && t->state.epoch % t->every == 0;
}

static slt_status run(trainer *t) {
    SLT_TRY(prepare(t));
    while (!t->state.finished && !is_paused(t)) {
        SLT_TRY(run_steps(t));
        SLT_TRY(end_epoch(t));
    }
    SLT_TRY(slt_ranks_lead(t, finish));
    return slt_group_share(t->context, t->result, sizeof *t->result);
}

slt_status slt_train(slt_context *context, const slt_train_request *request,
                     slt_train_result *result) {
    if (!request->model || !request->data || !request->run)
        SLT_FAIL(SLT_INVALID, "training needs a model, a data set and a run directory");
    if (request->restarts < 0 || request->restarts > SLT_MOST_RESTARTS)
        SLT_FAIL(SLT_RANGE, "%d restarts are not 1 to %d", request->restarts, SLT_MOST_RESTARTS);
    trainer *t;
    SLT_TRY(SLT_ALLOC(&context->allocator, &t, 1));
    t->context = context;
    t->members = request->restarts > 1 ? request->restarts : 1;
    t->request = request;
    t->result = result;
    t->started = now();
    slt_arena_init(&t->arena, &context->allocator, 1 << 20);
    slt_status status = run(t);
    slt_status closed = slt_tensorboard_close(t->events);
    slt_learner_destroy(t->learner);
    slt_task_close(&t->task);
    slt_lock_release(&t->lock);
    slt_arena_deinit(&t->arena);
    slt_free(&context->allocator, t);
    return status != SLT_OK ? status : closed;
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

const char *slt_model_name(int index) {
    const slt_model_kind *kind = slt_model_row(index);
    return kind ? kind->name : NULL;
}

const char *slt_model_preset(const char *model, int index) { return slt_preset_name(model, index); }
