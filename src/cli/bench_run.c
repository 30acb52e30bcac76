// What a measurement of slottar bench looks like: a line of a table, or an object of a JSON list.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "bench_run.h"

#include <stdio.h>
#include "json_text.h"

// the numbers of a result, in the order of printing
static const struct {
    const char *name;
    size_t offset;
    double unit; // of the table
    const char *format;
} columns[] = {
    {"ms", offsetof(slt_bench_result, ms), 1, "  %.3f ms"},
    {"cpu_ms", offsetof(slt_bench_result, cpu_ms), 1, "  %.1f ms of processor time"},
    {"gflops", offsetof(slt_bench_result, gflops), 1, "  %.1f GFLOP/s"},
    {"gb_per_s", offsetof(slt_bench_result, gb_per_s), 1, "  %.1f GB/s"},
    {"share_of_peak", offsetof(slt_bench_result, share_of_peak), 0.01, "  %.0f %% of peak"},
    {"tokens_per_s", offsetof(slt_bench_result, tokens_per_s), 1, "  %.0f tokens/s"},
    {"true_tokens_per_s", offsetof(slt_bench_result, true_tokens_per_s), 1, "  %.0f true tokens/s"},
    {"steps_per_s", offsetof(slt_bench_result, steps_per_s), 1e6, "  %.2f million steps/s"},
};

// what a step of the grid was
static void print_shape(const cli_bench_run *b, const slt_bench_result *result) {
    double megabytes = 1e-6 * result->bytes;
    const char *path = *result->path ? result->path : "node by node";
    if (b->call->json)
        printf(",\"length\":%d,\"batch\":%d,\"megabytes\":%.6g,\"path\":\"%s\"", result->length,
               result->batch, megabytes, path);
    else
        printf("  batch %d  %.0f MB  %s", result->batch, megabytes, path);
}

void cli_bench_print(cli_bench_run *b, const slt_bench_result *result) {
    if (b->call->json) {
        fputs(b->printed ? ",\n{\"name\":" : "\n{\"name\":", stdout);
        cli_json_text(stdout, result->name);
    } else {
        printf("%-40s", result->name);
    }
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++) {
        double value = *(const double *)((const char *)result + columns[i].offset);
        if (value == 0) continue;
        if (b->call->json)
            printf(",\"%s\":%.6g", columns[i].name, value);
        else
            printf(columns[i].format, value / columns[i].unit);
    }
    if (b->shapes && result->batch) print_shape(b, result);
    fputs(b->call->json ? "}" : "\n", stdout);
    fflush(stdout);
    b->printed++;
}
