// The factors of a product in bf16 for AMX. A piece is 16 rows of op(a), or columns of op(b), and
// 32 steps of k, two of which make a pair: 16 x 16 words of 32 bits, a KB. In one of op(a) a line
// holds the pairs of a row, in one of op(b) it holds one pair of every column; AMX calls that a
// tile.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_GEMM_PAIRS_H
#define SLT_ENGINE_GEMM_PAIRS_H

#include <immintrin.h>

enum { SIDE = 16, DEEP = 2 * SIDE, LEFT = SIDE, RIGHT = SIDE };

#include "engine/gemm_bf16_tiles.h"

// 32 numbers in bf16; tests have one for processors without the instruction
#ifndef ROUND_NUMBERS
#define ROUND_NUMBERS(low, high) ((__m512i)_mm512_cvtne2ps_pbh(high, low))
#endif

#define EACH_LINE UNROLL for (int i = 0; i < SIDE; i++)

// the first n of 16 numbers
INLINE __mmask16 mask_of(int n) {
    return (__mmask16)((1u << (n < 0 ? 0 : n > SIDE ? SIDE : n)) - 1);
}

// lines of rows whose steps are neighbours in memory
INLINE void load_rows(__m512i line[SIDE], factor in, int count, int k) {
    EACH_LINE {
        const float *row = in.at + (size_t)smaller(i, count - 1) * in.across;
        int here = i < count ? k : 0;
        __m512 low = _mm512_maskz_loadu_ps(mask_of(here), row);
        __m512 high = _mm512_maskz_loadu_ps(mask_of(here - SIDE), row + SIDE);
        line[i] = ROUND_NUMBERS(low, high);
    }
}

INLINE __m512 load_step(factor in, int count, int p, int k) {
    const float *step = in.at + (size_t)smaller(p, k - 1) * in.along;
    return _mm512_maskz_loadu_ps(mask_of(p < k ? count : 0), step);
}

// lines of pairs, from steps that are rows in memory
INLINE void load_steps(__m512i line[SIDE], factor in, int count, int k) {
    const __m512i zip = _mm512_set_epi16(31, 15, 30, 14, 29, 13, 28, 12, 27, 11, 26, 10, 25, 9, 24,
                                         8, 23, 7, 22, 6, 21, 5, 20, 4, 19, 3, 18, 2, 17, 1, 16, 0);
    EACH_LINE {
        __m512 even = load_step(in, count, 2 * i, k), odd = load_step(in, count, 2 * i + 1, k);
        line[i] = _mm512_permutexvar_epi16(zip, ROUND_NUMBERS(even, odd));
    }
}

// 16 x 16 words: first inside every square of four, then the squares
INLINE void transpose_lines(__m512i line[SIDE]) {
    __m512i half[SIDE];
    UNROLL for (int i = 0; i < SIDE; i += 2) {
        half[i] = _mm512_unpacklo_epi32(line[i], line[i + 1]);
        half[i + 1] = _mm512_unpackhi_epi32(line[i], line[i + 1]);
    }
    UNROLL for (int i = 0; i < SIDE; i += 4) UNROLL for (int h = 0; h < 2; h++) {
        line[i + 2 * h] = _mm512_unpacklo_epi64(half[i + h], half[i + h + 2]);
        line[i + 2 * h + 1] = _mm512_unpackhi_epi64(half[i + h], half[i + h + 2]);
    }
    UNROLL for (int i = 0; i < 4; i++) UNROLL for (int h = 0; h < 2; h++) {
        half[i + 8 * h] = _mm512_shuffle_i32x4(line[8 * h + i], line[8 * h + i + 4], 0x88);
        half[i + 8 * h + 4] = _mm512_shuffle_i32x4(line[8 * h + i], line[8 * h + i + 4], 0xdd);
    }
    UNROLL for (int i = 0; i < 8; i++) {
        line[i] = _mm512_shuffle_i32x4(half[i], half[i + 8], 0x88);
        line[i + 8] = _mm512_shuffle_i32x4(half[i], half[i + 8], 0xdd);
    }
}

// a piece; `pairs`: its lines hold pairs, not rows
INLINE void store_piece(bf16 *out, factor in, const bool pairs, int count, int k) {
    __m512i line[SIDE];
    bool steps = in.across == 1;
    if (steps)
        load_steps(line, in, count, k);
    else
        load_rows(line, in, count, k);
    if (steps != pairs) transpose_lines(line);
    EACH_LINE _mm512_storeu_si512(out + i * DEEP, line[i]);
}

INLINE void pack_pairs(bf16 *out, factor in, const bool pairs, int count, int k) {
    if (count == SIDE && k == DEEP)
        store_piece(out, in, pairs, SIDE, DEEP); // nothing to mask
    else
        store_piece(out, in, pairs, count, k);
}

INLINE void pack_left(bf16 *out, factor in, int count, int k) {
    pack_pairs(out, in, false, count, k);
}
INLINE void pack_right(bf16 *out, factor in, int count, int k) {
    pack_pairs(out, in, true, count, k);
}

#endif
