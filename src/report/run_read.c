// The files of a run directory: config.yaml, metrics.jsonl, result.json.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/file.h"
#include "core/json.h"
#include "report/report_impl.h"
#include "slottar/segmenter.h"

enum { PATH = 4096, EPOCHS = 100000 };

static bool is_folder(const char *path) {
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static slt_status path_of(const char *run, const char *name, char path[PATH]) {
    int length = snprintf(path, PATH, "%s/%s", run, name);
    if (length < 0 || length >= PATH) SLT_FAIL(SLT_INVALID, "%.80s…: the path is too long", run);
    return SLT_OK;
}

// ---- config.yaml

static slt_status read_config(slt_report_book *book, slt_report_run *run) {
    char path[PATH];
    SLT_TRY(path_of(run->path, "config.yaml", path));
    char members[PATH];
    SLT_TRY(path_of(run->path, SLT_MEMBERS_FILE, members));
    if (access(members, F_OK) == 0)
        SLT_FAIL(SLT_UNSUPPORTED,
                 "%s holds members that vote, and a report needs one trained model: train with "
                 "'slottar segment --restarts 16', or look at them with 'slottar info' and "
                 "'slottar segment --show'",
                 run->path);
    if (access(path, F_OK) != 0)
        SLT_FAIL(SLT_IO, "%s: no config.yaml in it; is it a run directory?", run->path);
    SLT_TRY(slt_yaml_load(&book->arena, path, &run->config));
    const slt_yaml_entry *data = slt_yaml_find(&run->config, "data");
    const slt_yaml_entry *model = slt_yaml_find(&run->config, "model");
    if (data && data->count == 1) run->data_path = data->values[0];
    if (model && model->count == 1) run->model = model->values[0];
    return SLT_OK;
}

// ---- metrics.jsonl

static double number_of(const json_t *line, const char *key) {
    const json_t *value = json_object_get(line, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

static slt_status read_line(const char *path, const char *text, size_t length,
                            slt_report_run *run) {
    json_t *line;
    SLT_TRY(slt_json_parse(path, text, length, 3, &line));
    slt_report_epoch *e = &run->epochs[run->epoch_count];
#define READ(field) e->field = number_of(line, #field);
    SLT_REPORT_CURVES(READ)
#undef READ
    if (isfinite(e->epoch)) run->epoch_count++;
    if (isfinite(number_of(line, "seconds"))) run->seconds = number_of(line, "seconds");
    json_decref(line);
    return SLT_OK;
}

static slt_status read_lines(slt_report_book *book, const char *path, const slt_map *map,
                             slt_report_run *run) {
    const char *at = (const char *)map->data, *end = at + map->size;
    size_t lines = 1;
    for (const char *c = at; c < end; c++) lines += *c == '\n';
    if (lines > EPOCHS) SLT_FAIL(SLT_FORMAT, "%s: more than %d lines", path, EPOCHS);
    SLT_TRY(SLT_NEW(&book->arena, &run->epochs, lines));
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (!stop) stop = end;
        if (stop > at) SLT_TRY(read_line(path, at, (size_t)(stop - at), run));
        at = stop + (stop < end);
    }
    return SLT_OK;
}

static slt_status read_metrics(slt_report_book *book, slt_report_run *run) {
    char path[PATH];
    slt_map map;
    SLT_TRY(path_of(run->path, "metrics.jsonl", path));
    if (access(path, F_OK) != 0) return SLT_OK;
    SLT_TRY(slt_map_open(path, &map));
    slt_status status = read_lines(book, path, &map, run);
    slt_map_close(&map);
    return status;
}

// ---- result.json: written when training is over

static slt_told told_of(const json_t *test) {
    const char *word = json_string_value(json_object_get(test, "told"));
    slt_told told = SLT_KNOWS_NOTHING;
    for (int i = SLT_KNOWS_NOTHING; word && i <= SLT_KNOWS_LABELS; i++)
        if (strcmp(word, slt_told_name((slt_told)i)) == 0) told = (slt_told)i;
    return told;
}

static slt_status read_result(slt_report_run *run) {
    char path[PATH];
    json_t *result;
    SLT_TRY(path_of(run->path, "result.json", path));
    if (access(path, F_OK) != 0) return SLT_OK;
    SLT_TRY(slt_json_read(path, 4, &result));
    const json_t *best = json_object_get(result, "best_epoch");
    if (json_is_integer(best)) run->best_epoch = json_integer_value(best);
    const json_t *test = json_object_get(result, "test");
    run->test_accuracy = number_of(test, "accuracy");
    run->test_told_count = json_is_true(json_object_get(test, "told_count"));
    run->told = told_of(test);
    const json_t *trust = json_object_get(result, "trust");
    slt_status status = trust ? slt_trust_read(path, trust, &run->trust, NULL) : SLT_OK;
    json_decref(result);
    return status;
}

slt_status slt_report_read_run(slt_report_book *book, slt_report_run *run) {
    run->best_epoch = -1;
    run->seconds = run->test_accuracy = NAN;
    slt_trust_init(&run->trust);
    if (!is_folder(run->path)) return SLT_OK; // a checkpoint alone
    SLT_TRY(read_config(book, run));
    SLT_TRY(read_metrics(book, run));
    return read_result(run);
}
