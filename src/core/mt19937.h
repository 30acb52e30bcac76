// MT19937, the generator of numpy's RandomState and Python's random (Matsumoto and Nishimura
// 1998, DOI 10.1145/272991.272995), with the seedings and bounded draws of both: whoever uses the
// same calls in the same order gets the same numbers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_MT19937_H
#define SLT_CORE_MT19937_H

#include <stdint.h>

enum { SLT_MT19937_WORDS = 624 };

// a plain struct: a copy is a snapshot
typedef struct {
    uint32_t word[SLT_MT19937_WORDS];
    uint32_t next; // first word that is not handed out; SLT_MT19937_WORDS: make a new block
} slt_mt19937;

// numpy's RandomState(seed)
void slt_mt19937_seed(slt_mt19937 *random, uint32_t seed);
// Python's random.seed(integer) and numpy's RandomState([words]): least significant word first,
// count >= 1
void slt_mt19937_seed_words(slt_mt19937 *random, const uint32_t *words, int count);

// 32 random bits
uint32_t slt_mt19937_next(slt_mt19937 *random);
// 0..n-1 as numpy's RandomState.randint(n): low bits under a mask, drawn again while too large;
// no draw for n = 1
uint32_t slt_mt19937_below(slt_mt19937 *random, uint32_t n);
// 0..n-1 as Python's random.choice of n things: the top bits, drawn again while too large; draws
// for n = 1 too
uint32_t slt_mt19937_pybelow(slt_mt19937 *random, uint32_t n);

#endif
