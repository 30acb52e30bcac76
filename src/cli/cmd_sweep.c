// slottar sweep SPEC.yaml | MODEL DATA: a search over configurations, into one folder and one
// table.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "commands.h"
#include "option_list.h"
#include "signals.h"
#include "slottar/sweep.h"

static const cli_flag flags[] = {
    {"output", 'o', "DIR", "folder of the sweep"},
    {"preset", 0, "PRESET", "a configuration from the paper's tables to start from"},
    {"profile", 0, "PROFILE", "default, reference or paper: settings where they differ"},
    {"population", 0, "N",
     "most runs of one shape trained as one population (default 1, on a GPU 64)"},
    {"jobs", 0, "N", "runs N trials at once, each with --threads threads (default 1)"},
    {"options", 0, NULL, "lists the sweep's options with their defaults"},
    {NULL, 0, NULL, NULL},
};

// ---- the table

static void print_row(const slt_sweep_row *row, int place) {
    printf("%5d  %04d", place, row->configuration);
    if (row->failed) {
        printf("  failed: %s", cli_plain(row->reason).text);
    } else {
        printf("  %6" PRId64 "  %9.5f", row->epochs, row->score);
        if (row->sd > 0) printf(" +- %.5f", row->sd);
        printf("  loss %.4f", row->valid.loss);
        if (row->valid.has_labels)
            printf("  F1 %.2f  alignment %.2f", 100 * row->valid.scores.mean.f1,
                   100 * row->valid.scores.mean.align);
    }
    for (int i = 0; i < row->setting_count; i++) printf("  %s", row->settings[i]);
    putchar('\n');
}

static void print_table(const char *folder, const slt_sweep *sweep) {
    const slt_sweep_row *best = slt_sweep_at(sweep, 0);
    printf("place  conf  epochs  %9s  on the validation split\n", slt_sweep_score(sweep));
    for (int i = 0; i < slt_sweep_count(sweep); i++) print_row(slt_sweep_at(sweep, i), i + 1);
    printf("best: %s/%04d-0", folder, best->configuration);
    printf(", on the test split loss %.4f", best->test.loss);
    if (best->test.has_labels)
        printf(", F1 %.2f, alignment %.2f", 100 * best->test.scores.mean.f1,
               100 * best->test.scores.mean.align);
    putchar('\n');
}

// the library has written it
static int copy_json(const char *folder) {
    char path[4096], bytes[4096];
    snprintf(path, sizeof path, "%s/table.json", folder);
    FILE *file = fopen(path, "r");
    for (size_t count; file && (count = fread(bytes, 1, sizeof bytes, file)) > 0;)
        fwrite(bytes, 1, count, stdout);
    bool read = file && !ferror(file);
    if (file) fclose(file);
    if (!read) fprintf(stderr, "slottar: %s: could not read\n", path);
    return read ? CLI_DONE : CLI_FAILED;
}

// ---- running

static bool options_at(int index, cli_option_list *out) {
    *out = (cli_option_list){"the search", slt_sweep_options_of()};
    return index == 0;
}

static int list_options(void) {
    puts("sweep options, as key=value:");
    cli_list_options(slt_sweep_options_of(), "");
    return CLI_DONE;
}

static int stopped(const char *folder, int caught) {
    cli_progress_end();
    fprintf(stderr, "saved in %s; run the same command to resume\n", folder);
    return caught;
}

static int run(cli_call *call) {
    if (cli_value(call, "options")) return list_options();
    const char *folder = cli_value(call, "output");
    if (!folder) return cli_misuse(call, "needs a folder: -o DIR");
    if (call->count == 0) return cli_misuse(call, "needs SPEC.yaml, or MODEL and DATA");
    bool spec = call->count == 1;
    int64_t population, jobs;
    if (!cli_number(call, "population", 1, 256, 0, &population)) return CLI_USAGE;
    if (!cli_number(call, "jobs", 1, 64, 1, &jobs)) return CLI_USAGE;
    slt_sweep_request request = {.folder = folder,
                                 .spec = spec ? call->arguments[0] : NULL,
                                 .model = spec ? NULL : call->arguments[0],
                                 .data = spec ? NULL : call->arguments[1],
                                 .profile = cli_value(call, "profile"),
                                 .preset = cli_value(call, "preset"),
                                 .settings = call->settings,
                                 .setting_count = call->setting_count,
                                 .seed = call->seed,
                                 .jobs = (int)jobs,
                                 .population = (int)population};
    slt_sweep *sweep;
    cli_catch_signals(call->context);
    slt_status status = slt_sweep_run(call->context, &request, &sweep);
    int caught = cli_caught_signal();
    if (status == SLT_CANCELLED && caught) return stopped(folder, caught);
    if (status != SLT_OK) return cli_fail(status);
    cli_progress_end();
    int code = CLI_DONE;
    if (call->follower)
        code = CLI_DONE;
    else if (call->json)
        code = copy_json(folder);
    else
        print_table(folder, sweep);
    slt_sweep_close(sweep);
    return code;
}

const cli_command cli_sweep = {
    .name = "sweep",
    .arguments = "SPEC.yaml|MODEL DATA -o DIR [key=a,b,c...]",
    .summary = "searches over configurations",
    .text =
        "Trains MODEL on DATA with options that vary: key=a,b,c lists values, key=low..high is a\n"
        "range, key=log:low..high a log-uniform range. search=random draws trials=N\n"
        "configurations, search=grid takes all, search=halving pauses N random ones after a few\n"
        "epochs and continues the better ones; seeds=N trains each N times. A YAML file says the\n"
        "same ('model', 'data', lists). The folder gets a run per trial and table.json. Run the\n"
        "same command again to resume; several copies at once share the trials.\n\n"
        "  slottar sweep slottar demos.safetensors -o sweeps/a lr=1e-4,5e-4 beta=0.1,1 "
        "search=grid\n"
        "  slottar sweep slottar demos.safetensors -o sweeps/b lr=log:1e-4..1e-2 trials=30 "
        "search=halving\n"
        "  slottar sweep search.yaml -o sweeps/c --json\n"
        "  slottar sweep --options\n",
    .flags = flags,
    .least = 0,
    .most = 2,
    .settings = true,
    .options = options_at,
    .ranks = CLI_RANKS_WORK,
    .run = run,
};
