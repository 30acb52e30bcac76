// One number: Σ x·weights over all rows; partial sums per block of rows are added in order.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { X, WEIGHTS };

static void shape(slt_shape_check *rule) {
    slt_shape_same(rule, X, WEIGHTS);
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

static void forward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->in_rows[X], task);
    size_t width = (size_t)args->in_width[X], at = (size_t)rows.first * width;
    args->shared[task] =
        slt_dot((const slt_real *)args->in[X] + at, (const slt_real *)args->in[WEIGHTS] + at,
                (int)((size_t)rows.count * width));
}

static void forward(const slt_args *args) {
    int blocks = slt_blocks(args->in_rows[X], SLT_ROW_BLOCK);
    slt_args_run(args, blocks, forward_rows);
    slt_add_partials(args->out[0], false, args->shared, blocks, 1, 1);
}

static void backward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->in_rows[X], task);
    size_t width = (size_t)args->in_width[X], at = (size_t)rows.first * width;
    const slt_real *weights = (const slt_real *)args->in[WEIGHTS] + at;
    slt_real *dx = args->in_grad[X] + at, scale = args->out_grad[0][0];
    for (size_t i = 0; i < (size_t)rows.count * width; i++)
        slt_put(&dx[i], args->add[X], scale * weights[i]);
}

static void backward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[X], SLT_ROW_BLOCK), backward_rows);
}

static size_t shared(const slt_sizes *sizes) {
    return (size_t)slt_blocks(sizes->in[X].rows, SLT_ROW_BLOCK) + 1;
}
static double flops(const slt_sizes *sizes) { return 2.0 * sizes->in[X].rows * sizes->in[X].width; }

static slt_var make_case(slt_probe *probe, int width) {
    slt_var x = slt_probe_numbers(probe, SLT_TOKENS, 0, width, -1, 1);
    slt_var weights = slt_probe_constant(probe, SLT_TOKENS, 0, width, -1, 1);
    return slt_weighted_sum(slt_probe_tape(probe), x, weights);
}
static slt_var case_small(slt_probe *p) { return make_case(p, 3); }
static slt_var bench(slt_probe *p) { return make_case(p, 128); }

const slt_op slt_op_weighted_sum = {.name = "weighted_sum",
                                    .sentence = "Σ x·weights",
                                    .least = 2,
                                    .most = 2,
                                    .shape = shape,
                                    .no_gradient_in = 1u << WEIGHTS,
                                    .saves_in = 1u << WEIGHTS,
                                    .shared = shared,
                                    .flops = flops,
                                    .backward_flops = 0.5,
                                    .forward = forward,
                                    .backward = backward,
                                    .cases = {case_small},
                                    .bench = bench};

slt_var slt_weighted_sum(slt_tape *tape, slt_var x, slt_var weights) {
    slt_var inputs[] = {x, weights};
    return slt_tape_apply(tape, &slt_op_weighted_sum, inputs, 2, NULL);
}
