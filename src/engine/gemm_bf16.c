// Matrix products in bf16: which kernel runs. The choice depends on the build, the processor and
// what Linux permits only.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/gemm.h"
#include "engine/gemm_kernel.h"

const slt_gemm_kernel *const slt_gemm_bf16_kernels[] = {
#if defined(__x86_64__) && !defined(SLT_DOUBLE)
    &slt_gemm_amx,
#elif defined(__aarch64__) && !defined(SLT_DOUBLE)
    &slt_gemm_bfmmla,
#endif
    &slt_gemm_bf16_plain, NULL};

const slt_gemm_kernel *slt_gemm_bf16_chosen(void) {
    const slt_gemm_kernel *const *kernel = slt_gemm_bf16_kernels;
    while (!slt_gemm_works(*kernel)) kernel++;
    return *kernel;
}

bool slt_gemm_bf16_works(void) { return slt_gemm_bf16_chosen() != &slt_gemm_bf16_plain; }

void slt_gemm_bf16(const slt_gemm_kernel *kernel, bool transpose_a, bool transpose_b, int m, int n,
                   int k, const slt_real *a, int lda, const slt_real *b, int ldb, bool add,
                   slt_real *c, int ldc) {
    slt_product product = {transpose_a, transpose_b, add, m, n, k, a, b, c, lda, ldb, ldc};
    if (m > 0 && n > 0 && k > 0)
        kernel->multiply(&product);
    else // an empty sum is zero in any precision
        slt_gemm(transpose_a, transpose_b, m, n, k, a, lda, b, ldb, add, c, ldc);
}

void slt_gemm_bf16_pack(const slt_gemm_kernel *kernel, bool transpose_b, int n, int k,
                        const slt_real *b, int ldb, slt_real *packed) {
    slt_product product = {.transpose_b = transpose_b, .n = n, .k = k, .b = b, .ldb = ldb};
    if (n > 0) kernel->pack(&product, packed);
}

void slt_gemm_bf16_packed(const slt_gemm_kernel *kernel, int m, int n, int k, const slt_real *a,
                          int lda, const slt_real *packed, bool add, slt_real *c, int ldc) {
    slt_product product = {false, false, add, m, n, k, a, packed, c, lda, n, ldc};
    if (m > 0 && n > 0) kernel->multiply_packed(&product);
}
