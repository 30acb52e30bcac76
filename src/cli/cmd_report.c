// slottar report RUN...: one HTML page that shows what models found.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "commands.h"
#include "json_text.h"
#include "paper/paper_scores.h"
#include "slottar/report.h"

static const cli_flag flags[] = {
    {"output", 'o', "FILE", "the page, FILE.html"},
    CLI_FORCE,
    {"data", 0, "DATA", "a data set other than the runs' own"},
    {"split", 0, "SPLIT", "train, valid or test (default test)"},
    {"figures", 0, "DIR", "also writes the figures as SVG files"},
    {"detailed", 0, "N", "trajectories shown in detail: world, masks, attention (default 240)"},
    {NULL, 0, NULL, NULL},
};

static void print(const cli_call *call, const slt_report_request *request,
                  const slt_report_result *result) {
    if (call->json) {
        fputs("{\"page\":", stdout);
        if (request->page)
            cli_json_text(stdout, request->page);
        else
            fputs("null", stdout);
        printf(",\"bytes\":%llu,\"runs\":%d,\"trajectories\":%lld,\"left_out\":%lld,"
               "\"detailed\":%lld,\"figures\":%d}\n",
               (unsigned long long)result->page_bytes, request->run_count,
               (long long)result->trajectories, (long long)result->left_out,
               (long long)result->detailed, result->figures);
        return;
    }
    if (request->page)
        printf("%s: %.2f MB, %lld trajectories, %lld of them in detail\n", request->page,
               1e-6 * (double)result->page_bytes, (long long)result->trajectories,
               (long long)result->detailed);
    if (request->figures) printf("%s: %d figures\n", request->figures, result->figures);
}

static int run(cli_call *call) {
    int64_t detailed;
    slt_report_result result;
    slt_report_request request = {.runs = call->arguments,
                                  .run_count = call->count,
                                  .page = cli_value(call, "output"),
                                  .figures = cli_value(call, "figures"),
                                  .overwrite = cli_value(call, "force") != NULL,
                                  .data = cli_value(call, "data"),
                                  .seed = call->seed};
    if (!cli_split_flag(call, &request.split)) return CLI_USAGE;
    if (!cli_number(call, "detailed", 1, 10000, 240, &detailed)) return CLI_USAGE;
    request.detailed = (int)detailed;
    if (!request.page && !request.figures)
        return cli_misuse(call, "needs an output: -o FILE.html, --figures DIR or both");
    request.published = slt_paper_rows(&request.published_count);
    slt_status status = slt_report(call->context, &request, &result);
    cli_progress_end();
    if (status != SLT_OK) return cli_fail(status);
    print(call, &request, &result);
    return CLI_DONE;
}

const cli_command cli_report = {
    .name = "report",
    .arguments = "RUN... -o FILE.html [--figures DIR]",
    .summary = "writes an HTML report of runs",
    .text =
        "A self-contained HTML file: scores next to baselines and the paper's, training curves,\n"
        "numbers and lengths of segments, a browser of trajectories with worlds, masks and\n"
        "slot attention, a gallery of sub-routines. Runs on the same data set are compared.\n\n"
        "  slottar report runs/a -o report.html\n"
        "  slottar report runs/a runs/b --data new.safetensors -o both.html\n"
        "  slottar report runs/a --figures figures\n",
    .flags = flags,
    .least = 1,
    .most = 64,
    .run = run,
};
