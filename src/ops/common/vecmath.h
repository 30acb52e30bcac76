// exp, sigmoid and tanh as plain polynomials that the compiler turns into vectors. In float they
// are good to 1, 2.5 and 1.5 units in the last place; the double build calls the C library.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_VECMATH_H
#define SLT_OPS_VECMATH_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include "engine/real.h"

#ifdef SLT_DOUBLE

static inline double slt_exp(double x) { return exp(x); }
static inline double slt_exp_below(double x) { return exp(x); }
static inline double slt_log(double x) { return log(x); }
static inline double slt_sqrt(double x) { return sqrt(x); }
static inline double slt_tanh(double x) { return tanh(x); }

#else

// e^x = 2^n·e^r with |r| <= ln2/2, for x up to 88.37; below -87.3 it stays at 1e-38
static inline float slt_exp_below(float x) {
    x = x < -87.3f ? -87.3f : x;
    float n = rintf(x * 1.44269504f);
    n = n > 127 ? 127 : n; // a diverging run brings anything
    float r = x - n * 0.693359375f;
    r += n * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    int32_t whole = n == n ? (int32_t)n : 0; // of NaN any will do: p is NaN as well
    int32_t bits = (whole + 127) << 23;
    float scale;
    memcpy(&scale, &bits, sizeof scale);
    return p * scale;
}
// above 88.37 it stays at 2e38
static inline float slt_exp(float x) { return slt_exp_below(x > 88.37f ? 88.37f : x); }
static inline float slt_log(float x) { return logf(x); }
static inline float slt_sqrt(float x) { return sqrtf(x); }
// small arguments by an odd polynomial (interpolation at Chebyshev's points of [0, 0.6]), so that
// no digits cancel
static inline float slt_tanh(float x) {
    float s = x * x, p = -6.2691197e-3f;
    p = p * s + 2.1110959e-2f;
    p = p * s - 5.3873949e-2f;
    p = p * s + 1.3332915e-1f;
    p = p * s - 3.3333330e-1f;
    float small = x + x * s * p;
    float e = slt_exp(2 * fabsf(x));
    float large = copysignf(1 - 2 / (e + 1), x);
    return s < 0.36f ? small : large;
}

#endif

// sums in a fixed order with sixteen lanes, so that the compiler may use vectors
static inline slt_real slt_fold(const slt_real *lane) {
    slt_real four[4];
    for (int k = 0; k < 4; k++) four[k] = (lane[k] + lane[k + 4]) + (lane[k + 8] + lane[k + 12]);
    return (four[0] + four[1]) + (four[2] + four[3]);
}

static inline slt_real slt_sum(const slt_real *x, int count) {
    slt_real lane[16] = {0};
    int i = 0;
    for (; i + 16 <= count; i += 16)
        for (int k = 0; k < 16; k++) lane[k] += x[i + k];
    for (; i < count; i++) lane[0] += x[i];
    return slt_fold(lane);
}

static inline slt_real slt_dot(const slt_real *x, const slt_real *y, int count) {
    slt_real lane[16] = {0};
    int i = 0;
    for (; i + 16 <= count; i += 16)
        for (int k = 0; k < 16; k++) lane[k] += x[i + k] * y[i + k];
    for (; i < count; i++) lane[0] += x[i] * y[i];
    return slt_fold(lane);
}

static inline slt_real slt_sigmoid(slt_real x) { return 1 / (1 + slt_exp(-x)); }

#endif
