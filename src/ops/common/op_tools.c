// Shape rules, rows, weight gradients.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_tools.h"

#include "engine/tape_impl.h"

bool slt_shape_has(const slt_shape_check *rule, int i) {
    return i < rule->node->inputs && rule->node->in[i] != 0;
}

void slt_shape_reject(slt_shape_check *rule, int i, const char *wanted) {
    char text[64];
    slt_tape_fail(rule->tape, SLT_SHAPE, "%s: input %d has shape %s, wanted %s",
                  rule->node->op->name, i, slt_var_shape_text(rule->in[i], text, sizeof text),
                  wanted);
}

void slt_shape_reject_pair(slt_shape_check *rule, int i, int k, const char *why) {
    char a[64], b[64];
    slt_tape_fail(rule->tape, SLT_SHAPE, "%s: inputs %d %s and %d %s do not fit: %s",
                  rule->node->op->name, i, slt_var_shape_text(rule->in[i], a, sizeof a), k,
                  slt_var_shape_text(rule->in[k], b, sizeof b), why);
}

void slt_shape_want(slt_shape_check *rule, int i, slt_space space, int rows, int width) {
    if (!slt_shape_has(rule, i)) return;
    slt_shape shape = rule->in[i];
    bool rows_fit = space != SLT_FIXED || shape.rows == rows;
    if (shape.space == space && rows_fit && shape.width == width) return;
    char text[64];
    slt_shape_reject(rule, i,
                     slt_var_shape_text((slt_shape){space, rows, width}, text, sizeof text));
}

void slt_shape_same(slt_shape_check *rule, int i, int k) {
    slt_shape a = rule->in[i], b = rule->in[k];
    if (!slt_shape_has(rule, i) || !slt_shape_has(rule, k)) return;
    if (a.space != b.space || a.width != b.width || (a.space == SLT_FIXED && a.rows != b.rows))
        slt_shape_reject_pair(rule, i, k, "they must be the same");
}

void slt_shape_type(slt_shape_check *rule, int i, slt_type type) {
    static const char *const names[] = {"numbers", "integers", "bits"};
    if (slt_shape_has(rule, i) && rule->type[i] != type)
        slt_tape_fail(rule->tape, SLT_SHAPE, "%s: input %d holds %s, wanted %s",
                      rule->node->op->name, i, names[rule->type[i]], names[type]);
}

int slt_span_count(const slt_args *args, slt_space space) {
    int count = args->batch->count;
    return space == SLT_SLOT_TOKENS ? count * args->limits.slots : count;
}

slt_row_span slt_span_at(const slt_args *args, slt_space space, int i) {
    const slt_batch *batch = args->batch;
    int slots = space == SLT_SLOT_TOKENS ? args->limits.slots : 1;
    int b = i / slots, k = i % slots, computed = slt_batch_computed(batch, b);
    return (slt_row_span){slots * batch->offset[b] + k * computed, computed, b, k};
}

// Products with W (in,out) round their factors where that is asked for, unless W is so narrow that
// rounding takes as long as it saves. The number of rows has no say, so that a row has the same
// result alone and among others.
static bool rounds(const slt_gemm_kernel *bf16, int in, int out) {
    return bf16 && slt_min(in, out) >= SLT_GEMM_BF16_LEAST;
}

void slt_factor_pack(const slt_factor *f, int rows) {
    int ldw = f->transpose ? f->k : f->n;
    if (!slt_factor_packs(rows)) return;
    if (rounds(f->bf16, f->k, f->n))
        slt_gemm_bf16_pack(f->bf16, f->transpose, f->n, f->k, f->w, ldw, f->packed);
    else
        slt_gemm_pack(f->transpose, f->n, f->k, f->w, ldw, f->packed);
}

void slt_factor_multiply(const slt_factor *f, int rows, int count, const slt_real *x, bool add,
                         slt_real *y) {
    int n = f->n, k = f->k, ldw = f->transpose ? k : n;
    bool bf16 = rounds(f->bf16, k, n), packed = slt_factor_packs(rows);
    if (bf16 && packed)
        slt_gemm_bf16_packed(f->bf16, count, n, k, x, k, f->packed, add, y, n);
    else if (bf16)
        slt_gemm_bf16(f->bf16, false, f->transpose, count, n, k, x, k, f->w, ldw, add, y, n);
    else if (packed)
        slt_gemm_packed(count, n, k, x, k, f->packed, add, y, n);
    else
        slt_gemm(false, f->transpose, count, n, k, x, k, f->w, ldw, add, y, n);
}

// dc[columns] (+)= sum over rows of dy
static void bias_gradient(const slt_real *dy, int out, int rows, slt_rows columns, slt_real *dc,
                          bool add) {
    slt_real *sum = dc + columns.first;
    if (!add) memset(sum, 0, (size_t)columns.count * sizeof *sum);
    for (int r = 0; r < rows; r++) {
        const slt_real *row = dy + (size_t)r * (size_t)out + columns.first;
        for (int c = 0; c < columns.count; c++) sum[c] += row[c];
    }
}

SLT_WIDE(bias_gradient,
         (const slt_real *dy, int out, int rows, slt_rows columns, slt_real *dc, bool add),
         (dy, out, rows, columns, dc, add));

void slt_bias_gradient(const slt_real *dy, int out, int rows, slt_rows columns, slt_real *dc,
                       bool add) {
    SLT_WIDEST(bias_gradient)(dy, out, rows, columns, dc, add);
}

// how W is cut along its sides: a part has to be large, or its product is slow
typedef struct {
    int in, out;
} cuts;

static cuts cuts_of(int in, int out) {
    enum { SMALL = 64 * 64, LARGE = 128 * 256, HUGE_SQUARE = 512 * 512 };
    int64_t size = (int64_t)in * out;
    if (size < SMALL) return (cuts){1, 1};
    if (in >= 2 * out) return (cuts){size < LARGE ? 2 : 4, 1};
    if (out >= 2 * in) return (cuts){1, size < LARGE ? 2 : 4};
    return size < HUGE_SQUARE ? (cuts){1, 2} : (cuts){2, 2};
}

// numbers of a part, in whole vectors
static int part_of(int side, int parts) { return (side + 16 * parts - 1) / (16 * parts) * 16; }

int slt_weight_tasks(int in, int out) {
    cuts n = cuts_of(in, out);
    return slt_blocks(in, part_of(in, n.in)) * slt_blocks(out, part_of(out, n.out));
}

void slt_weight_gradient(const slt_gemm_kernel *bf16, const slt_real *x, int in, const slt_real *dy,
                         int out, int rows, int task, slt_real *dw, bool add) {
    cuts n = cuts_of(in, out);
    int high = part_of(in, n.in), wide = part_of(out, n.out), across = slt_blocks(out, wide);
    int i = task / across * high, j = task % across * wide;
    int m = slt_min(high, in - i), columns = slt_min(wide, out - j);
    slt_real *part = dw ? dw + (size_t)i * (size_t)out + j : NULL;
    if (part && rounds(bf16, in, out))
        slt_gemm_bf16(bf16, true, false, m, columns, rows, x + i, in, dy + j, out, add, part, out);
    else if (part)
        slt_gemm(true, false, m, columns, rows, x + i, in, dy + j, out, add, part, out);
}

static void sum_rows(const slt_real *dy, int width, int rows, slt_real *restrict sum) {
    for (int r = 0; r < rows; r++) {
        const slt_real *row = dy + (size_t)r * (size_t)width;
        for (int c = 0; c < width; c++) sum[c] += row[c];
    }
}
SLT_WIDE(sum_rows, (const slt_real *dy, int width, int rows, slt_real *restrict sum),
         (dy, width, rows, sum));

void slt_sum_rows(const slt_real *dy, int width, int rows, slt_real *sum) {
    SLT_WIDEST(sum_rows)(dy, width, rows, sum);
}

static void table_gradient(slt_real *table, bool add, int entries, int width, const int32_t *ids,
                           const slt_real *dy, int rows, slt_rows columns) {
    size_t stride = (size_t)width, first = (size_t)columns.first;
    for (int i = 0; i < entries && !add; i++)
        memset(table + (size_t)i * stride + first, 0, (size_t)columns.count * sizeof *table);
    for (int r = 0; r < rows; r++) {
        slt_real *restrict row = table + (size_t)ids[r] * stride + first;
        const slt_real *restrict from = dy + (size_t)r * stride + first;
        for (int c = 0; c < columns.count; c++) row[c] += from[c];
    }
}

SLT_WIDE(table_gradient,
         (slt_real * table, bool add, int entries, int width, const int32_t *ids,
          const slt_real *dy, int rows, slt_rows columns),
         (table, add, entries, width, ids, dy, rows, columns));

void slt_table_gradient(slt_real *table, bool add, int entries, int width, const int32_t *ids,
                        const slt_real *dy, int rows, slt_rows columns) {
    SLT_WIDEST(table_gradient)(table, add, entries, width, ids, dy, rows, columns);
}

void slt_add_partials(slt_real *out, bool add, const slt_real *partial, int parts, int width,
                      int stride) {
    for (int c = 0; c < width; c++) {
        slt_real sum = 0;
        for (int p = 0; p < parts; p++) sum += partial[(size_t)p * (size_t)stride + (size_t)c];
        slt_put(&out[c], add, sum);
    }
}
