// End probabilities of the counting model: b_l = σ(x_l), kept inside [ε, 1-ε]; the last true step
// is an end whatever its logit (b = 1-ε), and so is everything after it. Where the step's weight w
// is not 0 the ends are rounded: b is ε or 1-ε.
// Backward: dx = db·b(1-b), 0 where b was set or kept at a bound.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static const slt_real EPSILON = (slt_real)1e-6;

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, 0, SLT_TOKENS, 0, 1);
    int w = rule->node->attributes.n[0];
    if (w < 0 || w >= SLT_WEIGHTS)
        slt_tape_fail(rule->tape, SLT_RANGE, "end_probability: no weight number %d", w);
    rule->out[0] = (slt_shape){SLT_TOKENS, 0, 1};
}

static slt_real bounded(slt_real b) {
    b = b < EPSILON ? EPSILON : b;
    return b > 1 - EPSILON ? 1 - EPSILON : b;
}

static bool rounded(const slt_args *args) {
    return args->step->weight[args->node->attributes.n[0]] != 0;
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
    const slt_real *x = (const slt_real *)args->in[0] + sequence.first;
    slt_real *y = args->out[0] + sequence.first;
    int inner = slt_min(args->batch->length[b] - 1, sequence.computed);
    bool round = rounded(args);
    for (int l = 0; l < inner; l++)
        y[l] = bounded(round ? (slt_real)(x[l] > 0) : slt_sigmoid(x[l]));
    for (int l = inner; l < sequence.computed; l++) y[l] = 1 - EPSILON;
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
    const slt_real *y = args->out[0] + sequence.first, *dy = args->out_grad[0] + sequence.first;
    slt_real *dx = args->in_grad[0] + sequence.first;
    int inner = slt_min(args->batch->length[b] - 1, sequence.computed);
    bool round = rounded(args);
    for (int l = 0; l < sequence.computed; l++) {
        bool free = l < inner && !round && y[l] > EPSILON && y[l] < 1 - EPSILON;
        slt_put(&dx[l], args->add[0], slt_where(free, dy[l] * y[l] * (1 - y[l])));
    }
}

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, backward_trajectory);
}

static double flops(const slt_sizes *sizes) { return 20.0 * sizes->in[0].rows; }

static slt_var make_case(slt_probe *probe) {
    slt_var x = slt_probe_numbers(probe, SLT_TOKENS, 0, 1, -3, 3);
    return slt_end_probability(slt_probe_tape(probe), x, SLT_WEIGHTS - 1);
}

const slt_op slt_op_end_probability = {.name = "end_probability",
                                       .sentence = "b = σ(x), 1 at the end of a trajectory",
                                       .least = 1,
                                       .most = 1,
                                       .shape = shape,
                                       .saves_out = 1,
                                       .flops = flops,
                                       .forward = forward,
                                       .backward = backward,
                                       .cases = {make_case},
                                       .bench = make_case};

slt_var slt_end_probability(slt_tape *tape, slt_var x, int w) {
    slt_attributes attributes = {.n = {w}};
    return slt_tape_apply(tape, &slt_op_end_probability, &x, 1, &attributes);
}
