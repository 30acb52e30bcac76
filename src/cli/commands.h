// The list of commands: a row here and a file cmd_NAME.c make a command.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_COMMANDS_H
#define SLT_CLI_COMMANDS_H

#include "cli.h"

// clang-format off
#define CLI_COMMANDS(X)                                                                            \
    X(envs)                                                                                        \
    X(train_expert)                                                                                \
    X(collect)                                                                                     \
    X(train)                                                                                       \
    X(sweep)                                                                                       \
    X(reproduce)                                                                                   \
    X(eval)                                                                                        \
    X(segment)                                                                                     \
    X(skills)                                                                                      \
    X(report)                                                                                      \
    X(play)                                                                                        \
    X(info)                                                                                        \
    X(convert)                                                                                     \
    X(bench)                                                                                       \
    X(verify)                                                                                      \
    X(completion)                                                                                 \
    X(manual)
// clang-format on

#define CLI_DECLARE(name) extern const cli_command cli_##name;
CLI_COMMANDS(CLI_DECLARE)
#undef CLI_DECLARE

#endif
