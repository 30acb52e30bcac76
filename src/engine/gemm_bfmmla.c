// Products in bf16 for 64-bit ARM with BF16: tiles of 8 x 8 sums in 16 of 32 registers. A register
// of a factor holds four steps of k of two rows, or columns; an instruction (BFMMLA) adds their
// products to two by two sums.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#if defined(__aarch64__) && !defined(SLT_DOUBLE)

#include "engine/gemm_kernel.h"

#ifdef __ARM_FEATURE_BF16_VECTOR_ARITHMETIC

#include <arm_neon.h>

enum { SIDE = 8, TWOS = SIDE / 2, DEEP = 4, LEFT = SIDE, RIGHT = SIDE, HIGH = 1, WIDE = 1 };
#include "engine/gemm_bf16_tiles.h"

#define EACH_TWO(i) UNROLL for (int i = 0; i < TWOS; i++)

// ---- a piece of a panel: four steps of each of eight rows

INLINE void store_rounded(bf16 *out, float32x4_t steps) {
    vst1_bf16((bfloat16_t *)out, vcvt_bf16_f32(steps));
}

// four rows whose steps are rows in memory
INLINE void pack_square(bf16 *out, const float *in, size_t along) {
    float32x4_t a = vld1q_f32(in), b = vld1q_f32(in + along), c = vld1q_f32(in + 2 * along),
                d = vld1q_f32(in + 3 * along);
    float32x4_t ac_low = vzip1q_f32(a, c), ac_high = vzip2q_f32(a, c);
    float32x4_t bd_low = vzip1q_f32(b, d), bd_high = vzip2q_f32(b, d);
    store_rounded(out, vzip1q_f32(ac_low, bd_low));
    store_rounded(out + DEEP, vzip2q_f32(ac_low, bd_low));
    store_rounded(out + 2 * DEEP, vzip1q_f32(ac_high, bd_high));
    store_rounded(out + 3 * DEEP, vzip2q_f32(ac_high, bd_high));
}

static void pack_part(bf16 *out, factor in, int count, int k) {
    for (int i = 0; i < SIDE; i++) {
        float steps[DEEP] = {0};
        for (int p = 0; p < k && i < count; p++) steps[p] = *shifted(in, i, p).at;
        store_rounded(out + i * DEEP, vld1q_f32(steps));
    }
}

INLINE void pack_piece_of(bf16 *out, factor in, int count, int k) {
    if (count < SIDE || k < DEEP) {
        pack_part(out, in, count, k);
    } else if (in.across == 1) {
        pack_square(out, in.at, in.along);
        pack_square(out + 4 * DEEP, in.at + 4, in.along);
    } else {
        UNROLL for (int i = 0; i < SIDE; i++)
            store_rounded(out + i * DEEP, vld1q_f32(in.at + (size_t)i * in.across));
    }
}

INLINE void pack_left(bf16 *out, factor in, int count, int k) { pack_piece_of(out, in, count, k); }
INLINE void pack_right(bf16 *out, factor in, int count, int k) { pack_piece_of(out, in, count, k); }

// ---- a tile; row 2i of c and the one after it have their sums in sum[i]

INLINE void load_sums(float32x4_t sum[TWOS][TWOS], const tile *x) {
    EACH_TWO(i) EACH_TWO(j) {
        const float *c = x->c + (size_t)(2 * i) * x->ldc + 2 * j;
        sum[i][j] = x->add ? vcombine_f32(vld1_f32(c), vld1_f32(c + x->ldc)) : vdupq_n_f32(0);
    }
}

INLINE void store_sums(const tile *x, float32x4_t sum[TWOS][TWOS]) {
    EACH_TWO(i) EACH_TWO(j) {
        float *c = x->c + (size_t)(2 * i) * x->ldc + 2 * j;
        vst1_f32(c, vget_low_f32(sum[i][j]));
        vst1_f32(c + x->ldc, vget_high_f32(sum[i][j]));
    }
}

static void multiply_tile(const tile *x) {
    float32x4_t sum[TWOS][TWOS];
    const bfloat16_t *left = (const bfloat16_t *)x->left, *right = (const bfloat16_t *)x->right;
    load_sums(sum, x);
    for (int p = 0; p < x->k; p += DEEP, left += SIDE * DEEP, right += SIDE * DEEP) {
        bfloat16x8_t a[TWOS], b[TWOS];
        EACH_TWO(i) a[i] = vld1q_bf16(left + 2 * i * DEEP);
        EACH_TWO(j) b[j] = vld1q_bf16(right + 2 * j * DEEP);
        EACH_TWO(i) EACH_TWO(j) sum[i][j] = vbfmmlaq_f32(sum[i][j], a[i], b[j]);
    }
    store_sums(x, sum);
}

const slt_gemm_kernel slt_gemm_bfmmla = {"bfmmla", SLT_NEEDS_ARM_BF16, SLT_SUMS_OTHER, multiply,
                                         pack,     multiply_packed};

#else
const slt_gemm_kernel slt_gemm_bfmmla = {.name = "bfmmla", .needs = SLT_NEEDS_COMPILER};
#endif

#endif
