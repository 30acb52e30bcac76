// Signals that ask a long command to save and stop.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_SIGNALS_H
#define SLT_CLI_SIGNALS_H

#include "slottar/context.h"

// SIGINT, SIGTERM and SIGUSR1 cancel the context; a second SIGINT kills at once
void cli_catch_signals(slt_context *context);
// the exit code that belongs to the signal that came: 75 or 130; 0: none
int cli_caught_signal(void);

#endif
