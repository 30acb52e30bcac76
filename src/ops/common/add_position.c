// y = x + t_l·w + c with t_l = l/(L-1): the learned position before slot attention.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_inputs.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, SLT_POSITION_X, SLT_TOKENS, 0, rule->in[SLT_POSITION_X].width);
    slt_shape_want(rule, SLT_POSITION_W, SLT_FIXED, 1, rule->in[SLT_POSITION_X].width);
    slt_shape_want(rule, SLT_POSITION_C, SLT_FIXED, 1, rule->in[SLT_POSITION_X].width);
    rule->out[0] = rule->in[SLT_POSITION_X];
}

static slt_real position(const slt_args *args, int l) {
    return args->limits.length > 1 ? (slt_real)l / (slt_real)(args->limits.length - 1) : 0;
}

static void forward_sequence(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
    const slt_real *w = args->in[SLT_POSITION_W], *c = args->in[SLT_POSITION_C];
    size_t width = (size_t)args->in_width[SLT_POSITION_X];
    for (int l = 0; l < sequence.computed; l++) {
        size_t at = (size_t)(sequence.first + l) * width;
        const slt_real *x = (const slt_real *)args->in[SLT_POSITION_X] + at;
        slt_real *y = args->out[0] + at, t = position(args, l);
        for (size_t i = 0; i < width; i++) y[i] = x[i] + (t * w[i] + c[i]);
    }
}
SLT_WIDE_TASK(forward_sequence);

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, SLT_WIDEST(forward_sequence));
}

// dx, and the sums of t·dy and dy over one sequence
static void backward_sequence(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
    size_t width = (size_t)args->in_width[SLT_POSITION_X];
    slt_real *dw = args->shared + (size_t)b * 2 * width, *dc = dw + width;
    memset(dw, 0, 2 * width * sizeof *dw);
    for (int l = 0; l < sequence.computed; l++) {
        size_t at = (size_t)(sequence.first + l) * width;
        const slt_real *dy = args->out_grad[0] + at;
        slt_real *dx = args->in_grad[SLT_POSITION_X] ? args->in_grad[SLT_POSITION_X] + at : NULL,
                 t = position(args, l);
        for (size_t i = 0; i < width; i++) {
            dw[i] += t * dy[i];
            dc[i] += dy[i];
        }
        for (size_t i = 0; dx && i < width; i++) slt_put(&dx[i], args->add[SLT_POSITION_X], dy[i]);
    }
}
SLT_WIDE_TASK(backward_sequence);

static void backward(const slt_args *args) {
    int width = args->in_width[SLT_POSITION_X], count = args->batch->count;
    slt_args_run(args, count, SLT_WIDEST(backward_sequence));
    for (int i = SLT_POSITION_W; i <= SLT_POSITION_C; i++)
        if (args->in_grad[i])
            slt_add_partials(args->in_grad[i], args->add[i],
                             args->shared + (i == SLT_POSITION_C ? width : 0), count, width,
                             2 * width);
}

static size_t shared(const slt_sizes *sizes) {
    return (size_t)sizes->limits.trajectories * 2 * (size_t)sizes->in[SLT_POSITION_X].width;
}
static double flops(const slt_sizes *sizes) {
    return 3.0 * sizes->in[SLT_POSITION_X].rows * sizes->in[SLT_POSITION_X].width;
}

static slt_var make_case(slt_probe *probe, int width) {
    slt_var x = slt_probe_numbers(probe, SLT_TOKENS, 0, width, -1, 1);
    slt_var w = slt_probe_parameter(probe, 1, width, -1, 1);
    slt_var c = slt_probe_parameter(probe, 1, width, -1, 1);
    return slt_add_position(slt_probe_tape(probe), x, w, c);
}
static slt_var case_small(slt_probe *p) { return make_case(p, 3); }
static slt_var bench(slt_probe *p) { return make_case(p, 128); }

static unsigned bf16_rows(const slt_sizes *sizes) {
    (void)sizes;
    return 1u << SLT_POSITION_X | 1u << SLT_BF16_OUT;
}

const slt_op slt_op_add_position = {.name = "add_position",
                                    .sentence = "y = x + l/(L-1)·w + c",
                                    .least = 3,
                                    .most = 3,
                                    .shape = shape,
                                    .shared = shared,
                                    .flops = flops,
                                    .bf16_rows = bf16_rows,
                                    .bf16_alike = true,
                                    .forward = forward,
                                    .backward = backward,
                                    .cases = {case_small},
                                    .bench = bench};

slt_var slt_add_position(slt_tape *tape, slt_var x, slt_var w, slt_var c) {
    slt_var inputs[] = {x, w, c};
    return slt_tape_apply(tape, &slt_op_add_position, inputs, 3, NULL);
}
