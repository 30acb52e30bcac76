// y = relu(x·SLT_MLP_W1 + c1)·SLT_MLP_W2 + c2. One block of rows goes through both products, so
// that the wide middle stays in the cache; it is kept (aux) where a backward follows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_inputs.h"
#include "ops/common/activation.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    slt_shape x = rule->in[SLT_MLP_X], w1 = rule->in[SLT_MLP_W1], w2 = rule->in[SLT_MLP_W2];
    slt_shape_type(rule, SLT_MLP_X, SLT_NUMBERS);
    if (w1.space != SLT_FIXED || w1.rows != x.width)
        slt_shape_reject_pair(rule, SLT_MLP_X, SLT_MLP_W1,
                              "the width of the first is the rows of the second");
    if (w2.space != SLT_FIXED || w2.rows != w1.width)
        slt_shape_reject_pair(rule, SLT_MLP_W1, SLT_MLP_W2,
                              "the width of the first is the rows of the second");
    slt_shape_want(rule, SLT_MLP_C1, SLT_FIXED, 1, w1.width);
    slt_shape_want(rule, SLT_MLP_C2, SLT_FIXED, 1, w2.width);
    rule->out[0] = (slt_shape){x.space, x.rows, w2.width};
}

static size_t middle(const slt_sizes *sizes) {
    return (size_t)sizes->in[SLT_MLP_X].rows * (size_t)sizes->in[SLT_MLP_W1].width;
}

// dh, then the sums of dh and of dy, per block of rows
static size_t shared(const slt_sizes *sizes) {
    size_t sums = (size_t)sizes->in[SLT_MLP_W1].width + (size_t)sizes->out[0].width;
    return middle(sizes) + (size_t)slt_blocks(sizes->in[SLT_MLP_X].rows, SLT_ROW_BLOCK) * sums;
}

static size_t scratch(const slt_sizes *sizes) {
    return (size_t)SLT_ROW_BLOCK * (size_t)sizes->in[SLT_MLP_W1].width;
}

static double flops(const slt_sizes *sizes) {
    double wide = sizes->in[SLT_MLP_W1].width;
    return 2.0 * sizes->in[SLT_MLP_X].rows * wide *
           (sizes->in[SLT_MLP_X].width + sizes->out[0].width);
}

static void forward_rows(const slt_args *args, int task, slt_real *once) {
    slt_rows rows = slt_row_block(args->in_rows[SLT_MLP_X], task);
    int in = args->in_width[SLT_MLP_X], wide = args->in_width[SLT_MLP_W1], out = args->out_width[0];
    size_t at = (size_t)rows.first;
    const slt_real *x = (const slt_real *)args->in[SLT_MLP_X] + at * (size_t)in;
    slt_real *h = args->keep ? args->aux + at * (size_t)wide : once;
    slt_real *y = args->out[0] + at * (size_t)out;
    slt_gemm(false, false, rows.count, wide, in, x, in, args->in[SLT_MLP_W1], wide, false, h, wide);
    slt_bias_activate(h, rows.count, wide, args->in[SLT_MLP_C1], SLT_RELU);
    slt_gemm(false, false, rows.count, out, wide, h, wide, args->in[SLT_MLP_W2], out, false, y,
             out);
    slt_bias_activate(y, rows.count, out, args->in[SLT_MLP_C2], SLT_LINEAR);
}

static void forward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[SLT_MLP_X], SLT_ROW_BLOCK), forward_rows);
}

static slt_real *bias_sums(const slt_args *args) {
    return args->shared + (size_t)args->in_rows[SLT_MLP_X] * (size_t)args->in_width[SLT_MLP_W1];
}

// dh = (dy·W2ᵀ)∘[h>0] into shared, dx = dh·W1ᵀ; sums of dh and dy while they are in the cache
static void backward_rows(const slt_args *args, int task, slt_real *unused) {
    (void)unused;
    slt_rows rows = slt_row_block(args->in_rows[SLT_MLP_X], task);
    int in = args->in_width[SLT_MLP_X], wide = args->in_width[SLT_MLP_W1], out = args->out_width[0];
    size_t at = (size_t)rows.first;
    const slt_real *dy = args->out_grad[0] + at * (size_t)out, *h = args->aux + at * (size_t)wide;
    slt_real *dh = args->shared + at * (size_t)wide;
    slt_gemm(false, true, rows.count, wide, out, dy, out, args->in[SLT_MLP_W2], out, false, dh,
             wide);
    for (size_t i = 0; i < (size_t)rows.count * (size_t)wide; i++) dh[i] = h[i] > 0 ? dh[i] : 0;
    slt_real *sums = bias_sums(args) + (size_t)task * (size_t)(wide + out);
    slt_sum_rows(dh, wide, rows.count, sums);
    slt_sum_rows(dy, out, rows.count, sums + wide);
    if (args->in_grad[SLT_MLP_X])
        slt_gemm(false, true, rows.count, in, wide, dh, wide, args->in[SLT_MLP_W1], wide,
                 args->add[SLT_MLP_X], args->in_grad[SLT_MLP_X] + at * (size_t)in, in);
}
SLT_WIDE_TASK(backward_rows);

// first the column blocks of SLT_MLP_W1, then those of SLT_MLP_W2
static void backward_columns(const slt_args *args, int task, slt_real *unused) {
    (void)unused;
    int in = args->in_width[SLT_MLP_X], wide = args->in_width[SLT_MLP_W1], out = args->out_width[0];
    int rows = args->in_rows[SLT_MLP_X], first = slt_column_tasks(wide);
    if (task < first)
        slt_weight_gradient(args->in[SLT_MLP_X], in, args->shared, wide, rows,
                            slt_columns(wide, task), args->in_grad[SLT_MLP_W1],
                            args->add[SLT_MLP_W1], NULL, false);
    else
        slt_weight_gradient(args->aux, wide, args->out_grad[0], out, rows,
                            slt_columns(out, task - first), args->in_grad[SLT_MLP_W2],
                            args->add[SLT_MLP_W2], NULL, false);
}

static void backward(const slt_args *args) {
    int tasks = slt_column_tasks(args->in_width[SLT_MLP_W1]) + slt_column_tasks(args->out_width[0]);
    slt_args_run(args, slt_blocks(args->in_rows[SLT_MLP_X], SLT_ROW_BLOCK),
                 SLT_WIDEST(backward_rows));
    slt_args_run(args, tasks, backward_columns);
    int blocks = slt_blocks(args->in_rows[SLT_MLP_X], SLT_ROW_BLOCK),
        wide = args->in_width[SLT_MLP_W1];
    int stride = wide + args->out_width[0];
    if (args->in_grad[SLT_MLP_C1])
        slt_add_partials(args->in_grad[SLT_MLP_C1], args->add[SLT_MLP_C1], bias_sums(args), blocks,
                         wide, stride);
    if (args->in_grad[SLT_MLP_C2])
        slt_add_partials(args->in_grad[SLT_MLP_C2], args->add[SLT_MLP_C2], bias_sums(args) + wide,
                         blocks, args->out_width[0], stride);
}

static slt_var make_case(slt_probe *probe, slt_space space, int in, int wide, int out) {
    slt_var x = slt_probe_numbers(probe, space, 3, in, -1, 1);
    slt_var w1 = slt_probe_parameter(probe, in, wide, -1, 1);
    slt_var c1 = slt_probe_parameter(probe, 1, wide, -1, 1);
    slt_var w2 = slt_probe_parameter(probe, wide, out, -1, 1);
    slt_var c2 = slt_probe_parameter(probe, 1, out, -1, 1);
    return slt_mlp(slt_probe_tape(probe), x, w1, c1, w2, c2);
}
static slt_var case_tokens(slt_probe *p) { return make_case(p, SLT_TOKENS, 3, 7, 4); }
static slt_var case_slots(slt_probe *p) { return make_case(p, SLT_SLOTS, 4, 5, 4); }
static slt_var bench(slt_probe *p) { return make_case(p, SLT_TOKENS, 128, 512, 128); }

// the middle, then its signs: two rows of words for a block, which has 32 rows at least and columns
// in 128s; or, where the middle is in bf16, weights that are rounded
static size_t kernel_aux(const slt_sizes *sizes) {
    size_t rows = (size_t)sizes->in[SLT_MLP_X].rows, wide = (size_t)sizes->in[SLT_MLP_W1].width;
    size_t sides = (size_t)sizes->in[SLT_MLP_X].width + (size_t)sizes->out[0].width;
    size_t weights = sizes->bf16 ? (sides * wide + wide) / 2 + 64 : 0;
    size_t signs = 2 * ((rows + 31) / 32) * ((wide + 127) / 128 * 128);
    return rows * wide + signs + weights;
}

static unsigned bf16_rows(const slt_sizes *sizes) {
    int in = sizes->in[SLT_MLP_X].width, wide = sizes->in[SLT_MLP_W1].width;
    bool eights = in % 8 == 0 && wide % 8 == 0 && sizes->out[0].width % 8 == 0;
    return eights ? 1u << SLT_MLP_X | 1u << SLT_BF16_OUT : 0;
}

const slt_op slt_op_mlp = {.name = "mlp",
                           .sentence = "y = relu(x·SLT_MLP_W1 + c1)·SLT_MLP_W2 + c2",
                           .least = 5,
                           .most = 5,
                           .shape = shape,
                           .saves_in = 1u << SLT_MLP_X | 1u << SLT_MLP_W1 | 1u << SLT_MLP_W2,
                           .aux = middle,
                           .shared = shared,
                           .scratch = scratch,
                           .flops = flops,
                           .kernel_aux = kernel_aux,
                           .bf16_rows = bf16_rows,
                           .bf16_alike = true,
                           .forward = forward,
                           .backward = backward,
                           .cases = {case_tokens, case_slots},
                           .bench = bench};

slt_var slt_mlp(slt_tape *tape, slt_var x, slt_var w1, slt_var c1, slt_var w2, slt_var c2) {
    slt_var inputs[] = {x, w1, c1, w2, c2};
    return slt_tape_apply(tape, &slt_op_mlp, inputs, 5, NULL);
}
