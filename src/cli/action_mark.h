// One character per action, for time lines.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CLI_ACTION_MARK_H
#define SLT_CLI_ACTION_MARK_H

#include "slottar/dataset.h"

// the action's first letter, a capital where an action before it has the same; a digit when the
// data set names no actions, '*' when they are continuous
char cli_action_mark(const slt_dataset_info *info, const slt_episode *episode, int64_t step);

#endif
