// Widths of rows for which there are fused launches: each has kernels of its own.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FUSED_WIDTHS_H
#define SLT_CUDA_FUSED_WIDTHS_H

#include <stdbool.h>

#define SLT_FUSED_WIDTHS(X) X(64) X(96) X(128)
enum { SLT_FUSED_WIDEST = 128 };

static inline bool slt_is_fused_width(int width) {
#define SLT_IS_WIDTH(W) width == (W) ||
    return SLT_FUSED_WIDTHS(SLT_IS_WIDTH) false;
#undef SLT_IS_WIDTH
}

#define SLT_NO_FUSED_WIDTH "rows are not of 64, 96 or 128 numbers"

#endif
