// What the relaxed samples of CompILE share: Gumbel noise, softmax over a stretch of numbers, the
// stretch of a trajectory in which a boundary may lie, and the oracle's gate.
// (Maddison, Mnih, Teh: The concrete distribution, 2017)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_RELAXED_H
#define SLT_OPS_RELAXED_H

#include "ops/common/op_tools.h"

#define SLT_TINY ((slt_real)1e-17) // the reference's guard of logarithms

// standard Gumbel noise from a number of [0,1)
static inline slt_real slt_gumbel(slt_real u) { return -slt_log(SLT_TINY - slt_log(u + SLT_TINY)); }

// p = softmax(p), in place
static inline void slt_softmax_here(slt_real *p, int count) {
    slt_real most = p[0], sum = 0;
    for (int i = 1; i < count; i++) most = p[i] > most ? p[i] : most;
    for (int i = 0; i < count; i++) sum += p[i] = slt_exp(p[i] - most);
    for (int i = 0; i < count; i++) p[i] /= sum;
}

// the lowest place of the largest number
static inline int slt_arg_most(const slt_real *x, int count) {
    int best = 0;
    for (int i = 1; i < count; i++)
        if (x[i] > x[best]) best = i;
    return best;
}

// positions of trajectory b that count: all that are computed, or the true ones
static inline int slt_stretch_end(const slt_batch *batch, int b, bool include) {
    int computed = slt_batch_computed(batch, b);
    return include ? computed : slt_min(batch->length[b], computed);
}

// does slot row r = b·K + k belong to the first counts[b] segments?
static inline bool slt_gate(const int32_t *counts, int row, int K) {
    return row % K < counts[row / K];
}

// w and Σ qw of -entropy's derivative: for Σ q(log(q+ε) - prior), dq = w, with w below
static inline slt_real slt_entropy_slope(slt_real q, slt_real prior) {
    return slt_log(q + SLT_TINY) - prior + q / (q + SLT_TINY);
}

#endif
