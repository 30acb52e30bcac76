// Matrix products through CBLAS.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/gemm.h"

#include <cblas.h>
#include <string.h>

#ifdef SLT_DOUBLE
#define GEMM cblas_dgemm
#else
#define GEMM cblas_sgemm
#endif

void slt_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const slt_real *a, int lda,
              const slt_real *b, int ldb, bool add, slt_real *c, int ldc) {
    if (m == 0 || n == 0) return;
    if (k == 0) {
        for (int i = 0; i < m && !add; i++) memset(c + (long)i * ldc, 0, (size_t)n * sizeof *c);
        return;
    }
    GEMM(CblasRowMajor, transpose_a ? CblasTrans : CblasNoTrans,
         transpose_b ? CblasTrans : CblasNoTrans, m, n, k, 1, a, lda, b, ldb, add ? 1 : 0, c, ldc);
}
