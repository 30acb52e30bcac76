// Small helpers shared by the operations.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_TOOLS_H
#define SLT_OPS_TOOLS_H

#include <stdio.h>
#include <string.h>
#include "engine/gemm.h"
#include "engine/op.h"
#include "engine/wide.h"
#include "ops/common/ops.h"
#include "ops/common/vecmath.h"

// ---- shape rules

// notes that input `i` does not fit, with its shape and what was wanted
void slt_shape_reject(slt_shape_check *rule, int i, const char *wanted);
// both shapes in the message
void slt_shape_reject_pair(slt_shape_check *rule, int i, int k, const char *why);
// input i, where present, has this shape (rows only matter for SLT_FIXED)
void slt_shape_want(slt_shape_check *rule, int i, slt_space space, int rows, int width);
// inputs i and k have the same shape
void slt_shape_same(slt_shape_check *rule, int i, int k);
void slt_shape_type(slt_shape_check *rule, int i, slt_type type);
bool slt_shape_has(const slt_shape_check *rule, int i);

// ---- rows

// the start of sequence `i` of a space, its computed length, and its trajectory. Sequences are
// trajectories (tokens) or (b,k) (slot tokens); other spaces are one sequence
typedef struct {
    int first, computed, b, k;
} slt_row_span;

int slt_span_count(const slt_args *args, slt_space space);
slt_row_span slt_span_at(const slt_args *args, slt_space space, int i);

// rows of block `task`
typedef struct {
    int first, count;
} slt_rows;
static inline slt_rows slt_row_block(int rows, int task) {
    int first = task * SLT_ROW_BLOCK;
    return (slt_rows){first, slt_min(SLT_ROW_BLOCK, rows - first)};
}
// columns of a gradient's block: wide enough for the product, narrow enough to share out
static inline int slt_column_block(int columns) {
    int block = (columns / 4 + 31) / 32 * 32;
    return block < SLT_COLUMN_BLOCK ? SLT_COLUMN_BLOCK : block;
}
static inline int slt_column_tasks(int columns) {
    return slt_blocks(columns, slt_column_block(columns));
}
static inline slt_rows slt_columns(int columns, int task) {
    int block = slt_column_block(columns), first = task * block;
    return (slt_rows){first, slt_min(block, columns - first)};
}

// op(W) (k,n) of products with all rows of a node, laid out once where these are many
typedef struct {
    bool transpose;
    const slt_gemm_kernel *bf16; // as args->bf16
    int n, k;
    const slt_real *w;
    slt_real *packed; // slt_factor_size numbers
} slt_factor;

static inline bool slt_factor_packs(int rows) { return rows > SLT_ROW_BLOCK; }
static inline size_t slt_factor_size(int rows, int n, int k) {
    return slt_factor_packs(rows) ? slt_gemm_packed_size(n, k) : 0;
}
// before the products: `rows` is the number of all rows, here and below
void slt_factor_pack(const slt_factor *factor, int rows);
// y (count,n) (+)= x (count,k)·op(W)
void slt_factor_multiply(const slt_factor *factor, int rows, int count, const slt_real *x, bool add,
                         slt_real *y);
// rows that go through a node's steps together: few, so that they stay in the caches between them
static inline int slt_row_piece(int rows) { return slt_factor_packs(rows) ? 64 : SLT_ROW_BLOCK; }

// dW (+)= xᵀ·dy, over all rows in one call, of one of so many blocks of W (in,out)
int slt_weight_tasks(int in, int out);
void slt_weight_gradient(const slt_gemm_kernel *bf16, const slt_real *x, int in, const slt_real *dy,
                         int out, int rows, int task, slt_real *dw, bool add);
// dc[columns] (+)= sum of dy, over all rows
void slt_bias_gradient(const slt_real *dy, int out, int rows, slt_rows columns, slt_real *dc,
                       bool add);

// sum[c] += Σ_r dy_r[c]: the share of rows in the gradient of a bias
void slt_sum_rows(const slt_real *dy, int width, int rows, slt_real *sum);

// d table[id_r][columns] (+)= dy_r[columns], rows in order
void slt_table_gradient(slt_real *table, bool add, int entries, int width, const int32_t *ids,
                        const slt_real *dy, int rows, slt_rows columns);

// sums of tasks, added in order: out (+)= Σ_t partial[t][·]
void slt_add_partials(slt_real *out, bool add, const slt_real *partial, int parts, int width,
                      int stride);

// value where the condition holds, else 0: both are computed, so that there is nothing to guess for
// the processor and nothing in the way of vectors
static inline slt_real slt_where(bool condition, slt_real value) { return condition ? value : 0; }

static inline void slt_put(slt_real *out, bool add, slt_real value) {
    *out = add ? *out + value : value;
}

#endif
