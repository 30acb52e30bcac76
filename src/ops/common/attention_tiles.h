// One head of attention: a template that is compiled once per kind of processor.
//
// Before the #include: LANES numbers in a vector; ROWS x VECTORS vectors in a tile, TILE_ROWS (no
// fewer) in one of at most half the vectors, LOW in the last ones; GROUP vectors of queries whose
// exponentials run side by side; MOST(a, b), the larger of each pair, where it is one instruction;
// LEFT_VECTORS where a vector times one lane of another is.
//
// Scores are kept transposed, a row per key and a lane per query: maxima and sums over keys are
// then plain sums of vectors, and both factors of every product lie as they are needed:
//     Sᵀ = k·qᵀ   o = P·v   dPᵀ = v·doᵀ   dv = Pᵀ·do   dk = dSᵀ·q   dq = dS·k
// Only qᵀ and doᵀ are made. Queries go in chunks, so nothing of size L×L is ever stored.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdint.h>
#include <string.h>
#include "ops/common/attention_head.h"

#define INLINE static inline __attribute__((always_inline))
// loops over registers; clang unrolls them by itself, and too late when told to
#ifdef __clang__
#define UNROLL
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

enum { CHUNK = SLT_HEAD_CHUNK };
// so many rows, or rows so wide, are copied: next to each other they miss fewer pages, and fewer of
// them share a set of the first cache
enum { LONG = 96, WIDE = 32 };
static const slt_real LOG2E = (slt_real)1.44269504088896341;

typedef slt_real vec __attribute__((vector_size(LANES * sizeof(slt_real))));
typedef slt_real four __attribute__((vector_size(4 * sizeof(slt_real))));
#ifdef SLT_DOUBLE
typedef int64_t vec_mask __attribute__((vector_size(LANES * 8)));
#else
typedef int32_t vec_mask __attribute__((vector_size(LANES * 4)));
typedef uint32_t vec_bits __attribute__((vector_size(LANES * 4)));
#endif

typedef slt_real loose_vec
    __attribute__((vector_size(LANES * sizeof(slt_real)), aligned(sizeof(slt_real)), may_alias));
INLINE vec load(const slt_real *from) { return *(const loose_vec *)from; }
INLINE void store(slt_real *to, vec v) { *(loose_vec *)to = v; }
INLINE four load_four(const slt_real *from) {
    four v;
    memcpy(&v, from, sizeof v);
    return v;
}
INLINE void store_four(slt_real *to, four v) { memcpy(to, &v, sizeof v); }
// the larger of each pair; NaN may give either
INLINE vec most_of(vec a, vec b) {
#ifdef MOST
    return (vec)MOST(a, b);
#else
    vec_mask larger = a > b;
    return (vec)((larger & (vec_mask)a) | (~larger & (vec_mask)b));
#endif
}

// 2^x for x <= 0, good to 1 unit in the last place; below -126 it stays at 1e-38
INLINE vec power_of_two(vec x) {
#ifdef SLT_DOUBLE
    for (int i = 0; i < LANES; i++) x[i] = exp2(x[i]);
    return x;
#else
    const vec magic = (vec){0} + 12582912.0f; // 1.5·2^23: adding it rounds to a whole number n
    x = most_of((vec){0} - 126.0f, x);
    vec shifted = x + magic, r = x - (shifted - magic);
    vec square = r * r; // minimax on [-1/2, 1/2], pairs of coefficients first
    vec high = (r * 1.3398875e-3f + 9.618437e-3f) + square * 1.5353362e-4f;
    high = (r * 5.5503324e-2f + 2.4022648e-1f) + square * high;
    vec p = (r * 6.931472e-1f + 1.0f) + square * high;
    return (vec)((vec_bits)p + ((vec_bits)shifted << 23)); // n is added to the exponent
#endif
}

static inline int smaller(int a, int b) { return a < b ? a : b; }
static inline int whole(int n) { return (n + LANES - 1) / LANES * LANES; }

// ---- products

// a·b, or aᵀ·b where the strides of a are exchanged: a[i][k] is at a[i·across + k·along]
typedef struct {
    const slt_real *a, *b;
    size_t across, along, ldb;
    slt_real *c;
    size_t ldc;
    int m, n, k; // rows of b hold n numbers, rounded up to whole vectors
    bool add;
    const slt_real *scale; // [m], or NULL: rows of the product are multiplied
} product;

#define EACH_ROW    UNROLL for (int r = 0; r < rows; r++)
#define EACH_VECTOR UNROLL for (int v = 0; v < vectors; v++)

// a row of a tile, `columns` of it exist
INLINE void put_row(slt_real *c, const int vectors, const vec *sum, int columns, bool add) {
    if (columns >= vectors * LANES) {
        EACH_VECTOR store(c + v * LANES, add ? sum[v] + load(c + v * LANES) : sum[v]);
        return;
    }
    slt_real part[VECTORS * LANES];
    EACH_VECTOR store(part + v * LANES, sum[v]);
    for (int j = 0; j < columns; j++) c[j] = add ? c[j] + part[j] : part[j];
}

#ifdef LEFT_VECTORS
// one step of k: row r of the tile takes b times `at`
#define STEP(at)                                                                                   \
    do {                                                                                           \
        vec right[VECTORS];                                                                        \
        EACH_VECTOR right[v] = load(b + v * LANES);                                                \
        EACH_ROW EACH_VECTOR sum[r][v] += (at)*right[v];                                           \
        b += x->ldb;                                                                               \
    } while (0)

// sums of a tile where a is read along its rows: a vector of it is four steps of k
INLINE void sum_along(const product *x, const int rows, const int vectors, int i, int there,
                      const slt_real *b, vec sum[TILE_ROWS][VECTORS]) {
    const slt_real *a[TILE_ROWS];
    EACH_ROW a[r] = x->a + (size_t)(r < there ? i + r : i) * x->across;
    int k = 0;
    for (; k + LANES <= x->k; k += LANES) {
        vec left[TILE_ROWS];
        EACH_ROW left[r] = load(a[r] + k);
        UNROLL for (int q = 0; q < LANES; q++) {
            STEP(left[r][q]);
            __asm__ volatile("" ::: "memory"); // registers are for sums, not for the next steps
        }
    }
    for (; k < x->k; k++) STEP(a[r][k]);
}

// where a is read across: a vector of it is four rows of the tile
INLINE void sum_across(const product *x, const int rows, const int vectors, int i,
                       const slt_real *b, vec sum[TILE_ROWS][VECTORS]) {
    const slt_real *a = x->a + i;
    for (int k = 0; k < x->k; k++, a += x->along) {
        vec left[TILE_ROWS / LANES];
        UNROLL for (int q = 0; q < rows / LANES; q++) left[q] = load(a + q * LANES);
        STEP(left[r / LANES][r % LANES]);
    }
}

INLINE void sum_tile(const product *x, const int rows, const int vectors, int i, int there,
                     const slt_real *b, vec sum[TILE_ROWS][VECTORS]) {
    EACH_ROW EACH_VECTOR sum[r][v] = (vec){0};
    if (x->along == 1)
        sum_along(x, rows, vectors, i, there, b, sum);
    else
        sum_across(x, rows, vectors, i, b, sum);
}
#else
INLINE void sum_tile(const product *x, const int rows, const int vectors, int i, int there,
                     const slt_real *b, vec sum[TILE_ROWS][VECTORS]) {
    const slt_real *a[TILE_ROWS];
    EACH_ROW a[r] = x->a + (size_t)(r < there ? i + r : i) * x->across;
    EACH_ROW EACH_VECTOR sum[r][v] = *a[r] * load(b + v * LANES);
    for (size_t k = 1; k < (size_t)x->k; k++) {
        b += x->ldb;
        vec right[VECTORS];
        EACH_VECTOR right[v] = load(b + v * LANES);
        EACH_ROW EACH_VECTOR sum[r][v] += a[r][k * x->along] * right[v];
    }
}
#endif

// rows i.. and columns j.. of the product; `there` rows exist, the others repeat the first
INLINE void tile(const product *x, const int rows, const int vectors, int i, int j, int there) {
    vec sum[TILE_ROWS][VECTORS];
    sum_tile(x, rows, vectors, i, there, x->b + j, sum);
    if (x->scale) EACH_ROW EACH_VECTOR sum[r][v] *= x->scale[r < there ? i + r : i];
    slt_real *c = x->c + (size_t)i * x->ldc + j;
    EACH_ROW if (r < there) put_row(c + (size_t)r * x->ldc, vectors, sum[r], x->n - j, x->add);
}

INLINE void columns(const product *x, const int vectors, int j) {
    const int rows = vectors > VECTORS / 2 ? ROWS : TILE_ROWS;
    int i = 0;
    for (; i + rows <= x->m; i += rows) tile(x, rows, vectors, i, j, rows);
    for (; i < x->m; i += LOW) tile(x, LOW, vectors, i, j, smaller(x->m - i, LOW));
}

static __attribute__((noinline)) void multiply(const product *x) {
    int j = 0, n = whole(x->n);
    for (; j + VECTORS * LANES <= n; j += VECTORS * LANES) columns(x, VECTORS, j);
    switch ((n - j) / LANES) {
#if VECTORS > 3
    case 3:
        columns(x, 3, j);
        break;
#endif
#if VECTORS > 2
    case 2:
        columns(x, 2, j);
        break;
#endif
    case 1:
        columns(x, 1, j);
        break;
    default:
        break;
    }
}

// ---- layouts

// rows of a matrix as a factor of products: where they lie if they are few and narrow, else
// copied and filled up with zeros
typedef struct {
    const slt_real *at;
    size_t stride;
} rows_view;

static rows_view whole_rows(const slt_real *from, size_t stride, int count, int size,
                            slt_real *place) {
    size_t width = (size_t)whole(size);
    if (size % LANES == 0 && count < LONG && size < WIDE) return (rows_view){from, stride};
    for (int r = 0; r < count; r++) {
        slt_real *to = place + (size_t)r * width;
        memcpy(to, from + (size_t)r * stride, (size_t)size * sizeof *to);
        memset(to + size, 0, (width - (size_t)size) * sizeof *to);
    }
    return (rows_view){place, width};
}

// four by four numbers, transposed and scaled
INLINE void transpose_square(slt_real *to, size_t step, const slt_real *from, size_t stride,
                             slt_real scale) {
    four a = load_four(from) * scale, b = load_four(from + stride) * scale;
    four c = load_four(from + 2 * stride) * scale, d = load_four(from + 3 * stride) * scale;
    four ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5);
    four ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7);
    four bd_low = __builtin_shufflevector(b, d, 0, 4, 1, 5);
    four bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    store_four(to, __builtin_shufflevector(ac_low, bd_low, 0, 4, 1, 5));
    store_four(to + step, __builtin_shufflevector(ac_low, bd_low, 2, 6, 3, 7));
    store_four(to + 2 * step, __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5));
    store_four(to + 3 * step, __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7));
}

// to[c][i] = scale·from[i][c]; zeros after the last i, up to a whole vector
static void transpose(slt_real *to, const slt_real *from, size_t stride, int count, int size,
                      slt_real scale) {
    size_t step = (size_t)whole(count);
    int squares = size / 4 * 4, i = 0;
    for (; i + 4 <= count; i += 4) {
        const slt_real *row = from + (size_t)i * stride;
        for (int c = 0; c < squares; c += 4)
            transpose_square(to + (size_t)c * step + i, step, row + c, stride, scale);
        for (int c = squares; c < size; c++)
            for (int r = 0; r < 4; r++)
                to[(size_t)c * step + (size_t)(i + r)] =
                    scale * row[(size_t)r * stride + (size_t)c];
    }
    for (; i < whole(count); i++)
        for (int c = 0; c < size; c++)
            to[(size_t)c * step + (size_t)i] =
                i < count ? scale * from[(size_t)i * stride + (size_t)c] : 0;
}

// ---- one head, chunk by chunk

typedef struct {
    const slt_head *head;
    int first, count;         // queries of the chunk
    size_t width;             // the same in whole vectors
    slt_real *qt, *dot;       // (size, width): qᵀ and doᵀ, scaled
    slt_real *p, *ds;         // (keys, width)
    slt_real *most, *inverse; // (width)
    slt_real *queries, *outs; // room for whole rows
    rows_view keys, values;
    slt_real *dk, *dv; // (keys, whole size): gradients while there are more chunks
} chunk;

static chunk chunk_of(const slt_head *h) {
    size_t block = (size_t)h->size * CHUNK, scores = (size_t)h->keys * CHUNK;
    size_t rows = (size_t)whole(h->size) * CHUNK;
    chunk x = {.head = h, .qt = h->scratch};
    x.dot = x.qt + block;
    x.p = x.dot + block;
    x.ds = x.p + scores;
    x.most = x.ds + scores;
    x.inverse = x.most + CHUNK;
    x.queries = x.inverse + CHUNK;
    x.outs = x.queries + rows;
    slt_real *keys = x.outs + rows;
    x.keys = whole_rows(h->k, h->stride, h->keys, h->size, keys);
    slt_real *values = keys + rows / CHUNK * (size_t)h->keys;
    x.values = whole_rows(h->v, h->stride, h->keys, h->size, values);
    x.dk = values + rows / CHUNK * (size_t)h->keys;
    x.dv = x.dk + rows / CHUNK * (size_t)h->keys;
    return x;
}
static void next_chunk(chunk *x, int first) {
    x->first = first;
    x->count = smaller(CHUNK, x->head->queries - first);
    x->width = (size_t)whole(x->count);
}

static const slt_real *query_rows(const chunk *x) {
    return x->head->q + (size_t)x->first * x->head->stride;
}

// Sᵀ = k·qᵀ into p, in units of ln 2: e^x is 2^(x/ln 2)
static void scores(const chunk *x) {
    const slt_head *h = x->head;
    transpose(x->qt, query_rows(x), h->stride, x->count, h->size, h->scale * LOG2E);
    multiply(&(product){.a = x->keys.at,
                        .across = x->keys.stride,
                        .along = 1,
                        .b = x->qt,
                        .ldb = x->width,
                        .c = x->p,
                        .ldc = x->width,
                        .m = h->keys,
                        .n = whole(x->count),
                        .k = h->size});
}

// a lane per query: powers take the place of scores; probabilities are these times 1/sum
INLINE void softmax_lanes(const chunk *x, const int vectors, int i) {
    slt_real *s = x->p + i, *end = s + (size_t)x->head->keys * x->width;
    vec most[GROUP], sum[GROUP];
    EACH_VECTOR most[v] = load(s + v * LANES);
    for (slt_real *at = s; at < end; at += x->width)
        EACH_VECTOR most[v] = most_of(load(at + v * LANES), most[v]);
    EACH_VECTOR sum[v] = (vec){0};
    for (slt_real *at = s; at < end; at += x->width) EACH_VECTOR {
            vec e = power_of_two(load(at + v * LANES) - most[v]);
            store(at + v * LANES, e);
            sum[v] += e;
        }
    EACH_VECTOR store(x->most + i + v * LANES, most[v]);
    EACH_VECTOR store(x->inverse + i + v * LANES, 1 / sum[v]);
}
static void softmax(const chunk *x) {
    int i = 0;
    for (; i + GROUP * LANES <= (int)x->width; i += GROUP * LANES) softmax_lanes(x, GROUP, i);
    for (; i < (int)x->width; i += LANES) softmax_lanes(x, 1, i);
}

static void forward_head(const slt_head *h) {
    chunk x = chunk_of(h);
    for (int first = 0; first < h->queries; first += CHUNK) {
        next_chunk(&x, first);
        scores(&x);
        softmax(&x);
        memcpy(h->most + first, x.most, (size_t)x.count * sizeof *x.most);
        memcpy(h->inverse + first, x.inverse, (size_t)x.count * sizeof *x.most);
        multiply(&(product){.a = x.p,
                            .across = 1,
                            .along = x.width,
                            .b = x.values.at,
                            .ldb = x.values.stride,
                            .c = h->out + (size_t)first * h->out_stride,
                            .ldc = h->out_stride,
                            .m = x.count,
                            .n = h->size,
                            .k = h->keys,
                            .scale = x.inverse});
    }
}

// Pᵀ again in p from scores, and dSᵀ = Pᵀ∘(dPᵀ - Σ_keys Pᵀ∘dPᵀ) in ds from dPᵀ, both times scale
INLINE void gradient_lanes(const chunk *x, const int vectors, int i) {
    slt_real *p = x->p + i, *ds = x->ds + i;
    size_t end = (size_t)x->head->keys * x->width;
    vec most[GROUP], inverse[GROUP], dot[GROUP];
    EACH_VECTOR most[v] = load(x->most + i + v * LANES);
    EACH_VECTOR inverse[v] = load(x->inverse + i + v * LANES);
    EACH_VECTOR dot[v] = (vec){0};
    for (size_t j = 0; j < end; j += x->width) EACH_VECTOR {
            vec e = power_of_two(load(p + j + v * LANES) - most[v]) * inverse[v];
            store(p + j + v * LANES, e);
            dot[v] += e * load(ds + j + v * LANES);
        }
    for (size_t j = 0; j < end; j += x->width) EACH_VECTOR {
            slt_real *at = ds + j + v * LANES;
            store(at, load(p + j + v * LANES) * (load(at) - dot[v]));
        }
}
static void score_gradients(const chunk *x) {
    int i = 0;
    for (; i + GROUP * LANES <= (int)x->width; i += GROUP * LANES) gradient_lanes(x, GROUP, i);
    for (; i < (int)x->width; i += LANES) gradient_lanes(x, 1, i);
}

static inline bool several(const slt_head *h) { return h->queries > CHUNK; }

// dk (+)= dSᵀ·q and dv (+)= Pᵀ·do, over the queries of the chunk
static void key_gradient(const chunk *x, const slt_real *a, rows_view rows, slt_real *sum,
                         slt_real *to) {
    const slt_head *h = x->head;
    multiply(&(product){.a = a,
                        .across = x->width,
                        .along = 1,
                        .b = rows.at,
                        .ldb = rows.stride,
                        .c = several(h) ? sum : to,
                        .ldc = several(h) ? (size_t)whole(h->size) : h->stride,
                        .m = h->keys,
                        .n = h->size,
                        .k = x->count,
                        .add = several(h) ? x->first > 0 : h->add});
}

// the sums of all chunks go where they belong
static void put_key_gradient(const slt_head *h, const slt_real *sum, slt_real *to) {
    for (int j = 0; j < h->keys; j++, sum += whole(h->size), to += h->stride)
        for (int c = 0; c < h->size; c++) to[c] = h->add ? to[c] + sum[c] : sum[c];
}

static void chunk_gradients(const chunk *x) {
    const slt_head *h = x->head;
    const slt_real *dout = h->dout + (size_t)x->first * h->out_stride;
    size_t padding = (size_t)(whole(x->count) - x->count) * sizeof *x->most;
    memcpy(x->most, h->most + x->first, (size_t)x->count * sizeof *x->most);
    memcpy(x->inverse, h->inverse + x->first, (size_t)x->count * sizeof *x->most);
    memset(x->most + x->count, 0, padding);
    memset(x->inverse + x->count, 0, padding);
    scores(x);
    transpose(x->dot, dout, h->out_stride, x->count, h->size, h->scale);
    multiply(&(product){.a = x->values.at,
                        .across = x->values.stride,
                        .along = 1,
                        .b = x->dot,
                        .ldb = x->width,
                        .c = x->ds,
                        .ldc = x->width,
                        .m = h->keys,
                        .n = whole(x->count),
                        .k = h->size});
    score_gradients(x);
    rows_view queries = whole_rows(query_rows(x), h->stride, x->count, h->size, x->queries);
    rows_view outs = whole_rows(dout, h->out_stride, x->count, h->size, x->outs);
    key_gradient(x, x->ds, queries, x->dk, h->dk);
    key_gradient(x, x->p, outs, x->dv, h->dv);
    multiply(&(product){.a = x->ds,
                        .across = 1,
                        .along = x->width,
                        .b = x->keys.at,
                        .ldb = x->keys.stride,
                        .c = h->dq + (size_t)x->first * h->stride,
                        .ldc = h->stride,
                        .m = x->count,
                        .n = h->size,
                        .k = h->keys,
                        .add = h->add});
}

static void backward_head(const slt_head *h) {
    chunk x = chunk_of(h);
    for (int first = 0; first < h->queries; first += CHUNK) {
        next_chunk(&x, first);
        chunk_gradients(&x);
    }
    if (!several(h)) return;
    put_key_gradient(h, x.dk, h->dk);
    put_key_gradient(h, x.dv, h->dv);
}
