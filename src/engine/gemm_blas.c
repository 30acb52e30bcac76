// Products through CBLAS, the only calls to it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/gemm_kernel.h"

#include <cblas.h>

#ifdef SLT_DOUBLE
#define GEMM cblas_dgemm
#else
#define GEMM cblas_sgemm
#endif

static void multiply(const slt_product *x) {
    GEMM(CblasRowMajor, x->transpose_a ? CblasTrans : CblasNoTrans,
         x->transpose_b ? CblasTrans : CblasNoTrans, x->m, x->n, x->k, 1, x->a, x->lda, x->b,
         x->ldb, x->add ? 1 : 0, x->c, x->ldc);
}

static void multiply_packed(const slt_product *x) {
    slt_product rows = *x;
    rows.transpose_b = false;
    rows.ldb = x->n;
    multiply(&rows);
}

const slt_gemm_kernel slt_gemm_blas = {"blas",   SLT_NEEDS_NOTHING, SLT_SUMS_OTHER,
                                       multiply, slt_gemm_copy,     multiply_packed};
