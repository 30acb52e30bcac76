// Products of small matrices (single heads of attention), in registers: tiles of 4 rows by 16
// columns. b and c have rows of a multiple of 16 numbers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_SMALL_GEMM_H
#define SLT_OPS_SMALL_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include "ops/vecmath.h"

enum { SLT_TILE_ROWS = 4, SLT_TILE = 16 };
static inline int slt_tiled(int n) { return (n + SLT_TILE - 1) / SLT_TILE * SLT_TILE; }

static inline void slt_four_put(slt_real *to, slt_four four, bool add) {
    if (add) four += slt_four_at(to);
    memcpy(to, &four, sizeof four);
}

// one tile: c[4][16] (+)= Σ_k a[row·rs + k·cs]·b[k][16]; only `rows` rows are written
static inline void slt_small_tile(slt_real *c, int ldc, const slt_real *a, int rs, int cs,
                                  const slt_real *b, int ldb, int rows, int k, bool add) {
    slt_four s00 = {0}, s01 = {0}, s02 = {0}, s03 = {0}, s10 = {0}, s11 = {0}, s12 = {0}, s13 = {0};
    slt_four s20 = {0}, s21 = {0}, s22 = {0}, s23 = {0}, s30 = {0}, s31 = {0}, s32 = {0}, s33 = {0};
    const slt_real *a0 = a, *a1 = a + (rows > 1 ? rs : 0), *a2 = a + (rows > 2 ? 2 * rs : 0);
    const slt_real *a3 = a + (rows > 3 ? 3 * rs : 0);
    for (int i = 0; i < k; i++, b += ldb, a0 += cs, a1 += cs, a2 += cs, a3 += cs) {
        slt_four b0 = slt_four_at(b), b1 = slt_four_at(b + 4);
        slt_four b2 = slt_four_at(b + 8), b3 = slt_four_at(b + 12);
        s00 += *a0 * b0, s01 += *a0 * b1, s02 += *a0 * b2, s03 += *a0 * b3;
        s10 += *a1 * b0, s11 += *a1 * b1, s12 += *a1 * b2, s13 += *a1 * b3;
        s20 += *a2 * b0, s21 += *a2 * b1, s22 += *a2 * b2, s23 += *a2 * b3;
        s30 += *a3 * b0, s31 += *a3 * b1, s32 += *a3 * b2, s33 += *a3 * b3;
    }
    const slt_four *sums[SLT_TILE_ROWS][4] = {{&s00, &s01, &s02, &s03},
                                              {&s10, &s11, &s12, &s13},
                                              {&s20, &s21, &s22, &s23},
                                              {&s30, &s31, &s32, &s33}};
    for (int r = 0; r < rows; r++, c += ldc)
        for (int j = 0; j < 4; j++) slt_four_put(c + 4 * j, *sums[r][j], add);
}

// c (m,n) (+)= a (m,k)·b (k,n), a[i][j] at a[i·rs + j·cs]; n is a multiple of 16
static inline void slt_small_gemm(slt_real *c, int ldc, const slt_real *a, int rs, int cs,
                                  const slt_real *b, int ldb, int m, int n, int k, bool add) {
    for (int j = 0; j < n; j += SLT_TILE)
        for (int i = 0; i < m; i += SLT_TILE_ROWS) {
            int rows = m - i < SLT_TILE_ROWS ? m - i : SLT_TILE_ROWS;
            slt_small_tile(c + (size_t)i * (size_t)ldc + j, ldc, a + (size_t)i * (size_t)rs, rs, cs,
                           b + j, ldb, rows, k, add);
        }
}

#endif
