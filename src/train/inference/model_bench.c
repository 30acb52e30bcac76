// Steps of training and of inference, measured with the code that trains and answers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "core/clock.h"
#include "core/philox.h"
#include "engine/peak.h"
#include "engine/tape_impl.h"
#include "slottar/bench.h"
#include "train/inference/predict.h"
#include "train/learner/companions.h"
#include "train/learner/dataset_spec.h"

enum { BATCHES = 4, LEAST_ROUNDS = 2, OPERATIONS = 64 };

typedef struct rig rig;

// what is measured: one step after the other, or all in one call
typedef struct {
    const char *name;
    bool training, together;
    slt_status (*run)(rig *r, int first, int batches);
} stage;

struct rig {
    slt_context *context;
    const stage *stage;
    const slt_train_request *request;
    slt_arena arena;
    slt_setup setup;
    slt_dataset_spec task;
    slt_learner *learner;
    int members;                        // models that take a step at once
    slt_feed *feeds;                    // [members]
    slt_predict_request *requests;      // [members]
    slt_predict_losses *losses;         // [members]
    int batch;                          // trajectories of a step of each
    int64_t *episodes;                  // [BATCHES][batch]
    int64_t steps;                      // taken so far
    double flops;                       // of all batches
    int64_t positions;                  // of all batches, true ones
    double best[BATCHES], cpu[BATCHES]; // seconds; of all batches in best[0] when they run together
};

// ---- steps

// members have different batches, each has each once
static slt_status fill(rig *r, int member, int i) {
    size_t at = (size_t)((i + member) % BATCHES) * (size_t)r->batch;
    return slt_feed_fill(&r->feeds[member], r->episodes + at, r->batch);
}

typedef struct {
    rig *rig;
    int batch;
} turn;

static slt_status feed_member(void *user, int member) {
    const turn *t = user;
    rig *r = t->rig;
    SLT_TRY(fill(r, member, t->batch));
    slt_learner_feed(r->learner, member, &r->feeds[member], r->request->seed, r->steps,
                     r->setup.train.lr, true);
    return SLT_OK;
}

static slt_status train_steps(rig *r, int first, int batches) {
    for (int i = first; i < first + batches; i++) {
        SLT_TRY(slt_learner_each(r->learner, feed_member, &(turn){r, i}));
        SLT_TRY(slt_learner_step(r->learner));
        r->steps++;
    }
    // a device is done when its last note is there
    slt_step_stats note;
    bool there = true;
    while (there) SLT_TRY(slt_tape_stats(r->learner->train.tape, 0, true, &note, &there));
    return SLT_OK;
}

static slt_status answer_steps(rig *r, int first, int batches) {
    return slt_predict(r->learner, r->task.data, r->episodes + (size_t)first * (size_t)r->batch,
                       (int64_t)batches * r->batch, r->requests, r->members, r->losses);
}

static const stage TRAIN = {"train", true, false, train_steps};
static const stage INFER = {"infer", false, true, answer_steps};

static slt_tape *tape_of(const rig *r) {
    return r->stage->training ? r->learner->train.tape : r->learner->use.tape;
}

// ---- preparing

// training episodes, drawn
static slt_status choose_episodes(rig *r) {
    const int64_t *train = r->task.episodes[SLT_SPLIT_TRAIN];
    uint64_t count = (uint64_t)r->task.count[SLT_SPLIT_TRAIN];
    size_t wanted = (size_t)BATCHES * (size_t)r->batch;
    SLT_TRY(SLT_NEW(&r->arena, &r->episodes, wanted));
    for (size_t i = 0; i < wanted; i++) {
        slt_words words = slt_random_words(r->request->seed, SLT_RANDOM_SHUFFLE, i, 0);
        r->episodes[i] = train[words.word[0] % count];
    }
    return slt_companions_choose(&r->arena, r->task.data, train, r->task.count[SLT_SPLIT_TRAIN],
                                 r->learner);
}

static slt_status make_members(rig *r) {
    slt_batch_layout rule = slt_learner_batch_layout(r->learner, r->task.data, r->stage->training);
    SLT_TRY(SLT_NEW(&r->arena, &r->feeds, (size_t)r->members));
    SLT_TRY(SLT_NEW(&r->arena, &r->requests, (size_t)r->members));
    SLT_TRY(SLT_NEW(&r->arena, &r->losses, (size_t)r->members));
    for (int m = 0; m < r->members; m++) {
        uint64_t seed = r->request->seed + (uint64_t)m;
        r->requests[m] = (slt_predict_request){.member = m, .seed = seed};
        SLT_TRY(slt_store_init(r->learner->store, m, seed));
        SLT_TRY(slt_feed_init(&r->feeds[m], &r->arena, &rule, r->batch + rule.fixed));
    }
    return SLT_OK;
}

static slt_status prepare(rig *r) {
    r->members = r->request->restarts > 1 ? r->request->restarts : 1;
    slt_limits train = {0, 0, 0, 0}, use;
    SLT_TRY(slt_setup_read(r->context, &r->setup, r->request));
    SLT_TRY(slt_task_open(r->context, &r->arena, &r->setup, r->request->data, &r->task));
    const slt_model_data *data = &r->task.model;
    r->batch = r->stage->training
                   ? (int)r->setup.train.batch
                   : slt_predict_batch(r->context, &r->setup, data->length, r->members);
    if (r->stage->training)
        SLT_TRY(slt_learner_limits(&r->setup, data, r->task.data, r->batch, 1, &train));
    SLT_TRY(slt_predict_limits(r->context, &r->setup, data, r->task.data, r->members, &use));
    SLT_TRY(slt_learner_create(r->context, &r->setup, data, r->members, train, use, &r->learner));
    SLT_TRY(choose_episodes(r));
    SLT_TRY(slt_learner_upload(r->learner, r->task.data));
    return make_members(r);
}

// ---- measuring

// a batch for the tape to be asked about: the one that was answered is gone with its feed
static slt_status hold_batch(rig *r, int i) {
    slt_model_io io = r->stage->training ? r->learner->train.io : r->learner->use.io;
    SLT_TRY(fill(r, 0, i));
    slt_feed_hand_over(&r->feeds[0], tape_of(r), 0, io);
    return SLT_OK;
}

// every batch once: warms the caches and counts the work
static slt_status warm_up(rig *r) {
    for (int i = 0; i < BATCHES; i++) {
        SLT_TRY(r->stage->run(r, i, 1));
        SLT_TRY(hold_batch(r, i));
        r->flops += slt_tape_flops(tape_of(r), false);
        if (r->stage->training) r->flops += slt_tape_flops(tape_of(r), true);
    }
    for (int i = 0; i < BATCHES * r->batch; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(r->task.data, r->episodes[i], &episode));
        r->positions += episode.length;
    }
    r->flops *= r->members;
    r->positions *= r->members;
    return SLT_OK;
}

static void keep_least(double *least, double value, int round) {
    if (round == 0 || value < *least) *least = value;
}

// steps of training that are taken in one call: a device works on some of them at once, as in a run
static int laps_of(const rig *r) {
    enum { LAPS = 8 };
    return r->context->on_device && r->stage->training ? LAPS : 1;
}

static slt_status measure_step(rig *r, double seconds) {
    int laps = laps_of(r), parts = r->stage->together || laps > 1 ? 1 : BATCHES;
    double begin = slt_seconds();
    for (int round = 0; round < LEAST_ROUNDS || slt_seconds() - begin < seconds; round++)
        for (int i = 0; i < parts; i++) {
            SLT_TRY(slt_context_check(r->context));
            double started = slt_seconds(), cpu = slt_cpu_seconds();
            SLT_TRY(r->stage->run(r, i, laps * BATCHES / parts));
            keep_least(&r->best[i], (slt_seconds() - started) / laps, round);
            keep_least(&r->cpu[i], (slt_cpu_seconds() - cpu) / laps, round);
        }
    return SLT_OK;
}

// of the parts that may be one launch, those that are; which attention the last one is
static void tell_path(const slt_tape *tape, char *text, size_t size) {
    const slt_device_kind *device = slt_tape_device(tape);
    const char *attention = NULL;
    int parts = 0, fused = 0;
    if (!device) return;
    for (int fusion = 0, n = -1; slt_fused_part(tape, &fusion, &n); parts++) {
        slt_fused part = {.why = ""};
        if (device->fused) device->fused(tape, (slt_fusion)fusion, n, &part);
        fused += !part.why;
    }
    for (int n = 0; n < tape->node_count; n++) {
        const char *path = device->path ? device->path(tape, n) : NULL;
        if (path) attention = path;
    }
    snprintf(text, size, "%d of %d parts fused%s%s", fused, parts, attention ? ", attention " : "",
             attention ? attention : "");
}

static void report_step(const rig *r, const slt_bench_peaks *peaks, slt_bench_result *out) {
    double seconds = 0, cpu = 0, trajectories = (double)BATCHES * r->batch * r->members;
    for (int i = 0; i < BATCHES; i++) seconds += r->best[i];
    for (int i = 0; i < BATCHES; i++) cpu += r->cpu[i];
    *out = (slt_bench_result){
        .ms = 1e3 * seconds / BATCHES,
        .cpu_ms = 1e3 * cpu / BATCHES,
        .gflops = 1e-9 * r->flops / seconds,
        .tokens_per_s = trajectories * r->task.model.length / seconds,
        .true_tokens_per_s = (double)r->positions / seconds,
        .bytes = (double)slt_tape_bytes(tape_of(r)),
        .batch = r->batch,
        .length = (int)r->task.model.length,
    };
    tell_path(tape_of(r), out->path, sizeof out->path);
    out->share_of_peak = slt_peak_share(out->gflops, peaks->gflops);
    char many[16] = "";
    if (r->members > 1) snprintf(many, sizeof many, ".x%d", r->members);
    snprintf(out->name, sizeof out->name, "%s.%s%s", r->setup.kind->name, r->stage->name, many);
}

// ---- operations of the last batch

static double cost(const slt_profile_row *row) { return row->forward + row->backward; }

static void keep_best(slt_profile_row *best, const slt_profile_row *rows, int count) {
    for (int i = 0; i < count; i++)
        for (int k = 0; k < count; k++)
            if (best[k].op == rows[i].op && cost(&rows[i]) < cost(&best[k])) best[k] = rows[i];
}

static slt_status measure_operations(rig *r, double seconds, slt_profile_row *best, int *count) {
    slt_profile_row rows[OPERATIONS];
    double begin = slt_seconds();
    for (int round = 0; round < LEAST_ROUNDS || slt_seconds() - begin < seconds; round++) {
        SLT_TRY(slt_context_check(r->context));
        SLT_TRY(slt_tape_profile_start(tape_of(r)));
        SLT_TRY(r->stage->run(r, BATCHES - 1, 1));
        SLT_TRY(hold_batch(r, BATCHES - 1));
        *count = slt_tape_profile_rows(tape_of(r), round ? rows : best, OPERATIONS);
        if (round) keep_best(best, rows, *count);
    }
    return SLT_OK;
}

static void report_operation(const rig *r, const slt_profile_row *row, const slt_bench_peaks *peaks,
                             slt_bench_result *out) {
    double flops = row->flops; // forward alone where nothing runs backward
    *out = (slt_bench_result){.ms = 1e3 * cost(row)};
    if (cost(row) > 0) out->gflops = 1e-9 * flops / cost(row); // else another node's launch did it
    out->share_of_peak = slt_peak_share(out->gflops, peaks->gflops);
    snprintf(out->name, sizeof out->name, "%s.%s.%s", r->setup.kind->name, r->stage->name, row->op);
}

// which parts of the step are one launch, and why others are not
static void tell_fused(const rig *r) {
    const slt_tape *tape = tape_of(r);
    char text[256];
    for (int fusion = 0, n = -1; r->context->on_device && slt_fused_part(tape, &fusion, &n);) {
        slt_fused_text(tape, (slt_fusion)fusion, n, text, sizeof text);
        slt_context_log(r->context, SLT_LOG_INFO, "%s", text);
    }
}

// ---- both

static slt_status run(rig *r, double seconds, const slt_bench_peaks *peaks,
                      slt_bench_result *results, int room, int *count) {
    slt_profile_row rows[OPERATIONS];
    int operations = 0;
    SLT_TRY(prepare(r));
    SLT_TRY(warm_up(r));
    SLT_TRY(measure_step(r, seconds));
    report_step(r, peaks, &results[0]);
    if (room > 1) SLT_TRY(measure_operations(r, seconds, rows, &operations));
    if (room > 1) tell_fused(r);
    *count = 1;
    for (int i = 0; i < operations && *count < room; i++)
        report_operation(r, &rows[i], peaks, &results[(*count)++]);
    return SLT_OK;
}

static slt_status measure(const stage *what, slt_context *context, const slt_train_request *request,
                          double seconds, const slt_bench_peaks *peaks, slt_bench_result *results,
                          int room, int *count) {
    if (!request->model || !request->data || room < 1)
        SLT_FAIL(SLT_INVALID, "a measurement needs a model, a data set and room for a result");
    rig *r;
    SLT_TRY(SLT_ALLOC(&context->allocator, &r, 1));
    r->context = context;
    r->stage = what;
    r->request = request;
    slt_arena_init(&r->arena, &context->allocator, 1 << 20);
    slt_status status = run(r, seconds, peaks, results, room, count);
    slt_learner_destroy(r->learner);
    slt_task_close(&r->task);
    slt_arena_deinit(&r->arena);
    slt_free(&context->allocator, r);
    return status;
}

slt_status slt_bench_train(slt_context *context, const slt_train_request *request, double seconds,
                           const slt_bench_peaks *peaks, slt_bench_result *results, int room,
                           int *count) {
    return measure(&TRAIN, context, request, seconds, peaks, results, room, count);
}

slt_status slt_bench_infer(slt_context *context, const slt_train_request *request, double seconds,
                           const slt_bench_peaks *peaks, slt_bench_result *results, int room,
                           int *count) {
    return measure(&INFER, context, request, seconds, peaks, results, room, count);
}
