// A run directory in words: what `slottar info` shows of it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_INFO_RUN_H
#define SLT_CLI_INFO_RUN_H

#include "cli.h"

int cli_show_run(cli_call *call, const char *path);

#endif
