// MT19937: seeding, blocks of 624 words, tempering, bounded draws.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/mt19937.h"

enum { N = SLT_MT19937_WORDS, M = 397 };

void slt_mt19937_seed(slt_mt19937 *random, uint32_t seed) {
    uint32_t *s = random->word;
    s[0] = seed;
    for (uint32_t i = 1; i < N; i++) s[i] = 1812433253u * (s[i - 1] ^ (s[i - 1] >> 30)) + i;
    random->next = N;
}

// the next place to mix, with the wrap of the first word
static int move_on(uint32_t *s, int i) {
    if (++i < N) return i;
    s[0] = s[N - 1];
    return 1;
}

void slt_mt19937_seed_words(slt_mt19937 *random, const uint32_t *words, int count) {
    uint32_t *s = random->word;
    slt_mt19937_seed(random, 19650218u);

    // mix the key in, as often as it is long but at least once through the block
    int i = 1, j = 0;
    for (int round = count > N ? count : N; round > 0; round--) {
        s[i] = (s[i] ^ ((s[i - 1] ^ (s[i - 1] >> 30)) * 1664525u)) + words[j] + (uint32_t)j;
        i = move_on(s, i);
        if (++j == count) j = 0;
    }
    for (int round = N - 1; round > 0; round--) {
        s[i] = (s[i] ^ ((s[i - 1] ^ (s[i - 1] >> 30)) * 1566083941u)) - (uint32_t)i;
        i = move_on(s, i);
    }
    s[0] = 0x80000000u;
}

static uint32_t twist(uint32_t high, uint32_t low, uint32_t other) {
    uint32_t mixed = (high & 0x80000000u) | (low & 0x7fffffffu);
    return other ^ (mixed >> 1) ^ (-(low & 1u) & 0x9908b0dfu);
}

static void make_block(slt_mt19937 *random) {
    uint32_t *s = random->word;
    for (int i = 0; i < N - M; i++) s[i] = twist(s[i], s[i + 1], s[i + M]);
    for (int i = N - M; i < N - 1; i++) s[i] = twist(s[i], s[i + 1], s[i + M - N]);
    s[N - 1] = twist(s[N - 1], s[0], s[M - 1]);
    random->next = 0;
}

uint32_t slt_mt19937_next(slt_mt19937 *random) {
    if (random->next >= N) make_block(random);
    uint32_t y = random->word[random->next++];
    y ^= y >> 11;
    y ^= (y << 7) & 0x9d2c5680u;
    y ^= (y << 15) & 0xefc60000u;
    return y ^ (y >> 18);
}

// number of bits that n > 0 needs
static int bit_length(uint32_t n) { return 32 - __builtin_clz(n); }

uint32_t slt_mt19937_below(slt_mt19937 *random, uint32_t n) {
    uint32_t largest = n - 1;
    if (largest == 0) return 0;
    uint32_t mask = 0xffffffffu >> (32 - bit_length(largest)), drawn;
    do drawn = slt_mt19937_next(random) & mask;
    while (drawn > largest);
    return drawn;
}

uint32_t slt_mt19937_pybelow(slt_mt19937 *random, uint32_t n) {
    int unused = 32 - bit_length(n);
    uint32_t drawn;
    do drawn = slt_mt19937_next(random) >> unused;
    while (drawn >= n);
    return drawn;
}
