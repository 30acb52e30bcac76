// The peak of a core: independent multiply-adds that never leave the registers, as many as hide the
// latency of all pipes. Pairs of vectors turn around each other, a += f·b, b -= f·a, so nothing can
// be moved out of the loop, merged (every pair starts elsewhere) or grow without bound. The widest
// vectors that the processor has are chosen at run time, as BLAS does it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/peak.h"

// pairs and the factor fill the vector registers: 16 of them, or 32
#define PAIRS_7(X)  X(0) X(1) X(2) X(3) X(4) X(5) X(6)
#define PAIRS_15(X) PAIRS_7(X) X(7) X(8) X(9) X(10) X(11) X(12) X(13) X(14)

#define START(i)  vec a##i = (vec){0} + (1 + 0.01f * (i)), b##i = -a##i;
#define FIRST(i)  a##i += factor * b##i;
#define SECOND(i) b##i -= factor * a##i;
#define SUM(i)    all += a##i + b##i;

#define DEFINE_PEAK(name, attribute, bytes, pairs, count)                                          \
    attribute static double name(long rounds, volatile float *sink) {                              \
        typedef float vec __attribute__((vector_size(bytes)));                                     \
        *sink = 0.5f;                                                                              \
        vec factor = (vec){0} + *sink, all = {0};                                                  \
        pairs(START);                                                                              \
        for (long i = 0; i < rounds; i++) {                                                        \
            pairs(FIRST);                                                                          \
            pairs(SECOND);                                                                         \
        }                                                                                          \
        pairs(SUM);                                                                                \
        for (unsigned i = 0; i < sizeof(vec) / sizeof(float); i++) *sink += all[i];                \
        return 2.0 * 2.0 * (count) * (double)(sizeof(vec) / sizeof(float)) * (double)rounds;       \
    }

#if defined(__x86_64__)

DEFINE_PEAK(peak_sse, , 16, PAIRS_7, 7)
DEFINE_PEAK(peak_avx2, __attribute__((target("avx2,fma"))), 32, PAIRS_7, 7)
DEFINE_PEAK(peak_avx512, __attribute__((target("avx512f,fma"))), 64, PAIRS_15, 15)

double slt_peak_flops(long rounds, volatile float *sink) {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return peak_avx512(rounds, sink);
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return peak_avx2(rounds, sink);
    return peak_sse(rounds, sink);
}

#else

DEFINE_PEAK(peak_plain, , 16, PAIRS_15, 15)

double slt_peak_flops(long rounds, volatile float *sink) { return peak_plain(rounds, sink); }

#endif
