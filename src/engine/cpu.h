// What vectors the processor has. Code that is compiled for several widths asks here which to run.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_CPU_H
#define SLT_ENGINE_CPU_H

typedef enum {
    SLT_CPU_BASE,  // as the build: NEON, or SSE2
    SLT_CPU_AVX2,  // with FMA
    SLT_CPU_AVX512 // F, VL, DQ and BW, and all of the above
} slt_cpu;

static inline slt_cpu slt_cpu_kind(void) {
#ifdef __x86_64__
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return SLT_CPU_BASE;
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw"))
        return SLT_CPU_AVX512;
    return SLT_CPU_AVX2;
#else
    return SLT_CPU_BASE;
#endif
}

#endif
