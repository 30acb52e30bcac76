// Motion at a coarser time: how it goes in a window, not where it is at a step. Periodic motion is
// one behaviour over many periods; its steps are not.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_WINDOWS_H
#define SLT_SWITCHING_WINDOWS_H

#include "switching/motion.h"

// A row for every `hop` steps of an episode (the last row for those that are left, too): the mean
// and the log deviation of every number of the action over the `window` steps around them. The rows
// have no observations.
slt_status slt_motion_windows(slt_arena *arena, const slt_motion *motion, int hop, int window,
                              slt_motion *out);

// rows of an episode of so many steps, and the step after the last of a row
static inline int64_t slt_window_rows(int64_t steps, int hop) {
    return steps < 2 * hop ? steps > 0 : steps / hop;
}
static inline int64_t slt_window_end(int64_t row, int64_t steps, int hop) {
    return row + 1 < slt_window_rows(steps, hop) ? (row + 1) * hop : steps;
}

#endif
