// Matrix products: which kernel runs. The choice depends on the build and the processor only. CBLAS
// runs only where the build asks for it: a serial OpenBLAS promises nothing to callers with
// threads.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/gemm.h"

#include <string.h>
#include "engine/gemm_kernel.h"

const slt_gemm_kernel *const slt_gemm_kernels[] = {
#if defined(__x86_64__) && !defined(SLT_DOUBLE)
    &slt_gemm_avx512,
    &slt_gemm_avx2,
    &slt_gemm_sse,
#elif defined(__aarch64__) && !defined(SLT_DOUBLE)
    &slt_gemm_neon,
#endif
    &slt_gemm_plain,
#ifdef SLT_HAS_BLAS
    &slt_gemm_blas,
#endif
    NULL};

const slt_gemm_kernel *slt_gemm_chosen(void) {
#ifdef SLT_GEMM_BLAS
    return &slt_gemm_blas;
#else
    const slt_gemm_kernel *const *kernel = slt_gemm_kernels;
    while (!slt_gemm_works(*kernel)) kernel++;
    return *kernel;
#endif
}

void slt_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const slt_real *a, int lda,
              const slt_real *b, int ldb, bool add, slt_real *c, int ldc) {
    if (m == 0 || n == 0) return;
    if (k == 0) {
        for (int i = 0; i < m && !add; i++)
            memset(c + (size_t)i * (size_t)ldc, 0, (size_t)n * sizeof *c);
        return;
    }
    slt_product product = {transpose_a, transpose_b, add, m, n, k, a, b, c, lda, ldb, ldc};
    slt_gemm_chosen()->multiply(&product);
}

// a panel at the edge is as wide as whole vectors, of 16 numbers at most
size_t slt_gemm_packed_size(int n, int k) { return ((size_t)n + 15) / 16 * 16 * (size_t)k; }

void slt_gemm_pack(bool transpose_b, int n, int k, const slt_real *b, int ldb, slt_real *packed) {
    slt_product product = {.transpose_b = transpose_b, .n = n, .k = k, .b = b, .ldb = ldb};
    if (n > 0 && k > 0) slt_gemm_chosen()->pack(&product, packed);
}

void slt_gemm_packed(int m, int n, int k, const slt_real *a, int lda, const slt_real *packed,
                     bool add, slt_real *c, int ldc) {
    slt_product product = {false, false, add, m, n, k, a, packed, c, lda, n, ldc};
    if (m > 0 && n > 0 && k > 0) slt_gemm_chosen()->multiply_packed(&product);
}
