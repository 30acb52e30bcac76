// slottar verify FILE...: checks this build against the reference programs.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <inttypes.h>
#include <stdio.h>
#include "commands.h"
#include "json_text.h"
#include "verify/verify.h"

static void print_json(const char *file, const slt_verify_result *result) {
    fputs("{\"file\":", stdout);
    cli_json_text(stdout, file);
    printf(",\"kind\":\"%s\",\"checked\":%" PRIu64 ",\"mismatches\":%" PRIu64
           ",\"max_error\":%.9g}\n",
           result->kind, result->checked, result->mismatches, result->max_error);
}

static void print_row(const char *file, const slt_verify_result *result) {
    printf("%-48s %-18s checked %9" PRIu64 "  mismatches %" PRIu64 "  max_error %.3g\n", file,
           result->kind, result->checked, result->mismatches, result->max_error);
    if (result->mismatches) printf("    first: %s\n", cli_plain(result->first).text);
}

static int run(cli_call *call) {
    int code = CLI_DONE;
    for (int i = 0; i < call->count; i++) {
        slt_verify_result result;
        slt_status status = slt_verify_file(call->context, call->arguments[i], &result);
        if (status != SLT_OK) {
            code = cli_fail(status);
            continue;
        }
        (call->json ? print_json : print_row)(call->arguments[i], &result);
        if (result.mismatches) code = CLI_FAILED;
    }
    return code;
}

const cli_command cli_verify = {
    .name = "verify",
    .arguments = "FILE...",
    .summary = "checks this build against the reference programs",
    .text = "Reads golden files (detected by content, not by name), recomputes everything in them\n"
            "and prints per file: values checked, mismatches, largest error.\n"
            "Exit code 1 on any mismatch or unknown file.\n\n"
            "  slottar verify tests/golden/*/*\n",
    .least = 1,
    .most = -1,
    .run = run,
};
