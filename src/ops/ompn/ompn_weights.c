// Weight gradients of OMPN's recurrence: one product per matrix over the rows of all steps.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/ompn/ompn_impl.h"

enum { W = 1 };

// dw[:, columns] += aᵀ·dy over all rows; dw has rows of `wide` numbers, like dy's share of them
static void add_product(const slt_ompn *o, const slt_real *a, size_t stride, int in,
                        const slt_real *dy, size_t dy_stride, int wide, slt_rows columns,
                        slt_real *dw) {
    slt_gemm(true, false, in, columns.count, o->rows, a, (int)stride, dy + columns.first,
             (int)dy_stride, true, dw + columns.first, wide);
}

static void add_bias(const slt_ompn *o, const slt_real *dy, size_t stride, slt_rows columns,
                     slt_real *restrict dc) {
    for (int r = 0; r < o->rows; r++)
        for (int c = columns.first; c < columns.first + columns.count; c++)
            dc[c] += dy[(size_t)r * stride + (size_t)c];
}

// ---- the tasks of a cell: blocks of columns of its first layer, then of its second

static int cell_tasks(int inputs, int d) {
    return slt_column_tasks(4 * d) + slt_column_tasks((inputs + 2) * d);
}

// x is the child of the leaf as well: one product for both of its kernels
static void add_twice(const slt_ompn *o, const slt_ompn_part *part, slt_rows columns,
                      slt_real *scratch, slt_real *dw1) {
    int d = o->d, wide = 4 * d;
    size_t next = 2 * (size_t)d * (size_t)wide;
    slt_gemm(true, false, d, columns.count, o->rows, o->state, (int)slt_ompn_state_width(o),
             part->dhidden + columns.first, wide, false, scratch, columns.count);
    for (int i = 0; i < d; i++)
        for (int c = 0; c < columns.count; c++) {
            slt_real *to = dw1 + (size_t)i * (size_t)wide + (size_t)(columns.first + c);
            slt_real sum = scratch[(size_t)i * (size_t)columns.count + (size_t)c];
            to[0] += sum;
            to[next] += sum;
        }
}

static void first_layer(const slt_ompn *o, const slt_ompn_part *part, const slt_real *in,
                        size_t stride, slt_rows columns, slt_real *scratch, slt_real *dw) {
    size_t d = (size_t)o->d, kernel = d * 4 * d;
    int k = part->at.inputs, skip = part->leaf ? 1 : 0;
    slt_real *dw1 = dw + part->at.w1;
    add_product(o, in + (size_t)skip * d, stride, (k - skip) * o->d, part->dhidden, 4 * d, 4 * o->d,
                columns, dw1 + (size_t)skip * kernel);
    if (part->leaf)
        add_twice(o, part, columns, scratch, dw1);
    else
        add_product(o, o->state, slt_ompn_state_width(o), o->d, part->dhidden, 4 * d, 4 * o->d,
                    columns, dw1 + (size_t)k * kernel);
    add_bias(o, part->dhidden, 4 * d, columns, dw + part->at.c1);
}

static void cell_task(const slt_ompn *o, const slt_ompn_part *part, const slt_real *in,
                      size_t stride, int task, slt_real *scratch, slt_real *dw) {
    int first = slt_column_tasks(4 * o->d), wide = (part->at.inputs + 2) * o->d;
    if (task < first) {
        first_layer(o, part, in, stride, slt_columns(4 * o->d, task), scratch, dw);
        return;
    }
    slt_rows columns = slt_columns(wide, task - first);
    add_product(o, part->hidden, 4 * (size_t)o->d, 4 * o->d, part->dsecond, (size_t)wide, wide,
                columns, dw + part->at.w2);
    add_bias(o, part->dsecond, (size_t)wide, columns, dw + part->at.c2);
}

// ---- the gate, and the sums of the groups

static void gate_task(const slt_ompn *o, slt_real *dw) {
    size_t d = (size_t)o->d, n = (size_t)o->n, wide = slt_ompn_state_width(o);
    slt_rows all = {0, o->d};
    slt_real *dw1 = dw + o->gate.w1;
    add_product(o, o->state, wide, o->d, o->dgate_x, d, o->d, all, dw1);
    for (size_t i = 0; i < n; i++)
        add_product(o, o->state + slt_ompn_pair(o, (int)i) + d, wide, 2 * o->d,
                    o->dgate_hidden + i * d, n * d, o->d, all, dw1 + 2 * d * d);
    add_bias(o, o->dgate_x, d, all, dw + o->gate.c1);
}

static void sum_groups(const slt_ompn *o, slt_real *dw) {
    size_t d = (size_t)o->d, size = slt_ompn_partial(o->n, o->d);
    const slt_real *from = o->partial;
    for (int i = 0; i < o->n; i++, from += 6 * d)
        slt_add_partials(dw + o->com[i].at.gamma, true, from, o->groups, 6 * o->d, (int)size);
    for (int i = 0; i + 1 < o->n; i++, from += 4 * d)
        slt_add_partials(dw + o->decom[i].at.gamma, true, from, o->groups, 4 * o->d, (int)size);
    slt_add_partials(dw + o->gate.w2, true, from, o->groups, o->d + 1, (int)size);
}

int slt_ompn_weight_tasks(const slt_args *args) {
    int n = args->node->attributes.n[0], d = args->in_width[0];
    return n * cell_tasks(2, d) + (n - 1) * cell_tasks(1, d) + 2;
}

void slt_ompn_weight_task(const slt_args *args, int task, slt_real *scratch) {
    if (slt_cancel_asked(args->cancel)) return;
    slt_ompn o;
    slt_ompn_open(&o, args, true);
    slt_real *dw = args->in_grad[W];
    int com = cell_tasks(2, o.d), decom = cell_tasks(1, o.d);
    // the longest first, so that threads end together
    if (task == 0) gate_task(&o, dw);
    if (task == 1) sum_groups(&o, dw);
    int first = task - 2, second = first - o.n * com;
    if (second >= 0) {
        int i = second / decom;
        cell_task(&o, &o.decom[i], o.family[i], 2 * (size_t)o.d, second % decom, scratch, dw);
    } else if (first >= 0) {
        int i = first / com;
        cell_task(&o, &o.com[i], o.state + slt_ompn_pair(&o, i), slt_ompn_state_width(&o),
                  first % com, scratch, dw);
    }
}
