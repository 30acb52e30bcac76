// y = act(x), and the activation functions that dense layers share.
// Derivatives come from the output: relu' = [y>0], tanh' = 1-y², σ' = y(1-y), leaky' = 1 or 0.3.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/activation.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void activate_numbers(slt_real *y, const slt_real *x, size_t count,
                             slt_activation activation) {
    switch (activation) {
    case SLT_LINEAR:
        if (y != x) memcpy(y, x, count * sizeof *y);
        break;
    case SLT_RELU:
        for (size_t i = 0; i < count; i++) y[i] = x[i] > 0 ? x[i] : 0;
        break;
    case SLT_TANH:
        for (size_t i = 0; i < count; i++) y[i] = slt_tanh(x[i]);
        break;
    case SLT_SIGMOID:
        for (size_t i = 0; i < count; i++) y[i] = slt_sigmoid(x[i]);
        break;
    case SLT_LEAKY:
        for (size_t i = 0; i < count; i++) y[i] = x[i] > 0 ? x[i] : SLT_LEAKY_SLOPE * x[i];
        break;
    }
}

static void activation_gradient(slt_real *dx, const slt_real *dy, const slt_real *y, size_t count,
                                slt_activation activation) {
    switch (activation) {
    case SLT_LINEAR:
        memcpy(dx, dy, count * sizeof *dx);
        break;
    case SLT_RELU:
        for (size_t i = 0; i < count; i++) dx[i] = slt_where(y[i] > 0, dy[i]);
        break;
    case SLT_TANH:
        for (size_t i = 0; i < count; i++) dx[i] = dy[i] * (1 - y[i] * y[i]);
        break;
    case SLT_SIGMOID:
        for (size_t i = 0; i < count; i++) dx[i] = dy[i] * y[i] * (1 - y[i]);
        break;
    case SLT_LEAKY:
        for (size_t i = 0; i < count; i++) dx[i] = dy[i] * (y[i] > 0 ? 1 : SLT_LEAKY_SLOPE);
        break;
    }
}

static void bias_activate(slt_real *y, int rows, int width, const slt_real *c,
                          slt_activation activation) {
    for (int r = 0; r < rows; r++) {
        slt_real *restrict row = y + (size_t)r * (size_t)width;
        if (c && activation == SLT_RELU) {
            for (int i = 0; i < width; i++) row[i] = slt_where(row[i] + c[i] > 0, row[i] + c[i]);
            continue;
        }
        for (int i = 0; c && i < width; i++) row[i] += c[i];
        if (activation != SLT_LINEAR) activate_numbers(row, row, (size_t)width, activation);
    }
}

// ---- for others

SLT_WIDE(activate_numbers, (slt_real * y, const slt_real *x, size_t count, slt_activation act),
         (y, x, count, act));
SLT_WIDE(activation_gradient,
         (slt_real * dx, const slt_real *dy, const slt_real *y, size_t count, slt_activation act),
         (dx, dy, y, count, act));
SLT_WIDE(bias_activate, (slt_real * y, int rows, int width, const slt_real *c, slt_activation act),
         (y, rows, width, c, act));

void slt_activate_numbers(slt_real *y, const slt_real *x, size_t count, slt_activation activation) {
    SLT_WIDEST(activate_numbers)(y, x, count, activation);
}

void slt_activation_gradient(slt_real *dx, const slt_real *dy, const slt_real *y, size_t count,
                             slt_activation activation) {
    SLT_WIDEST(activation_gradient)(dx, dy, y, count, activation);
}

void slt_bias_activate(slt_real *y, int rows, int width, const slt_real *c,
                       slt_activation activation) {
    SLT_WIDEST(bias_activate)(y, rows, width, c, activation);
}

// ---- the operation

static void shape(slt_shape_check *rule) {
    slt_shape_type(rule, 0, SLT_NUMBERS);
    rule->out[0] = rule->in[0];
}

static slt_activation activation_of(const slt_args *args) {
    return (slt_activation)args->node->attributes.n[0];
}

static void forward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->in_rows[0], task);
    size_t width = (size_t)args->in_width[0], at = (size_t)rows.first * width;
    activate_numbers(args->out[0] + at, (const slt_real *)args->in[0] + at,
                     (size_t)rows.count * width, activation_of(args));
}
SLT_WIDE_TASK(forward_rows);

static void forward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[0], SLT_ROW_BLOCK), SLT_WIDEST(forward_rows));
}

static void backward_rows(const slt_args *args, int task, slt_real *scratch) {
    slt_rows rows = slt_row_block(args->in_rows[0], task);
    size_t width = (size_t)args->in_width[0];
    for (int r = rows.first; r < rows.first + rows.count; r++) {
        size_t at = (size_t)r * width;
        slt_real *dx = args->in_grad[0] + at;
        activation_gradient(scratch, args->out_grad[0] + at, args->out[0] + at, width,
                            activation_of(args));
        for (size_t c = 0; c < width; c++) slt_put(&dx[c], args->add[0], scratch[c]);
    }
}
SLT_WIDE_TASK(backward_rows);

static void backward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[0], SLT_ROW_BLOCK), SLT_WIDEST(backward_rows));
}

static size_t scratch(const slt_sizes *sizes) { return (size_t)sizes->in[0].width; }
static double flops(const slt_sizes *sizes) { return 8.0 * sizes->in[0].rows * sizes->in[0].width; }

static slt_var make_case(slt_probe *probe, int width, slt_activation activation) {
    slt_var x = slt_probe_numbers(probe, SLT_TOKENS, 0, width, -2, 2);
    return slt_activate(slt_probe_tape(probe), x, activation);
}
static slt_var case_relu(slt_probe *p) { return make_case(p, 3, SLT_RELU); }
static slt_var case_tanh(slt_probe *p) { return make_case(p, 3, SLT_TANH); }
static slt_var case_sigmoid(slt_probe *p) { return make_case(p, 3, SLT_SIGMOID); }
static slt_var case_leaky(slt_probe *p) { return make_case(p, 3, SLT_LEAKY); }
static slt_var bench(slt_probe *p) { return make_case(p, 128, SLT_TANH); }

static unsigned bf16_rows(const slt_sizes *sizes) {
    (void)sizes;
    return 1u | 1u << SLT_BF16_OUT;
}

const slt_op slt_op_activate = {.name = "activate",
                                .sentence = "y = act(x)",
                                .least = 1,
                                .most = 1,
                                .shape = shape,
                                .saves_out = 1,
                                .scratch = scratch,
                                .flops = flops,
                                .backward_flops = 0.5,
                                .bf16_rows = bf16_rows,
                                .bf16_alike = true,
                                .forward = forward,
                                .backward = backward,
                                .cases = {case_relu, case_tanh, case_sigmoid, case_leaky},
                                .bench = bench};

slt_var slt_activate(slt_tape *tape, slt_var x, slt_activation activation) {
    slt_attributes attributes = {.n = {activation}};
    return slt_tape_apply(tape, &slt_op_activate, &x, 1, &attributes);
}
