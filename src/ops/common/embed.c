// y_r = table[id_r]. Backward: blocks of columns walk all rows in order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { IDS, TABLE };

static void shape(slt_shape_check *rule) {
    slt_shape ids = rule->in[IDS], table = rule->in[TABLE];
    slt_shape_type(rule, IDS, SLT_INTEGERS);
    if (ids.width != 1) slt_shape_reject(rule, IDS, "width 1");
    if (table.space != SLT_FIXED) slt_shape_reject(rule, TABLE, "a table");
    rule->out[0] = (slt_shape){ids.space, ids.rows, table.width};
}

static void forward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    const int32_t *ids = args->in[IDS];
    const slt_real *table = args->in[TABLE];
    size_t out = (size_t)args->out_width[0];
    slt_rows rows = slt_row_block(args->in_rows[IDS], task);
    for (int r = rows.first; r < rows.first + rows.count; r++)
        memcpy(args->out[0] + (size_t)r * out, table + (size_t)ids[r] * out, out * sizeof *table);
}
SLT_WIDE_TASK(forward_rows);

static void forward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[IDS], SLT_ROW_BLOCK), SLT_WIDEST(forward_rows));
}

static void backward_columns(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_table_gradient(args->in_grad[TABLE], args->add[TABLE], args->in_rows[TABLE],
                       args->out_width[0], args->in[IDS], args->out_grad[0], args->in_rows[IDS],
                       slt_columns(args->out_width[0], task));
}

static void backward(const slt_args *args) {
    slt_args_run(args, slt_column_tasks(args->out_width[0]), backward_columns);
}

static slt_var make_case(slt_probe *probe, int rows, int width) {
    slt_var ids = slt_probe_integers(probe, SLT_TOKENS, rows);
    return slt_embed(slt_probe_tape(probe), ids, slt_probe_parameter(probe, rows, width, -1, 1));
}
static slt_var case_small(slt_probe *p) { return make_case(p, 4, 3); }
static slt_var bench(slt_probe *p) { return make_case(p, 7, 128); }

const slt_op slt_op_embed = {.name = "embed",
                             .sentence = "y = table[id]",
                             .least = 2,
                             .most = 2,
                             .shape = shape,
                             .no_gradient_in = 1u << IDS,
                             .saves_in = 1u << IDS,
                             .forward = forward,
                             .backward = backward,
                             .cases = {case_small},
                             .bench = bench};

slt_var slt_embed(slt_tape *tape, slt_var ids, slt_var table) {
    slt_var inputs[] = {ids, table};
    return slt_tape_apply(tape, &slt_op_embed, inputs, 2, NULL);
}
