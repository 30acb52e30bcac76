// y = relu(x + table[id]): the joint embedding of the encoder. The action's half of the product,
// E·W, is one product per symbol instead of one per token.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_inputs.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    slt_shape ids = rule->in[SLT_JOIN_IDS], table = rule->in[SLT_JOIN_TABLE];
    slt_shape_type(rule, SLT_JOIN_IDS, SLT_INTEGERS);
    if (ids.width != 1) slt_shape_reject(rule, SLT_JOIN_IDS, "width 1");
    if (table.space != SLT_FIXED) slt_shape_reject(rule, SLT_JOIN_TABLE, "a table");
    slt_shape_want(rule, SLT_JOIN_X, ids.space, ids.rows, table.width);
    rule->out[0] = (slt_shape){ids.space, ids.rows, table.width};
}

static void forward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    const int32_t *ids = args->in[SLT_JOIN_IDS];
    size_t width = (size_t)args->out_width[0];
    slt_rows rows = slt_row_block(args->in_rows[SLT_JOIN_IDS], task);
    for (int r = rows.first; r < rows.first + rows.count; r++) {
        const slt_real *entry = (const slt_real *)args->in[SLT_JOIN_TABLE] + (size_t)ids[r] * width;
        const slt_real *x = args->in[SLT_JOIN_X]
                                ? (const slt_real *)args->in[SLT_JOIN_X] + (size_t)r * width
                                : NULL;
        slt_real *restrict y = args->out[0] + (size_t)r * width;
        for (size_t c = 0; c < width; c++) {
            slt_real sum = x ? x[c] + entry[c] : entry[c];
            y[c] = sum > 0 ? sum : 0;
        }
    }
}
SLT_WIDE_TASK(forward_rows);

static void forward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[SLT_JOIN_IDS], SLT_ROW_BLOCK),
                 SLT_WIDEST(forward_rows));
}

// dy∘[y>0] into shared, and on to x
static void backward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->in_rows[SLT_JOIN_IDS], task);
    size_t width = (size_t)args->out_width[0], at = (size_t)rows.first * width;
    const slt_real *dy = args->out_grad[0] + at, *y = args->out[0] + at;
    slt_real *restrict before = args->shared + at;
    slt_real *dx = args->in_grad[SLT_JOIN_X] ? args->in_grad[SLT_JOIN_X] + at : NULL;
    for (size_t i = 0; i < (size_t)rows.count * width; i++) before[i] = slt_where(y[i] > 0, dy[i]);
    for (size_t i = 0; dx && i < (size_t)rows.count * width; i++)
        slt_put(&dx[i], args->add[SLT_JOIN_X], before[i]);
}
SLT_WIDE_TASK(backward_rows);

static void backward_columns(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_table_gradient(args->in_grad[SLT_JOIN_TABLE], args->add[SLT_JOIN_TABLE],
                       args->in_rows[SLT_JOIN_TABLE], args->out_width[0], args->in[SLT_JOIN_IDS],
                       args->shared, args->in_rows[SLT_JOIN_IDS],
                       slt_columns(args->out_width[0], task));
}

static void backward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[SLT_JOIN_IDS], SLT_ROW_BLOCK),
                 SLT_WIDEST(backward_rows));
    if (args->in_grad[SLT_JOIN_TABLE])
        slt_args_run(args, slt_column_tasks(args->out_width[0]), backward_columns);
}

static size_t shared(const slt_sizes *sizes) {
    return (size_t)sizes->out[0].rows * (size_t)sizes->out[0].width;
}
static double flops(const slt_sizes *sizes) {
    return 2.0 * sizes->out[0].rows * sizes->out[0].width;
}

static slt_var make_case(slt_probe *probe, int width, bool with_x) {
    slt_var x = with_x ? slt_probe_numbers(probe, SLT_TOKENS, 0, width, -1, 1) : 0;
    slt_var ids = slt_probe_integers(probe, SLT_TOKENS, 4);
    return slt_join_tokens(slt_probe_tape(probe), x, ids,
                           slt_probe_parameter(probe, 4, width, -1, 1));
}
static slt_var case_both(slt_probe *p) { return make_case(p, 3, true); }
static slt_var case_alone(slt_probe *p) { return make_case(p, 3, false); }
static slt_var bench(slt_probe *p) { return make_case(p, 128, true); }

static unsigned bf16_rows(const slt_sizes *sizes) {
    (void)sizes;
    return 1u << SLT_JOIN_X | 1u << SLT_BF16_OUT;
}

const slt_op slt_op_join_tokens = {.name = "join_tokens",
                                   .sentence = "y = relu(x + table[id])",
                                   .least = 2,
                                   .most = 3,
                                   .shape = shape,
                                   .no_gradient_in = 1u << SLT_JOIN_IDS,
                                   .saves_in = 1u << SLT_JOIN_IDS,
                                   .saves_out = 1,
                                   .shared = shared,
                                   .flops = flops,
                                   .bf16_rows = bf16_rows,
                                   .bf16_alike = true,
                                   .forward = forward,
                                   .backward = backward,
                                   .cases = {case_both, case_alone},
                                   .bench = bench};

slt_var slt_join_tokens(slt_tape *tape, slt_var x, slt_var ids, slt_var table) {
    slt_var inputs[] = {ids, table, x};
    return slt_tape_apply(tape, &slt_op_join_tokens, inputs, 3, NULL);
}
