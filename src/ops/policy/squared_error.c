// Mean over true tokens of Σ_c (x_c - target_c)², the loss of a value function. Backward:
// dx = 2(x - target)/M, and nothing after the end.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { X, TARGET };

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, X, SLT_TOKENS, 0, rule->in[X].width);
    slt_shape_same(rule, X, TARGET);
    slt_shape_type(rule, TARGET, SLT_NUMBERS);
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

// the numbers of trajectory b: where they start, how many are computed, how many are true
typedef struct {
    size_t first, computed, truth;
} stretch;

static stretch stretch_of(const slt_args *args, int b) {
    slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
    size_t width = (size_t)args->in_width[X];
    int truth = slt_min(args->batch->length[b], sequence.computed);
    return (stretch){(size_t)sequence.first * width, (size_t)sequence.computed * width,
                     (size_t)truth * width};
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    stretch s = stretch_of(args, b);
    const slt_real *x = (const slt_real *)args->in[X] + s.first;
    const slt_real *target = (const slt_real *)args->in[TARGET] + s.first;
    slt_real sum = 0;
    for (size_t i = 0; i < s.truth; i++) sum += (x[i] - target[i]) * (x[i] - target[i]);
    args->shared[b] = sum / (slt_real)args->batch->true_tokens;
}
SLT_WIDE_TASK(forward_trajectory);

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(forward_trajectory));
    slt_add_partials(args->out[0], false, args->shared, args->batch->count, 1, 1);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    stretch s = stretch_of(args, b);
    const slt_real *x = (const slt_real *)args->in[X] + s.first;
    const slt_real *target = (const slt_real *)args->in[TARGET] + s.first;
    slt_real *dx = args->in_grad[X] + s.first;
    slt_real scale = 2 * args->out_grad[0][0] / (slt_real)args->batch->true_tokens;
    for (size_t i = 0; i < s.truth; i++) slt_put(&dx[i], args->add[X], scale * (x[i] - target[i]));
    for (size_t i = s.truth; i < s.computed; i++) slt_put(&dx[i], args->add[X], 0);
}
SLT_WIDE_TASK(backward_trajectory);

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(backward_trajectory));
}

static size_t shared(const slt_sizes *sizes) { return (size_t)sizes->limits.trajectories; }
static double flops(const slt_sizes *sizes) { return 3.0 * sizes->in[X].rows * sizes->in[X].width; }

static slt_var make_case(slt_probe *probe, int width) {
    slt_var x = slt_probe_numbers(probe, SLT_TOKENS, 0, width, -1, 1);
    slt_var target = slt_probe_constant(probe, SLT_TOKENS, 0, width, -1, 1);
    return slt_squared_error(slt_probe_tape(probe), x, target);
}
static slt_var case_one(slt_probe *p) { return make_case(p, 1); }
static slt_var case_wide(slt_probe *p) { return make_case(p, 3); }

const slt_op slt_op_squared_error = {.name = "squared_error",
                                     .sentence = "mean over true tokens of (x - target)²",
                                     .least = 2,
                                     .most = 2,
                                     .shape = shape,
                                     .no_gradient_in = 1u << TARGET,
                                     .saves_in = 1u << X | 1u << TARGET,
                                     .shared = shared,
                                     .flops = flops,
                                     .backward_flops = 1,
                                     .forward = forward,
                                     .backward = backward,
                                     .cases = {case_one, case_wide},
                                     .bench = case_one};

slt_var slt_squared_error(slt_tape *tape, slt_var x, slt_var target) {
    slt_var inputs[] = {x, target};
    return slt_tape_apply(tape, &slt_op_squared_error, inputs, 2, NULL);
}
