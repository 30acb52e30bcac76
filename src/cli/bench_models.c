// slottar bench train|infer: steps of the models that `slottar train` would run with the same
// options, on a data set of the user's, or on one that is played for the preset and thrown away.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bench_run.h"
#include "slottar/expert.h"

enum { EPISODES = 512, RESULTS = 64 };
static const double SECONDS = 5;

static const char *preset_of(const cli_bench_run *run) {
    const char *preset = cli_value(run->call, "preset");
    return preset || cli_value(run->call, "data") ? preset : "craft-full";
}

// ---- the data set

slt_status cli_bench_folder(cli_bench_run *run, const char *set) {
    const char *parent = getenv("TMPDIR");
    snprintf(run->folder, sizeof run->folder, "%.200s/slottar-bench-XXXXXX",
             parent && *parent ? parent : "/tmp");
    if (!mkdtemp(run->folder)) {
        fprintf(stderr, "slottar bench: no folder for a data set in %s\n", run->folder);
        run->folder[0] = 0;
        return SLT_IO;
    }
    snprintf(run->data, sizeof run->data, "%s/%.30s.safetensors", run->folder, set);
    return SLT_OK;
}

static slt_status play(cli_bench_run *run, const char *set) {
    slt_status status = cli_bench_folder(run, set);
    if (status != SLT_OK) return status;
    slt_collect_request request = {.environments = &set,
                                   .environment_count = 1,
                                   .path = run->data,
                                   .episodes = {EPISODES, 0, 0},
                                   .seed = run->call->seed};
    return slt_collect(run->call->context, &request, NULL);
}

void cli_bench_clean(cli_bench_run *run) {
    if (!run->folder[0]) return;
    unlink(run->data);
    rmdir(run->folder);
    run->folder[0] = 0;
}

// ---- the models

static bool has_preset(const char *model, const char *preset) {
    for (int i = 0; preset && slt_model_preset(model, i); i++)
        if (strcmp(slt_model_preset(model, i), preset) == 0) return true;
    return !preset;
}

// --batch N is batch=N, the last word of all
static int settings_of(const cli_bench_run *run, const char **settings, char *batch, size_t size) {
    const char *text = cli_value(run->call, "batch");
    int count = run->call->setting_count;
    memcpy(settings, run->call->settings, (size_t)count * sizeof *settings);
    if (!text) return count;
    snprintf(batch, size, "batch=%s", text);
    settings[count] = batch;
    return count + 1;
}

typedef slt_status (*measure)(slt_context *context, const slt_train_request *request,
                              double seconds, const slt_bench_peaks *peaks,
                              slt_bench_result *results, int room, int *count);

static slt_status measure_model(cli_bench_run *run, const char *model, measure how) {
    const char *data = cli_value(run->call, "data"), *settings[CLI_ITEMS + 1];
    char batch[64];
    slt_bench_result results[RESULTS];
    slt_status status = SLT_OK;
    if (!data && !run->folder[0]) status = play(run, preset_of(run));
    if (status != SLT_OK) return status;
    int count = 0, room = cli_value(run->call, "parts") ? RESULTS : 1;
    slt_train_request request = {.model = model,
                                 .data = data ? data : run->data,
                                 .profile = cli_value(run->call, "profile"),
                                 .preset = preset_of(run),
                                 .config = cli_value(run->call, "config"),
                                 .settings = settings,
                                 .setting_count = settings_of(run, settings, batch, sizeof batch),
                                 .seed = run->call->seed,
                                 .restarts = run->population};
    status = how(run->call->context, &request, run->seconds > 0 ? run->seconds : SECONDS,
                 &run->peaks, results, room, &count);
    for (int i = 0; i < count; i++) cli_bench_print(run, &results[i]);
    return status;
}

// by its whole name: one model's may begin another's
static bool wanted(const cli_bench_run *run, const char *model) {
    for (int i = 1; i < run->call->count; i++)
        if (!strcmp(model, run->call->arguments[i])) return true;
    return run->call->count < 2;
}

static slt_status measure_models(cli_bench_run *run, measure how) {
    slt_status status = SLT_OK;
    for (int i = 0; slt_model_name(i) && status == SLT_OK; i++)
        if (wanted(run, slt_model_name(i)) && has_preset(slt_model_name(i), preset_of(run)))
            status = measure_model(run, slt_model_name(i), how);
    return status;
}

slt_status cli_bench_train(cli_bench_run *run) { return measure_models(run, slt_bench_train); }
slt_status cli_bench_infer(cli_bench_run *run) { return measure_models(run, slt_bench_infer); }
