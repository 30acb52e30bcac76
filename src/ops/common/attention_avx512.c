// Heads of attention for x86 with AVX-512: vectors of 16.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#if defined(__x86_64__) && !defined(SLT_DOUBLE)

#include <immintrin.h>
enum { LANES = 16, ROWS = 6, TILE_ROWS = 8, LOW = 4, GROUP = 4 };
#define VECTORS    4
#define MOST(a, b) _mm512_max_ps((__m512)(a), (__m512)(b))
#include "ops/common/attention_tiles.h"

const slt_head_kernel slt_head_avx512 = {LANES, forward_head, backward_head};

#endif
