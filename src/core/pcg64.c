// SeedSequence, PCG64, bounded integers, doubles and shuffles as NumPy draws them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/pcg64.h"

__extension__ typedef unsigned __int128 wide;

static const uint64_t multiplier_high = 0x2360ED051FC65DA4, multiplier_low = 0x4385DF649FCCF645;

static wide join(uint64_t high, uint64_t low) { return (wide)high << 64 | low; }

// hashes a word with a constant that moves on with every call
static uint32_t stir(uint32_t value, uint32_t *running, uint32_t factor) {
    value ^= *running;
    *running *= factor;
    value *= *running;
    return value ^ value >> 16;
}

static uint32_t mix(uint32_t x, uint32_t y) {
    uint32_t value = 0xca01f9ddu * x - 0x4973f715u * y;
    return value ^ value >> 16;
}

void slt_seed_pool(const uint32_t *words, int count, uint32_t pool[4]) {
    uint32_t running = 0x43b0d7e5;
    const uint32_t factor = 0x931e8875;
    for (int i = 0; i < 4; i++) pool[i] = stir(i < count ? words[i] : 0, &running, factor);

    // every word of the pool into every other
    for (int from = 0; from < 4; from++)
        for (int to = 0; to < 4; to++)
            if (from != to) pool[to] = mix(pool[to], stir(pool[from], &running, factor));

    // what did not fit
    for (int i = 4; i < count; i++)
        for (int to = 0; to < 4; to++) pool[to] = mix(pool[to], stir(words[i], &running, factor));
}

void slt_seed_words(const uint32_t pool[4], uint32_t words[8]) {
    uint32_t running = 0x8b51f9dd;
    for (int i = 0; i < 8; i++) words[i] = stir(pool[i % 4], &running, 0x58f38ded);
}

static void advance(slt_pcg64 *rng) {
    wide state = join(rng->state_high, rng->state_low) * join(multiplier_high, multiplier_low) +
                 join(rng->increment_high, rng->increment_low);
    rng->state_high = (uint64_t)(state >> 64);
    rng->state_low = (uint64_t)state;
}

void slt_pcg64_seed(slt_pcg64 *rng, const uint32_t *words, int count) {
    uint32_t pool[4], seed[8];
    slt_seed_pool(words, count, pool);
    slt_seed_words(pool, seed);
    uint64_t quad[4];
    for (int i = 0; i < 4; i++) quad[i] = seed[2 * i] | (uint64_t)seed[2 * i + 1] << 32;

    wide increment = join(quad[2], quad[3]) << 1 | 1;
    wide state = increment + join(quad[0], quad[1]); // one step from zero, then the initial state
    *rng = (slt_pcg64){(uint64_t)(state >> 64),
                       (uint64_t)state,
                       (uint64_t)(increment >> 64),
                       (uint64_t)increment,
                       0,
                       0};
    advance(rng);
}

uint64_t slt_pcg64_next64(slt_pcg64 *rng) {
    advance(rng);
    uint64_t folded = rng->state_high ^ rng->state_low;
    unsigned turn = (unsigned)(rng->state_high >> 58);
    return folded >> turn | folded << (-turn & 63);
}

uint32_t slt_pcg64_next32(slt_pcg64 *rng) {
    rng->has_kept = !rng->has_kept;
    if (!rng->has_kept) return rng->kept;
    uint64_t output = slt_pcg64_next64(rng);
    rng->kept = (uint32_t)(output >> 32);
    return (uint32_t)output;
}

// multiply and shift; the few products that would favour small values are drawn again
static uint32_t below32(slt_pcg64 *rng, uint32_t last) {
    uint32_t n = last + 1;
    uint64_t product = (uint64_t)slt_pcg64_next32(rng) * n;
    if ((uint32_t)product < n) {
        uint32_t threshold = (UINT32_MAX - last) % n;
        while ((uint32_t)product < threshold) product = (uint64_t)slt_pcg64_next32(rng) * n;
    }
    return (uint32_t)(product >> 32);
}

static uint64_t below64(slt_pcg64 *rng, uint64_t last) {
    uint64_t n = last + 1;
    wide product = (wide)slt_pcg64_next64(rng) * n;
    if ((uint64_t)product < n) {
        uint64_t threshold = (UINT64_MAX - last) % n;
        while ((uint64_t)product < threshold) product = (wide)slt_pcg64_next64(rng) * n;
    }
    return (uint64_t)(product >> 64);
}

int64_t slt_pcg64_between(slt_pcg64 *rng, int64_t low, int64_t high) {
    uint64_t last = (uint64_t)high - (uint64_t)low - 1, offset;
    if (last == 0) return low;
    if (last < UINT32_MAX)
        offset = below32(rng, (uint32_t)last);
    else if (last == UINT32_MAX)
        offset = slt_pcg64_next32(rng);
    else
        offset = last == UINT64_MAX ? slt_pcg64_next64(rng) : below64(rng, last);
    return (int64_t)((uint64_t)low + offset);
}

double slt_pcg64_double(slt_pcg64 *rng) { return (double)(slt_pcg64_next64(rng) >> 11) * 0x1p-53; }

// shuffles draw by masked rejection, not by the scheme of slt_pcg64_between
static uint32_t up_to(slt_pcg64 *rng, uint32_t last) {
    uint32_t mask = UINT32_MAX >> __builtin_clz(last), value;
    do value = slt_pcg64_next32(rng) & mask;
    while (value > last);
    return value;
}

void slt_pcg64_shuffle(slt_pcg64 *rng, int64_t *items, uint32_t count) {
    for (uint32_t i = count; i-- > 1;) {
        uint32_t j = up_to(rng, i);
        int64_t kept = items[i];
        items[i] = items[j];
        items[j] = kept;
    }
}
