// Sizes of window_attention, and of what its backward writes: of a trajectory the gradients of the
// table [A][2d], the lags [H][W+1] and the queries [K][d].
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_WINDOW_LAYOUT_H
#define SLT_OPS_WINDOW_LAYOUT_H

#include <stddef.h>
#include <stdint.h>
#include "core/host_device.h"

enum { Q, TABLE, IDS, ENDS, LAGS, LIST, RANGE }; // inputs
enum { HEADS, SPACE };                           // attributes

// sizes of an application; W is the window, the start comes after it; e: channels of a head
typedef struct {
    int K, A, H, W, d, e;
} dims;

SLT_HOST_DEVICE size_t table_size(dims n) { return (size_t)n.A * 2 * (size_t)n.d; }
SLT_HOST_DEVICE size_t lags_size(dims n) { return (size_t)n.H * (size_t)(n.W + 1); }
SLT_HOST_DEVICE size_t partial_size(dims n) {
    return table_size(n) + lags_size(n) + (size_t)n.K * (size_t)n.d;
}

// ---- kernels: trajectories, then rows, then W numbers per token

// a trajectory has ds by slot [K][H][A] as well
SLT_HOST_DEVICE size_t trajectory_size(dims n) {
    return partial_size(n) + (size_t)n.K * (size_t)n.H * (size_t)n.A;
}
// of a live row and head: ds [W+1], w_j·δ_j [W], ds and w by symbol [A] each
SLT_HOST_DEVICE size_t row_size(dims n) { return 2 * (size_t)n.W + 1 + 2 * (size_t)n.A; }
SLT_HOST_DEVICE size_t slt_window_kernel_size(dims n, int trajectories, int rows, int tokens) {
    return (size_t)trajectories * trajectory_size(n) + (size_t)rows * (size_t)n.H * row_size(n) +
           (size_t)tokens * (size_t)n.W;
}

#endif
