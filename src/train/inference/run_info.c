// What a run directory says about itself: config.yaml, the position in last.safetensors, the line
// of the best epoch in metrics.jsonl, and result.json.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "slottar/run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/file.h"
#include "core/json.h"
#include "core/yaml_config.h"
#include "train/learner/checkpoint.h"
#include "train/inference/run_files.h"

struct slt_run {
    slt_context *context;
    slt_arena arena;
    const char *path;
    slt_setup setup;
    slt_run_info info;
};

// ---- config.yaml

static const char *value_of(const slt_yaml *yaml, const char *key) {
    const slt_yaml_entry *entry = slt_yaml_find(yaml, key);
    return entry && !entry->is_list ? entry->values[0] : NULL;
}

static slt_status need(const slt_yaml *yaml, const char *path, const char *key, const char **out) {
    *out = value_of(yaml, key);
    if (!*out) SLT_FAIL(SLT_FORMAT, "%s: no '%s' in it; is it the file of a run?", path, key);
    return SLT_OK;
}

static slt_status read_number(const char *path, const char *key, const char *text, double most,
                              uint64_t *out) {
    char *end;
    unsigned long long value = strtoull(text, &end, 10);
    if (end == text || *end || *text == '-' || (double)value > most)
        SLT_FAIL(SLT_FORMAT, "%s: %s is '%.40s'", path, key, text);
    *out = value;
    return SLT_OK;
}

static slt_status read_config(slt_run *run) {
    char path[SLT_RUN_PATH];
    slt_yaml yaml;
    const char *seed, *restarts;
    uint64_t members = 1;
    if (!slt_run_has(run->path, "config.yaml"))
        SLT_FAIL(SLT_IO, "%s: no config.yaml in it; is it a run directory?", run->path);
    SLT_TRY(slt_yaml_load(&run->arena, slt_run_path(path, run->path, "config.yaml"), &yaml));
    SLT_TRY(need(&yaml, path, "model", &run->info.model));
    SLT_TRY(need(&yaml, path, "data", &run->info.data));
    SLT_TRY(need(&yaml, path, "seed", &seed));
    SLT_TRY(read_number(path, "seed", seed, 0x1p64, &run->info.seed));
    restarts = value_of(&yaml, "restarts");
    if (restarts) SLT_TRY(read_number(path, "restarts", restarts, SLT_MOST_RESTARTS, &members));
    run->info.restarts = (int)members;
    return slt_run_config_options(&yaml, path, run->info.model, &run->setup);
}

// ---- settings: what differs from the model's defaults

static slt_status add_setting(slt_run *run, const slt_option *row, const void *values,
                              const void *defaults, const char **list) {
    slt_text now, usual;
    char *copy;
    slt_text_init(&now, &run->context->allocator);
    slt_text_init(&usual, &run->context->allocator);
    slt_text_add(&now, "%s=", row->name);
    slt_text_add(&usual, "%s=", row->name);
    slt_option_print(row, values, &now);
    slt_option_print(row, defaults, &usual);
    slt_status status = now.status != SLT_OK ? now.status : usual.status;
    if (status == SLT_OK && strcmp(now.bytes, usual.bytes) != 0) {
        status = slt_arena_text(&run->arena, now.bytes, now.length, &copy);
        if (status == SLT_OK) list[run->info.setting_count++] = copy;
    }
    slt_text_deinit(&now);
    slt_text_deinit(&usual);
    return status;
}

static slt_status list_settings(slt_run *run) {
    slt_setup *usual;
    slt_options now[3], defaults[3];
    const char **list;
    size_t room = 0;
    SLT_TRY(SLT_NEW(&run->arena, &usual, 1));
    SLT_TRY(slt_setup_init(usual, run->info.model, NULL, NULL));
    slt_setup_tables(&run->setup, now);
    slt_setup_tables(usual, defaults);
    for (int i = 0; now[i].rows; i++)
        for (const slt_option *row = now[i].rows; row->name; row++) room++;
    SLT_TRY(SLT_NEW(&run->arena, &list, room));
    run->info.settings = list;
    for (int i = 0; now[i].rows; i++)
        for (const slt_option *row = now[i].rows; row->name; row++)
            SLT_TRY(add_setting(run, row, now[i].values, defaults[i].values, list));
    return SLT_OK;
}

// ---- how far it came

static slt_status read_position(slt_run *run) {
    char path[SLT_RUN_PATH];
    slt_checkpoint *last;
    const slt_train_options *train = &run->setup.train;
    run->info.most_epochs = train->steps ? 0 : train->epochs;
    run->info.most_steps = train->steps;
    if (!slt_run_has(run->path, "last.safetensors")) return SLT_OK;
    SLT_TRY(SLT_NEW(&run->arena, &last, 1));
    slt_run_path(path, run->path, "last.safetensors");
    SLT_TRY(slt_checkpoint_read(run->context, path, last));
    run->info.epochs = last->state.epoch;
    run->info.steps = last->state.total_steps;
    run->info.most_steps = last->state.limit;
    run->info.finished = last->state.finished;
    if (last->state.best_epoch > 0) run->info.best_epoch = last->state.best_epoch;
    return SLT_OK;
}

// ---- scores

static double number_of(const json_t *object, const char *key) {
    const json_t *value = json_object_get(object, key);
    return json_is_number(value) ? json_number_value(value) : NAN;
}

// the line of the best epoch; the last line may still be in the making
static slt_status find_epoch(slt_run *run, const char *path, const slt_map *map) {
    const char *at = (const char *)map->data, *end = at + map->size, *stop;
    for (; at < end && (stop = memchr(at, '\n', (size_t)(end - at))); at = stop + 1) {
        json_t *line;
        SLT_TRY(slt_json_parse(path, at, (size_t)(stop - at), 4, &line));
        if (number_of(line, "epoch") == (double)run->info.best_epoch)
            run->info.valid =
                (slt_run_epoch){number_of(line, "valid_loss"), number_of(line, "valid_f1"),
                                number_of(line, "valid_align")};
        json_decref(line);
    }
    return SLT_OK;
}

// scores of the test split, if they are of the epoch that is the best today
static slt_status take_result(slt_run *run, const char *path, const slt_map *map) {
    json_t *result;
    SLT_TRY(slt_json_parse(path, (const char *)map->data, map->size, 4, &result));
    const json_t *test = json_object_get(result, "test");
    const json_t *trust = json_object_get(result, "trust");
    slt_status status = SLT_OK;
    if (number_of(result, "best_epoch") == (double)run->info.best_epoch) {
        run->info.test = (slt_run_epoch){number_of(test, "loss"), number_of(test, "f1"),
                                         number_of(test, "align")};
        if (trust) status = slt_trust_read(path, trust, &run->info.trust, NULL);
    }
    json_decref(result);
    return status;
}

static slt_status read_file(slt_run *run, const char *name,
                            slt_status (*take)(slt_run *, const char *, const slt_map *)) {
    char path[SLT_RUN_PATH];
    slt_map map;
    if (!slt_run_has(run->path, name)) return SLT_OK;
    SLT_TRY(slt_map_open(slt_run_path(path, run->path, name), &map));
    slt_status status = take(run, path, &map);
    slt_map_close(&map);
    return status;
}

// ---- all of it

static slt_status read_run(slt_run *run) {
    run->info.valid = run->info.test = (slt_run_epoch){NAN, NAN, NAN};
    slt_trust_init(&run->info.trust);
    SLT_TRY(read_config(run));
    SLT_TRY(list_settings(run));
    SLT_TRY(read_position(run));
    SLT_TRY(read_file(run, "metrics.jsonl", find_epoch));
    return run->info.finished ? read_file(run, "result.json", take_result) : SLT_OK;
}

slt_status slt_run_open(slt_context *context, const char *path, slt_run **out) {
    slt_run *run;
    if (strlen(path) > SLT_RUN_PATH - 32)
        SLT_FAIL(SLT_INVALID, "%.80s…: the path is too long", path);
    SLT_TRY(SLT_ALLOC(&context->allocator, &run, 1));
    run->context = context;
    run->path = path;
    slt_arena_init(&run->arena, &context->allocator, 0);
    slt_status status = read_run(run);
    run->path = NULL; // the caller's
    if (status == SLT_OK)
        *out = run;
    else
        slt_run_close(run);
    return status;
}

void slt_run_close(slt_run *run) {
    if (!run) return;
    slt_arena_deinit(&run->arena);
    slt_free(&run->context->allocator, run);
}

const slt_run_info *slt_run_about(const slt_run *run) { return &run->info; }
