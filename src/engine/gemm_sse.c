// Products for any 64-bit x86: tiles of 4 x 8 in 8 of 16 registers.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#if defined(__x86_64__) && !defined(SLT_DOUBLE)

enum { LANES = 4, ROWS = 4, STEPS = 1 };
#define VECTORS 2
#include "engine/gemm_tiles.h"

#ifdef __FMA__ // the whole library was built for a newer processor
#define SUMS SLT_SUMS_FUSED
#else
#define SUMS SLT_SUMS_ROUNDED
#endif

const slt_gemm_kernel slt_gemm_sse = {"sse", SLT_NEEDS_NOTHING, SUMS, multiply,
                                      pack,  multiply_packed};

#endif
