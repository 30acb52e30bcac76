// Philox4x32-10: random numbers without a state. A word is a function of a key (seed, purpose) and
// a counter (index, step), so any number can be drawn by any thread, rank or device.
// (Salmon et al., Parallel random numbers: as easy as 1, 2, 3. doi:10.1145/2063384.2063405)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_PHILOX_H
#define SLT_CORE_PHILOX_H

#include <stdint.h>
#include "core/host_device.h"

// what the numbers are for; appended, never renumbered
typedef enum {
    SLT_RANDOM_INIT,
    SLT_RANDOM_SHUFFLE,
    SLT_RANDOM_SLOT_NOISE,
    SLT_RANDOM_GUMBEL,
    SLT_RANDOM_LATENT,
    SLT_RANDOM_HALTING,
    SLT_RANDOM_COMPANIONS,
    SLT_RANDOM_POLICY,
    SLT_RANDOM_COLLECT,
    SLT_RANDOM_TEST,
    SLT_RANDOM_MEMBERS,
    SLT_RANDOM_SWEEP,
    SLT_RANDOM_REPORT,
    SLT_RANDOM_CHAIN,
    SLT_RANDOM_DROPOUT,
    SLT_RANDOM_TYPES,
} slt_random_purpose;

typedef struct {
    uint32_t word[4];
} slt_words;

SLT_HOST_DEVICE slt_words slt_philox(uint32_t key0, uint32_t key1, slt_words counter) {
    for (int round = 0; round < 10; round++) {
        uint64_t p0 = (uint64_t)0xD2511F53u * counter.word[0];
        uint64_t p1 = (uint64_t)0xCD9E8D57u * counter.word[2];
        slt_words next = {{(uint32_t)(p1 >> 32) ^ counter.word[1] ^ key0, (uint32_t)p1,
                           (uint32_t)(p0 >> 32) ^ counter.word[3] ^ key1, (uint32_t)p0}};
        counter = next;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    return counter;
}

// four words of the stream (seed, purpose) at place (index, step)
SLT_HOST_DEVICE slt_words slt_random_words(uint64_t seed, slt_random_purpose purpose,
                                           uint64_t index, uint32_t step) {
    slt_words counter = {{(uint32_t)index, (uint32_t)(index >> 32), step, (uint32_t)purpose}};
    return slt_philox((uint32_t)seed, (uint32_t)(seed >> 32), counter);
}

// [0,1) with 24 bits: the same number on every device
SLT_HOST_DEVICE float slt_random_unit(uint32_t word) { return (float)(word >> 8) * 0x1p-24f; }

#endif
