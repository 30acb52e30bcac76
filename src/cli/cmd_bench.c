// slottar bench [SECTION [NAME...]]: measures throughput. A section is a row of the table below: a
// function that hands its measurements to cli_bench_print one by one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include "bench_run.h"
#include "json_text.h"
#include "signals.h"
#include "slottar/env.h"

// names after the section choose: a part of a name is enough
bool cli_bench_wants(const cli_bench_run *b, const char *name) {
    for (int i = 1; i < b->call->count; i++)
        if (strstr(name, b->call->arguments[i])) return true;
    return b->call->count < 2;
}

// small things need little time
static double seconds_of(const cli_bench_run *b) { return b->seconds > 0 ? b->seconds : 0.1; }

static slt_status bench_envs(cli_bench_run *b) {
    slt_status status = SLT_OK;
    for (int i = 0; i < slt_env_count() && status == SLT_OK; i++) {
        slt_env_info info;
        slt_bench_result result;
        status = slt_env_describe(i, &info);
        if (status != SLT_OK || !cli_bench_wants(b, info.id)) continue;
        status = slt_bench_env(b->call->context, info.id, seconds_of(b), &result);
        if (status == SLT_OK) cli_bench_print(b, &result);
    }
    return status;
}

static slt_status bench_ops(cli_bench_run *b) {
    slt_status status = SLT_OK;
    for (int i = 0; i < slt_bench_op_count() && status == SLT_OK; i++) {
        slt_bench_result results[2];
        int count = 0;
        if (!cli_bench_wants(b, slt_bench_op_name(i))) continue;
        status = slt_bench_op(b->call->context, i, seconds_of(b), &b->peaks, results, &count);
        for (int k = 0; k < count && status == SLT_OK; k++) cli_bench_print(b, &results[k]);
    }
    return status;
}

static const struct {
    const char *name;
    slt_status (*run)(cli_bench_run *b);
    bool shares; // its results are shares of the machine's peak
    bool asked;  // only when it is asked for: it takes minutes
    bool models; // names are whole names of models
} sections[] = {
    {"train", cli_bench_train, true, false, true},
    {"infer", cli_bench_infer, true, false, true},
    {"ops", bench_ops, true, false, false},
    {"envs", bench_envs, false, false, false},
    {"segment", cli_bench_segment, false, true, false},
    {"shapes", cli_bench_shapes, true, true, true},
};
enum { SECTIONS = sizeof sections / sizeof *sections };

// the processor in words, as far as the system tells
static void machine_name(char *out, size_t size) {
    struct utsname name;
    snprintf(out, size, "%s", uname(&name) == 0 ? name.machine : "unknown");
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    while (file && fgets(line, sizeof line, file)) {
        const char *text = strstr(line, ": ");
        if (strncmp(line, "model name", 10) != 0 || !text) continue;
        snprintf(out, size, "%.*s", (int)strcspn(text + 2, "\n"), text + 2);
        break;
    }
    if (file) fclose(file);
}

static void print_head(const cli_bench_run *b) {
    char machine[256];
    machine_name(machine, sizeof machine);
    int threads = slt_context_threads(b->call->context);
    const char *device = cli_value(b->call, "device") ? cli_value(b->call, "device") : "cpu";
    if (!b->call->json) {
        printf("%s, %d thread%s", machine, threads, threads == 1 ? "" : "s");
        if (strcmp(device, "cpu") != 0) printf(", device %s", device);
        if (b->peaks.gflops > 0)
            printf(", peak %.1f GFLOP/s, %.1f GB/s", b->peaks.gflops, b->peaks.gb_per_s);
        puts("");
        return;
    }
    fputs("{\"machine\":", stdout);
    cli_json_text(stdout, machine);
    printf(",\"threads\":%d,\"device\":\"%s\",", threads, device);
    if (b->peaks.gflops > 0)
        printf("\"peak_gflops\":%.6g,\"peak_gb_per_s\":%.6g,", b->peaks.gflops, b->peaks.gb_per_s);
    else
        printf("\"peak_gflops\":null,");
    printf("\"results\":[");
}

// measures the machine when a chosen section asks for it
static slt_status measure_peaks(cli_bench_run *b, const char *chosen) {
    for (int i = 0; i < SECTIONS; i++)
        if (sections[i].shares && (!chosen || strcmp(chosen, sections[i].name) == 0))
            return slt_bench_peak(b->call->context, 4 * seconds_of(b), &b->peaks);
    return SLT_OK;
}

static bool is_section(const char *name) {
    for (int i = 0; i < SECTIONS; i++)
        if (strcmp(sections[i].name, name) == 0) return true;
    return false;
}

static bool is_model(const char *name) {
    for (int i = 0; slt_model_name(i); i++)
        if (strcmp(slt_model_name(i), name) == 0) return true;
    return false;
}

// a name that is no model's, where models are named: most often a data set; NULL: there is none
static const char *stranger(const cli_call *call) {
    for (int i = 0; i < SECTIONS; i++)
        for (int k = 1; sections[i].models && k < call->count; k++)
            if (strcmp(call->arguments[0], sections[i].name) == 0 && !is_model(call->arguments[k]))
                return call->arguments[k];
    return NULL;
}

// --seconds S, or --ms N
static bool read_time(const cli_call *call, double *seconds) {
    const char *text = cli_value(call, "seconds");
    int64_t ms;
    if (!cli_number(call, "ms", 1, 60000, 0, &ms)) return false;
    *seconds = 1e-3 * (double)ms;
    if (!text) return true;
    char *end;
    *seconds = strtod(text, &end);
    if (end != text && !*end && *seconds > 0 && *seconds <= 3600) return true;
    return cli_misuse(call, "--seconds expects a number up to 3600, not '%s'", text), false;
}

static slt_status run_sections(cli_bench_run *b, const char *chosen) {
    slt_status status = SLT_OK;
    for (int i = 0; i < SECTIONS && status == SLT_OK; i++)
        if (chosen ? strcmp(chosen, sections[i].name) == 0 : !sections[i].asked)
            status = sections[i].run(b);
    return status;
}

static int run(cli_call *call) {
    const char *chosen = call->count ? call->arguments[0] : NULL;
    cli_bench_run b = {.call = call};
    if (chosen && !is_section(chosen)) return cli_misuse(call, "no section '%s'", chosen);
    if (stranger(call))
        return cli_misuse(call, "no model '%s' (a data set is given with --data FILE)",
                          stranger(call));
    int64_t population;
    if (!read_time(call, &b.seconds)) return CLI_USAGE;
    if (!cli_number(call, "population", 1, 1024, 0, &population)) return CLI_USAGE;
    b.population = (int)population;
    if (!cli_bench_read_shapes(&b)) return CLI_USAGE;
    cli_catch_signals(call->context);
    slt_status status = measure_peaks(&b, chosen);
    if (status != SLT_OK) return cli_fail(status);
    print_head(&b);
    status = run_sections(&b, chosen);
    cli_bench_clean(&b);
    cli_progress_end();
    if (call->json) puts("]}");
    if (cli_caught_signal()) return cli_caught_signal();
    if (status != SLT_OK) return cli_fail(status);
    return b.printed ? CLI_DONE
                     : cli_misuse(call, "no measurement has that name, or no model that preset");
}

static const cli_flag flags[] = {
    {"seconds", 0, "S",
     "seconds per measurement (default 5 for models and votes, 0.1 for the others)"},
    {"ms", 0, "N", "the same in milliseconds"},
    {"preset", 0, "PRESET", "models: a configuration as for train (default craft-full)"},
    {"profile", 0, "PROFILE", "models: default, reference or paper"},
    {"config", 0, "FILE", "models: options from a YAML file"},
    {"data", 0, "FILE", "models: a data set (default: a small one is collected)"},
    {"batch", 0, "N", "models: trajectories of a training step, as batch=N"},
    {"population", 0, "N", "models: number of models in a population"},
    {"parts", 0, NULL, "models: time of a step by operation"},
    {"lengths", 0, "LIST", "shapes: padded lengths (default 65,200,500)"},
    {"widths", 0, "LIST", "shapes: widths of the model (default 64,128,256)"},
    {NULL, 0, NULL, NULL},
};

const cli_command cli_bench = {
    .name = "bench",
    .arguments = "[train|infer|ops|envs|segment|shapes [NAME...]] [key=value...]",
    .summary = "measures throughput",
    .text =
        "Sections: train and infer (a step of the models that `slottar train` would run with the\n"
        "same options), ops (what models are made of, as shares of the machine's own peak), envs\n"
        "(environment steps), and, when asked for, segment (a vote on planted segments: 420 "
        "episodes,\n"
        "a recording of 10,000 steps, a million steps) and shapes (training steps for a grid of\n"
        "lengths and widths: 39 random floats per step, trajectories of 80 % of the length on\n"
        "average, a batch that fits). Names select measurements of a section (a part of a name is\n"
        "enough), or models.\n"
        "The best of several rounds counts. tokens/s includes padding, as in the paper; the share\n"
        "of the peak counts the arithmetic actually done. The peak of a GPU is that of a large\n"
        "product in the same precision, as is that of a CPU in bf16.\n\n"
        "  slottar bench train slottar --preset craft-full --threads 2\n"
        "  slottar bench infer --preset craft-full --profile reference --parts\n"
        "  slottar bench ops dense attention\n"
        "  slottar bench envs makebed --threads 1\n"
        "  slottar bench segment million --device cuda\n"
        "  slottar bench shapes slottar --lengths 200,500 --widths 128,256 slots=8\n"
        "  slottar bench envs --json\n",
    .flags = flags,
    .least = 0,
    .most = -1,
    .settings = true,
    .run = run,
};
