// Matrix products, always by one thread: the same arguments give the same bits. Threads share the
// work outside, by blocks of rows or columns whose borders depend on sizes only.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_GEMM_H
#define SLT_ENGINE_GEMM_H

#include <stdbool.h>
#include <stddef.h>
#include "engine/real.h"

typedef struct slt_gemm_kernel slt_gemm_kernel; // engine/gemm_kernel.h

// c (m,n) = op(a) (m,k) · op(b) (k,n), added to c where `add`; rows are lda, ldb, ldc numbers apart
void slt_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const slt_real *a, int lda,
              const slt_real *b, int ldb, bool add, slt_real *c, int ldc);

// The same bits for many products with one op(b) and few rows of a: op(b) is laid out once, in
// slt_gemm_packed_size numbers, as the processor wants to read it. m, n and k are positive.
size_t slt_gemm_packed_size(int n, int k);
void slt_gemm_pack(bool transpose_b, int n, int k, const slt_real *b, int ldb, slt_real *packed);
void slt_gemm_packed(int m, int n, int k, const slt_real *a, int lda, const slt_real *packed,
                     bool add, slt_real *c, int ldc);

// The same with both factors rounded to bf16, to nearest even, while they are laid out; sums are in
// fp32. An element of c depends on its row, its column and k alone, but not on m and n. A packed
// factor has at least SLT_GEMM_BF16_LEAST steps of k. The kernel is the chosen one, which is asked
// for rarely: the question may go to Linux.
enum { SLT_GEMM_BF16_LEAST = 32 };
const slt_gemm_kernel *slt_gemm_bf16_chosen(void);
bool slt_gemm_bf16_works(void); // this processor has instructions for it; without them it is slow
void slt_gemm_bf16(const slt_gemm_kernel *kernel, bool transpose_a, bool transpose_b, int m, int n,
                   int k, const slt_real *a, int lda, const slt_real *b, int ldb, bool add,
                   slt_real *c, int ldc);
void slt_gemm_bf16_pack(const slt_gemm_kernel *kernel, bool transpose_b, int n, int k,
                        const slt_real *b, int ldb, slt_real *packed);
void slt_gemm_bf16_packed(const slt_gemm_kernel *kernel, int m, int n, int k, const slt_real *a,
                          int lda, const slt_real *packed, bool add, slt_real *c, int ldc);

#endif
