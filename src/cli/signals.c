// Signals that ask a long command to save and stop.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "signals.h"

#include <signal.h>
#include <string.h>
#include "cli.h"

static slt_context *volatile target;
static volatile sig_atomic_t caught;

static void on_signal(int number) {
    caught = number;
    slt_context_cancel(target);
    if (number == SIGINT) signal(SIGINT, SIG_DFL);
}

void cli_catch_signals(slt_context *context) {
    target = context;
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGUSR1, &action, NULL);
}

int cli_caught_signal(void) {
    if (!caught) return 0;
    return caught == SIGINT ? CLI_INTERRUPTED : CLI_SAVED;
}
