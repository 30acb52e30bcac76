// Products for x86 with AVX2 and FMA: tiles of 6 x 16 in 12 of 16 registers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#if defined(__x86_64__) && !defined(SLT_DOUBLE)

enum { LANES = 8, ROWS = 6, STEPS = 4 };
#define VECTORS 2
#include "engine/gemm_tiles.h"

const slt_gemm_kernel slt_gemm_avx2 = {"avx2",   SLT_NEEDS_AVX2, SLT_SUMS_FUSED,
                                       multiply, pack,           multiply_packed};

#endif
