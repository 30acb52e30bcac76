// y = softmax(x) over the width. Backward: dx = y∘(dy - y·dy).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    slt_shape_type(rule, 0, SLT_NUMBERS);
    rule->out[0] = rule->in[0];
}

static void forward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->in_rows[0], task);
    int width = args->in_width[0];
    for (int r = rows.first; r < rows.first + rows.count; r++) {
        const slt_real *x = (const slt_real *)args->in[0] + (size_t)r * (size_t)width;
        slt_real *y = args->out[0] + (size_t)r * (size_t)width, most = x[0], sum = 0;
        for (int c = 1; c < width; c++) most = x[c] > most ? x[c] : most;
        for (int c = 0; c < width; c++) y[c] = slt_exp(x[c] - most);
        for (int c = 0; c < width; c++) sum += y[c];
        for (int c = 0; c < width; c++) y[c] /= sum;
    }
}
SLT_WIDE_TASK(forward_rows);

static void forward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[0], SLT_ROW_BLOCK), SLT_WIDEST(forward_rows));
}

static void backward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->in_rows[0], task);
    int width = args->in_width[0];
    for (int r = rows.first; r < rows.first + rows.count; r++) {
        size_t at = (size_t)r * (size_t)width;
        const slt_real *y = args->out[0] + at, *dy = args->out_grad[0] + at;
        slt_real *dx = args->in_grad[0] + at, dot = 0;
        for (int c = 0; c < width; c++) dot += y[c] * dy[c];
        for (int c = 0; c < width; c++) slt_put(&dx[c], args->add[0], y[c] * (dy[c] - dot));
    }
}
SLT_WIDE_TASK(backward_rows);

static void backward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[0], SLT_ROW_BLOCK), SLT_WIDEST(backward_rows));
}

static double flops(const slt_sizes *sizes) {
    return 12.0 * sizes->in[0].rows * sizes->in[0].width;
}

static slt_var make_case(slt_probe *probe, int width) {
    slt_var x = slt_probe_numbers(probe, SLT_TOKENS, 0, width, -3, 3);
    return slt_softmax(slt_probe_tape(probe), x);
}
static slt_var case_small(slt_probe *p) { return make_case(p, 5); }
static slt_var bench(slt_probe *p) { return make_case(p, 8); }

const slt_op slt_op_softmax = {.name = "softmax",
                               .sentence = "y = softmax(x) over the width",
                               .least = 1,
                               .most = 1,
                               .shape = shape,
                               .saves_out = 1,
                               .flops = flops,
                               .backward_flops = 0.4,
                               .forward = forward,
                               .backward = backward,
                               .cases = {case_small},
                               .bench = bench};

slt_var slt_softmax(slt_tape *tape, slt_var x) {
    return slt_tape_apply(tape, &slt_op_softmax, &x, 1, NULL);
}
