// tanh and the logistic function for the gates of a recurrence: one division and nine multiply-adds
// without branches, within 3e-7 of the truth (3.5e-7 where a multiply-add rounds twice).
// tanh x = x·P(x²)/Q(x²) on [-8,8] (relative error of the fraction 6e-9, a least-squares fit of our
// own), constant beyond; σ(x) = ½ + ½tanh(x/2). The double build calls the C library.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_GATES_H
#define SLT_OPS_GATES_H

#include "ops/common/vecmath.h"

#ifdef SLT_DOUBLE

static inline double slt_gate_tanh(double x) { return tanh(x); }
static inline double slt_gate_sigmoid(double x) { return slt_sigmoid(x); }

#else

// x within ±8, in whatever form the compiler makes two instructions of; what is no number may be
// lost
static inline float slt_gate_clamp(float x) {
#ifdef __aarch64__
    return fmaxf(fminf(x, 8.0f), -8.0f);
#else
    x = x < 8.0f ? x : 8.0f;
    return x > -8.0f ? x : -8.0f;
#endif
}

static inline float slt_gate_tanh(float any) {
    float x = slt_gate_clamp(any), s = x * x;
    float p = 1.52305049e-8f;
    p = p * s + 2.18947262e-5f;
    p = p * s + 3.57160205e-3f;
    p = p * s + 1.34445012e-1f;
    p = p * s + 1.0f;
    float q = 8.52248263e-7f;
    q = q * s + 3.41129838e-4f;
    q = q * s + 2.61644591e-2f;
    q = q * s + 4.67778295e-1f;
    q = q * s + 1.0f;
    return x * p / q + 0 * any; // NaN and infinity come out as NaN
}

static inline float slt_gate_sigmoid(float x) { return 0.5f + 0.5f * slt_gate_tanh(0.5f * x); }

#endif
#endif
