// Heads of attention for x86 with AVX-512: vectors of 16.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#if defined(__x86_64__) && !defined(SLT_DOUBLE)

enum { LANES = 16, ROWS = 8 };
#define VECTORS 2
#include "ops/common/attention_tiles.h"

const slt_head_kernel slt_head_avx512 = {LANES, forward_head, backward_head};

#endif
