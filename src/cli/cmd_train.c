// slottar train MODEL DATA: trains a model into a run directory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "commands.h"
#include "data_columns.h"
#include "json_text.h"
#include "option_list.h"
#include "show_trust.h"
#include "signals.h"
#include "slottar/train.h"

static const cli_flag flags[] = {
    {"output", 'o', "RUN", "run directory (default runs/MODEL-DATA-SEED)"},
    {"preset", 0, "PRESET", "a configuration from the paper's tables, by data set name"},
    {"profile", 0, "PROFILE", "default, reference or paper: settings where they differ"},
    {"config", 0, "FILE", "options from a YAML file"},
    {"restarts", 0, "N",
     "trains N restarts at once, keeps the one with the lowest held-out loss (no labels)"},
    {"population", 0, "N", "trains N seeds as one batched model and keeps all: RUN/0, RUN/1, ..."},
    {"seconds", 0, "N", "time limit: fewer training steps if needed"},
    {"options", 0, NULL, "lists the options of MODEL with their defaults"},
    CLI_COLUMN_FLAGS,
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
    printf("training options, as key=value:\n");
    cli_list_options(slt_train_options_of(model, 0), slt_model_settings(model));
    printf("options of %s:\n", model);
    cli_list_options(slt_train_options_of(model, 1), "");
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

static void print_scores(const char *name, const slt_run_scores *s) {
    printf("%-6s %6" PRId64 " episodes  loss %.4f  accuracy %.2f", name, s->episodes, s->loss,
           100 * s->accuracy);
    if (s->has_labels)
        printf("  F1 %.2f  alignment %.2f  ARI %.2f", 100 * s->scores.mean.f1,
               100 * s->scores.mean.align, 100 * s->scores.mean.ari);
    if (s->has_labels && s->told_count) printf("  (given the number of segments)");
    putchar('\n');
}

static void print_restarts(const slt_restart_report *r) {
    printf("Kept restart %d of %d; %d agree.", r->picked + 1, r->members, r->agreeing);
    if (r->runner_up >= 0)
        printf(" Runner-up: restart %d, %.4f nats per step worse.", r->runner_up + 1, r->gap);
    putchar('\n');
}

static void print_result(const char *run, const slt_train_result *result) {
    printf("%s: best epoch %" PRId64 " of %" PRId64 ", %.0f s\n", run, result->best_epoch,
           result->epochs, result->seconds);
    if (result->restarts.members) print_restarts(&result->restarts);
    print_scores("valid", &result->valid);
    print_scores("test", &result->test);
    cli_print_trust(stdout, &result->trust);
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
    fputs("},\"trust\":", stdout);
    cli_json_trust(stdout, &result->trust);
    puts("}");
}

// a disk that is full or not to be written on leaves the last checkpoint whole
static int fail(slt_status status, const char *run) {
    char path[4096 + 32];
    int code = cli_fail(status);
    snprintf(path, sizeof path, "%s/last.safetensors", run);
    if (status == SLT_IO && access(path, R_OK) == 0)
        fprintf(stderr, "%s is intact; run the same command to resume\n", path);
    return code;
}

static int stopped(const cli_call *call, const char *run) {
    int caught = cli_caught_signal();
    cli_progress_end();
    if (!call->follower) fprintf(stderr, "saved in %s; run the same command to resume\n", run);
    return caught ? caught : CLI_SAVED; // the signal may have come to another process
}

static int train_one(cli_call *call, const slt_train_request *request) {
    static slt_train_result result;
    slt_status status = slt_train(call->context, request, &result);
    if (status == SLT_CANCELLED) return stopped(call, request->run);
    if (status != SLT_OK) return fail(status, request->run);
    if (call->follower) return CLI_DONE;
    (call->json ? print_json : print_result)(request->run, &result);
    return CLI_DONE;
}

// ---- several seeds

enum { FOLDER = 4096 + 16 };

typedef struct {
    int count;
    slt_train_request *requests;
    slt_train_outcome *outcomes;
    char (*folders)[FOLDER];
} population_runs;

static void free_population(population_runs *p) {
    free(p->requests);
    free(p->outcomes);
    free(p->folders);
}

// RUN/0, RUN/1, ... with seeds that follow one another
static bool make_population(population_runs *p, const slt_train_request *request, int count) {
    size_t n = (size_t)count;
    *p = (population_runs){count, calloc(n, sizeof *p->requests), calloc(n, sizeof *p->outcomes),
                           calloc(n, sizeof *p->folders)};
    if (!p->requests || !p->outcomes || !p->folders) return false;
    for (int i = 0; i < count; i++) {
        snprintf(p->folders[i], sizeof p->folders[i], "%s/%d", request->run, i);
        p->requests[i] = *request;
        p->requests[i].run = p->folders[i];
        p->requests[i].seed = request->seed + (uint64_t)i;
    }
    return true;
}

// what each came to; those that failed are told and make the command fail
static int print_population(const cli_call *call, const population_runs *p) {
    int code = CLI_DONE;
    for (int i = 0; i < p->count; i++) {
        const slt_train_outcome *outcome = &p->outcomes[i];
        if (outcome->status != SLT_OK) {
            fprintf(stderr, "slottar: %s\n", cli_plain(outcome->message).text);
            code = CLI_FAILED;
        } else if (!call->follower) {
            (call->json ? print_json : print_result)(p->folders[i], &outcome->result);
        }
    }
    return code;
}

static int train_population(cli_call *call, const slt_train_request *request, int count) {
    population_runs p;
    slt_status status = SLT_NOMEM;
    if (make_population(&p, request, count))
        status = slt_train_many(call->context, p.requests, count, 0, p.outcomes);
    int code = status == SLT_CANCELLED ? stopped(call, request->run)
               : status != SLT_OK      ? cli_fail(status)
                                       : print_population(call, &p);
    free_population(&p);
    return code;
}

static int run(cli_call *call) {
    if (cli_value(call, "options")) return list_options(call->arguments[0]);
    if (call->count < 2) return cli_misuse(call, "needs a data set");
    char path[4096];
    int64_t restarts, seconds, population;
    if (!cli_number(call, "restarts", 1, SLT_MOST_RESTARTS, 1, &restarts)) return CLI_USAGE;
    if (!cli_number(call, "seconds", 1, 1000000000, 0, &seconds)) return CLI_USAGE;
    if (!cli_number(call, "population", 1, 10000, 0, &population)) return CLI_USAGE;
    cli_default_run(path, sizeof path, call->arguments[0], call->arguments[1], call->seed);
    if (!cli_choose_columns(call, 1)) return CLI_USAGE;
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
    return population ? train_population(call, &request, (int)population)
                      : train_one(call, &request);
}

const cli_command cli_train = {
    .name = "train",
    .arguments = "MODEL DATA [-o RUN] [key=value...]",
    .summary = "trains a model on a data set",
    .text =
        "MODEL is slottar, slottar-mdl, compile or ompn. The run directory holds config.yaml,\n"
        "metrics.jsonl, TensorBoard events, last.safetensors, best.safetensors, and at the end\n"
        "result.json and segments.safetensors. Run the same command again to resume, or with more\n"
        "epochs, steps or patience to continue; any other change is refused.\n\n"
        "  slottar train slottar craft-full.safetensors --preset craft-full\n"
        "  slottar train slottar demos.safetensors slots=4 prior=3 epochs=30 -o runs/a\n"
        "  slottar train slottar demos.safetensors --population 16 --device cuda -o runs/seeds\n"
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
