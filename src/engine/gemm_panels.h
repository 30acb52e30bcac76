// The factors of a product, laid out for the tiles of gemm_tiles.h: a panel holds a few rows of
// op(a), or columns of op(b), as out[k][width].
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_ENGINE_GEMM_PANELS_H
#define SLT_ENGINE_GEMM_PANELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INLINE static inline __attribute__((always_inline))
// loops over registers; clang unrolls them by itself, and too late when told to
#ifdef __clang__
#define UNROLL
#define UNROLL_STEPS
#else
#define UNROLL _Pragma("GCC unroll 16")
#ifdef SLT_SANITIZED // which takes long to compile
#define UNROLL_STEPS
#else
#define UNROLL_STEPS _Pragma("GCC unroll STEPS")
#endif
#endif

typedef float quad __attribute__((vector_size(16)));
typedef float loose_quad __attribute__((vector_size(16), aligned(4), may_alias));
typedef float loose_octet __attribute__((vector_size(32), aligned(4), may_alias));

enum { LINE = 16 }; // numbers in a line of the cache

// one factor: element i,k of op(a), or k,i of op(b), is at at[i·across + k·along]; one stride is 1
typedef struct factor {
    const float *at;
    size_t across, along;
} factor;

// a panel to read: `step` numbers from one k to the next, `apart` from one row of op(a) to the
// next, 1 where it is laid out; where `keep` is given, the reader leaves a copy there
typedef struct panel {
    const float *at;
    size_t step, apart;
    float *keep;
} panel;

static inline int smaller(int a, int b) { return a < b ? a : b; }

static inline factor shifted(factor f, int i, int k) {
    return (factor){f.at + (size_t)i * f.across + (size_t)k * f.along, f.across, f.along};
}

// asks for a line that is `numbers` after `from`; it may lie outside, nothing is read then
INLINE void fetch(const float *from, size_t numbers) {
    __builtin_prefetch((const void *)((uintptr_t)from + numbers * sizeof(float)));
}

// four by four numbers, transposed
INLINE void transpose_square(float *out, size_t width, const float *in, size_t stride) {
    quad a = *(const loose_quad *)in, b = *(const loose_quad *)(in + stride);
    quad c = *(const loose_quad *)(in + 2 * stride), d = *(const loose_quad *)(in + 3 * stride);
    quad ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5);
    quad ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    quad bd_low = __builtin_shufflevector(b, d, 0, 4, 1, 5);
    quad bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    *(loose_quad *)out = __builtin_shufflevector(ac_low, bd_low, 0, 4, 1, 5);
    *(loose_quad *)(out + width) = __builtin_shufflevector(ac_low, bd_low, 2, 6, 3, 7);
    *(loose_quad *)(out + 2 * width) = __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5);
    *(loose_quad *)(out + 3 * width) = __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7);
}

// number by number; columns that are not there become zero
INLINE void pack_numbers(float *out, int width, const float *in, size_t across, size_t along,
                         int count, int k) {
    for (int p = 0; p < k; p++, in += along, out += width) {
        int i = 0;
        for (; i + 4 <= count; i += 4)
            UNROLL for (int j = i; j < i + 4; j++) out[j] = in[(size_t)j * across];
        for (; i < count; i++) out[i] = in[(size_t)i * across];
        for (; i < width; i++) out[i] = 0;
    }
}

// a panel at the edge
static void pack_edge(float *out, int width, factor in, int count, int k) {
    if (in.across == 1)
        pack_numbers(out, width, in.at, 1, in.along, count, k);
    else
        pack_numbers(out, width, in.at, in.across, 1, count, k);
}

// a full panel whose steps of k are neighbours in memory, by squares; the last square of a width
// of 6 overlaps the one before. Meanwhile the panel after it is fetched.
INLINE void pack_squares(float *out, const int width, factor in, int k) {
    int p = 0;
    for (; p + 4 <= k; p += 4, out += 4 * width) UNROLL for (int i = 0; i < width; i += 4) {
            int at = smaller(i, width - 4);
            const float *from = in.at + (size_t)at * in.across + p;
            transpose_square(out + at, (size_t)width, from, in.across);
            if (p % LINE == 0)
                UNROLL for (int r = 0; r < 4; r++) fetch(from, (size_t)(width + r) * in.across);
        }
    pack_edge(out, width, shifted(in, 0, p), width, k - p);
}

// a row of a panel as it lies; the last four numbers of a width of 6 overlap those before
INLINE void copy_row(float *to, const float *from, const int width) {
    if (width % 8 == 0)
        UNROLL for (int q = 0; q < width; q += 8) * (loose_octet *)(to + q) =
            *(const loose_octet *)(from + q);
    else
        UNROLL for (int q = 0; q < width; q += 4) {
            int at = smaller(q, width - 4);
            *(loose_quad *)(to + at) = *(const loose_quad *)(from + at);
        }
}

// all panels of a factor whose steps are rows in memory, a few rows at a time from first to last:
// rows are read in order, and a line of a panel is written once. Rows to come are fetched.
INLINE void pack_rows(float *out, const int width, const int unit, factor in, int count, int k) {
    enum { TOGETHER = 4 };
    int whole = count / width * width, p = 0;
    for (; p + TOGETHER <= k; p += TOGETHER)
        for (int i = 0; i < whole; i += width) {
            const float *from = in.at + (size_t)p * in.along + i;
            float *to = out + (size_t)i * (size_t)k + (size_t)(p * width);
            UNROLL for (int r = 0; r < TOGETHER; r++, from += in.along, to += width) {
                copy_row(to, from, width);
                UNROLL for (int q = 0; q < width; q += LINE) fetch(from, TOGETHER * in.along + q);
            }
        }
    for (int i = 0; i < whole; i += width)
        pack_edge(out + (size_t)i * (size_t)k + (size_t)(p * width), width, shifted(in, i, p),
                  width, k - p);
    if (whole < count)
        pack_edge(out + (size_t)whole * (size_t)k, (count - whole + unit - 1) / unit * unit,
                  shifted(in, whole, 0), count - whole, k);
}

// how the first tile reads a panel: where it lies and leaving a copy in `place` if its steps are
// rows in memory, else laid out in `place`; a panel at the edge is as narrow as `unit` allows
INLINE panel first_panel(factor f, const int width, const int unit, int count, int k,
                         float *place) {
    if (count == width && f.across == 1) return (panel){f.at, f.along, 1, place};
    int narrow = (count + unit - 1) / unit * unit;
    if (count == width)
        pack_squares(place, width, f, k);
    else
        pack_edge(place, narrow, f, count, k);
    return (panel){place, (size_t)narrow, 1, NULL};
}

// how the tiles after it do
static inline panel next_panel(panel first, int width) {
    return first.keep ? (panel){first.keep, (size_t)width, 1, NULL} : first;
}

#endif
