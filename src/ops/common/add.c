// y = a + b.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    slt_shape_type(rule, 0, SLT_NUMBERS);
    slt_shape_same(rule, 0, 1);
    rule->out[0] = rule->in[0];
}

static void forward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->in_rows[0], task);
    size_t width = (size_t)args->in_width[0], at = (size_t)rows.first * width;
    const slt_real *a = (const slt_real *)args->in[0] + at, *b = (const slt_real *)args->in[1] + at;
    slt_real *y = args->out[0] + at;
    for (size_t i = 0; i < (size_t)rows.count * width; i++) y[i] = a[i] + b[i];
}
SLT_WIDE_TASK(forward_rows);

static void forward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[0], SLT_ROW_BLOCK), SLT_WIDEST(forward_rows));
}

static void backward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->in_rows[0], task);
    size_t width = (size_t)args->in_width[0], at = (size_t)rows.first * width;
    const slt_real *dy = args->out_grad[0] + at;
    for (int k = 0; k < 2; k++) {
        slt_real *to = args->in_grad[k] ? args->in_grad[k] + at : NULL;
        for (size_t i = 0; to && i < (size_t)rows.count * width; i++)
            slt_put(&to[i], args->add[k], dy[i]);
    }
}
SLT_WIDE_TASK(backward_rows);

static void backward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[0], SLT_ROW_BLOCK), SLT_WIDEST(backward_rows));
}

static double flops(const slt_sizes *sizes) { return 1.0 * sizes->in[0].rows * sizes->in[0].width; }

static slt_var make_case(slt_probe *probe, int width) {
    slt_var a = slt_probe_numbers(probe, SLT_TOKENS, 0, width, -1, 1);
    slt_var b = slt_probe_numbers(probe, SLT_TOKENS, 0, width, -1, 1);
    return slt_add(slt_probe_tape(probe), a, b);
}
static slt_var case_two(slt_probe *p) { return make_case(p, 3); }
static slt_var case_same(slt_probe *probe) {
    slt_var a = slt_probe_numbers(probe, SLT_SLOTS, 0, 2, -1, 1);
    return slt_add(slt_probe_tape(probe), a, a);
}
static slt_var bench(slt_probe *p) { return make_case(p, 128); }

static unsigned bf16_rows(const slt_sizes *sizes) {
    (void)sizes;
    return 3u | 1u << SLT_BF16_OUT;
}

const slt_op slt_op_add = {.name = "add",
                           .sentence = "y = a + b",
                           .least = 2,
                           .most = 2,
                           .shape = shape,
                           .flops = flops,
                           .bf16_rows = bf16_rows,
                           .bf16_alike = true,
                           .forward = forward,
                           .backward = backward,
                           .cases = {case_two, case_same},
                           .bench = bench};

slt_var slt_add(slt_tape *tape, slt_var a, slt_var b) {
    slt_var inputs[] = {a, b};
    return slt_tape_apply(tape, &slt_op_add, inputs, 2, NULL);
}
