// slottar completion SHELL: prints a completion script made from the command tables.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "commands.h"

static void print_flags(const cli_flag *flags, const char *separator) {
    for (; flags && flags->name; flags++) printf("--%s%s", flags->name, separator);
}

static void print_names(const char *separator) {
    for (int i = 0; cli_commands[i]; i++) printf("%s%s", cli_commands[i]->name, separator);
}

static void bash(void) {
    puts("_slottar() {\n    local word=${COMP_WORDS[COMP_CWORD]} words");
    printf("    if [ \"$COMP_CWORD\" = 1 ]; then words=\"");
    print_names(" ");
    puts("\"\n    else case ${COMP_WORDS[1]} in");
    for (int i = 0; cli_commands[i]; i++) {
        printf("        %s) words=\"", cli_commands[i]->name);
        print_flags(cli_commands[i]->flags, " ");
        print_flags(cli_common_flags, " ");
        puts("\" ;;");
    }
    puts("    esac; fi\n    COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
         "    [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- \"$word\"))\n}\n"
         "complete -o filenames -F _slottar slottar");
}

static void zsh(void) {
    puts("#compdef slottar\nautoload -U +X bashcompinit && bashcompinit");
    bash();
}

static void fish_flags(const char *command, const cli_flag *flags) {
    for (; flags && flags->name; flags++)
        printf("complete -c slottar -n '__fish_seen_subcommand_from %s' -l %s -d '%s'%s\n", command,
               flags->name, flags->help, flags->argument ? " -r" : "");
}

static void fish(void) {
    for (int i = 0; cli_commands[i]; i++) {
        const cli_command *command = cli_commands[i];
        printf("complete -c slottar -n __fish_use_subcommand -a %s -d '%s'\n", command->name,
               command->summary);
        fish_flags(command->name, command->flags);
        fish_flags(command->name, cli_common_flags);
    }
}

static int run(cli_call *call) {
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {{"bash", bash}, {"zsh", zsh}, {"fish", fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, call->arguments[0]) == 0) return shells[i].print(), CLI_DONE;
    return cli_misuse(call, "no shell '%s': bash, zsh or fish", call->arguments[0]);
}

const cli_command cli_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .summary = "prints a completion script for a shell",
    .text = "  eval \"$(slottar completion bash)\"     in ~/.bashrc\n",
    .least = 1,
    .most = 1,
    .run = run,
};
