// Flags, a byte each, become bits, so that the few that are set are found without a branch for
// every other one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SKILLS_FLAG_BITS_H
#define SLT_SKILLS_FLAG_BITS_H

#include <stdint.h>
#include <string.h>
#ifdef __aarch64__
#include <arm_neon.h>
#elif defined(__x86_64__)
#include <emmintrin.h>
#endif

enum { SLT_FLAGS = 64 };

// flags: 0 or 255, SLT_FLAGS of them
static inline uint64_t slt_flag_bits(const uint8_t *flags) {
#ifdef __aarch64__
    const uint8x16_t bit = {1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128};
    uint8x16_t bits[4];
    for (int k = 0; k < 4; k++) bits[k] = vandq_u8(vld1q_u8(flags + 16 * k), bit);
    // neighbours are added until a byte has the bits of eight flags
    uint8x16_t all = vpaddq_u8(vpaddq_u8(bits[0], bits[1]), vpaddq_u8(bits[2], bits[3]));
    return vgetq_lane_u64(vreinterpretq_u64_u8(vpaddq_u8(all, all)), 0);
#elif defined(__x86_64__)
    uint64_t bits = 0;
    for (int k = 0; k < SLT_FLAGS; k += 16) {
        __m128i some = _mm_loadu_si128((const __m128i *)(const void *)(flags + k));
        bits |= (uint64_t)(uint32_t)_mm_movemask_epi8(some) << k;
    }
    return bits;
#else
    uint64_t bits = 0, word;
    for (int k = 0; k < SLT_FLAGS; k += 8) {
        memcpy(&word, flags + k, sizeof word);
        bits |= (word & UINT64_C(0x0101010101010101)) * UINT64_C(0x0102040810204080) >> 56 << k;
    }
    return bits;
#endif
}

// Which of the bytes from i on, at most SLT_FLAGS, differ: bit k for byte i + k. Observations have
// `size` bytes; the last ones are compared together with some before them
static inline uint64_t slt_differences(const uint8_t *before, const uint8_t *after, int64_t i,
                                       int64_t size) {
    uint8_t same[SLT_FLAGS];
    uint64_t differ = 0;
    if (size < SLT_FLAGS) {
        for (int64_t k = 0; k < size; k++) differ |= (uint64_t)(before[k] != after[k]) << k;
        return differ;
    }
    int64_t known = i + SLT_FLAGS > size ? i + SLT_FLAGS - size : 0;
    before += i - known;
    after += i - known;
    for (int k = 0; k < SLT_FLAGS; k++) same[k] = before[k] == after[k] ? 255 : 0;
    return ~slt_flag_bits(same) >> known;
}

#endif
