// Training the runs of a cell: on a device all of them at once, on the CPU one after the other.
// Each that comes to its end gets a record.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/clock.h"
#include "core/file.h"
#include "core/number.h"
#include "reproduce/repro_impl.h"
#include "slottar/model.h"
#include "slottar/version.h"

// ---- time: that of calls that were stopped is kept in a file, so that it can be added

static double time_before(const char *run) {
    char path[SLT_REPRO_PATH + 16];
    double seconds = NAN;
    slt_map map;
    snprintf(path, sizeof path, "%s/config.yaml", run);
    if (!slt_repro_there(path)) return 0;
    // a run that was killed has no such file
    snprintf(path, sizeof path, "%s/seconds", run);
    if (!slt_repro_there(path) || slt_map_open(path, &map) != SLT_OK) return NAN;
    char text[64] = "";
    memcpy(text, map.data, map.size < sizeof text - 1 ? map.size : sizeof text - 1);
    if (slt_scan(text, "%lf", &seconds) != 1 || !(seconds >= 0)) seconds = NAN;
    slt_map_close(&map);
    unlink(path);
    return seconds;
}

static void keep_time(const char *run, double seconds) {
    char path[SLT_REPRO_PATH + 16], text[64];
    snprintf(path, sizeof path, "%s/seconds", run);
    int length = slt_format(text, sizeof text, "%.3f\n", seconds);
    if (isfinite(seconds)) slt_file_write(path, text, (size_t)length);
}

// ---- outcomes

static void count_unmade(slt_repro *r, int runs, const char *message) {
    pthread_mutex_lock(&r->lock);
    if (!r->result.unmade)
        snprintf(r->result.reason, sizeof r->result.reason, "%.*s",
                 (int)sizeof r->result.reason - 1, message);
    r->result.unmade += runs;
    pthread_mutex_unlock(&r->lock);
}

static void count_record(slt_repro *r, const slt_repro_record *record) {
    pthread_mutex_lock(&r->lock);
    r->trained++;
    r->result.failed += record->failed;
    pthread_mutex_unlock(&r->lock);
}

slt_status slt_repro_record_keep(slt_repro *r, const slt_repro_run *run, slt_repro_record *record) {
    char path[SLT_REPRO_PATH + 16];
    snprintf(record->version, sizeof record->version, "%s", slt_version());
    snprintf(record->commit, sizeof record->commit, "%s", slt_repro_commit());
    snprintf(record->device, sizeof record->device, "%s", r->context->options.device);
    snprintf(record->precision, sizeof record->precision, "%s",
             slt_precision_name(r->context->precision));
    snprintf(path, sizeof path, "%s/record.json", run->run);
    SLT_TRY(slt_folder_make(run->run));
    SLT_TRY(slt_repro_record_write(path, record));
    count_record(r, record);
    return SLT_OK;
}

// how it does where the rival is wrong, on sets where that is ever so
static slt_status score_missed(slt_repro *r, slt_context *context, const slt_repro_run *run,
                               const slt_repro_set *set, slt_repro_record *record) {
    slt_repro_about about;
    slt_dataset *data;
    slt_model *model;
    slt_run_scores scores;
    slt_segment_options options = {.one_split = true,
                                   .split = SLT_SPLIT_TEST,
                                   .missed_by = SLT_REPRO_RIVAL,
                                   .seed = r->request->seed};
    SLT_TRY(slt_repro_about_read(r, set, &about));
    if (!about.missed) return SLT_OK;
    SLT_TRY(slt_dataset_open(context, run->data, &data));
    slt_status status = slt_model_open(context, run->run, &model);
    if (status == SLT_OK) {
        status = slt_model_score(model, data, &options, &scores);
        slt_model_close(model);
    }
    slt_dataset_close(data);
    SLT_TRY(status);
    record->missed = scores.episodes;
    record->missed_f1 = scores.scores.mean.f1;
    return SLT_OK;
}

// to diverge is a result; other faults are those of the place: elsewhere it may be made
static slt_status keep_outcome(slt_repro *r, slt_context *context, const slt_repro_run *run,
                               const slt_repro_set *set, const slt_train_outcome *outcome,
                               double seconds, int together) {
    if (outcome->status != SLT_OK && outcome->status != SLT_DIVERGED) {
        count_unmade(r, 1, outcome->message);
        return SLT_OK;
    }
    slt_repro_record record = {.failed = true};
    if (outcome->status == SLT_OK) {
        record = slt_repro_record_of(&outcome->result);
        SLT_TRY(score_missed(r, context, run, set, &record));
    }
    snprintf(record.reason, sizeof record.reason, "%s", outcome->message);
    record.seconds = seconds;
    record.together = together;
    return slt_repro_record_keep(r, run, &record);
}

// ---- some runs at once

enum { AT_ONCE = 32 }; // of one cell on a device, at most

typedef struct {
    slt_repro_run run[AT_ONCE];
    slt_train_request requests[AT_ONCE];
    slt_train_outcome outcomes[AT_ONCE];
    double before[AT_ONCE]; // seconds of calls that were stopped
    int count;
} batch;

static slt_status train_batch(slt_repro *r, slt_context *context, const slt_repro_set *set,
                              batch *b) {
    SLT_TRY(slt_context_check(context));
    for (int i = 0; i < b->count; i++) b->before[i] = time_before(b->run[i].run);
    double started = slt_seconds();
    slt_status status = slt_train_many(context, b->requests, b->count, b->count, b->outcomes);
    double seconds = slt_seconds() - started;
    for (int i = 0; i < b->count && status == SLT_CANCELLED; i++)
        keep_time(b->run[i].run, b->before[i] + seconds);
    // what no run can help: a model that this device has not, or a device that failed
    if (status == SLT_UNSUPPORTED || status == SLT_DEVICE) {
        count_unmade(r, b->count, slt_last_error());
        return status == SLT_DEVICE ? status : SLT_OK;
    }
    SLT_TRY(status);
    for (int i = 0; i < b->count; i++)
        SLT_TRY(keep_outcome(r, context, &b->run[i], set, &b->outcomes[i], b->before[i] + seconds,
                             b->count));
    return SLT_OK;
}

// trains when the batch is full, or at the end
static slt_status train_cell(slt_repro *r, slt_context *context, const slt_repro_cell *cell,
                             batch *b) {
    int at_once = context->on_device ? AT_ONCE : 1;
    for (int i = 0; i < cell->runs; i++) {
        bool there;
        SLT_TRY(slt_repro_record_find(r, cell->set, cell->variant, i, &there, NULL));
        if (!there) {
            SLT_TRY(slt_repro_run_init(r, cell->set, cell->variant, i, &b->run[b->count]));
            b->requests[b->count] = b->run[b->count].train;
            b->count++;
        }
        if (b->count == 0 || (b->count < at_once && i + 1 < cell->runs)) continue;
        SLT_TRY(train_batch(r, context, cell->set, b));
        b->count = 0;
    }
    return SLT_OK;
}

slt_status slt_repro_train(slt_repro *r, slt_context *context, const slt_repro_cell *cell) {
    batch *b;
    SLT_TRY(SLT_ALLOC(&r->context->allocator, &b, 1));
    slt_status status = train_cell(r, context, cell, b);
    slt_free(&r->context->allocator, b);
    return status;
}
