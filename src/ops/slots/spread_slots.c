// y_{b,k,l} = x_{b,k} + p_l: rows that are sums of one of a slot and one of a position. What is
// linear in y is so as well: y·W = x·W + p·W, products of some hundred rows instead of one for
// every slot and step. Backward: dx_{b,k} = Σ_l dy_{b,k,l}, dp_l = Σ_{b,k} dy_{b,k,l}.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_inputs.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { X, P };      // inputs
enum { STEPS = 8 }; // positions of a task

static void shape(slt_shape_check *rule) {
    slt_shape x = rule->in[X];
    slt_shape_want(rule, X, SLT_SLOTS, 0, x.width);
    slt_shape_want(rule, P, SLT_FIXED, rule->limits.length, x.width);
    rule->out[0] = (slt_shape){SLT_SLOT_TOKENS, 0, x.width};
}

static void forward_sequence(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_row_span sequence = slt_span_at(args, SLT_SLOT_TOKENS, task);
    size_t width = (size_t)args->out_width[0];
    const slt_real *x = (const slt_real *)args->in[X] + (size_t)task * width;
    for (int l = 0; l < sequence.computed; l++) {
        slt_real *restrict y = args->out[0] + (size_t)(sequence.first + l) * width;
        const slt_real *p = (const slt_real *)args->in[P] + (size_t)l * width;
        for (size_t i = 0; i < width; i++) y[i] = x[i] + p[i];
    }
}
SLT_WIDE_TASK(forward_sequence);

static void forward(const slt_args *args) {
    slt_args_run(args, slt_span_count(args, SLT_SLOT_TOKENS), SLT_WIDEST(forward_sequence));
}

static void add_row(slt_real *restrict sum, const slt_real *restrict dy, size_t width) {
    for (size_t i = 0; i < width; i++) sum[i] += dy[i];
}

static void backward_slot(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_row_span sequence = slt_span_at(args, SLT_SLOT_TOKENS, task);
    size_t width = (size_t)args->out_width[0];
    slt_real *to = args->in_grad[X] + (size_t)task * width;
    if (!args->add[X]) memset(to, 0, width * sizeof *to);
    for (int l = 0; l < sequence.computed; l++)
        add_row(to, args->out_grad[0] + (size_t)(sequence.first + l) * width, width);
}
SLT_WIDE_TASK(backward_slot);

// some positions of all sequences, in order
static void backward_positions(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    size_t width = (size_t)args->out_width[0];
    int first = task * STEPS, end = slt_min(first + STEPS, args->in_rows[P]);
    slt_real *to = args->in_grad[P] + (size_t)first * width;
    if (!args->add[P]) memset(to, 0, (size_t)(end - first) * width * sizeof *to);
    for (int s = 0; s < slt_span_count(args, SLT_SLOT_TOKENS); s++) {
        slt_row_span sequence = slt_span_at(args, SLT_SLOT_TOKENS, s);
        for (int l = first; l < slt_min(end, sequence.computed); l++)
            add_row(to + (size_t)(l - first) * width,
                    args->out_grad[0] + (size_t)(sequence.first + l) * width, width);
    }
}
SLT_WIDE_TASK(backward_positions);

static void backward(const slt_args *args) {
    if (args->in_grad[X])
        slt_args_run(args, slt_span_count(args, SLT_SLOT_TOKENS), SLT_WIDEST(backward_slot));
    if (args->in_grad[P])
        slt_args_run(args, slt_blocks(args->in_rows[P], STEPS), SLT_WIDEST(backward_positions));
}

static double flops(const slt_sizes *sizes) {
    return (double)sizes->out[0].rows * sizes->out[0].width;
}

static slt_var make_case(slt_probe *probe, int width, bool constant) {
    slt_tape *tape = slt_probe_tape(probe);
    int length = slt_tape_limits(tape).length;
    slt_var x = slt_probe_numbers(probe, SLT_SLOTS, 0, width, -1, 1);
    slt_var p = constant ? slt_probe_constant(probe, SLT_FIXED, length, width, -1, 1)
                         : slt_probe_parameter(probe, length, width, -1, 1);
    return slt_spread_slots(tape, x, p);
}
static slt_var case_both(slt_probe *p) { return make_case(p, 3, false); }
static slt_var case_constant(slt_probe *p) { return make_case(p, 3, true); }
static slt_var case_products(slt_probe *p) { // a factor of both
    slt_tape *tape = slt_probe_tape(p);
    slt_var w = slt_probe_parameter(p, 4, 5, -1, 1), c = slt_probe_parameter(p, 1, 5, -1, 1);
    slt_var x = slt_probe_numbers(p, SLT_SLOTS, 0, 4, -1, 1);
    slt_var table = slt_probe_constant(p, SLT_FIXED, slt_tape_limits(tape).length, 4, -1, 1);
    return slt_spread_slots(tape, slt_dense(tape, x, w, 0, SLT_LINEAR),
                            slt_dense(tape, table, w, c, SLT_LINEAR));
}
static slt_var bench(slt_probe *p) { return make_case(p, 384, false); }

const slt_op slt_op_spread_slots = {.name = "spread_slots",
                                    .sentence = "y = slot, broadcast + row of the position",
                                    .least = 2,
                                    .most = 2,
                                    .shape = shape,
                                    .flops = flops,
                                    .forward = forward,
                                    .backward = backward,
                                    .cases = {case_both, case_constant, case_products},
                                    .bench = bench};

slt_var slt_spread_slots(slt_tape *tape, slt_var slots, slt_var positions) {
    slt_var inputs[] = {slots, positions};
    return slt_tape_apply(tape, &slt_op_spread_slots, inputs, 2, NULL);
}
