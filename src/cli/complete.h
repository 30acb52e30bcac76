// Completion scripts: what may stand at a place of the command line, and a printer per shell.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_COMPLETE_H
#define SLT_CLI_COMPLETE_H

#include "cli.h"

// `place` is what the help calls a value: "SPLIT", "ENV|DATA", "bash|zsh|fish". What follows its
// first word is not looked at: "[RUN] DATA" is RUN.

// prints the words that may stand there, each between `before` and `after`
void cli_print_words(const char *place, const char *before, const char *after);
bool cli_has_words(const char *place);
bool cli_takes_file(const char *place);
bool cli_takes_many(const char *place); // "ENV..."
// prints the names of the options that a command takes, once each, as "key="
void cli_print_keys(const cli_command *command, const char *before, const char *after);
// prints a text with a backslash before each of the `special` characters and, between single
// quotes of a shell, with its own quotes as the shell wants them
void cli_print_quoted(const char *text, const char *special, const char *quote);

void cli_complete_bash(void);
void cli_complete_zsh(void);
void cli_complete_fish(void);

#endif
