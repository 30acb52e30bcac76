// Completion for fish: a line per command, flag and list of words.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "complete.h"

static void print_text(const char *text) {
    printf(" -d '");
    cli_print_quoted(text, "\\", "\\'");
    printf("'");
}

static void print_words(const char *place) {
    printf(" -a '");
    cli_print_words(place, "", " ");
    printf("'");
}

static void print_flag(const char *command, const cli_flag *flag) {
    printf("complete -c slottar -n '__slottar_is %s' -l %s", command, flag->name);
    if (flag->letter) printf(" -s %c", flag->letter);
    print_text(flag->help);
    // -r: a value, which may be a file; -x: a value that is none
    if (flag->argument) printf(cli_takes_file(flag->argument) ? " -r -F" : " -x");
    if (flag->argument && cli_has_words(flag->argument)) print_words(flag->argument);
    putchar('\n');
}

static void print_command(const cli_command *command) {
    printf("complete -c slottar -n __slottar_is_first -f -a %s", command->name);
    print_text(command->summary);
    putchar('\n');
    for (const cli_flag *flag = command->flags; flag && flag->name; flag++)
        print_flag(command->name, flag);
    for (const cli_flag *flag = cli_common_flags; flag->name; flag++)
        print_flag(command->name, flag);
    if (cli_has_words(command->arguments)) {
        bool files = cli_takes_file(command->arguments) || command->most != 1;
        printf("complete -c slottar -n '__slottar_is %s'%s", command->name, files ? "" : " -f");
        print_words(command->arguments);
        putchar('\n');
    }
    if (!command->settings) return;
    printf("complete -c slottar -n '__slottar_is %s' -a '", command->name);
    cli_print_keys(command, "", " ");
    puts("'");
}

void cli_complete_fish(void) {
    puts("function __slottar_is_first\n    test (count (commandline -opc)) = 1\nend\n"
         "function __slottar_is\n    set -l words (commandline -opc)\n"
         "    test (count $words) -gt 1; and test $words[2] = $argv[1]\nend\n"
         "complete -c slottar -n __slottar_is_first -f -l help -d 'the commands'\n"
         "complete -c slottar -n __slottar_is_first -f -l version -d 'the version'");
    for (int i = 0; cli_commands[i]; i++) print_command(cli_commands[i]);
}
