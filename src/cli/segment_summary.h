// What was found, in a few lines: how many segments, how long, how sure.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_SEGMENT_SUMMARY_H
#define SLT_CLI_SEGMENT_SUMMARY_H

#include <stdio.h>
#include "slottar/model.h"

enum { CLI_LENGTHS = 65536 + 1, CLI_COUNTS = 64 }; // no model takes longer trajectories

typedef struct {
    int64_t episodes, segments, boundaries;
    int64_t lengths[CLI_LENGTHS]; // segments of that many steps; the last also takes longer ones
    int64_t counts[CLI_COUNTS];   // episodes of that many segments; likewise
    double confidence;            // sum over boundaries
    int64_t doubtful;             // boundaries below 0.5
    bool calibrated;              // of that confidence
} cli_tally;

void cli_tally_add(cli_tally *tally, const slt_segments *segments);
// restarts may be NULL: the model was there already
void cli_tally_print(FILE *out, const cli_tally *tally, const slt_restart_report *restarts,
                     const slt_trust *trust);

#endif
