// Records of runs as JSON.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "reproduce/repro_record.h"

#include <math.h>
#include <stdio.h>
#include "core/file.h"
#include "train/sweep/sweep_trial.h"

slt_repro_record slt_repro_record_of(const slt_train_result *result) {
    slt_repro_record record = {.epochs = result->epochs,
                               .best_epoch = result->best_epoch,
                               .steps = result->steps,
                               .valid = result->valid,
                               .test = result->test,
                               .missed_f1 = NAN,
                               .members = result->restarts.members,
                               .picked = result->restarts.picked,
                               .agreeing = result->restarts.agreeing,
                               .gap = result->restarts.gap};
    record.trust = record.alone = NAN;
    if (result->trust.doubtful)
        snprintf(record.warning, sizeof record.warning, "%s", result->trust.warnings[0]);
    return record;
}

// ---- writing

static void add_text(slt_text *text, const char *name, const char *value) {
    slt_text_add(text, ",\"%s\":", name);
    slt_text_quote(text, value);
}

static void add_restarts(slt_text *text, const slt_repro_record *record) {
    slt_text_add(text, ",\"restarts\":{\"members\":%d,\"picked\":%d,\"agreeing\":%d,\"gap\":",
                 record->members, record->picked, record->agreeing);
    if (isfinite(record->gap))
        slt_text_add(text, "%.9g", record->gap);
    else
        slt_text_add(text, "null");
    add_text(text, "warning", record->warning);
    slt_text_add(text, "}");
}

static void add_vote(slt_text *text, const slt_repro_record *record) {
    const slt_reliability *r = &record->test.reliability;
    slt_text_add(text, ",\"vote\":{\"trust\":%.9g,\"alone\":%.9g", record->trust, record->alone);
    add_text(text, "group", record->group);
    slt_text_add(text, ",\"reliability\":[");
    for (int b = 0; b < SLT_RELIABILITY_BINS; b++)
        slt_text_add(text, "%s[%.0f,%.9g,%.0f]", b ? "," : "", r->count[b], r->confidence[b],
                     r->right[b]);
    slt_text_add(text, "]}");
}

void slt_repro_record_add(slt_text *text, const char *run, const slt_repro_record *record) {
    slt_text_add(text, "{");
    if (run) slt_text_add(text, "\"run\":\"%s\",", run);
    slt_text_add(text, "\"failed\":%s", record->failed ? "true" : "false");
    add_text(text, "reason", record->reason);
    add_text(text, "version", record->version);
    add_text(text, "commit", record->commit);
    add_text(text, "device", record->device);
    if (record->precision[0]) add_text(text, "precision", record->precision);
    if (isfinite(record->seconds)) slt_text_add(text, ",\"seconds\":%.3f", record->seconds);
    slt_text_add(text, ",\"together\":%d,\"epochs\":%lld,\"best_epoch\":%lld,\"steps\":%lld",
                 record->together, (long long)record->epochs, (long long)record->best_epoch,
                 (long long)record->steps);
    slt_trial_scores_write(text, "valid", &record->valid);
    slt_trial_scores_write(text, "test", &record->test);
    if (record->missed)
        slt_text_add(text, ",\"missed\":{\"episodes\":%lld,\"f1\":%.17g}",
                     (long long)record->missed, record->missed_f1);
    if (record->members) add_restarts(text, record);
    if (!record->members && record->warning[0]) add_text(text, "warning", record->warning);
    if (record->group[0]) add_vote(text, record);
    slt_text_add(text, "}\n");
}

slt_status slt_repro_record_write(const char *path, const slt_repro_record *record) {
    slt_text text;
    slt_text_init(&text, &slt_system_allocator);
    slt_repro_record_add(&text, NULL, record);
    slt_status status = text.status;
    if (status == SLT_OK) status = slt_file_write(path, text.bytes, text.length);
    slt_text_deinit(&text);
    return status;
}

// ---- reading

static bool read_text(const json_t *object, const char *name, char *out, size_t size) {
    const char *text = json_string_value(json_object_get(object, name));
    if (text) snprintf(out, size, "%s", text);
    return text != NULL;
}

static int64_t whole_of(const json_t *object, const char *name) {
    return json_integer_value(json_object_get(object, name));
}

static double number_of(const json_t *object, const char *name, double missing) {
    const json_t *value = json_object_get(object, name);
    return json_is_number(value) ? json_number_value(value) : missing;
}

static void read_restarts(const json_t *object, slt_repro_record *out) {
    out->members = (int)whole_of(object, "members");
    out->picked = (int)whole_of(object, "picked");
    out->agreeing = (int)whole_of(object, "agreeing");
    out->gap = number_of(object, "gap", INFINITY);
    read_text(object, "warning", out->warning, sizeof out->warning);
}

static void read_vote(const json_t *object, slt_repro_record *out) {
    slt_reliability *r = &out->test.reliability;
    const json_t *bins = json_object_get(object, "reliability");
    read_text(object, "group", out->group, sizeof out->group);
    out->trust = number_of(object, "trust", NAN);
    out->alone = number_of(object, "alone", NAN);
    for (size_t b = 0; b < SLT_RELIABILITY_BINS; b++) {
        const json_t *bin = json_array_get(bins, b);
        r->count[b] = json_number_value(json_array_get(bin, 0));
        r->confidence[b] = json_number_value(json_array_get(bin, 1));
        r->right[b] = json_number_value(json_array_get(bin, 2));
    }
}

slt_status slt_repro_record_parse(const char *where, const json_t *document,
                                  slt_repro_record *out) {
    const json_t *valid = json_object_get(document, "valid");
    const json_t *test = json_object_get(document, "test");
    slt_repro_record record = {
        .failed = json_is_true(json_object_get(document, "failed")),
        .seconds = number_of(document, "seconds", NAN),
        .together = (int)whole_of(document, "together"),
        .epochs = whole_of(document, "epochs"),
        .best_epoch = whole_of(document, "best_epoch"),
        .steps = whole_of(document, "steps"),
    };
    if (!read_text(document, "reason", record.reason, sizeof record.reason) ||
        !read_text(document, "version", record.version, sizeof record.version) ||
        !read_text(document, "commit", record.commit, sizeof record.commit) ||
        !read_text(document, "device", record.device, sizeof record.device) ||
        !json_is_object(valid) || !json_is_object(test))
        SLT_FAIL(SLT_FORMAT, "%s: no record of a run; remove it to continue", where);
    read_text(document, "precision", record.precision, sizeof record.precision);
    slt_trial_scores_read(valid, &record.valid);
    slt_trial_scores_read(test, &record.test);
    const json_t *missed = json_object_get(document, "missed");
    record.missed = whole_of(missed, "episodes");
    record.missed_f1 = number_of(missed, "f1", NAN);
    read_text(document, "warning", record.warning, sizeof record.warning);
    read_restarts(json_object_get(document, "restarts"), &record);
    read_vote(json_object_get(document, "vote"), &record);
    *out = record;
    return SLT_OK;
}

slt_status slt_repro_record_read(const char *path, slt_repro_record *out) {
    json_t *document;
    SLT_TRY(slt_json_read(path, 4, &document));
    slt_status status = slt_repro_record_parse(path, document, out);
    json_decref(document);
    return status;
}
