// Completion for zsh: a call of _arguments per command.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "complete.h"

static void print_text(const char *text) { cli_print_quoted(text, "[]:\\", "'\\''"); }

// ":NAME:(words)", ":NAME:_files" or ":NAME: "
static void print_value(const char *place) {
    printf(":");
    print_text(place);
    if (cli_has_words(place)) {
        printf(":(");
        cli_print_words(place, " ", "");
        printf(")");
    } else
        printf(":%s", cli_takes_file(place) ? "_files" : " ");
}

static void print_flags(const cli_flag *flags) {
    for (; flags && flags->name; flags++) {
        const char *more = flags->argument ? "=" : "";
        printf(" \\\n            ");
        if (flags->letter)
            printf("'(-%c --%s)'{-%c%s,--%s%s}'[", flags->letter, flags->name, flags->letter,
                   flags->argument ? "+" : "", flags->name, more);
        else
            printf("'--%s%s[", flags->name, more);
        print_text(flags->help);
        printf("]");
        if (flags->argument) print_value(flags->argument);
        printf("'");
    }
}

// the first argument has names, all may be files or key=value
static void print_plain(const cli_command *command) {
    bool many = cli_takes_many(command->arguments);
    if (cli_has_words(command->arguments)) {
        printf(" \\\n            '%s:argument:{compadd --", many ? "*" : "1");
        cli_print_words(command->arguments, " ", "");
        printf("%s}'", cli_takes_file(command->arguments) ? "; _files" : "");
        if (many) return;
    }
    printf(" \\\n            '*:argument:{_files");
    if (command->settings) {
        printf("; compadd -S \"\" --");
        cli_print_keys(command, " ", "");
    }
    printf("}'");
}

static void print_command(const cli_command *command) {
    printf("    %s)\n        _arguments", command->name);
    print_flags(command->flags);
    print_flags(cli_common_flags);
    if (command->most != 0) print_plain(command);
    puts(" ;;");
}

void cli_complete_zsh(void) {
    puts("#compdef slottar\n_slottar() {\n    local -a names\n    names=(");
    for (int i = 0; cli_commands[i]; i++) {
        printf("        '%s:", cli_commands[i]->name);
        cli_print_quoted(cli_commands[i]->summary, "", "'\\''");
        puts("'");
    }
    puts("    )\n    if ((CURRENT == 2)); then _describe command names; return; fi\n"
         "    local name=$words[2]\n    shift words\n    ((CURRENT--))\n    case $name in");
    for (int i = 0; cli_commands[i]; i++) print_command(cli_commands[i]);
    // a file of $fpath is the function's body; else it was read by eval
    puts("    esac\n}\nif [ \"$funcstack[1]\" = _slottar ]; then _slottar \"$@\"; else compdef "
         "_slottar slottar; fi");
}
