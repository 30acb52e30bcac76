// slottar info RUN, where members vote.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef CLI_INFO_VOTE_H
#define CLI_INFO_VOTE_H

#include "commands.h"

int cli_show_vote(cli_call *call, const char *path);

#endif
