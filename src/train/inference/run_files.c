// The files of a run directory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/inference/run_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/file.h"
#include "core/text.h"

const char *slt_run_path(char *text, const char *run, const char *name) {
    snprintf(text, SLT_RUN_PATH, "%s/%s", run, name);
    return text;
}

bool slt_run_has(const char *run, const char *name) {
    char path[SLT_RUN_PATH];
    return access(slt_run_path(path, run, name), F_OK) == 0;
}

// ---- config.yaml

slt_status slt_run_config_text(const slt_train_request *request, const slt_setup *setup,
                               uint32_t checksum, slt_text *text) {
    slt_text_add(text, "model: %s\ndata: ", setup->kind->name);
    slt_text_quote(text, request->data);
    slt_text_add(text, "\ndata_crc32c: \"%08" PRIx32 "\"\nseed: %" PRIu64 "\n", checksum,
                 request->seed);
    if (request->restarts > 1) slt_text_add(text, "restarts: %d\n", request->restarts);
    slt_setup copy = *setup;
    slt_options tables[3];
    slt_setup_tables(&copy, tables);
    slt_options_to_yaml(tables, text);
    return text->status;
}

// ---- metrics.jsonl and events

// all or nothing: what did not fit is taken back
slt_status slt_run_append(const char *path, const char *text, size_t length) {
    int descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (descriptor < 0) SLT_FAIL(SLT_IO, "%s: %s", path, strerror(errno));
    off_t before = lseek(descriptor, 0, SEEK_END);
    ssize_t written = write(descriptor, text, length);
    int error = written < 0 ? errno : ENOSPC;
    bool done = written == (ssize_t)length;
    if (!done && before >= 0 && ftruncate(descriptor, before) != 0) error = errno;
    if (close(descriptor) != 0 && done) done = false, error = errno;
    if (!done) SLT_FAIL(SLT_IO, "%s: could not write: %s", path, strerror(error));
    return SLT_OK;
}

// infinity has no JSON
static void add_number(slt_text *text, double value) {
    if (isfinite(value))
        slt_text_add(text, "%.9g", value);
    else
        slt_text_add(text, "null");
}

static void add_restarts(slt_text *text, const slt_restart_report *r) {
    slt_text_add(text, ",\"restarts\":{\"picked\":%d,\"head\":%d,\"agreeing\":%d,\"runner_up\":",
                 r->picked, r->head, r->agreeing);
    add_number(text, r->runner_up < 0 ? INFINITY : r->runner_up);
    slt_text_add(text, ",\"gap\":");
    add_number(text, r->gap);
    for (int list = 0; list < 2; list++) {
        slt_text_add(text, ",\"%s\":[", list ? "agreement" : "losses");
        for (int m = 0; m < r->members; m++) {
            if (m) slt_text_add(text, ",");
            add_number(text, (list ? r->agreement : r->losses)[m]);
        }
        slt_text_add(text, "]");
    }
    slt_text_add(text, "}");
}

slt_status slt_run_log(slt_context *context, const char *run, slt_tensorboard *events,
                       const slt_epoch_record *record) {
    char path[SLT_RUN_PATH];
    slt_text text;
    slt_text_init(&text, &context->allocator);
    slt_text_add(&text, "{\"epoch\":%" PRId64 ",\"step\":%" PRId64 ",\"seconds\":%.3f",
                 record->epoch, record->step, record->seconds);
    const struct {
        const char *name;
        double value;
        bool known;
    } fields[] = {
        {"train_loss", record->train_loss, true},
        {"train_rec", record->train_rec, true},
        {"train_kl", record->train_kl, true},
        {"valid_loss", record->valid.losses.loss, true},
        {"valid_f1", record->valid.scores.mean.f1, record->valid.has_labels},
        {"valid_align", record->valid.scores.mean.align, record->valid.has_labels},
    };
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (!fields[i].known) continue;
        slt_text_add(&text, ",\"%s\":", fields[i].name);
        add_number(&text, fields[i].value);
        slt_tensorboard_scalar(events, fields[i].name, record->step, (float)fields[i].value,
                               record->seconds);
    }
    if (record->restarts.members) add_restarts(&text, &record->restarts);
    slt_text_add(&text, "}\n");
    slt_status status = text.status;
    if (status == SLT_OK)
        status = slt_run_append(slt_run_path(path, run, "metrics.jsonl"), text.bytes, text.length);
    slt_text_deinit(&text);
    return status == SLT_OK ? slt_tensorboard_flush(events) : status;
}

// bytes of the first lines that belong to finished epochs
static size_t lines_until(const char *bytes, size_t size, int64_t epochs) {
    size_t at = 0;
    while (at < size) {
        const char *end = memchr(bytes + at, '\n', size - at);
        long long epoch = 0;
        char line[32] = "";
        size_t count = size - at < sizeof line - 1 ? size - at : sizeof line - 1;
        memcpy(line, bytes + at, count);
        if (!end || sscanf(line, "{\"epoch\":%lld", &epoch) != 1 || epoch > epochs) return at;
        at = (size_t)(end - bytes) + 1;
    }
    return at;
}

slt_status slt_run_cut_back(slt_context *context, const char *run, int64_t epochs) {
    (void)context;
    char path[SLT_RUN_PATH];
    return slt_lines_cut_back(slt_run_path(path, run, "metrics.jsonl"), epochs);
}

slt_status slt_lines_cut_back(const char *path, int64_t epochs) {
    slt_map map;
    if (access(path, F_OK) != 0) return SLT_OK;
    SLT_TRY(slt_map_open(path, &map));
    size_t keep = lines_until((const char *)map.data, map.size, epochs);
    slt_status status = keep == map.size ? SLT_OK : slt_file_write(path, map.data, keep);
    slt_map_close(&map);
    return status;
}

// ---- result.json

slt_run_scores slt_run_scores_of(const slt_evaluation *evaluation, int64_t episodes) {
    return (slt_run_scores){.episodes = episodes,
                            .loss = evaluation->losses.loss,
                            .reconstruction = evaluation->losses.reconstruction,
                            .kl = evaluation->losses.kl,
                            .accuracy = evaluation->losses.accuracy,
                            .has_labels = evaluation->has_labels,
                            .scores = evaluation->scores,
                            .told_count = evaluation->told_count,
                            .has_other = evaluation->has_done,
                            .counts_done = evaluation->done_first,
                            .other = evaluation->other,
                            .forward = evaluation->forward,
                            .backward = evaluation->backward,
                            .ece = slt_reliability_error(&evaluation->reliability),
                            .reliability = evaluation->reliability};
}

static void write_score(slt_writer *out, const char *name, double value) {
    if (isfinite(value))
        slt_write_text(out, ",\"%s\":%.9g", name, value);
    else
        slt_write_text(out, ",\"%s\":null", name);
}

// a row per bin that is not empty: boundaries, the sum of their confidence, right ones
static void write_reliability(slt_writer *out, const slt_reliability *r) {
    const char *comma = "";
    slt_write_text(out, ",\"reliability\":[");
    for (int i = 0; i < SLT_RELIABILITY_BINS; i++) {
        if (r->count[i] <= 0) continue;
        slt_write_text(out, "%s[%.0f,%.9g,%.0f]", comma, r->count[i], r->confidence[i],
                       r->right[i]);
        comma = ",";
    }
    slt_write_text(out, "]");
}

static void write_scores(slt_writer *out, const char *name, const slt_run_scores *scores) {
    slt_write_text(out, ",\"%s\":{\"episodes\":%" PRId64, name, scores->episodes);
    write_score(out, "loss", scores->loss);
    write_score(out, "accuracy", scores->accuracy);
    slt_write_text(out, ",\"told\":\"%s\"", slt_told_name(scores->told));
    if (scores->has_labels) {
#define FIELD(field, text) slt_write_text(out, ",\"" #field "\":%.9g", scores->scores.mean.field);
        SLT_SCORE_LIST(FIELD)
#undef FIELD
        if (!isnan(scores->forward))
            slt_write_text(out, ",\"forward\":%.9g,\"backward\":%.9g", scores->forward,
                           scores->backward);
        write_score(out, "ece", scores->ece);
        write_reliability(out, &scores->reliability);
        if (scores->told_count) slt_write_text(out, ",\"told_count\":true");
    }
    slt_write_text(out, "}");
}

static slt_status write_findings(slt_writer *out, slt_context *context,
                                 const slt_train_result *result,
                                 const slt_calibration *calibration) {
    slt_text text;
    slt_text_init(&text, &context->allocator);
    if (result->restarts.members) add_restarts(&text, &result->restarts);
    slt_text_add(&text, ",\"trust\":");
    slt_trust_write(&text, &result->trust, calibration);
    if (text.status == SLT_OK) slt_write(out, text.bytes, text.length);
    slt_status status = text.status;
    slt_text_deinit(&text);
    return status;
}

slt_status slt_run_result(slt_context *context, const char *run, const slt_train_result *result,
                          const slt_calibration *calibration) {
    char path[SLT_RUN_PATH];
    slt_writer out;
    SLT_TRY(slt_writer_open(&out, slt_run_path(path, run, "result.json")));
    slt_write_text(&out, "{\"epochs\":%" PRId64 ",\"best_epoch\":%" PRId64 ",\"steps\":%" PRId64,
                   result->epochs, result->best_epoch, result->steps);
    write_scores(&out, "valid", &result->valid);
    write_scores(&out, "test", &result->test);
    slt_status status = write_findings(&out, context, result, calibration);
    slt_write_text(&out, "}\n");
    if (status != SLT_OK) {
        slt_writer_abort(&out);
        return status;
    }
    return slt_writer_commit(&out);
}
