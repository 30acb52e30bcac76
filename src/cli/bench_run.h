// A run of slottar bench: what was asked for, what was printed.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_BENCH_RUN_H
#define SLT_CLI_BENCH_RUN_H

#include "commands.h"
#include "slottar/bench.h"

enum { CLI_BENCH_LIST = 16 };
typedef struct {
    int64_t number[CLI_BENCH_LIST];
    int count;
} cli_bench_list;

typedef struct {
    const cli_call *call;
    double seconds; // per measurement; 0: as the section likes it
    int population; // models that take a step together; 0: one
    slt_bench_peaks peaks;
    int printed;
    bool shapes; // results say their shapes
    cli_bench_list lengths, widths;
    char folder[256]; // of the data set that was made for the models; "": none
    char data[300];
} cli_bench_run;

// prints one measurement
void cli_bench_print(cli_bench_run *run, const slt_bench_result *result);

// whether the names after the section choose this one
bool cli_bench_wants(const cli_bench_run *run, const char *name);

// votes (bench_segment.c)
slt_status cli_bench_segment(cli_bench_run *run);
// a grid of shapes (bench_shapes.c); its flags, false with a message when they are wrong
bool cli_bench_read_shapes(cli_bench_run *run);
slt_status cli_bench_shapes(cli_bench_run *run);
// makes a folder for a data set of that name (bench_models.c)
slt_status cli_bench_folder(cli_bench_run *run, const char *set);
// the sections of models (bench_models.c)
slt_status cli_bench_train(cli_bench_run *run);
slt_status cli_bench_infer(cli_bench_run *run);
// removes the data set that was made for them
void cli_bench_clean(cli_bench_run *run);

#endif
