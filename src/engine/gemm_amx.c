// Products in bf16 for x86 with AMX: tiles of 32 x 32, four of eight tile registers of 16 x 16
// sums. An instruction adds the products of 16 rows and 16 columns over 32 steps of k.
//
// Registers are configured when a product begins and given back when it ends, so that a thread
// that waits has no tiles to be saved.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#if defined(__x86_64__) && !defined(SLT_DOUBLE)

#include "engine/gemm_kernel.h"

#if defined(__AMX_BF16__) || defined(__AMXBF16__) || defined(TILE_LOAD)

enum { HIGH = 2, WIDE = 2 };
#include "engine/gemm_pairs.h"

// The instructions; tests have others for processors without them. (Not those of immintrin.h: GCC
// is not told there that a load reads memory.) `stride` is in bytes.
#ifndef TILE_LOAD
#define TILE_LOAD(t, from, stride)                                                                 \
    __asm__ volatile("tileloadd (%0,%1,1), %%tmm" #t ::"r"(from), "r"(stride) : "memory")
#define TILE_STORE(t, to, stride)                                                                  \
    __asm__ volatile("tilestored %%tmm" #t ", (%0,%1,1)" ::"r"(to), "r"(stride) : "memory")
#define TILE_ZERO(t) __asm__ volatile("tilezero %%tmm" #t ::: "memory")
#define TILE_MULTIPLY(sum, a, b)                                                                   \
    __asm__ volatile("tdpbf16ps %%tmm" #b ", %%tmm" #a ", %%tmm" #sum ::: "memory")
#define TILE_CONFIGURE(shape) __asm__ volatile("ldtilecfg %0" ::"m"(*(shape)) : "memory")
#define TILE_RELEASE()        __asm__ volatile("tilerelease" ::: "memory")
#endif

// what ldtilecfg reads
typedef struct tile_shapes {
    uint8_t palette, start_row, reserved[14];
    uint16_t row_bytes[16];
    uint8_t rows[16];
} tile_shapes;

_Static_assert(sizeof(tile_shapes) == 64, "as the processor reads it");

static void configure(void) {
    tile_shapes shapes __attribute__((aligned(64))) = {.palette = 1};
    for (int t = 0; t < 8; t++) shapes.row_bytes[t] = 64, shapes.rows[t] = SIDE;
    TILE_CONFIGURE(&shapes);
}

#define LINE_BYTES ((size_t)(DEEP * sizeof(bf16)))

// sums are in registers 0 to 3, row by row, factors in 4 to 7
typedef struct sums {
    float *first, *second; // c of the upper panel's rows and of the lower one's
    size_t stride;
    bool tall, broad; // has a lower panel, has one to the right
} sums;

INLINE void load_sums(const sums *s) {
    TILE_LOAD(0, s->first, s->stride);
    if (s->broad) TILE_LOAD(1, s->first + SIDE, s->stride);
    if (s->tall) TILE_LOAD(2, s->second, s->stride);
    if (s->tall && s->broad) TILE_LOAD(3, s->second + SIDE, s->stride);
}

INLINE void clear_sums(void) {
    TILE_ZERO(0);
    TILE_ZERO(1);
    TILE_ZERO(2);
    TILE_ZERO(3);
}

INLINE void store_sums(const sums *s) {
    TILE_STORE(0, s->first, s->stride);
    if (s->broad) TILE_STORE(1, s->first + SIDE, s->stride);
    if (s->tall) TILE_STORE(2, s->second, s->stride);
    if (s->tall && s->broad) TILE_STORE(3, s->second + SIDE, s->stride);
}

// 32 steps of k
INLINE void add_products(const bool tall, const bool broad, const bf16 *left, size_t next_left,
                         const bf16 *right, size_t next_right) {
    TILE_LOAD(6, right, LINE_BYTES);
    TILE_LOAD(4, left, LINE_BYTES);
    TILE_MULTIPLY(0, 4, 6);
    if (tall) {
        TILE_LOAD(5, left + next_left, LINE_BYTES);
        TILE_MULTIPLY(2, 5, 6);
    }
    if (broad) {
        TILE_LOAD(7, right + next_right, LINE_BYTES);
        TILE_MULTIPLY(1, 4, 7);
    }
    if (tall && broad) TILE_MULTIPLY(3, 5, 7);
}

INLINE void multiply_panels(const tile *x, const bool tall, const bool broad) {
    sums s = {x->c, x->c + SIDE * x->ldc, x->ldc * sizeof *x->c, tall, broad};
    const bf16 *left = x->left, *right = x->right;
    if (x->add)
        load_sums(&s);
    else
        clear_sums();
    for (int p = 0; p < x->k; p += DEEP, left += SIDE * DEEP, right += SIDE * DEEP)
        add_products(tall, broad, left, x->next_left, right, x->next_right);
    store_sums(&s);
}

static void multiply_tile(const tile *x) {
    bool tall = x->rows > SIDE, broad = x->columns > SIDE;
    if (tall && broad)
        multiply_panels(x, true, true);
    else
        multiply_panels(x, tall, broad);
}

static void multiply_in_tiles(const slt_product *x) {
    configure();
    multiply(x);
    TILE_RELEASE();
}

static void multiply_packed_in_tiles(const slt_product *x) {
    configure();
    multiply_packed(x);
    TILE_RELEASE();
}

const slt_gemm_kernel slt_gemm_amx = {
    "amx", SLT_NEEDS_AMX, SLT_SUMS_OTHER, multiply_in_tiles, pack, multiply_packed_in_tiles};

#else
const slt_gemm_kernel slt_gemm_amx = {.name = "amx", .needs = SLT_NEEDS_COMPILER};
#endif

#endif
