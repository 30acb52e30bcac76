// Segments of a trajectory for the terminal: a character per step, the vote below it, and the
// answers of its modes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_SHOW_SEGMENTS_H
#define SLT_CLI_SHOW_SEGMENTS_H

#include <stdio.h>
#include "slottar/model.h"

typedef struct {
    bool colour, unicode;
    int width; // columns; 0: no bound
} cli_terminal;

// what standard output can show
cli_terminal cli_terminal_now(void);

void cli_show_segments(FILE *out, const cli_terminal *terminal, slt_dataset *data,
                       const slt_segments *segments);

#endif
