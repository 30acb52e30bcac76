// The product in tiles of registers: a template that is compiled once per kind of processor.
//
// Before the #include: LANES numbers in a vector; ROWS x VECTORS vectors in a tile; STEPS of k that
// are written out one after the other; LEFT_VECTORS where a vector times one lane of another is
// one instruction (ARM; x86 repeats numbers from memory, so rows of op(a) need not be laid out).
//
// A panel of op(a), ROWS wide, stays in the first cache and meets the panels of a block of op(b),
// COLUMNS wide, that stay in the second. Both lie on the stack.
// After K. Goto, R. van de Geijn, Anatomy of high-performance matrix multiplication,
// doi:10.1145/1356052.1356053, with the parts of a and b exchanged.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "engine/gemm_kernel.h"
#include "engine/gemm_panels.h"

enum {
    COLUMNS = LANES * VECTORS,
    LOW = ROWS / 2, // rows of a low tile, for the edge
    DEPTH = SLT_GEMM_DEPTH,
    BLOCK = 288 * DEPTH, // numbers of op(b) in a block: 288 KB
    AHEAD = 8,           // steps of k between a fetch and its use
#ifdef LEFT_VECTORS
    BAND = 6, // panels of op(a) that stay in the first cache with one of a packed op(b)
#else
    BAND = (64 + ROWS - 1) / ROWS, // the rows that come together: each panel of op(b) comes once
#endif
    HIGH = 16 * ROWS, // rows of op(a) that are laid out together
    SHORT = 4,        // times as many at most where k is short
};

#ifdef LEFT_VECTORS
_Static_assert(LOW % LANES == 0, "rows of a tile are whole vectors");
#endif

typedef float vec __attribute__((vector_size(4 * LANES)));
typedef float loose_vec __attribute__((vector_size(4 * LANES), aligned(4), may_alias));

// one tile of c: `rows` x `columns` of it exist
typedef struct target {
    float *c;
    size_t ldc;
    int rows, columns;
    bool add;
} target;

// what one tile has to do, or `count` of them one below the other, whose panels of op(a) follow
// each other; on the way they fetch what later tiles will read: `later_step` numbers per step of k
typedef struct job {
    target to;
    panel left, right;
    const float *later;
    size_t later_step;
    int k, count;
} job;

// ---- one tile

#define EACH_ROW    UNROLL for (int r = 0; r < rows; r++)
#define EACH_VECTOR UNROLL for (int v = 0; v < vectors; v++)
#define EACH_LEFT   UNROLL for (int v = 0; v < rows / LANES; v++)

#define MULTIPLY_ADD(left) (first ? (left)*b[v] : sum[r][v] + (left)*b[v])

// c comes to the first cache while the sums run; the line where a row of the tile begins is there
INLINE void fetch_target(const target *to, const int rows, const int vectors) {
    const float *end = to->c + to->columns - 1;
    EACH_ROW UNROLL for (int i = 0; i < vectors * LANES; i += LINE)
        __builtin_prefetch((const void *)((uintptr_t)end + (r * to->ldc - i) * sizeof(float)), 1);
}

// a tile at the edge, from its copy in memory: whole vectors, then single numbers
static __attribute__((noinline)) void store_part(target to, const float *sum, int width) {
    int whole = to.columns / LANES * LANES;
    for (int r = 0; r < to.rows; r++, to.c += to.ldc, sum += width) {
        for (int j = 0; j < whole; j += LANES) {
            vec v = *(const loose_vec *)(sum + j);
            if (to.add) v += *(loose_vec *)(to.c + j);
            *(loose_vec *)(to.c + j) = v;
        }
        for (int j = whole; j < to.columns; j++) to.c[j] = to.add ? to.c[j] + sum[j] : sum[j];
    }
}

INLINE void store(target to, const int rows, const int vectors, vec sum[ROWS][VECTORS]) {
    if (to.rows < rows || to.columns < vectors * LANES) {
        float part[ROWS * COLUMNS];
        EACH_ROW EACH_VECTOR *(loose_vec *)(part + (r * vectors + v) * LANES) = sum[r][v];
        store_part(to, part, vectors * LANES);
        return;
    }
    if (to.add) EACH_ROW EACH_VECTOR sum[r][v] += *(loose_vec *)(to.c + r * to.ldc + v * LANES);
    EACH_ROW EACH_VECTOR *(loose_vec *)(to.c + r * to.ldc + v * LANES) = sum[r][v];
}

// goes to the next k, and where a copy is left, fetches a later one
INLINE void advance(panel *from, const bool keep, const int count) {
    if (keep) {
        from->keep += count;
        UNROLL for (int i = 0; i < count; i += LINE) fetch(from->at, AHEAD * from->step + i);
    }
    from->at += from->step;
}

// one step of k: sum (+)= a·b
INLINE void step(const int rows, const int vectors, const bool keep_left, const bool keep_right,
                 const size_t apart, const bool first, vec sum[ROWS][VECTORS], job *now) {
    const float *left = now->left.at, *right = now->right.at;
    vec b[VECTORS];
    EACH_VECTOR b[v] = *(const loose_vec *)(right + v * LANES);
    if (keep_right) EACH_VECTOR *(loose_vec *)(now->right.keep + v * LANES) = b[v];
#ifdef LEFT_VECTORS
    (void)apart;
    vec a[ROWS / LANES];
    EACH_LEFT a[v] = *(const loose_vec *)(left + v * LANES);
    if (keep_left) EACH_LEFT *(loose_vec *)(now->left.keep + v * LANES) = a[v];
    EACH_ROW EACH_VECTOR sum[r][v] = MULTIPLY_ADD(a[r / LANES][r % LANES]);
#else
    if (keep_left) memcpy(now->left.keep, left, (size_t)rows * sizeof *left);
    EACH_ROW EACH_VECTOR sum[r][v] = MULTIPLY_ADD(left[r * apart]);
#endif
    advance(&now->left, keep_left, rows);
    advance(&now->right, keep_right, vectors * LANES);
    __builtin_prefetch(now->later, 0, 2);
    now->later += now->later_step;
}

INLINE void run(const int rows, const int vectors, const bool keep_left, const bool keep_right,
                const size_t apart, const job *work) {
    vec sum[ROWS][VECTORS];
    job now = *work;
    for (int t = work->count; t > 0; t--) {
        fetch_target(&now.to, rows, vectors);
        step(rows, vectors, keep_left, keep_right, apart, true, sum, &now);
        UNROLL_STEPS for (int k = now.k - 1; k > 0; k--)
            step(rows, vectors, keep_left, keep_right, apart, false, sum, &now);
        store(now.to, rows, vectors, sum);
        now.to.c += (size_t)rows * now.to.ldc;
        now.right = work->right;
        if (apart > 1) now.left.at += rows * apart - (size_t)now.k;
    }
}

#ifdef SLT_SANITIZED // which would take long to compile all: what is kept is seen as it runs
INLINE void tile(const int vectors, const job *work) {
    if (work->to.rows <= LOW)
        run(LOW, vectors, false, work->right.keep != NULL, 1, work);
    else
        run(ROWS, vectors, work->left.keep != NULL, work->right.keep != NULL, work->left.apart,
            work);
}
#else
INLINE void tile(const int vectors, const job *work) {
    if (work->to.rows <= LOW && work->right.keep)
        run(LOW, vectors, false, true, 1, work);
    else if (work->to.rows <= LOW)
        run(LOW, vectors, false, false, 1, work);
    else if (work->left.keep && work->right.keep)
        run(ROWS, vectors, true, true, 1, work);
    else if (work->left.keep)
        run(ROWS, vectors, true, false, 1, work);
    else if (work->right.keep)
        run(ROWS, vectors, false, true, 1, work);
    else if (work->left.apart > 1)
        run(ROWS, vectors, false, false, work->left.apart, work);
    else
        run(ROWS, vectors, false, false, 1, work);
}
#endif

static void tile_1(const job *work) { tile(1, work); }
static void tile_2(const job *work) { tile(2, work); }
#if VECTORS == 3
static void tile_3(const job *work) { tile(3, work); }
static void (*const tiles[])(const job *work) = {tile_1, tile_2, tile_3};
#else
static void (*const tiles[])(const job *work) = {tile_1, tile_2};
#endif

// ---- blocks

// a block of the product: c (+)= op(a) (rows,k) · op(b) (k,columns), `more` steps of k follow
typedef struct block {
    target to;
    factor a, b;
    int k, more;
} block;

// what a tile fetches of the next steps of k: turn by turn a line of op(b), then of op(a), where
// they have far to come because steps are rows in memory
static inline void plan_fetch(const block *x, int turn, job *work) {
    int lines_b = x->b.across == 1 ? (x->to.columns + 2 * LINE - 2) / LINE : 0;
    int lines_a = x->a.across == 1 ? (x->to.rows + 2 * LINE - 2) / LINE : 0;
    if (x->more < x->k || turn < 0 || turn >= lines_b + lines_a) return;
    factor f = turn < lines_b ? x->b : x->a;
    int line = turn < lines_b ? turn : turn - lines_b;
    int last = (turn < lines_b ? x->to.columns : x->to.rows) - 1;
    work->later = shifted(f, smaller(line * LINE, last), x->k).at;
    work->later_step = f.along;
}

// one panel of op(a) from row i on against all of op(b), whose panels are made by the first
static void multiply_rows(const block *x, int i, float *lefts, float *rights) {
    int rows = smaller(x->to.rows - i, ROWS), tile_count = (x->to.columns + COLUMNS - 1) / COLUMNS;
    panel left = first_panel(shifted(x->a, i, 0), ROWS, LOW, rows, x->k, lefts);
    for (int t = 0; t < tile_count; t++) {
        int j = t * COLUMNS, columns = smaller(x->to.columns - j, COLUMNS);
        int vectors = (columns + LANES - 1) / LANES;
        float *place = rights + (size_t)j * (size_t)x->k;
        panel right = {place, (size_t)(vectors * LANES), 1, NULL};
        if (i == 0) right = first_panel(shifted(x->b, j, 0), COLUMNS, LANES, columns, x->k, place);
        target to = {x->to.c + (size_t)i * x->to.ldc + j, x->to.ldc, rows, columns, x->to.add};
        job work = {to, left, right, left.at, 0, x->k, 1};
        plan_fetch(x, (i / ROWS - 1) * tile_count + t, &work);
        tiles[vectors - 1](&work);
        left = next_panel(left, ROWS);
    }
}

static void multiply_block(const block *x) {
    float lefts[ROWS * DEPTH] __attribute__((aligned(64)));
    float rights[BLOCK] __attribute__((aligned(64)));
    for (int i = 0; i < x->to.rows; i += ROWS) multiply_rows(x, i, lefts, rights);
}

static inline int padded(int columns) { return (columns + LANES - 1) / LANES * LANES; }

// the panel of op(b) at column j, laid out, meets all panels of op(a), from `left` on one after the
// other, a low one from `low`. They share out the fetching of the next panel, which may come from
// the third cache: lines fetched faster than one in about 20 cycles would hold up the tiles.
static void multiply_panel(const block *x, panel left, const float *low, const float *rights,
                           int j) {
    int columns = smaller(x->to.columns - j, COLUMNS), high = x->to.rows / ROWS * ROWS;
    size_t width = (size_t)padded(columns), count = high ? (size_t)(high / ROWS) : 1;
    panel right = {rights + (size_t)j * (size_t)x->k, width, 1, NULL};
    bool last = j + columns == x->to.columns && x->more == 0;
    target to = {x->to.c + j, x->to.ldc, ROWS, columns, x->to.add};
    job work = {to, left, right, right.at + width * (size_t)x->k, 0, x->k, high / ROWS};
    if (!last) work.later_step = (width + count - 1) / count;
    void (*const run_tiles)(const job *) = tiles[padded(columns) / LANES - 1];
    if (high) run_tiles(&work);
    if (high == x->to.rows) return;
    work.to.c += (size_t)high * x->to.ldc;
    work.to.rows = x->to.rows - high;
    work.left = (panel){low, work.to.rows > LOW ? ROWS : LOW, 1, NULL};
    work.later_step = high ? 0 : work.later_step;
    work.count = 1;
    run_tiles(&work);
}

// both factors have steps that are rows in memory: all panels are made before the first tile
static void multiply_steps(const block *x, float *lefts, const float *rights) {
    const float *low = lefts + (size_t)(x->to.rows / ROWS * ROWS) * (size_t)x->k;
    pack_rows(lefts, ROWS, LOW, x->a, x->to.rows, x->k);
    for (int j = 0; j < x->to.columns; j += COLUMNS)
        multiply_panel(x, (panel){lefts, ROWS, 1, NULL}, low, rights, j);
}

static void multiply_long(const block *x) {
    float lefts[HIGH * DEPTH] __attribute__((aligned(64)));
    float rights[BLOCK] __attribute__((aligned(64)));
    pack_rows(rights, COLUMNS, LANES, x->b, x->to.columns, x->k);
    for (int i = 0; i < x->to.rows; i += HIGH) {
        block part = *x;
        part.a = shifted(x->a, i, 0);
        part.to.c += (size_t)i * x->to.ldc;
        part.to.rows = smaller(x->to.rows - i, HIGH);
        part.more = 0; // other panels follow, in the same place
        multiply_steps(&part, lefts, rights);
    }
}

// where that is faster: there is enough to multiply for a number that is copied
static inline bool packs_rows(const block *x) {
    enum { ENOUGH = 50 };
    size_t m = (size_t)x->to.rows, n = (size_t)x->to.columns;
    return x->a.across == 1 && x->b.across == 1 && m * n >= ENOUGH * (m + n);
}

static void multiply(const slt_product *x) {
    size_t lda = (size_t)x->lda, ldb = (size_t)x->ldb, ldc = (size_t)x->ldc;
    factor a = {x->a, x->transpose_a ? 1 : lda, x->transpose_a ? lda : 1};
    factor b = {x->b, x->transpose_b ? ldb : 1, x->transpose_b ? 1 : ldb};
    for (int p = 0; p < x->k; p += DEPTH) {
        int k = smaller(x->k - p, DEPTH), most = BLOCK / k / COLUMNS * COLUMNS;
        for (int j = 0; j < x->n; j += most) {
            target to = {x->c + j, ldc, x->m, smaller(x->n - j, most), x->add || p > 0};
            block part = {to, shifted(a, 0, p), shifted(b, j, p), k, x->k - p - k};
            if (packs_rows(&part))
                multiply_long(&part);
            else
                multiply_block(&part);
        }
    }
}

// ---- op(b) laid out beforehand: panel after panel, a block of DEPTH steps of k after the other

static void pack(const slt_product *x, float *packed) {
    size_t ldb = (size_t)x->ldb;
    factor b = {x->b, x->transpose_b ? ldb : 1, x->transpose_b ? 1 : ldb};
    for (int p = 0; p < x->k; p += DEPTH)
        for (int j = 0; j < x->n; j += COLUMNS) {
            int k = smaller(x->k - p, DEPTH), columns = smaller(x->n - j, COLUMNS);
            if (columns == COLUMNS && x->transpose_b)
                pack_squares(packed, COLUMNS, shifted(b, j, p), k);
            else
                pack_edge(packed, padded(columns), shifted(b, j, p), columns, k);
            packed += (size_t)padded(columns) * (size_t)k;
        }
}

// panels of op(a) from the first row to a row, laid out one after the other
static void pack_lefts(const block *x, int first, int end, float *place) {
    for (int i = first; i < end; i += ROWS, place += (size_t)ROWS * (size_t)x->k) {
        int rows = smaller(end - i, ROWS);
        if (rows == ROWS)
            pack_squares(place, ROWS, shifted(x->a, i, 0), x->k);
        else
            pack_edge(place, rows > LOW ? ROWS : LOW, shifted(x->a, i, 0), rows, x->k);
    }
}

// a few rows of op(a) against a block of a packed op(b), each panel of which comes once
static void multiply_band(const block *x) {
    float lefts[BAND * ROWS * DEPTH] __attribute__((aligned(64)));
    int high = x->to.rows / ROWS * ROWS;
#ifdef LEFT_VECTORS
    panel left = {lefts, ROWS, 1, NULL};
    float *low = lefts + (size_t)high * (size_t)x->k;
    pack_lefts(x, 0, x->to.rows, lefts);
#else
    size_t apart = x->a.across; // a column lies as if it were laid out
    panel left = {x->a.at, apart > 1 ? 1 : ROWS, apart, NULL};
    float *low = lefts;
    pack_lefts(x, high, x->to.rows, low);
#endif
    for (int j = 0; j < x->to.columns; j += COLUMNS) multiply_panel(x, left, low, x->b.at, j);
}

static void multiply_packed(const slt_product *x) {
    size_t ldc = (size_t)x->ldc;
    factor a = {x->a, (size_t)x->lda, 1};
    for (int p = 0; p < x->k; p += DEPTH) {
        int k = smaller(x->k - p, DEPTH), rows = BAND * ROWS * smaller(DEPTH / k, SHORT);
        for (int i = 0; i < x->m; i += rows) {
            target to = {x->c + (size_t)i * ldc, ldc, smaller(x->m - i, rows), x->n,
                         x->add || p > 0};
            factor b = {x->b + (size_t)padded(x->n) * (size_t)p, 1, 0};
            block part = {to, shifted(a, i, p), b, k, x->k - p - k};
            multiply_band(&part);
        }
    }
}
