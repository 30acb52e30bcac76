// y = x + P[l]: a constant table of positions, over whole sequences.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { X, TABLE };

static void shape(slt_shape_check *rule) {
    slt_shape x = rule->in[X];
    if (x.space != SLT_TOKENS && x.space != SLT_SLOT_TOKENS)
        slt_shape_reject(rule, X, "rows that have a position");
    slt_shape_want(rule, TABLE, SLT_FIXED, rule->limits.length, x.width);
    rule->out[0] = x;
}

static slt_space space_of(const slt_args *args) { return (slt_space)args->node->attributes.n[0]; }

static void forward_sequence(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_row_span sequence = slt_span_at(args, space_of(args), task);
    size_t width = (size_t)args->in_width[X], at = (size_t)sequence.first * width;
    const slt_real *x = (const slt_real *)args->in[X] + at, *p = args->in[TABLE];
    slt_real *y = args->out[0] + at;
    for (size_t i = 0; i < (size_t)sequence.computed * width; i++) y[i] = x[i] + p[i];
}
SLT_WIDE_TASK(forward_sequence);

static void forward(const slt_args *args) {
    slt_args_run(args, slt_span_count(args, space_of(args)), SLT_WIDEST(forward_sequence));
}

static void backward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->in_rows[X], task);
    size_t width = (size_t)args->in_width[X], at = (size_t)rows.first * width;
    const slt_real *dy = args->out_grad[0] + at;
    slt_real *dx = args->in_grad[X] + at;
    for (size_t i = 0; i < (size_t)rows.count * width; i++) slt_put(&dx[i], args->add[X], dy[i]);
}
SLT_WIDE_TASK(backward_rows);

static void backward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[X], SLT_ROW_BLOCK), SLT_WIDEST(backward_rows));
}

static double flops(const slt_sizes *sizes) { return 1.0 * sizes->in[X].rows * sizes->in[X].width; }

static slt_var make_case(slt_probe *probe, slt_space space, int width) {
    slt_tape *tape = slt_probe_tape(probe);
    slt_var x = slt_probe_numbers(probe, space, 0, width, -1, 1);
    int length = slt_tape_limits(tape).length;
    return slt_add_table(tape, x, slt_probe_constant(probe, SLT_FIXED, length, width, -1, 1));
}
static slt_var case_tokens(slt_probe *p) { return make_case(p, SLT_TOKENS, 3); }
static slt_var case_slots(slt_probe *p) { return make_case(p, SLT_SLOT_TOKENS, 2); }
static slt_var bench(slt_probe *p) { return make_case(p, SLT_SLOT_TOKENS, 128); }

static unsigned bf16_rows(const slt_sizes *sizes) {
    (void)sizes;
    return 1u | 1u << SLT_BF16_OUT;
}

const slt_op slt_op_add_table = {.name = "add_table",
                                 .sentence = "y = x + P[l]",
                                 .least = 2,
                                 .most = 2,
                                 .shape = shape,
                                 .no_gradient_in = 1u << TABLE,
                                 .flops = flops,
                                 .bf16_rows = bf16_rows,
                                 .bf16_alike = true,
                                 .forward = forward,
                                 .backward = backward,
                                 .cases = {case_tokens, case_slots},
                                 .bench = bench};

slt_var slt_add_table(slt_tape *tape, slt_var x, slt_var table) {
    if (slt_tape_failed(tape)) return 0;
    slt_var inputs[] = {x, table};
    slt_attributes attributes = {.n = {slt_tape_shape(tape, x).space}};
    return slt_tape_apply(tape, &slt_op_add_table, inputs, 2, &attributes);
}
