// Products in plain C: what the other kernels compute, in words that need no vectors.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/gemm_kernel.h"

#include <math.h>

// the order of sums is a promise: where the processor fuses, say so instead of hoping for the
// compiler
#if defined(__aarch64__) || defined(__FMA__)
#ifdef SLT_DOUBLE
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#else
#define MULTIPLY_ADD(a, b, c) fmaf(a, b, c)
#endif
#define SUMS SLT_SUMS_FUSED
#else
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#define SUMS                  SLT_SUMS_ROUNDED
#endif

enum { COLUMNS = 64 };

static inline int smaller(int a, int b) { return a < b ? a : b; }

// c[columns] (+)= Σ over k of a[k·a_step]·b[k·b_step + j·b_across]
static void multiply_row(slt_real *c, int columns, bool add, int k, const slt_real *a,
                         size_t a_step, const slt_real *b, size_t b_step, size_t b_across) {
    slt_real sum[COLUMNS];
    for (int j = 0; j < columns; j++) sum[j] = *a * b[(size_t)j * b_across];
    for (int p = 1; p < k; p++) {
        a += a_step, b += b_step;
        for (int j = 0; j < columns; j++)
            sum[j] = MULTIPLY_ADD(*a, b[(size_t)j * b_across], sum[j]);
    }
    for (int j = 0; j < columns; j++) c[j] = add ? c[j] + sum[j] : sum[j];
}

static void multiply(const slt_product *x) {
    size_t lda = (size_t)x->lda, ldb = (size_t)x->ldb;
    size_t a_down = x->transpose_a ? 1 : lda, a_step = x->transpose_a ? lda : 1;
    size_t b_across = x->transpose_b ? ldb : 1, b_step = x->transpose_b ? 1 : ldb;
    for (int p = 0; p < x->k; p += SLT_GEMM_DEPTH)
        for (int j = 0; j < x->n; j += COLUMNS)
            for (int i = 0; i < x->m; i++)
                multiply_row(x->c + (size_t)i * (size_t)x->ldc + j, smaller(x->n - j, COLUMNS),
                             x->add || p > 0, smaller(x->k - p, SLT_GEMM_DEPTH),
                             x->a + (size_t)i * a_down + (size_t)p * a_step, a_step,
                             x->b + (size_t)p * b_step + (size_t)j * b_across, b_step, b_across);
}

void slt_gemm_copy(const slt_product *x, slt_real *packed) {
    size_t ldb = (size_t)x->ldb, n = (size_t)x->n;
    size_t across = x->transpose_b ? ldb : 1, step = x->transpose_b ? 1 : ldb;
    for (size_t p = 0; p < (size_t)x->k; p++)
        for (size_t j = 0; j < n; j++) packed[p * n + j] = x->b[p * step + j * across];
}

static void multiply_packed(const slt_product *x) {
    slt_product rows = *x;
    rows.transpose_b = false;
    rows.ldb = x->n;
    multiply(&rows);
}

const slt_gemm_kernel slt_gemm_plain = {"plain",  SLT_NEEDS_NOTHING, SUMS,
                                        multiply, slt_gemm_copy,     multiply_packed};
