// Products in bf16 in plain C: what the other kernels compute, number by number. For the tests; no
// processor is fast with it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/gemm_kernel.h"

#include <stdint.h>
#include <string.h>

// the nearest number in bf16, the upper half of a float; of two the even one
static inline slt_real rounded(slt_real value) {
    float x = (float)value;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x != x)
        bits |= 0x400000; // NaN stays NaN
    else
        bits += 0x7fff + (bits >> 16 & 1);
    bits &= 0xffff0000;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static void multiply(const slt_product *x) {
    size_t lda = (size_t)x->lda, ldb = (size_t)x->ldb;
    size_t a_down = x->transpose_a ? 1 : lda, a_step = x->transpose_a ? lda : 1;
    size_t b_across = x->transpose_b ? ldb : 1, b_step = x->transpose_b ? 1 : ldb;
    for (size_t i = 0; i < (size_t)x->m; i++)
        for (size_t j = 0; j < (size_t)x->n; j++) {
            const slt_real *a = x->a + i * a_down, *b = x->b + j * b_across;
            slt_real *c = x->c + i * (size_t)x->ldc + j, sum = x->add ? *c : 0;
            for (int p = 0; p < x->k; p++, a += a_step, b += b_step)
                sum += rounded(*a) * rounded(*b);
            *c = sum;
        }
}

static void multiply_packed(const slt_product *x) {
    slt_product rows = *x;
    rows.transpose_b = false;
    rows.ldb = x->n;
    multiply(&rows);
}

const slt_gemm_kernel slt_gemm_bf16_plain = {"plain",  SLT_NEEDS_NOTHING, SLT_SUMS_OTHER,
                                             multiply, slt_gemm_copy,     multiply_packed};
