// Discrete behaviour as the switching chains read it: the actions of all episodes, and symbols that
// a boundary may depend on.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_SYMBOLS_H
#define SLT_SWITCHING_SYMBOLS_H

#include "core/memory.h"
#include "slottar/dataset.h"

typedef struct {
    int64_t episodes, steps;
    const int64_t *offsets;    // [episodes+1]
    int A, Q;                  // actions; symbols: A, or 2A with effects
    uint16_t *action, *symbol; // [steps]
} slt_symbols;

// The given episodes, in that order, as A actions; the data set may name fewer. With effects a
// symbol also says whether the observation of the next step differs: action + A if it does. The
// last step is compared with the final observation; without one it counts as a change. INVALID when
// effects are asked of a data set without observations, or when actions are not discrete.
slt_status slt_symbols_read(slt_arena *arena, slt_dataset *data, int A, bool effects,
                            const int64_t *episodes, int64_t count, slt_symbols *out);

#endif
