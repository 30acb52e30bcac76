// What matrix products are made of inside: the product as one record, and the ways to compute it.
//
// All kernels of fp32 but BLAS add in the same order: k is cut into blocks of SLT_GEMM_DEPTH, an
// element of c is a chain over the steps of a block that starts with the first product, and blocks
// are added one after the other. So neither tiles nor packing show in the result: all kernels that
// multiply and add in one rounding give the same bits on every machine, and so do those that round
// twice. In bf16 the order is that of the processor's instructions; it depends on k alone.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_GEMM_KERNEL_H
#define SLT_ENGINE_GEMM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include "engine/gemm.h"

enum { SLT_GEMM_DEPTH = 256 };

// c (m,n) (+)= op(a) (m,k) · op(b) (k,n), rows lda, ldb, ldc numbers apart; m, n and k are positive
typedef struct slt_product {
    bool transpose_a, transpose_b, add;
    int m, n, k;
    const slt_real *a, *b;
    slt_real *c;
    int lda, ldb, ldc;
} slt_product;

typedef enum slt_sums { SLT_SUMS_FUSED, SLT_SUMS_ROUNDED, SLT_SUMS_OTHER } slt_sums;
typedef enum slt_needs {
    SLT_NEEDS_NOTHING,
    SLT_NEEDS_AVX2,
    SLT_NEEDS_AVX512,
    SLT_NEEDS_AMX,
    SLT_NEEDS_ARM_BF16,
    SLT_NEEDS_COMPILER, // a newer one: the kernel is empty
    SLT_NEEDS
} slt_needs;

struct slt_gemm_kernel {
    const char *name;
    slt_needs needs; // of the processor
    slt_sums sums;   // how it multiplies and adds
    void (*multiply)(const slt_product *product);
    // op(b) laid out once; then c (+)= a·op(b) with that as b, where a is not turned
    void (*pack)(const slt_product *product, slt_real *packed);
    void (*multiply_packed)(const slt_product *product);
};

extern const slt_gemm_kernel slt_gemm_avx512, slt_gemm_avx2, slt_gemm_sse, slt_gemm_neon,
    slt_gemm_blas, slt_gemm_plain;
// with factors that are rounded to bf16, and sums in fp32; the old c is the first term of a sum
extern const slt_gemm_kernel slt_gemm_amx, slt_gemm_bfmmla, slt_gemm_bf16_plain;

// for kernels that need no panels: op(b) as rows of n numbers
void slt_gemm_copy(const slt_product *product, slt_real *packed);

// all that were compiled, best first, then NULL
extern const slt_gemm_kernel *const slt_gemm_kernels[], *const slt_gemm_bf16_kernels[];

bool slt_gemm_works(const slt_gemm_kernel *kernel); // on this processor
const slt_gemm_kernel *slt_gemm_chosen(void);       // what slt_gemm runs

#endif
