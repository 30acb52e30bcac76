// Training: epochs of shuffled batches, an evaluation behind each, the best epoch kept, everything
// resumable at every step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "core/file.h"
#include "core/philox.h"
#include "core/yaml_config.h"
#include "engine/adam.h"
#include "train/answer.h"
#include "train/checkpoint.h"
#include "train/run_files.h"
#include "train/task.h"

typedef struct {
    slt_context *context;
    slt_arena arena;
    const slt_train_request *request;
    slt_setup setup;
    slt_task_data task;
    slt_learner *learner;
    slt_feed feed;
    slt_progress_state state;
    slt_tensorboard *events;
    int batch;
    int64_t steps_per_epoch;
    int64_t *order; // training episodes of the epoch at hand
    int64_t *companions;
    double started;
} trainer;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- preparing

static slt_status read_config(trainer *t, const slt_options *tables) {
    slt_map map;
    if (!t->request->config) return SLT_OK;
    SLT_TRY(slt_map_open(t->request->config, &map));
    slt_status status =
        slt_options_from_yaml(tables, t->request->config, (const char *)map.data, map.size);
    slt_map_close(&map);
    return status;
}

static slt_status read_setup(trainer *t) {
    const slt_train_request *r = t->request;
    slt_options tables[3];
    SLT_TRY(slt_setup_init(&t->setup, r->model, r->profile, r->preset));
    slt_setup_tables(&t->setup, tables);
    SLT_TRY(read_config(t, tables));
    for (int i = 0; i < r->setting_count; i++) SLT_TRY(slt_options_set(tables, r->settings[i]));
    return SLT_OK;
}

// K training episodes that stand beside every trajectory at test time
static slt_status choose_companions(trainer *t) {
    int slots = t->setup.kind->slots(t->setup.model);
    int64_t count = t->task.count[SLT_SPLIT_TRAIN];
    SLT_TRY(SLT_NEW(&t->arena, &t->companions, (size_t)slots));
    for (int k = 0; k < slots; k++) {
        slt_words words = slt_random_words(t->request->seed, SLT_RANDOM_COMPANIONS, (uint64_t)k, 0);
        t->companions[k] = t->task.episodes[SLT_SPLIT_TRAIN][words.word[0] % (uint64_t)count];
    }
    return SLT_OK;
}

static slt_status make_learner(trainer *t) {
    int64_t count = t->task.count[SLT_SPLIT_TRAIN];
    t->batch = t->setup.train.batch < count ? (int)t->setup.train.batch : (int)count;
    t->steps_per_epoch = count / t->batch;
    int slots = t->setup.kind->slots(t->setup.model);
    slt_limits train = {t->batch, 0, slots, t->task.model.length}, use = {0, 0, 0, 0};
    slt_feed_rule rule = {.data = t->task.data,
                          .length = t->task.model.length,
                          .slots = slots,
                          .padded = t->setup.kind->padded(t->setup.model)};
    SLT_TRY(slt_feed_tokens(&rule, t->batch, &train.tokens));
    SLT_TRY(slt_answer_limits(&t->setup, &t->task.model, t->task.data, &use));
    SLT_TRY(slt_learner_create(t->context, &t->setup, &t->task.model, 1, train, use, &t->learner));
    rule = slt_learner_feed_rule(t->learner, t->task.data, true);
    SLT_TRY(slt_feed_init(&t->feed, &t->arena, &rule, t->batch));
    SLT_TRY(choose_companions(t));
    return SLT_NEW(&t->arena, &t->order, (size_t)count);
}

// a fresh run, or the one that is there
static slt_status start_or_resume(trainer *t) {
    char path[SLT_RUN_PATH];
    t->state = (slt_progress_state){.seed = t->request->seed, .best = -INFINITY, .best_epoch = -1};
    if (slt_run_has(t->request->run, "last.safetensors")) {
        slt_checkpoint *there;
        SLT_TRY(SLT_NEW(&t->arena, &there, 1));
        slt_run_path(path, t->request->run, "last.safetensors");
        SLT_TRY(slt_checkpoint_read(t->context, path, there));
        SLT_TRY(slt_checkpoint_load(t->learner, 0, path, true));
        t->state = there->state;
        slt_context_log(t->context, SLT_LOG_INFO, "%s: goes on behind epoch %lld, step %lld",
                        t->request->run, (long long)t->state.epoch, (long long)t->state.step);
    } else {
        SLT_TRY(slt_store_init(t->learner->store, 0, t->request->seed));
    }
    SLT_TRY(slt_run_cut_back(t->context, t->request->run, t->state.epoch));
    slt_run_path(path, t->request->run, "events.out.tfevents.0.slottar");
    return slt_tensorboard_open(&t->context->allocator, path, t->state.total_steps, 0, &t->events);
}

static slt_status prepare(trainer *t) {
    SLT_TRY(read_setup(t));
    SLT_TRY(slt_task_open(t->context, &t->arena, &t->setup, t->request->data, &t->task));
    SLT_TRY(slt_folder_make(t->request->run));
    SLT_TRY(slt_run_configure(t->context, t->request, &t->setup));
    SLT_TRY(make_learner(t));
    return start_or_resume(t);
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
static slt_status shuffle(trainer *t) {
    int64_t count = t->task.count[SLT_SPLIT_TRAIN];
    slt_arena_mark mark = slt_arena_now(&t->arena);
    shuffled *list;
    SLT_TRY(SLT_NEW(&t->arena, &list, (size_t)count));
    for (int64_t i = 0; i < count; i++) {
        slt_words words = slt_random_words(t->request->seed, SLT_RANDOM_SHUFFLE, (uint64_t)i,
                                           (uint32_t)t->state.epoch);
        list[i].key = (uint64_t)words.word[0] << 32 | words.word[1];
        list[i].episode = t->task.episodes[SLT_SPLIT_TRAIN][i];
    }
    qsort(list, (size_t)count, sizeof *list, by_key);
    for (int64_t i = 0; i < count; i++) t->order[i] = list[i].episode;
    slt_arena_reset(&t->arena, mark);
    return SLT_OK;
}

static slt_status diverged(const trainer *t, double loss) {
    SLT_FAIL(SLT_DIVERGED,
             "%s: step %lld of epoch %lld gave a loss of %g and a gradient of norm %g; the "
             "checkpoint before it is whole; try a smaller lr or max_grad_norm=1",
             t->request->run, (long long)t->state.step + 1, (long long)t->state.epoch + 1, loss,
             t->learner->store->norm[0]);
}

static slt_status train_step(trainer *t) {
    slt_learner_tape *train = &t->learner->train;
    slt_frame *frame = slt_tape_frame(train->tape, 0);
    SLT_TRY(slt_feed_fill(&t->feed, t->order + t->state.step * t->batch, t->batch));
    slt_feed_hand_over(&t->feed, train->tape, 0, train->io);
    frame->step = (slt_step){.seed = t->request->seed,
                             .step = (uint32_t)t->state.total_steps,
                             .learning_rate = (slt_real)t->setup.train.lr,
                             .adam_epsilon = (slt_real)t->setup.train.adam_eps,
                             .max_norm = (slt_real)t->setup.train.max_grad_norm,
                             .adam_count = (uint32_t)t->state.total_steps + 1,
                             .active = true};
    t->setup.kind->step(t->setup.model, true, &frame->step);
    SLT_TRY(slt_tape_forward(train->tape));
    SLT_TRY(slt_tape_backward(train->tape));
    slt_adam_step(train->tape);
    double loss = (double)*slt_tape_value(train->tape, 0, train->io.loss);
    if (!isfinite(loss) || !isfinite(t->learner->store->norm[0])) return diverged(t, loss);
    t->state.loss += loss;
    t->state.reconstruction += (double)*slt_tape_value(train->tape, 0, train->io.reconstruction);
    t->state.kl += (double)*slt_tape_value(train->tape, 0, train->io.kl);
    t->state.step++;
    t->state.total_steps++;
    return SLT_OK;
}

static slt_status save(trainer *t, const char *name) {
    char path[SLT_RUN_PATH];
    return slt_checkpoint_save(t->learner, 0, &t->state, slt_run_path(path, t->request->run, name));
}

static slt_status run_steps(trainer *t) {
    SLT_TRY(shuffle(t));
    uint64_t total = (uint64_t)(t->setup.train.epochs * t->steps_per_epoch);
    while (t->state.step < t->steps_per_epoch) {
        if (slt_context_check(t->context) != SLT_OK) {
            SLT_TRY(save(t, "last.safetensors"));
            return slt_context_check(t->context);
        }
        SLT_TRY(train_step(t));
        slt_context_progress(t->context, "train", (uint64_t)t->state.total_steps, total, "");
    }
    return SLT_OK;
}

// ---- behind an epoch

static slt_status evaluate(trainer *t, slt_split split, bool pictures, slt_evaluation *out) {
    slt_answer_request request = {
        .seed = t->request->seed, .companions = t->companions, .pictures = pictures};
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
                         (uint64_t)(t->setup.train.epochs * t->steps_per_epoch), news);
}

static slt_status end_epoch(trainer *t) {
    slt_epoch_record record = {.epoch = t->state.epoch + 1, .step = t->state.total_steps};
    double steps = (double)t->state.step;
    record.train_loss = t->state.loss / steps;
    record.train_rec = t->state.reconstruction / steps;
    record.train_kl = t->state.kl / steps;
    slt_split held_out = t->task.count[SLT_SPLIT_VALID] ? SLT_SPLIT_VALID : SLT_SPLIT_TRAIN;
    SLT_TRY(evaluate(t, held_out, false, &record.valid));
    record.seconds = now() - t->started;

    double score = score_of(t, &record.valid);
    bool best = score > t->state.best;
    t->state.epoch++;
    t->state.step = 0;
    t->state.loss = t->state.reconstruction = t->state.kl = 0;
    t->state.waited = best ? 0 : t->state.waited + 1;
    if (best) t->state.best = score;
    if (best) t->state.best_epoch = t->state.epoch;
    t->state.finished =
        t->state.waited >= t->setup.train.patience || t->state.epoch >= t->setup.train.epochs;
    if (best) SLT_TRY(save(t, "best.safetensors"));
    SLT_TRY(slt_run_log(t->context, t->request->run, t->events, &record));
    SLT_TRY(save(t, "last.safetensors"));
    tell(t, &record, best);
    return SLT_OK;
}

// scores of the best epoch on both held-out splits
static slt_status finish(trainer *t, slt_train_result *result) {
    char path[SLT_RUN_PATH];
    slt_evaluation valid = {0}, test = {0};
    slt_run_path(path, t->request->run, "best.safetensors");
    SLT_TRY(slt_checkpoint_load(t->learner, 0, path, false));
    SLT_TRY(evaluate(t, SLT_SPLIT_VALID, true, &valid));
    SLT_TRY(evaluate(t, SLT_SPLIT_TEST, true, &test));
    *result = (slt_train_result){.epochs = t->state.epoch,
                                 .best_epoch = t->state.best_epoch,
                                 .steps = t->state.total_steps,
                                 .seconds = now() - t->started};
    result->valid = slt_run_scores_of(&valid, t->task.count[SLT_SPLIT_VALID]);
    result->test = slt_run_scores_of(&test, t->task.count[SLT_SPLIT_TEST]);
    return slt_run_result(t->request->run, result);
}

// the run stands at the epoch behind which this call stops
static bool is_paused(const trainer *t) {
    return t->request->pause_epoch && t->state.epoch >= t->request->pause_epoch;
}

static slt_status run(trainer *t, slt_train_result *result) {
    SLT_TRY(prepare(t));
    while (!t->state.finished && !is_paused(t)) {
        SLT_TRY(run_steps(t));
        SLT_TRY(end_epoch(t));
    }
    return finish(t, result);
}

slt_status slt_train(slt_context *context, const slt_train_request *request,
                     slt_train_result *result) {
    if (!request->model || !request->data || !request->run)
        SLT_FAIL(SLT_INVALID, "training needs a model, a data set and a run directory");
    trainer *t;
    SLT_TRY(SLT_ALLOC(&context->allocator, &t, 1));
    t->context = context;
    t->request = request;
    t->started = now();
    slt_arena_init(&t->arena, &context->allocator, 1 << 20);
    slt_status status = run(t, result);
    slt_status closed = slt_tensorboard_close(t->events);
    slt_learner_destroy(t->learner);
    slt_task_close(&t->task);
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

const char *slt_model_name(int index) {
    const slt_model_kind *kind = slt_model_row(index);
    return kind ? kind->name : NULL;
}

const char *slt_model_preset(const char *model, int index) { return slt_preset_name(model, index); }
