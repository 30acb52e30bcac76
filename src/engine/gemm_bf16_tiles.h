// The product in bf16, in tiles: a template that is compiled once per kind of instruction. Factors
// are rounded while they are laid out; sums are in fp32 and begin with the old c, or zero, so that
// neither tiles nor blocks show in the result.
//
// Before the #include: DEEP steps of k that are laid out together; LEFT rows in a panel of op(a),
// RIGHT columns in one of op(b); HIGH x WIDE panels that a tile is made of. After it: pack_left,
// pack_right and multiply_tile.
//
// A block of op(b) stays in the second cache and meets a band of op(a), a tile's panels of which
// stay in the first. Both lie on the stack, 350 KB.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/gemm_kernel.h"
#include "engine/gemm_panels.h"

typedef uint16_t bf16;

enum {
    DEPTH = 512,         // steps of k in a block
    BLOCK = 288 * DEPTH, // numbers of op(b) in a block
    BAND = 64,           // rows of op(a) in a band
    ROWS = HIGH * LEFT,  // of a tile
    COLUMNS = WIDE * RIGHT,
};

_Static_assert(BAND % ROWS == 0 && DEPTH % DEEP == 0, "tiles fill bands and blocks");

// a tile of c: all ROWS x COLUMNS of it can be written, but only `rows` x `columns` count, and
// panels beyond them are not there
typedef struct tile {
    const bf16 *left, *right;     // the first panels of op(a) and op(b)
    size_t next_left, next_right; // numbers from a panel to the next
    int k;                        // steps, a multiple of DEEP
    float *c;
    size_t ldc;
    int rows, columns;
    bool add;
} tile;

// of the kernel: `count` rows or columns of a factor, DEEP steps of k at most, as one piece of a
// panel; what is not there becomes zero
INLINE void pack_left(bf16 *out, factor in, int count, int k);
INLINE void pack_right(bf16 *out, factor in, int count, int k);
static void multiply_tile(const tile *x);

static inline int padded(int count, int unit) { return (count + unit - 1) / unit * unit; }

// ---- panels: one after the other, in each its pieces of DEEP steps

// the piece at row or column i and step p of a factor
INLINE void pack_piece(bf16 *out, factor in, const bool left, int i, int p, int count, int k) {
    const int width = left ? LEFT : RIGHT;
    bf16 *to = out + (size_t)i * (size_t)padded(k, DEEP) + (size_t)p * (size_t)width;
    factor at = shifted(in, i, p);
    if (left)
        pack_left(to, at, smaller(count - i, width), smaller(k - p, DEEP));
    else
        pack_right(to, at, smaller(count - i, width), smaller(k - p, DEEP));
}

// reads the factor in the order of memory
INLINE void pack_panels(bf16 *out, factor in, const bool left, int count, int k) {
    const int width = left ? LEFT : RIGHT;
    if (in.across == 1) {
        for (int p = 0; p < k; p += DEEP)
            for (int i = 0; i < count; i += width) pack_piece(out, in, left, i, p, count, k);
    } else {
        for (int i = 0; i < count; i += width)
            for (int p = 0; p < k; p += DEEP) pack_piece(out, in, left, i, p, count, k);
    }
}

static void pack_lefts(bf16 *out, factor a, int rows, int k) { pack_panels(out, a, true, rows, k); }
static void pack_rights(bf16 *out, factor b, int columns, int k) {
    pack_panels(out, b, false, columns, k);
}

// ---- tiles

static void copy_part(float *to, size_t to_step, const float *from, size_t from_step, int rows,
                      int columns) {
    for (int r = 0; r < rows; r++, to += to_step, from += from_step)
        for (int j = 0; j < columns; j++) to[j] = from[j];
}

// a tile over the edge of c, in a copy
static __attribute__((noinline)) void multiply_edge(const tile *x) {
    float part[ROWS * COLUMNS] __attribute__((aligned(64))) = {0};
    tile whole = *x;
    whole.c = part, whole.ldc = COLUMNS;
    if (x->add) copy_part(part, COLUMNS, x->c, x->ldc, x->rows, x->columns);
    multiply_tile(&whole);
    copy_part(x->c, x->ldc, part, COLUMNS, x->rows, x->columns);
}

// ---- blocks

// c (+)= op(a) (rows,k) · op(b) (k,columns), whose panels are `rights`
typedef struct block {
    float *c;
    size_t ldc;
    factor a;
    const bf16 *rights;
    int rows, columns, k;
    bool add;
} block;

static inline tile tile_at(const block *x, const bf16 *lefts, int i, int j) {
    size_t k = (size_t)padded(x->k, DEEP), row = (size_t)i, column = (size_t)j;
    return (tile){.left = lefts + row * k,
                  .right = x->rights + column * k,
                  .next_left = LEFT * k,
                  .next_right = RIGHT * k,
                  .k = (int)k,
                  .c = x->c + row * x->ldc + column,
                  .ldc = x->ldc,
                  .rows = smaller(x->rows - i, ROWS),
                  .columns = smaller(x->columns - j, COLUMNS),
                  .add = x->add};
}

// a panel of op(b) comes to the first cache once
static void multiply_band(const block *x) {
    bf16 lefts[BAND * DEPTH] __attribute__((aligned(64)));
    pack_lefts(lefts, x->a, x->rows, x->k);
    for (int j = 0; j < x->columns; j += COLUMNS)
        for (int i = 0; i < x->rows; i += ROWS) {
            tile t = tile_at(x, lefts, i, j);
            if (t.rows < ROWS || t.columns < COLUMNS)
                multiply_edge(&t);
            else
                multiply_tile(&t);
        }
}

static void multiply_bands(block x) {
    int rows = x.rows;
    for (int i = 0; i < rows; i += BAND) {
        x.rows = smaller(rows - i, BAND);
        multiply_band(&x);
        x.a = shifted(x.a, x.rows, 0);
        x.c += (size_t)x.rows * x.ldc;
    }
}

static void multiply(const slt_product *x) {
    size_t lda = (size_t)x->lda, ldb = (size_t)x->ldb, ldc = (size_t)x->ldc;
    factor a = {x->a, x->transpose_a ? 1 : lda, x->transpose_a ? lda : 1};
    factor b = {x->b, x->transpose_b ? ldb : 1, x->transpose_b ? 1 : ldb};
    bf16 rights[BLOCK] __attribute__((aligned(64)));
    for (int p = 0; p < x->k; p += DEPTH) {
        int k = smaller(x->k - p, DEPTH), most = BLOCK / padded(k, DEEP) / COLUMNS * COLUMNS;
        for (int j = 0; j < x->n; j += most) {
            int columns = smaller(x->n - j, most);
            pack_rights(rights, shifted(b, j, p), columns, k);
            multiply_bands((block){x->c + j, ldc, shifted(a, 0, p), rights, x->m, columns, k,
                                   x->add || p > 0});
        }
    }
}

// ---- op(b) laid out beforehand: all of its columns, a block of k after the other

static void pack(const slt_product *x, float *packed) {
    size_t ldb = (size_t)x->ldb, width = (size_t)padded(x->n, RIGHT);
    factor b = {x->b, x->transpose_b ? ldb : 1, x->transpose_b ? 1 : ldb};
    for (int p = 0; p < x->k; p += DEPTH)
        pack_rights((bf16 *)packed + width * (size_t)p, shifted(b, 0, p), x->n,
                    smaller(x->k - p, DEPTH));
}

static void multiply_packed(const slt_product *x) {
    size_t width = (size_t)padded(x->n, RIGHT);
    factor a = {x->a, (size_t)x->lda, 1};
    for (int p = 0; p < x->k; p += DEPTH)
        multiply_bands((block){x->c, (size_t)x->ldc, shifted(a, 0, p),
                               (const bf16 *)x->b + width * (size_t)p, x->m, x->n,
                               smaller(x->k - p, DEPTH), x->add || p > 0});
}
