// Products for 64-bit ARM: tiles of 8 x 12 in 24 of 32 registers. Four units that multiply and add
// do a step of k in six cycles, so what a loop does next to it counts.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#if defined(__aarch64__) && !defined(SLT_DOUBLE)

enum { LANES = 4, ROWS = 8, STEPS = 4 };
#define VECTORS 3
#define LEFT_VECTORS
#include "engine/gemm_tiles.h"

const slt_gemm_kernel slt_gemm_neon = {"neon", SLT_NEEDS_NOTHING, SLT_SUMS_FUSED, multiply,
                                       pack,   multiply_packed};

#endif
