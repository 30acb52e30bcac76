// y = act(x·SLT_DENSE_W + c): x (r,i), SLT_DENSE_W (i,o), c (1,o).
// Backward: dp = dy∘act'(y), dx = dp·Wᵀ, dW = xᵀ·dp, dc = Σ_r dp.
// Rows are shared out in blocks, weight gradients in blocks of weights with all rows in one call;
// dc is summed by blocks of rows, while they are in the cache, and then over the blocks.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_inputs.h"
#include "ops/common/activation.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static slt_activation activation_of(const slt_args *args) {
    return (slt_activation)args->node->attributes.n[0];
}

static void shape(slt_shape_check *rule) {
    slt_shape x = rule->in[SLT_DENSE_X], w = rule->in[SLT_DENSE_W];
    slt_shape_type(rule, SLT_DENSE_X, SLT_NUMBERS);
    if (w.space != SLT_FIXED || w.rows != x.width)
        slt_shape_reject_pair(rule, SLT_DENSE_X, SLT_DENSE_W,
                              "the width of the first is the rows of the second");
    slt_shape_want(rule, SLT_DENSE_C, SLT_FIXED, 1, w.width);
    rule->out[0] = (slt_shape){x.space, x.rows, w.width};
}

// sums of dp per block of rows, dp itself unless it is dy, then weights as the products want them
static size_t own_size(int rows, int width, bool linear) {
    return (size_t)(slt_blocks(rows, SLT_ROW_BLOCK) + (linear ? 0 : rows)) * (size_t)width;
}
static size_t shared(const slt_sizes *sizes) {
    int rows = sizes->out[0].rows, in = sizes->in[SLT_DENSE_X].width, out = sizes->out[0].width;
    size_t forward = slt_factor_size(rows, out, in), backward = slt_factor_size(rows, in, out);
    return own_size(rows, out, sizes->node->attributes.n[0] == SLT_LINEAR) +
           (forward > backward ? forward : backward);
}

// x, dy and W in bf16
static size_t kernel_shared(const slt_sizes *sizes) {
    size_t rows = (size_t)sizes->out[0].rows, in = (size_t)sizes->in[SLT_DENSE_X].width;
    size_t out = (size_t)sizes->out[0].width;
    return sizes->bf16 ? (rows * (in + out) + in * out) / 2 + 64 : 0; // each to 64 bytes
}

static double flops(const slt_sizes *sizes) {
    return 2.0 * sizes->in[SLT_DENSE_X].rows * sizes->in[SLT_DENSE_X].width * sizes->out[0].width;
}

static slt_factor weights(const slt_args *args, bool transpose) {
    int in = args->in_width[SLT_DENSE_X], out = args->out_width[0];
    size_t at = own_size(args->out_rows[0], out, activation_of(args) == SLT_LINEAR);
    return (slt_factor){transpose,
                        args->bf16,
                        transpose ? in : out,
                        transpose ? out : in,
                        args->in[SLT_DENSE_W],
                        args->shared + at};
}

static void forward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    int all = args->in_rows[SLT_DENSE_X];
    slt_rows rows = slt_row_block(all, task);
    slt_factor w = weights(args, false);
    for (int r = rows.first, count; r < rows.first + rows.count; r += count) {
        count = slt_min(slt_row_piece(all), rows.first + rows.count - r);
        const slt_real *x = (const slt_real *)args->in[SLT_DENSE_X] + (size_t)r * (size_t)w.k;
        slt_real *y = args->out[0] + (size_t)r * (size_t)w.n;
        slt_factor_multiply(&w, all, count, x, false, y);
        slt_bias_activate(y, count, w.n, args->in[SLT_DENSE_C], activation_of(args));
    }
}

static void forward(const slt_args *args) {
    int rows = args->in_rows[SLT_DENSE_X];
    slt_factor w = weights(args, false);
    slt_factor_pack(&w, rows);
    slt_args_run(args, slt_blocks(rows, SLT_ROW_BLOCK), forward_rows);
}

// the gradient before the activation: dy itself when linear
static slt_real *own_before(const slt_args *args) {
    return args->shared +
           (size_t)slt_blocks(args->out_rows[0], SLT_ROW_BLOCK) * (size_t)args->out_width[0];
}
static const slt_real *before(const slt_args *args) {
    return activation_of(args) == SLT_LINEAR ? args->out_grad[0] : own_before(args);
}

static void backward_piece(const slt_args *args, slt_real *sum, int first, int count) {
    slt_factor w = weights(args, true);
    size_t at = (size_t)first * (size_t)w.k;
    if (activation_of(args) != SLT_LINEAR)
        slt_activation_gradient(own_before(args) + at, args->out_grad[0] + at, args->out[0] + at,
                                (size_t)count * (size_t)w.k, activation_of(args));
    if (args->in_grad[SLT_DENSE_C]) slt_sum_rows(before(args) + at, w.k, count, sum);
    if (args->in_grad[SLT_DENSE_X])
        slt_factor_multiply(&w, args->in_rows[SLT_DENSE_X], count, before(args) + at,
                            args->add[SLT_DENSE_X],
                            args->in_grad[SLT_DENSE_X] + (size_t)first * (size_t)w.n);
}

static void backward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->in_rows[SLT_DENSE_X], task);
    size_t out = (size_t)args->out_width[0];
    slt_real *sum = args->shared + (size_t)task * out;
    memset(sum, 0, out * sizeof *sum);
    int piece = slt_row_piece(args->in_rows[SLT_DENSE_X]);
    for (int r = 0; r < rows.count; r += piece)
        backward_piece(args, sum, rows.first + r, slt_min(piece, rows.count - r));
}

static void backward_weights(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_weight_gradient(args->bf16, args->in[SLT_DENSE_X], args->in_width[SLT_DENSE_X],
                        before(args), args->out_width[0], args->in_rows[SLT_DENSE_X], task,
                        args->in_grad[SLT_DENSE_W], args->add[SLT_DENSE_W]);
}

static void backward(const slt_args *args) {
    int blocks = slt_blocks(args->in_rows[SLT_DENSE_X], SLT_ROW_BLOCK), out = args->out_width[0];
    bool rows = args->in_grad[SLT_DENSE_X] || args->in_grad[SLT_DENSE_C] ||
                activation_of(args) != SLT_LINEAR;
    slt_factor w = weights(args, true);
    if (args->in_grad[SLT_DENSE_X]) slt_factor_pack(&w, args->in_rows[SLT_DENSE_X]);
    if (rows) slt_args_run(args, blocks, backward_rows);
    if (args->in_grad[SLT_DENSE_W])
        slt_args_run(args, slt_weight_tasks(args->in_width[SLT_DENSE_X], out), backward_weights);
    if (args->in_grad[SLT_DENSE_C])
        slt_add_partials(args->in_grad[SLT_DENSE_C], args->add[SLT_DENSE_C], args->shared, blocks,
                         out, out);
}

static slt_var make_case(slt_probe *probe, slt_space space, int in, int out, bool bias,
                         slt_activation activation) {
    slt_var x = slt_probe_numbers(probe, space, 3, in, -1, 1);
    slt_var w = slt_probe_parameter(probe, in, out, -1, 1);
    slt_var c = bias ? slt_probe_parameter(probe, 1, out, -1, 1) : 0;
    return slt_dense(slt_probe_tape(probe), x, w, c, activation);
}
static slt_var case_linear(slt_probe *p) {
    return make_case(p, SLT_TOKENS, 3, 5, true, SLT_LINEAR);
}
static slt_var case_plain(slt_probe *p) { return make_case(p, SLT_SLOTS, 4, 3, false, SLT_LINEAR); }
static slt_var case_fixed(slt_probe *p) { return make_case(p, SLT_FIXED, 4, 3, true, SLT_LINEAR); }
static slt_var case_tanh(slt_probe *p) { return make_case(p, SLT_TOKENS, 3, 4, true, SLT_TANH); }
static slt_var case_sigmoid(slt_probe *p) {
    return make_case(p, SLT_TRAJECTORIES, 3, 4, true, SLT_SIGMOID);
}
static slt_var case_relu(slt_probe *p) { return make_case(p, SLT_TOKENS, 5, 4, true, SLT_RELU); }
static slt_var bench(slt_probe *p) { return make_case(p, SLT_TOKENS, 128, 512, true, SLT_LINEAR); }
static slt_var bench_active(slt_probe *p) {
    return make_case(p, SLT_TOKENS, 128, 512, true, SLT_RELU);
}

// linear ones; the output of few columns is in float32
static unsigned bf16_rows(const slt_sizes *sizes) {
    int in = sizes->in[SLT_DENSE_X].width, out = sizes->out[0].width;
    if (in % 8 || sizes->in[SLT_DENSE_X].space == SLT_FIXED) return 0;
    bool narrow = out <= SLT_NARROW_OUT;
    return 1u << SLT_DENSE_X | (narrow || out % 8 ? 0 : 1u << SLT_BF16_OUT);
}

const slt_op slt_op_dense = {.name = "dense",
                             .sentence = "y = x·SLT_DENSE_W + c",
                             .least = 2,
                             .most = 3,
                             .shape = shape,
                             .saves_in = 1u << SLT_DENSE_X | 1u << SLT_DENSE_W,
                             .shared = shared,
                             .kernel_shared = kernel_shared,
                             .flops = flops,
                             .bf16_rows = bf16_rows,
                             .forward = forward,
                             .backward = backward,
                             .cases = {case_linear, case_plain, case_fixed},
                             .bench = bench};

const slt_op slt_op_dense_active = {.name = "dense_active",
                                    .sentence = "y = act(x·SLT_DENSE_W + c)",
                                    .least = 2,
                                    .most = 3,
                                    .shape = shape,
                                    .saves_in = 1u << SLT_DENSE_X | 1u << SLT_DENSE_W,
                                    .saves_out = 1,
                                    .shared = shared,
                                    .flops = flops,
                                    .forward = forward,
                                    .backward = backward,
                                    .cases = {case_tanh, case_sigmoid, case_relu},
                                    .bench = bench_active};

slt_var slt_dense(slt_tape *tape, slt_var x, slt_var w, slt_var c, slt_activation activation) {
    slt_var inputs[] = {x, w, c};
    slt_attributes attributes = {.n = {activation}};
    const slt_op *op = activation == SLT_LINEAR ? &slt_op_dense : &slt_op_dense_active;
    return slt_tape_apply(tape, op, inputs, 3, &attributes);
}
