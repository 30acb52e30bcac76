// Flags, a byte each, become bits, so that the few that are set are found without a branch for
// every other one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SKILLS_FLAG_BITS_H
#define SLT_SKILLS_FLAG_BITS_H

#include <stdint.h>
#include <string.h>

enum { SLT_FLAGS = 64 };

// flags: 0 or 1, SLT_FLAGS of them
static inline uint64_t slt_flag_bits(const uint8_t *flags) {
    uint64_t bits = 0, word;
    for (int k = 0; k < SLT_FLAGS; k += 8) {
        memcpy(&word, flags + k, sizeof word);
        bits |= word * UINT64_C(0x0102040810204080) >> 56 << k;
    }
    return bits;
}

#endif
