// Throughput: steps of training and of inference, measured alone, after all trainings.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "reproduce/repro_speed.h"

#include <math.h>
#include <stdio.h>
#include "core/file.h"
#include "core/json.h"
#include "slottar/bench.h"

static const double SECONDS = 2, QUICK_SECONDS = 0.2; // of one measurement

static const char *file_of(const slt_repro *r, const slt_repro_variant *variant,
                           char path[SLT_REPRO_PATH]) {
    return slt_repro_path(r, path, "speed/%s.json", variant->name);
}

// ---- measuring

// the paper's table has batches of 64 for all
static slt_status request_of(const slt_repro *r, const slt_repro_variant *variant,
                             slt_repro_run *out) {
    SLT_TRY(slt_repro_run_init(r, slt_repro_set_find("craft-full"), variant, 0, out));
    out->settings[out->train.setting_count++] = "batch=64";
    return SLT_OK;
}

static slt_status measure(slt_repro *r, const slt_repro_variant *variant, slt_repro_speed *out) {
    slt_repro_run run;
    slt_bench_result train, test;
    int count;
    double seconds = r->request->quick ? QUICK_SECONDS : SECONDS;
    static const slt_bench_peaks peaks = {1, 1}; // shares of them are not asked for
    SLT_TRY(request_of(r, variant, &run));
    SLT_TRY(slt_bench_train(r->context, &run.train, seconds, &peaks, &train, 1, &count));
    SLT_TRY(slt_bench_infer(r->context, &run.train, seconds, &peaks, &test, 1, &count));
    *out = (slt_repro_speed){.train = train.tokens_per_s,
                             .test = test.tokens_per_s,
                             .train_true = train.true_tokens_per_s,
                             .test_true = test.true_tokens_per_s,
                             .threads = slt_context_threads(r->context)};
    snprintf(out->device, sizeof out->device, "%s", r->context->options.device);
    snprintf(out->commit, sizeof out->commit, "%s", slt_repro_commit());
    return SLT_OK;
}

static slt_status write_speed(const char *path, const slt_repro_speed *speed) {
    slt_text text;
    slt_text_init(&text, &slt_system_allocator);
    slt_text_add(&text, "{\"train\":%.6g,\"test\":%.6g,\"train_true\":%.6g,\"test_true\":%.6g",
                 speed->train, speed->test, speed->train_true, speed->test_true);
    slt_text_add(&text, ",\"device\":\"%s\",\"commit\":\"%s\",\"threads\":%d}\n", speed->device,
                 speed->commit, speed->threads);
    slt_status status = text.status;
    if (status == SLT_OK) status = slt_file_write(path, text.bytes, text.length);
    slt_text_deinit(&text);
    return status;
}

// a model that does not run on the device is left out
static slt_status make(slt_repro *r, const slt_repro_variant *variant) {
    char path[SLT_REPRO_PATH];
    slt_repro_speed speed;
    if (slt_repro_there(file_of(r, variant, path))) return SLT_OK;
    slt_status status = measure(r, variant, &speed);
    if (status == SLT_UNSUPPORTED) return SLT_OK;
    SLT_TRY(status);
    return write_speed(path, &speed);
}

static bool is_planned(const slt_repro *r, const slt_repro_variant *variant) {
    for (int i = 0; i < r->cell_count; i++)
        if (r->cells[i].variant == variant) return true;
    return false;
}

static slt_status make_table(slt_repro *r, const slt_repro_table *table) {
    for (int v = 0; v < SLT_REPRO_VARIANTS && table->variants[v]; v++) {
        const slt_repro_variant *variant = slt_repro_variant_find(table->variants[v]);
        if (slt_repro_over(r)) r->stopped = true;
        if (r->stopped) return SLT_OK;
        if (is_planned(r, variant)) SLT_TRY(make(r, variant));
    }
    return SLT_OK;
}

slt_status slt_repro_measure(slt_repro *r) {
    char folder[SLT_REPRO_PATH];
    if (!slt_repro_wants(r, SLT_TABLE_SPEED)) return SLT_OK;
    SLT_TRY(slt_folder_make(slt_repro_path(r, folder, "speed")));
    for (int i = 0; i < r->table_count; i++)
        if (r->tables[i]->kind == SLT_TABLE_SPEED) SLT_TRY(make_table(r, r->tables[i]));
    return SLT_OK;
}

// ---- reading

static slt_status read_document(const char *path, const json_t *document, slt_repro_speed *out) {
    const char *device = json_string_value(json_object_get(document, "device"));
    const char *commit = json_string_value(json_object_get(document, "commit"));
    if (!device || !commit)
        SLT_FAIL(SLT_FORMAT, "%s: no measurement; without the file it is made again", path);
    *out = (slt_repro_speed){
        .train = json_number_value(json_object_get(document, "train")),
        .test = json_number_value(json_object_get(document, "test")),
        .train_true = json_number_value(json_object_get(document, "train_true")),
        .test_true = json_number_value(json_object_get(document, "test_true")),
        .threads = (int)json_integer_value(json_object_get(document, "threads")),
    };
    snprintf(out->device, sizeof out->device, "%s", device);
    snprintf(out->commit, sizeof out->commit, "%s", commit);
    return SLT_OK;
}

slt_status slt_repro_speed_read(const slt_repro *r, const slt_repro_variant *variant,
                                slt_repro_speed *out, bool *there) {
    char path[SLT_REPRO_PATH];
    json_t *document;
    *there = slt_repro_there(file_of(r, variant, path));
    if (!*there) return SLT_OK;
    SLT_TRY(slt_json_read(path, 2, &document));
    slt_status status = read_document(path, document, out);
    json_decref(document);
    return status;
}
