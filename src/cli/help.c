// Help texts, from the tables.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cli.h"

#include <stdio.h>

// clang-format off
const cli_exit cli_exits[] = {
    {CLI_DONE, "done"},
    {CLI_FAILED, "failed"},
    {CLI_USAGE, "wrong usage"},
    {CLI_SAVED, "stopped after saving"},
    {CLI_INTERRUPTED, "by Ctrl-C"},
    {0, NULL},
};
// clang-format on

void cli_help_all(void) {
    puts("slottar " CLI_PURPOSE ".\n\n"
         "usage: slottar COMMAND [arguments]\n\ncommands:");
    for (int i = 0; cli_commands[i]; i++)
        printf("  %-12s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    printf("\n'slottar COMMAND --help' describes a command; 'slottar --version' prints the version."
           "\nExit codes:");
    for (const cli_exit *e = cli_exits; e->meaning; e++)
        printf("%s %d %s", e == cli_exits ? "" : ",", e->code, e->meaning);
    puts(".");
}

static void list_flags(const cli_flag *flags) {
    for (; flags && flags->name; flags++) {
        char left[64];
        if (flags->letter)
            snprintf(left, sizeof left, "-%c, --%s %s", flags->letter, flags->name,
                     flags->argument ? flags->argument : "");
        else
            snprintf(left, sizeof left, "    --%s %s", flags->name,
                     flags->argument ? flags->argument : "");
        printf("  %-24s %s\n", left, flags->help);
    }
}

void cli_help(const cli_command *command) {
    printf("usage: slottar %s %s\n\n%s.\n", command->name, command->arguments, command->summary);
    if (command->text) printf("\n%s", command->text);
    puts("\nflags:");
    list_flags(command->flags);
    list_flags(cli_common_flags);
}
