// slottar train MODEL DATA: trains a model into a run directory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "commands.h"
#include "json_text.h"
#include "option_list.h"
#include "signals.h"
#include "slottar/train.h"

static const cli_flag flags[] = {
    {"output", 'o', "RUN", "run directory (default runs/MODEL-DATA-SEED)"},
    {"preset", 0, "PRESET", "a configuration of the paper's tables, named like a data set"},
    {"profile", 0, "PROFILE", "default, reference or paper: the switches where they differ"},
    {"config", 0, "FILE", "options from a YAML file"},
    {"restarts", 0, "N",
     "trains N at once and keeps the one with the least held-out loss (no labels)"},
    {"population", 0, "N",
     "trains N seeds one after the other and keeps all, in RUN/0, RUN/1, ..."},
    {"seconds", 0, "N", "takes fewer steps where they would take longer than N seconds"},
    {"options", 0, NULL, "lists the options of MODEL with their defaults"},
    {NULL, 0, NULL, NULL},
};

// ---- the options of a model

static int list_options(const char *model) {
    if (!slt_train_options_of(model, 0)) {
        fprintf(stderr, "slottar train: no model '%s'; there are", model);
        for (int i = 0; slt_model_name(i); i++) fprintf(stderr, " %s", slt_model_name(i));
        fputc('\n', stderr);
        return CLI_USAGE;
    }
    printf("options of training, as key=value:\n");
    cli_list_options(slt_train_options_of(model, 0));
    if (slt_model_settings(model)[0])
        printf("  %s starts from %s\n", model, slt_model_settings(model));
    printf("options of %s:\n", model);
    cli_list_options(slt_train_options_of(model, 1));
    printf("presets:");
    for (int i = 0; slt_model_preset(model, i); i++) printf(" %s", slt_model_preset(model, i));
    putchar('\n');
    return CLI_DONE;
}

static bool options_at(int index, cli_option_list *out) {
    const char *model = slt_model_name(index ? index - 1 : 0);
    if (!model) return false;
    out->title = index ? model : "training";
    out->rows = slt_train_options_of(model, index > 0);
    return true;
}

// ---- running

// runs/MODEL-DATA-SEED, DATA without folder and ending
static void default_run(char *out, size_t size, const char *model, const char *data,
                        uint64_t seed) {
    const char *slash = strrchr(data, '/'), *name = slash ? slash + 1 : data;
    int length = (int)strcspn(name, ".");
    snprintf(out, size, "runs/%s-%.*s-%" PRIu64, model, length ? length : (int)strlen(name), name,
             seed);
}

static void print_scores(const char *name, const slt_run_scores *s) {
    printf("%-6s %6" PRId64 " episodes  loss %.4f  accuracy %.2f", name, s->episodes, s->loss,
           100 * s->accuracy);
    if (s->has_labels)
        printf("  F1 %.2f  alignment %.2f  ARI %.2f", 100 * s->scores.mean.f1,
               100 * s->scores.mean.align, 100 * s->scores.mean.ari);
    if (s->has_labels && s->told_count) printf("  (told the number of segments)");
    putchar('\n');
}

static void print_restarts(const slt_restart_report *r) {
    printf("restart %d of %d was kept, %d cut as it does", r->picked + 1, r->members, r->agreeing);
    if (r->runner_up >= 0)
        printf("; the next one (%d) is %.4f nats per step worse", r->runner_up + 1, r->gap);
    putchar('\n');
    if (r->warning[0]) printf("warning: %s\n", r->warning);
}

static void print_result(const char *run, const slt_train_result *result) {
    printf("%s: best of %" PRId64 " epochs is %" PRId64 ", %.0f s\n", run, result->epochs,
           result->best_epoch, result->seconds);
    if (result->restarts.members) print_restarts(&result->restarts);
    print_scores("valid", &result->valid);
    print_scores("test", &result->test);
    printf("next: slottar eval %s; slottar segment %s DATA\n", run, run);
}

static void print_json(const char *run, const slt_train_result *result) {
    fputs("{\"run\":", stdout);
    cli_json_text(stdout, run);
    printf(",\"epochs\":%" PRId64 ",\"best_epoch\":%" PRId64
           ",\"seconds\":%.3f,\"test\":{\"loss\":%.9g",
           result->epochs, result->best_epoch, result->seconds, result->test.loss);
    if (result->test.has_labels)
        printf(",\"f1\":%.9g,\"align\":%.9g", result->test.scores.mean.f1,
               result->test.scores.mean.align);
    puts("}}");
}

// a disk that is full or not to be written on leaves the last checkpoint whole
static int fail(slt_status status, const char *run) {
    char path[4096 + 32];
    int code = cli_fail(status);
    snprintf(path, sizeof path, "%s/last.safetensors", run);
    if (status == SLT_IO && access(path, R_OK) == 0)
        fprintf(stderr, "%s is whole; the same command goes on from it\n", path);
    return code;
}

static int train_one(cli_call *call, const slt_train_request *request) {
    static slt_train_result result;
    slt_status status = slt_train(call->context, request, &result);
    int caught = cli_caught_signal();
    // the signal may have come to another process
    if (status == SLT_CANCELLED) {
        cli_progress_end();
        if (!call->follower)
            fprintf(stderr, "saved in %s; the same command goes on from there\n", request->run);
        return caught ? caught : CLI_SAVED;
    }
    if (status != SLT_OK) return fail(status, request->run);
    if (call->follower) return CLI_DONE;
    (call->json ? print_json : print_result)(request->run, &result);
    return CLI_DONE;
}

static int run(cli_call *call) {
    if (cli_value(call, "options")) return list_options(call->arguments[0]);
    if (call->count < 2) return cli_misuse(call, "wants a data set");
    char path[4096];
    int64_t restarts, seconds, population;
    if (!cli_number(call, "restarts", 1, SLT_MOST_RESTARTS, 1, &restarts)) return CLI_USAGE;
    if (!cli_number(call, "seconds", 1, 1000000000, 0, &seconds)) return CLI_USAGE;
    if (!cli_number(call, "population", 1, 100000, 0, &population)) return CLI_USAGE;
    default_run(path, sizeof path, call->arguments[0], call->arguments[1], call->seed);
    const char *output = cli_value(call, "output");
    slt_train_request request = {.model = call->arguments[0],
                                 .data = call->arguments[1],
                                 .run = output ? output : path,
                                 .profile = cli_value(call, "profile"),
                                 .preset = cli_value(call, "preset"),
                                 .config = cli_value(call, "config"),
                                 .settings = call->settings,
                                 .setting_count = call->setting_count,
                                 .seed = call->seed,
                                 .restarts = (int)restarts,
                                 .seconds = (double)seconds};
    cli_catch_signals(call->context);
    if (!population) return train_one(call, &request);
    for (int64_t i = 0; i < population; i++) {
        slt_train_request one = request;
        char folder[4200];
        snprintf(folder, sizeof folder, "%s/%lld", request.run, (long long)i);
        one.run = folder;
        one.seed = request.seed + (uint64_t)i;
        int code = train_one(call, &one);
        if (code != CLI_DONE) return code;
    }
    return CLI_DONE;
}

const cli_command cli_train = {
    .name = "train",
    .arguments = "MODEL DATA [-o RUN] [key=value...]",
    .summary = "trains a model on a data set",
    .text =
        "MODEL is slottar, slottar-mdl, compile or ompn. The run directory holds config.yaml,\n"
        "metrics.jsonl, TensorBoard events, last.safetensors, best.safetensors, and at the end\n"
        "result.json and segments.safetensors. The same command again goes on where it was\n"
        "stopped; a changed configuration is refused.\n\n"
        "  slottar train slottar craft-full.safetensors --preset craft-full\n"
        "  slottar train slottar demos.safetensors slots=4 prior=3 epochs=30 -o runs/a\n"
        "  mpirun -n 4 slottar train slottar demos.safetensors -o runs/b\n"
        "  slottar train slottar --options\n",
    .flags = flags,
    .least = 1,
    .most = 2,
    .settings = true,
    .options = options_at,
    .ranks = CLI_RANKS_SHARE,
    .run = run,
};
