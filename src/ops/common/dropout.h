// Which numbers dropout keeps: the same on CPU and device.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_DROPOUT_H
#define SLT_OPS_DROPOUT_H

#include "core/philox.h"

enum { SLT_DROPOUT_SPACE, SLT_DROPOUT_PLACE }; // attributes

// number of a row: position l of slot k (0 where rows are tokens) of place b in the unsorted batch
SLT_HOST_DEVICE uint64_t slt_dropout_row(int b, int slots, int k, int length, int l) {
    return ((uint64_t)b * (uint64_t)slots + (uint64_t)k) * (uint64_t)length + (uint64_t)l;
}

// 0, or 1/(1-rate): four numbers of a row come from one counter
SLT_HOST_DEVICE float slt_dropout_factor(uint64_t seed, uint32_t step, float rate, int place,
                                         uint64_t row, int width, int c) {
    if (rate <= 0) return 1;
    uint64_t index = row * (uint64_t)((width + 3) / 4) + (uint64_t)(c / 4);
    slt_words words =
        slt_random_words(seed, SLT_RANDOM_DROPOUT, index | (uint64_t)place << 48, step);
    return slt_random_unit(words.word[c % 4]) < rate ? 0 : 1 / (1 - rate);
}

#endif
