// Products in bf16 for x86 with AVX512-BF16: tiles of 16 x 48, half of which is in 24 of 32
// registers. An instruction adds the products of 16 pairs to 16 sums.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#if defined(__x86_64__) && !defined(SLT_DOUBLE)

#include <string.h>
#include "engine/gemm_kernel.h"

#if defined(__AVX512BF16__) || defined(DOT_PAIRS)

enum { HIGH = 1, WIDE = 3 };
#include "engine/gemm_pairs.h"

// sum + a·b; tests have one for processors without the instruction
#ifndef DOT_PAIRS
#define DOT_PAIRS(sum, a, b) _mm512_dpbf16_ps(sum, (__m512bh)(a), (__m512bh)(b))
#endif

enum { HALF = SIDE / 2 };

#define EACH_ROW    UNROLL for (int r = 0; r < HALF; r++)
#define EACH_VECTOR UNROLL for (int v = 0; v < vectors; v++)

// one pair of every row and column
INLINE void add_pairs(const int vectors, __m512 sum[HALF][WIDE], const bf16 *left,
                      const bf16 *right, size_t next_right) {
    __m512i b[WIDE];
    EACH_VECTOR b[v] = _mm512_loadu_si512(right + (size_t)v * next_right);
    EACH_ROW {
        int pair;
        memcpy(&pair, left + r * DEEP, sizeof pair);
        __m512i a = _mm512_set1_epi32(pair);
        EACH_VECTOR sum[r][v] = DOT_PAIRS(sum[r][v], a, b[v]);
    }
}

// half of a tile's rows
INLINE void multiply_half(const tile *x, const int vectors, float *c, const bf16 *left) {
    __m512 sum[HALF][WIDE];
    const bf16 *right = x->right;
    EACH_ROW EACH_VECTOR sum[r][v] =
        x->add ? _mm512_loadu_ps(c + (size_t)r * x->ldc + v * SIDE) : _mm512_setzero_ps();
    for (int p = 0; p < x->k; p += DEEP, left += SIDE * DEEP, right += SIDE * DEEP)
        for (int q = 0; q < SIDE; q++)
            add_pairs(vectors, sum, left + 2 * q, right + q * DEEP, x->next_right);
    EACH_ROW EACH_VECTOR _mm512_storeu_ps(c + (size_t)r * x->ldc + v * SIDE, sum[r][v]);
}

INLINE void multiply_halves(const tile *x, const int vectors) {
    multiply_half(x, vectors, x->c, x->left);
    if (x->rows > HALF) multiply_half(x, vectors, x->c + HALF * x->ldc, x->left + HALF * DEEP);
}

static void multiply_tile(const tile *x) {
    if (x->columns > 2 * SIDE)
        multiply_halves(x, 3);
    else if (x->columns > SIDE)
        multiply_halves(x, 2);
    else
        multiply_halves(x, 1);
}

const slt_gemm_kernel slt_gemm_avx512bf16 = {
    "avx512bf16", SLT_NEEDS_AVX512BF16, SLT_SUMS_OTHER, multiply, pack, multiply_packed};

#else
const slt_gemm_kernel slt_gemm_avx512bf16 = {"avx512bf16", SLT_NEEDS_COMPILER};
#endif

#endif
