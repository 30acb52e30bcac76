// Products for x86 with AVX-512: tiles of 8 x 48 in 24 of 32 registers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#if defined(__x86_64__) && !defined(SLT_DOUBLE)

enum { LANES = 16, ROWS = 8, STEPS = 4 };
#define VECTORS 3
#include "engine/gemm_tiles.h"

const slt_gemm_kernel slt_gemm_avx512 = {"avx512", SLT_NEEDS_AVX512, SLT_SUMS_FUSED, multiply,
                                         pack,     multiply_packed};

#endif
