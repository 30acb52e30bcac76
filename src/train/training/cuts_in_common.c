// Two opinions on where episodes are cut, as one number.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/training/doubt.h"

double slt_cuts_in_common(const uint8_t *x, const uint8_t *y, size_t steps) {
    size_t both = 0, all = 0;
    for (size_t i = 0; i < steps; i++) {
        both += x[i] & y[i];
        all += (size_t)x[i] + y[i];
    }
    return all ? 2 * (double)both / (double)all : 1;
}
