// y = s·x, with one number s that is never learned: a member of a population has its input on (1)
// or off (0), and its checkpoint says which.
// Backward: dx = s·dy.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { X, S };

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, S, SLT_FIXED, 1, 1);
    rule->out[0] = rule->in[X];
}

static void forward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->in_rows[X], task);
    size_t width = (size_t)args->in_width[X], at = (size_t)rows.first * width;
    const slt_real *x = (const slt_real *)args->in[X] + at;
    slt_real *y = args->out[0] + at, s = *(const slt_real *)args->in[S];
    for (size_t i = 0; i < (size_t)rows.count * width; i++) y[i] = s * x[i];
}

static void forward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[X], SLT_ROW_BLOCK), forward_rows);
}

static void backward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->in_rows[X], task);
    size_t width = (size_t)args->in_width[X], at = (size_t)rows.first * width;
    const slt_real *dy = args->out_grad[0] + at;
    slt_real *dx = args->in_grad[X] + at, s = *(const slt_real *)args->in[S];
    for (size_t i = 0; i < (size_t)rows.count * width; i++)
        slt_put(&dx[i], args->add[X], s * dy[i]);
}

static void backward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[X], SLT_ROW_BLOCK), backward_rows);
}

static double flops(const slt_sizes *sizes) { return 1.0 * sizes->in[X].rows * sizes->in[X].width; }

static slt_var make_case(slt_probe *probe, int width) {
    slt_var x = slt_probe_numbers(probe, SLT_TOKENS, 0, width, -1, 1);
    slt_var s = slt_probe_constant(probe, SLT_FIXED, 1, 1, 0.3, 0.9);
    return slt_scale(slt_probe_tape(probe), x, s);
}
static slt_var case_small(slt_probe *p) { return make_case(p, 3); }
static slt_var bench(slt_probe *p) { return make_case(p, 128); }

const slt_op slt_op_scale = {.name = "scale",
                             .sentence = "s·x, s is not learned",
                             .least = 2,
                             .most = 2,
                             .shape = shape,
                             .no_gradient_in = 1u << S,
                             .saves_in = 1u << S,
                             .flops = flops,
                             .forward = forward,
                             .backward = backward,
                             .cases = {case_small},
                             .bench = bench};

slt_var slt_scale(slt_tape *tape, slt_var x, slt_var s) {
    slt_var inputs[] = {x, s};
    return slt_tape_apply(tape, &slt_op_scale, inputs, 2, NULL);
}
