// Completion for bash: a case per command, in it a case per flag that takes a value.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "complete.h"

// names: words for a plain argument; keys: key=value; files: may it be a file, too?
static const char head[] =
    "_slottar() {\n"
    "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
    "    local flags= names= keys= files=yes\n"
    "    # bash takes --flag=value for three words\n"
    "    [ \"$before\" != = ] || before=${COMP_WORDS[COMP_CWORD - 2]}\n"
    "    [ \"$word\" != = ] || word=\n"
    "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
    "        names=\"--help --version";

static const char tail[] =
    "    esac; fi\n"
    "    case $word in -*) names=$flags files= keys= ;; esac\n"
    "    mapfile -t COMPREPLY < <(compgen -W \"$names\" -- \"$word\"\n"
    "                             [ -z \"$files\" ] || compgen -f -- \"$word\")\n"
    "    if [ ${#COMPREPLY[@]} -gt 0 ] || [ -z \"$word\" ]; then\n"
    "        [ -z \"$files\" ] || compopt -o filenames 2>/dev/null\n"
    "    else\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$keys\" -- \"$word\")\n"
    "        compopt -o nospace 2>/dev/null\n"
    "    fi\n"
    "}\n"
    "complete -F _slottar slottar";

static void print_flags(const cli_flag *flags) {
    for (; flags && flags->name; flags++) printf(" --%s", flags->name);
}

// after a flag with a value only its value may stand
static void print_values(const cli_flag *flags) {
    for (; flags && flags->name; flags++) {
        if (!flags->argument) continue;
        printf("        --%s", flags->name);
        if (flags->letter) printf("|-%c", flags->letter);
        printf(") flags= keys= names=\"");
        cli_print_words(flags->argument, " ", "");
        printf("\" files=%s ;;\n", cli_takes_file(flags->argument) ? "yes" : "");
    }
}

static void print_command(const cli_command *command) {
    printf("    %s)\n        flags=\"", command->name);
    print_flags(command->flags);
    print_flags(cli_common_flags);
    printf("\" keys=\"");
    cli_print_keys(command, " ", "");
    puts("\"");
    if (cli_has_words(command->arguments)) {
        // the first argument, or all where there may be many
        bool many = cli_takes_many(command->arguments);
        printf("        %snames=\"", many ? "" : "[ \"$COMP_CWORD\" != 2 ] || ");
        cli_print_words(command->arguments, " ", "");
        puts("\"");
        if (!cli_takes_file(command->arguments))
            printf("        %sfiles=\n", many ? "" : "[ \"$COMP_CWORD\" != 2 ] || ");
    }
    puts("        case $before in");
    print_values(command->flags);
    print_values(cli_common_flags);
    puts("        esac ;;");
}

void cli_complete_bash(void) {
    fputs(head, stdout);
    for (int i = 0; cli_commands[i]; i++) printf(" %s", cli_commands[i]->name);
    puts("\" files=\n        flags=$names\n    else case ${COMP_WORDS[1]} in");
    for (int i = 0; cli_commands[i]; i++) print_command(cli_commands[i]);
    puts(tail);
}
