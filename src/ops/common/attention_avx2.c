// Heads of attention for x86 with AVX2: vectors of 8.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#if defined(__x86_64__) && !defined(SLT_DOUBLE)

#include <immintrin.h>
enum { LANES = 8, ROWS = 6, TILE_ROWS = 6, LOW = 3, GROUP = 2 };
#define VECTORS    2
#define MOST(a, b) _mm256_max_ps((__m256)(a), (__m256)(b))
#include "ops/common/attention_tiles.h"

const slt_head_kernel slt_head_avx2 = {LANES, forward_head, backward_head};

#endif
