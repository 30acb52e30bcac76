// The files of a run directory: config.yaml, metrics.jsonl, result.json; or members that vote.
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
#include "slottar/model.h"

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

// ---- members that vote

static slt_status keep_copy(slt_arena *arena, const void *from, size_t count, size_t size,
                            const void **out) {
    void *copy = slt_arena_take(arena, count, size);
    if (!copy) return SLT_NOMEM;
    memcpy(copy, from, count * size);
    *out = copy;
    return SLT_OK;
}

static slt_status keep_voters(slt_arena *arena, const slt_vote_runs *from, slt_vote_runs *out) {
    size_t n = (size_t)from->count;
    out->count = from->count;
    SLT_TRY(keep_copy(arena, from->weights, n, sizeof(double), (const void **)&out->weights));
    SLT_TRY(keep_copy(arena, from->answers, n, 1, (const void **)&out->answers));
    if (!from->agreement) return SLT_OK;
    return keep_copy(arena, from->agreement, n * n, sizeof(float), (const void **)&out->agreement);
}

static slt_status keep_vote(slt_report_book *book, slt_model *model, slt_report_run *run) {
    slt_segmenter *segmenter = slt_model_vote(model);
    const char *data = slt_model_about(model)->data;
    char *path;
    slt_vote_runs voters;
    if (!segmenter) return SLT_OK;
    SLT_TRY(SLT_NEW(&book->arena, &run->vote, 1));
    *run->vote = *slt_segmenter_result(segmenter);
    run->model = "vote";
    if (data) {
        SLT_TRY(slt_arena_text(&book->arena, data, strlen(data), &path));
        run->data_path = path;
    }
    SLT_TRY(slt_segmenter_runs(segmenter, run->vote->chosen, &voters));
    return keep_voters(&book->arena, &voters, &run->voters);
}

static slt_status read_vote(slt_report_book *book, slt_report_run *run) {
    slt_model *model;
    SLT_TRY(slt_model_open(book->context, run->path, &model));
    slt_status status = keep_vote(book, model, run);
    slt_model_close(model);
    return status;
}

static slt_status has_members(const slt_report_run *run, bool *out) {
    char path[PATH];
    SLT_TRY(path_of(run->path, SLT_MEMBERS_FILE, path));
    *out = access(path, F_OK) == 0;
    return SLT_OK;
}

slt_status slt_report_read_run(slt_report_book *book, slt_report_run *run) {
    bool members;
    run->best_epoch = -1;
    run->seconds = run->test_accuracy = NAN;
    slt_trust_init(&run->trust);
    SLT_TRY(has_members(run, &members));
    if (members || !is_folder(run->path)) return read_vote(book, run); // or a checkpoint alone
    SLT_TRY(read_config(book, run));
    SLT_TRY(read_metrics(book, run));
    return read_result(run);
}
