// slottar COMMAND: finds the command's row, parses, runs.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cli.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include "commands.h"
#include "launch.h"

// clang-format off
const cli_command *const cli_commands[] = {
#define ROW(name) &cli_##name,
    CLI_COMMANDS(ROW)
#undef ROW
    NULL,
};
// clang-format on

static const cli_command *find_command(const char *name) {
    for (int i = 0; cli_commands[i]; i++)
        if (strcmp(cli_commands[i]->name, name) == 0) return cli_commands[i];
    return NULL;
}

static int run_command(cli_call *call, int argc, char **argv) {
    if (!cli_parse(call, argc, argv)) return CLI_USAGE;
    if (cli_value(call, "help")) return cli_help(call->command), CLI_DONE;
    slt_context_options options = {.threads = call->threads, .log = cli_log, .user = call};
    if (!call->quiet) options.progress = cli_progress; // a vote counts on the way for it
    options.device = cli_value(call, "device");
    options.precision = cli_value(call, "precision");
    if (!cli_join(call, &options)) return CLI_FAILED;
    slt_status status = slt_context_create(&options, &call->context);
    if (status == SLT_INVALID) return cli_leave(cli_misuse(call, "%s", slt_last_error()));
    if (status != SLT_OK) return cli_leave(cli_fail(status));
    call->quiet = call->quiet || call->follower;
    int code = call->command->run(call);
    slt_context_destroy(call->context);
    code = cli_leave(code);
    if (fflush(stdout) != 0 && code == CLI_DONE) {
        fputs("slottar: could not write to standard output\n", stderr);
        return CLI_FAILED;
    }
    return code;
}

// the version, and what this build and this machine have
static int print_version(void) {
    bool gpu = slt_device_check("cuda") == SLT_OK;
    int length = printf("slottar %s\n%s\nCUDA: %s\n", slt_version(), slt_build_info(),
                        gpu ? "yes" : slt_last_error());
    return length < 0 || fflush(stdout) != 0 ? CLI_FAILED : CLI_DONE;
}

int main(int argc, char **argv) {
    uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0)); // whatever a loaded library sets
    signal(SIGXFSZ, SIG_IGN); // a file that may not grow is a message, not an end
    const char *name = argc > 1 ? argv[1] : "--help";
    if (strcmp(name, "--version") == 0) return print_version();
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0 || strcmp(name, "help") == 0) {
        cli_help_all();
        return argc > 1 ? CLI_DONE : CLI_USAGE;
    }
    static cli_call call;
    call.command = find_command(name);
    if (!call.command) {
        fprintf(stderr, "slottar: no command '%s' (see slottar --help)\n", name);
        return CLI_USAGE;
    }
    return run_command(&call, argc - 2, argv + 2);
}
