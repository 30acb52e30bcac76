// What kernels of matrix products need of the processor, and whether it has that.
//
// AMX is asked for at Linux: a process may use tiles after it was permitted to, for all of its
// threads; to ask again does no harm. Where the kernel is too old, a sandbox forbids the call, or a
// thread has a signal stack that is too small for tiles, the answer is no.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/gemm_kernel.h"

#ifdef __x86_64__

#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static bool has_avx512(void) { return __builtin_cpu_supports("avx512f"); }

// vectors that round to bf16
static bool has_rounding(void) {
    return has_avx512() && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512bf16");
}

// tiles, and products of them in bf16
static bool has_tiles(void) {
    enum { AMX_BF16 = 1 << 22, AMX_TILE = 1 << 24, BOTH = AMX_BF16 | AMX_TILE };
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & BOTH) == BOTH;
}

static bool permit_tiles(void) {
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 }; // ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA
    return syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}

static bool has_amx(void) { return has_rounding() && has_tiles() && permit_tiles(); }

#elif defined(__aarch64__)

#include <sys/auxv.h>

static bool has_arm_bf16(void) {
    const unsigned long bf16 = 1ul << 14; // HWCAP2_BF16
    return getauxval(AT_HWCAP2) & bf16;
}

#endif

bool slt_gemm_works(const slt_gemm_kernel *kernel) {
    static bool (*const has[SLT_NEEDS])(void) = {
#ifdef __x86_64__
        [SLT_NEEDS_AVX2] = has_avx2,
        [SLT_NEEDS_AVX512] = has_avx512,
        [SLT_NEEDS_AMX] = has_amx,
#elif defined(__aarch64__)
        [SLT_NEEDS_ARM_BF16] = has_arm_bf16,
#endif
    };
    return kernel->needs == SLT_NEEDS_NOTHING || (has[kernel->needs] && has[kernel->needs]());
}
