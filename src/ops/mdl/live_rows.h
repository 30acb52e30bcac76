// The live rows of one trajectory, as the operations on them read them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_LIVE_ROWS_H
#define SLT_OPS_LIVE_ROWS_H

#include "ops/common/op_tools.h"

typedef struct {
    int first, count;
    const slt_real *list; // of the first one
} slt_live;

static inline slt_live slt_live_at(const slt_real *list, const slt_real *range, int b) {
    int first = (int)range[2 * b];
    return (slt_live){first, (int)range[2 * b + 1], list + 2 * (size_t)first};
}
static inline int slt_live_token(const slt_live *live, int i) { return (int)live->list[2 * i]; }
static inline int slt_live_slot(const slt_live *live, int i) { return (int)live->list[2 * i + 1]; }

#endif
