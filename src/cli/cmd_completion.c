// slottar completion SHELL: prints a completion script made from the command tables.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "commands.h"
#include "complete.h"

static int run(cli_call *call) {
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = {
        {"bash", cli_complete_bash}, {"zsh", cli_complete_zsh}, {"fish", cli_complete_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (strcmp(shells[i].name, call->arguments[0]) == 0) return shells[i].print(), CLI_DONE;
    return cli_misuse(call, "no shell '%s': bash, zsh or fish", call->arguments[0]);
}

const cli_command cli_completion = {
    .name = "completion",
    .arguments = "bash|zsh|fish",
    .summary = "prints a completion script for a shell",
    .text = "Installed, slottar has its completions already (docs/install.md). Else:\n\n"
            "  eval \"$(slottar completion bash)\"     in ~/.bashrc\n"
            "  eval \"$(slottar completion zsh)\"      in ~/.zshrc, after compinit\n"
            "  slottar completion fish | source      in ~/.config/fish/config.fish\n",
    .least = 1,
    .most = 1,
    .run = run,
};
