// Heads of attention in vectors of four: ARM, x86 without AVX2, and the doubles of the checking
// build; and the choice among all widths.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/cpu.h"

#ifdef __aarch64__ // 32 registers, else 16
#include <arm_neon.h>
enum { LANES = 4, ROWS = 4, TILE_ROWS = 8, LOW = 4, GROUP = 4 };
#define VECTORS 4
#ifndef SLT_DOUBLE
#define MOST(a, b) vmaxq_f32((float32x4_t)(a), (float32x4_t)(b))
#endif
#define LEFT_VECTORS
#else
enum { LANES = 4, ROWS = 4, TILE_ROWS = 4, LOW = 2, GROUP = 2 };
#define VECTORS 2
#endif
#include "ops/common/attention_tiles.h"

const slt_head_kernel slt_head_base = {LANES, forward_head, backward_head};

size_t slt_head_scratch(int length, int size) {
    size_t width = (size_t)(size + SLT_HEAD_WIDEST), keys = (size_t)length;
    return 2 * (size_t)size * CHUNK + 2 * keys * CHUNK + 2 * CHUNK + 2 * width * CHUNK +
           4 * keys * width;
}

#if defined(__x86_64__) && !defined(SLT_DOUBLE)
// narrow heads do not fill wide vectors
const slt_head_kernel *slt_head_chosen(int size) {
    slt_cpu cpu = slt_cpu_kind();
    if (cpu >= SLT_CPU_AVX512 && size > 8) return &slt_head_avx512;
    return cpu >= SLT_CPU_AVX2 && size > 4 ? &slt_head_avx2 : &slt_head_base;
}
#else
const slt_head_kernel *slt_head_chosen(int size) {
    (void)size;
    return &slt_head_base;
}
#endif
