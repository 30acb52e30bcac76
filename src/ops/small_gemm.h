// Products of small matrices (single heads of attention), in registers: tiles of 4 rows by 16
// columns. b and c have rows of a multiple of 16 numbers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_SMALL_GEMM_H
#define SLT_OPS_SMALL_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include "engine/real.h"

enum { SLT_TILE_ROWS = 4, SLT_TILE = 16 };
static inline int slt_tiled(int n) { return (n + SLT_TILE - 1) / SLT_TILE * SLT_TILE; }

// one tile: c[4][16] (+)= Σ_k a[row·rs + k·cs]·b[k][16]; only `rows` rows are written
static inline void slt_small_tile(slt_real *c, int ldc, const slt_real *a, int rs, int cs,
                                  const slt_real *b, int ldb, int rows, int k, bool add) {
    slt_real sum[SLT_TILE_ROWS][SLT_TILE] = {{0}};
    int r1 = rows > 1 ? rs : 0, r2 = rows > 2 ? 2 * rs : 0, r3 = rows > 3 ? 3 * rs : 0;
    for (int i = 0; i < k; i++) {
        const slt_real *restrict row = b + (size_t)i * (size_t)ldb;
        const slt_real *at = a + (size_t)i * (size_t)cs;
        slt_real a0 = at[0], a1 = at[r1], a2 = at[r2], a3 = at[r3];
        for (int j = 0; j < SLT_TILE; j++) {
            sum[0][j] += a0 * row[j];
            sum[1][j] += a1 * row[j];
            sum[2][j] += a2 * row[j];
            sum[3][j] += a3 * row[j];
        }
    }
    for (int r = 0; r < rows; r++)
        for (int j = 0; j < SLT_TILE; j++) {
            slt_real *to = c + (size_t)r * (size_t)ldc + j;
            *to = add ? *to + sum[r][j] : sum[r][j];
        }
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
