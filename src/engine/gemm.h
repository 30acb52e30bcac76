// Matrix products: the only calls to BLAS, always by one thread.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_GEMM_H
#define SLT_ENGINE_GEMM_H

#include <stdbool.h>
#include "engine/real.h"

// c (m,n) = op(a) (m,k) · op(b) (k,n), added to c where `add`; rows are lda, ldb, ldc numbers apart
void slt_gemm(bool transpose_a, bool transpose_b, int m, int n, int k, const slt_real *a, int lda,
              const slt_real *b, int ldb, bool add, slt_real *c, int ldc);

#endif
