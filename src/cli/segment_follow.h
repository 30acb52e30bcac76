// slottar segment RUN --follow: steps as JSON lines in, what is known with each of them out.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_SEGMENT_FOLLOW_H
#define SLT_CLI_SEGMENT_FOLLOW_H

#include "cli.h"

int cli_follow(cli_call *call);

#endif
