// Products of small matrices (single heads of attention), in registers: tiles of 8 rows by 8
// columns. b and c have rows of a multiple of 8 numbers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_SMALL_GEMM_H
#define SLT_OPS_SMALL_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include "ops/vecmath.h"

enum { SLT_TILE_ROWS = 8, SLT_TILE = 8 };
static inline int slt_tiled(int n) { return (n + SLT_TILE - 1) / SLT_TILE * SLT_TILE; }

static inline void slt_four_put(slt_real *to, slt_four four, bool add) {
    if (add) four += slt_four_at(to);
    memcpy(to, &four, sizeof four);
}

// row r of a tile: two vectors
#define SLT_TILE_EACH(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7)
#define SLT_TILE_START(r)                                                                          \
    const slt_real *a##r = a + (rows > r ? r * rs : 0);                                            \
    slt_four left##r = {0}, right##r = {0};
#define SLT_TILE_STEP(r)                                                                           \
    left##r += *a##r * left;                                                                       \
    right##r += *a##r * right;                                                                     \
    a##r += cs;
#define SLT_TILE_PUT(r)                                                                            \
    if (rows > r) {                                                                                \
        slt_four_put(c + r * (size_t)ldc, left##r, add);                                           \
        slt_four_put(c + r * (size_t)ldc + 4, right##r, add);                                      \
    }

// one tile: c[8][8] (+)= Σ_k a[row·rs + k·cs]·b[k][8]; only `rows` rows are written
static inline void slt_small_tile(slt_real *c, int ldc, const slt_real *a, int rs, int cs,
                                  const slt_real *b, int ldb, int rows, int k, bool add) {
    SLT_TILE_EACH(SLT_TILE_START)
    for (int i = 0; i < k; i++, b += ldb) {
        slt_four left = slt_four_at(b), right = slt_four_at(b + 4);
        SLT_TILE_EACH(SLT_TILE_STEP)
    }
    SLT_TILE_EACH(SLT_TILE_PUT)
}

// c (m,n) (+)= a (m,k)·b (k,n), a[i][j] at a[i·rs + j·cs]; n is a multiple of 8
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
