// slottar reproduce [TABLE...]: the paper's tables and figures, and our own, from nothing.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "commands.h"
#include "json_text.h"
#include "signals.h"
#include "reproduce/reproduce.h"

static const cli_flag flags[] = {
    {"output", 'o', "DIR", "folder of data sets, runs and results"},
    {"quick", 0, NULL, "small data and models: minutes instead of hours, and no results"},
    {"seeds", 0, "N", "runs of every cell (default 5, with --quick 2)"},
    {"jobs", 'j', "N", "cells in parallel, each with its share of the threads (default 1)"},
    {"seconds", 0, "N", "stops after N seconds; the same command resumes"},
    {"only", 0, "LIST",
     "trains only these, in this order: models, or cells SET/VARIANT (craft-*/ompn*)"},
    {"split", 0, "A,B,C", "episodes of every data set (default 10000,1000,1000)"},
    {"sets", 0, "DIR",
     "table segments: folder of its data sets, NAME.npz (default: $SLOTTAR_SETS)"},
    {"peers", 0, "FILE",
     "table segments: scores of other programs, JSON {set: {method: {f1_one}}}"},
    {"no-runs", 0, NULL, "trains nothing; writes the results of existing runs"},
    {"no-pages", 0, NULL, "skips figures and report.html"},
    {"list", 0, NULL, "lists the tables"},
    {NULL, 0, NULL, NULL},
};

static int list_tables(const cli_call *call) {
    if (call->json) putchar('[');
    for (int i = 0; slt_reproduce_table(i); i++) {
        if (!call->json) {
            printf("%-11s %s\n", slt_reproduce_table(i), slt_reproduce_title(i));
            continue;
        }
        printf("%s{\"name\":\"%s\",\"title\":", i ? ",\n" : "", slt_reproduce_table(i));
        cli_json_text(stdout, slt_reproduce_title(i));
        putchar('}');
    }
    if (call->json) puts("]");
    return CLI_DONE;
}

static void print(const cli_call *call, const slt_reproduce_request *request,
                  const slt_reproduce_result *result) {
    if (call->json) {
        fputs("{\"results\":", stdout);
        char path[4096];
        snprintf(path, sizeof path, "%s/results.json", request->folder);
        cli_json_text(stdout, path);
        printf(",\"runs\":%d,\"done\":%d,\"failed\":%d,\"unmade\":%d,\"finished\":%s}\n",
               result->runs, result->done, result->failed, result->unmade,
               result->finished ? "true" : "false");
        return;
    }
    printf("%s/results.md, results.json: %d of %d runs", request->folder, result->done,
           result->runs);
    if (result->failed) printf(", %d of them diverged", result->failed);
    putchar('\n');
    if (request->quick) puts("quick: a test run; the numbers are not results");
}

// what is left, and the exit code that belongs to it
static int tell_left(const slt_reproduce_result *result) {
    if (result->unmade)
        fprintf(stderr, "slottar: %d runs could not be trained here; the first: %s\n",
                result->unmade, cli_plain(result->reason).text);
    if (!result->finished)
        fprintf(stderr, "%d runs left; run the same command to continue\n",
                result->runs - result->done);
    return !result->finished ? CLI_SAVED : result->unmade ? CLI_FAILED : CLI_DONE;
}

static int stopped(const char *folder, int caught) {
    cli_progress_end();
    fprintf(stderr, "saved in %s; run the same command to resume\n", folder);
    return caught;
}

static bool read_numbers(const cli_call *call, slt_reproduce_request *request) {
    int64_t seeds, jobs, seconds;
    if (!cli_number(call, "seeds", 1, SLT_REPRODUCE_SEEDS, 0, &seeds) ||
        !cli_number(call, "jobs", 1, 256, 1, &jobs) ||
        !cli_number(call, "seconds", 1, 1000000000, 0, &seconds))
        return false;
    request->seeds = (int)seeds;
    request->jobs = (int)jobs;
    request->seconds = (double)seconds;
    const char *split = cli_value(call, "split");
    if (!split || cli_split(split, request->episodes)) return true;
    return cli_misuse(call, "--split expects numbers of episodes like 1000,100,100, not '%s'",
                      split),
           false;
}

enum { WISHES = 64, WISH_TEXT = 4096 };

// words between commas, in `text`; -1: too many of them
static int cut_list(const char *list, char text[WISH_TEXT], const char *out[WISHES]) {
    int count = 0;
    char *rest;
    if (!list) return 0;
    if (snprintf(text, WISH_TEXT, "%s", list) >= WISH_TEXT) return -1;
    for (char *word = strtok_r(text, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
        if (count == WISHES) return -1;
        out[count++] = word;
    }
    return count;
}

static int run(cli_call *call) {
    if (cli_value(call, "list")) return list_tables(call);
    char text[WISH_TEXT];
    const char *only[WISHES];
    int wishes = cut_list(cli_value(call, "only"), text, only);
    if (wishes < 0) return cli_misuse(call, "--only has more than %d words", WISHES);
    slt_reproduce_request request = {.folder = cli_value(call, "output"),
                                     .tables = call->arguments,
                                     .table_count = call->count,
                                     .models = only,
                                     .model_count = wishes,
                                     .quick = cli_value(call, "quick") != NULL,
                                     .sets = cli_value(call, "sets"),
                                     .peers = cli_value(call, "peers"),
                                     .no_runs = cli_value(call, "no-runs") != NULL,
                                     .no_pages = cli_value(call, "no-pages") != NULL,
                                     .settings = call->settings,
                                     .setting_count = call->setting_count,
                                     .seed = call->seed};
    if (!request.sets) request.sets = getenv("SLOTTAR_SETS");
    if (!request.folder) return cli_misuse(call, "needs a folder: -o DIR");
    if (!read_numbers(call, &request)) return CLI_USAGE;
    slt_reproduce_result result;
    cli_catch_signals(call->context);
    slt_status status = slt_reproduce(call->context, &request, &result);
    int caught = cli_caught_signal();
    if (status == SLT_CANCELLED && caught) return stopped(request.folder, caught);
    if (status != SLT_OK) return cli_fail(status);
    cli_progress_end();
    print(call, &request, &result);
    return tell_left(&result);
}

const cli_command cli_reproduce = {
    .name = "reproduce",
    .arguments = "[TABLE...] -o DIR [key=value...]",
    .summary = "reproduces the paper's tables and figures",
    .text =
        "Collects the data sets, trains every cell (a model on a set) with several seeds, "
        "evaluates\n"
        "on the test split and writes DIR/results.md and results.json: the paper's numbers, its\n"
        "code's profile, our default and the baselines. Finished runs are kept: the same command\n"
        "resumes where it was stopped or killed, and other tables can be added.\n"
        "key=value goes to every run. With --seconds the exit code is 75 as long as runs are "
        "left.\n"
        "--list names the tables; without a name all of them are made.\n\n"
        "  slottar reproduce --quick -o quick\n"
        "  slottar reproduce craft fixed -o results --device cuda\n"
        "  slottar reproduce mdl robust -o results --seeds 10 -j 8 --seconds 600\n"
        "  slottar reproduce -o results --only 'craft-*/ompn*,slottar' --device cuda -j 8\n"
        "  slottar reproduce segments -o results --sets recordings --peers peers.json\n"
        "  slottar reproduce --list\n",
    .flags = flags,
    .least = 0,
    .most = 64,
    .settings = true,
    .run = run,
};
