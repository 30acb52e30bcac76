// PCG64 seeded by NumPy's SeedSequence, bit for bit as numpy.random.default_rng(seed) draws.
//
// A 128-bit linear congruential generator with the XSL-RR output of 64 bits (M. E. O'Neill, "PCG: a
// family of simple fast space-efficient statistically good algorithms for random number
// generation", 2014). A draw of 32 bits takes the low half of an output and keeps the high half for
// the next such draw; draws of 64 bits leave the kept half alone.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_PCG64_H
#define SLT_CORE_PCG64_H

#include <stdbool.h>
#include <stdint.h>

// 128-bit numbers are kept as halves, so that the struct asks for no more than 8-byte alignment
typedef struct {
    uint64_t state_high, state_low;
    uint64_t increment_high, increment_low; // odd
    uint32_t kept;                          // the upper half of an output, where has_kept
    uint32_t has_kept;
} slt_pcg64;

// a seed of any size, least significant word first, count >= 1, stirred into four words
void slt_seed_pool(const uint32_t *words, int count, uint32_t pool[4]);
// eight words from the pool, in the order in which the generator takes them
void slt_seed_words(const uint32_t pool[4], uint32_t words[8]);

void slt_pcg64_seed(slt_pcg64 *rng, const uint32_t *words, int count);
uint64_t slt_pcg64_next64(slt_pcg64 *rng);
uint32_t slt_pcg64_next32(slt_pcg64 *rng);

// uniform in [low, high), high > low; a range of one value draws nothing
int64_t slt_pcg64_between(slt_pcg64 *rng, int64_t low, int64_t high);
// uniform in [0, 1)
double slt_pcg64_double(slt_pcg64 *rng);
// shuffles in place; a permutation of n is the shuffle of 0..n-1
void slt_pcg64_shuffle(slt_pcg64 *rng, int64_t *items, uint32_t count);

#endif
