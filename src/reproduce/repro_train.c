// The runs of a cell: requests, commands, records.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "core/clock.h"
#include "core/file.h"
#include "reproduce/repro_impl.h"
#include "slottar/version.h"

enum { QUICK_RESTARTS = 4 };

// ---- requests

static const char *run_path(const slt_repro *r, const slt_repro_set *set,
                            const slt_repro_variant *variant, int index, const char *name,
                            char out[SLT_REPRO_PATH]) {
    return slt_repro_path(r, out, "runs/%s/%s/%d%s", set->name, variant->name, index, name);
}

const char *slt_repro_record_path(const slt_repro *r, const slt_repro_set *set,
                                  const slt_repro_variant *variant, int index,
                                  char out[SLT_REPRO_PATH]) {
    return run_path(r, set, variant, index, "/record.json", out);
}

static const char *or_none(const char *text) { return text ? text : ""; }

// words behind one another, cut at blanks
static slt_status add_words(slt_repro_run *run, size_t *used, const char *text) {
    enum { MOST = sizeof run->settings / sizeof *run->settings };
    int length;
    char word[1024];
    while (sscanf(text, " %1023s%n", word, &length) == 1) {
        size_t size = strlen(word) + 1;
        if (run->train.setting_count == MOST || size > sizeof run->words - *used)
            SLT_FAIL(SLT_RANGE, "too many settings, at '%.40s'", word);
        run->settings[run->train.setting_count++] = memcpy(run->words + *used, word, size);
        *used += size;
        text += length;
    }
    return SLT_OK;
}

// what the tables say first, what the caller says last
static slt_status add_settings(const slt_repro *r, const slt_repro_set *set,
                               const slt_repro_variant *variant, slt_repro_run *run) {
    size_t used = 0;
    char told[64] = "";
    if (variant->told == SLT_TOLD_HISTOGRAM) snprintf(told, sizeof told, "prior=labels");
    if (variant->told == SLT_TOLD_NUMBER) snprintf(told, sizeof told, "prior=%s", set->number);
    if (r->request->quick) SLT_TRY(add_words(run, &used, slt_repro_quick(variant->model)));
    SLT_TRY(add_words(run, &used, or_none(variant->settings)));
    SLT_TRY(add_words(run, &used, told));
    for (int i = 0; i < r->request->setting_count; i++)
        SLT_TRY(add_words(run, &used, r->request->settings[i]));
    return SLT_OK;
}

slt_status slt_repro_run_init(const slt_repro *r, const slt_repro_set *set,
                              const slt_repro_variant *variant, int index, slt_repro_run *out) {
    bool quick = r->request->quick && variant->restarts > QUICK_RESTARTS;
    memset(out, 0, sizeof *out);
    out->train = (slt_train_request){
        .model = variant->model,
        .data = slt_repro_path(r, out->data, "data/%s.safetensors", set->name),
        .run = run_path(r, set, variant, index, "", out->run),
        .profile = variant->profile,
        .preset = variant->told == SLT_TOLD_PRESET ? set->set : NULL,
        .settings = out->settings,
        .seed = r->request->seed + (uint64_t)index,
        .restarts = quick ? QUICK_RESTARTS : variant->restarts,
    };
    return add_settings(r, set, variant, out);
}

void slt_repro_run_command(const slt_repro *r, const slt_repro_run *run, slt_text *out) {
    const slt_train_request *t = &run->train;
    size_t skip = strlen(r->request->folder) + 1;
    slt_text_add(out, "slottar train %s %s", t->model, t->data + skip);
    if (t->preset) slt_text_add(out, " --preset %s", t->preset);
    if (t->profile) slt_text_add(out, " --profile %s", t->profile);
    if (t->restarts) slt_text_add(out, " --restarts %d", t->restarts);
    for (int i = 0; i < t->setting_count; i++) slt_text_add(out, " %s", t->settings[i]);
    slt_text_add(out, " --seed %llu -o %s", (unsigned long long)t->seed, t->run + skip);
}

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
    if (sscanf(text, "%lf", &seconds) != 1 || !(seconds >= 0)) seconds = NAN;
    slt_map_close(&map);
    unlink(path);
    return seconds;
}

static void keep_time(const char *run, double seconds) {
    char path[SLT_REPRO_PATH + 16], text[64];
    snprintf(path, sizeof path, "%s/seconds", run);
    int length = snprintf(text, sizeof text, "%.3f\n", seconds);
    if (isfinite(seconds)) slt_file_write(path, text, (size_t)length);
}

// ---- training

// a result, though not one that anybody wants
static bool is_result(slt_status status) { return status == SLT_OK || status == SLT_DIVERGED; }

// not here, but perhaps elsewhere: the others go on
static bool is_unmade(slt_status status) {
    return status == SLT_UNSUPPORTED || status == SLT_DEVICE || status == SLT_INVALID ||
           status == SLT_SHAPE || status == SLT_RANGE;
}

static void count_unmade(slt_repro *r, int runs, const char *message) {
    pthread_mutex_lock(&r->lock);
    if (!r->result.unmade) snprintf(r->result.reason, sizeof r->result.reason, "%s", message);
    r->result.unmade += runs;
    pthread_mutex_unlock(&r->lock);
}

static slt_status keep_record(slt_repro *r, const slt_repro_run *run, slt_repro_record *record) {
    char path[SLT_REPRO_PATH + 16];
    snprintf(record->version, sizeof record->version, "%s", slt_version());
    snprintf(record->commit, sizeof record->commit, "%s", slt_repro_commit());
    snprintf(record->device, sizeof record->device, "%s", r->context->options.device);
    snprintf(path, sizeof path, "%s/record.json", run->run);
    SLT_TRY(slt_folder_make(run->run));
    SLT_TRY(slt_repro_record_write(path, record));
    pthread_mutex_lock(&r->lock);
    r->trained++;
    r->result.failed += record->failed;
    pthread_mutex_unlock(&r->lock);
    return SLT_OK;
}

static slt_status train_one(slt_repro *r, slt_context *context, const slt_repro_run *run,
                            slt_train_result *result) {
    double before = time_before(run->run), started = slt_seconds();
    slt_status status = slt_train(context, &run->train, result);
    double seconds = before + slt_seconds() - started;
    if (status == SLT_CANCELLED) keep_time(run->run, seconds);
    if (is_unmade(status)) {
        count_unmade(r, 1, slt_last_error());
        return SLT_OK;
    }
    if (!is_result(status)) return status;
    slt_repro_record record = {.failed = true};
    if (status == SLT_OK) record = slt_repro_record_of(result);
    if (record.failed) snprintf(record.reason, sizeof record.reason, "%s", slt_last_error());
    record.seconds = seconds;
    record.together = 1;
    return keep_record(r, run, &record);
}

slt_status slt_repro_train(slt_repro *r, slt_context *context, const slt_repro_cell *cell) {
    char path[SLT_REPRO_PATH];
    slt_arena arena;
    slt_repro_run *run;
    slt_train_result *result;
    slt_arena_init(&arena, &r->context->allocator, 0);
    slt_status status = SLT_NEW(&arena, &run, 1);
    if (status == SLT_OK) status = SLT_NEW(&arena, &result, 1);
    for (int i = 0; i < cell->runs && status == SLT_OK; i++) {
        if (slt_repro_there(slt_repro_record_path(r, cell->set, cell->variant, i, path))) continue;
        status = slt_repro_run_init(r, cell->set, cell->variant, i, run);
        if (status == SLT_OK) status = slt_context_check(context);
        if (status == SLT_OK) status = train_one(r, context, run, result);
    }
    slt_arena_deinit(&arena);
    return status;
}
