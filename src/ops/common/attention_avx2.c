// Heads of attention for x86 with AVX2: vectors of 8.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#if defined(__x86_64__) && !defined(SLT_DOUBLE)

enum { LANES = 8, ROWS = 6 };
#define VECTORS 2
#include "ops/common/attention_tiles.h"

const slt_head_kernel slt_head_avx2 = {LANES, forward_head, backward_head};

#endif
