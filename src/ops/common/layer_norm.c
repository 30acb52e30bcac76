// y = γ·x̂ + β + P[l], x̂ = (s - mean(s))/τ, τ = sqrt(var(s) + ε), s = x + residual.
// Backward, with g = dy∘γ: ds = (g - mean(g) - x̂·mean(g∘x̂))/τ, exact for any ε. x̂ and 1/τ are kept.
// P is a constant table of positions, added after the norm.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_inputs.h"
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    slt_shape x = rule->in[SLT_NORM_X];
    slt_shape_type(rule, SLT_NORM_X, SLT_NUMBERS);
    slt_shape_same(rule, SLT_NORM_X, SLT_NORM_RESIDUAL);
    slt_shape_want(rule, SLT_NORM_GAMMA, SLT_FIXED, 1, x.width);
    slt_shape_want(rule, SLT_NORM_BETA, SLT_FIXED, 1, x.width);
    slt_shape_want(rule, SLT_NORM_POSITIONS, SLT_FIXED, rule->limits.length, x.width);
    if (slt_shape_has(rule, SLT_NORM_POSITIONS) && x.space != SLT_TOKENS &&
        x.space != SLT_SLOT_TOKENS)
        slt_shape_reject(rule, SLT_NORM_X, "rows that have a position");
    rule->out[0] = x;
}

// x̂ for every row, then 1/τ for every row
static size_t aux(const slt_sizes *sizes) {
    return (size_t)sizes->in[SLT_NORM_X].rows * ((size_t)sizes->in[SLT_NORM_X].width + 1);
}

// partial sums of dγ and dβ, per block of rows
static size_t shared(const slt_sizes *sizes) {
    return (size_t)slt_blocks(sizes->in[SLT_NORM_X].rows, SLT_ROW_BLOCK) * 2 *
           (size_t)sizes->in[SLT_NORM_X].width;
}

static double flops(const slt_sizes *sizes) {
    return 8.0 * sizes->in[SLT_NORM_X].rows * sizes->in[SLT_NORM_X].width;
}

static slt_real inverse_tau(const slt_args *args, int row) {
    return args
        ->aux[(size_t)args->in_rows[SLT_NORM_X] * (size_t)args->in_width[SLT_NORM_X] + (size_t)row];
}

// s into `hat`, then x̂ in its place; gives 1/τ
static slt_real normalise(slt_real *restrict hat, const slt_real *x, const slt_real *residual,
                          int width, slt_real epsilon) {
    for (int c = 0; c < width; c++) hat[c] = residual ? x[c] + residual[c] : x[c];
    slt_real mean = slt_sum(hat, width) / (slt_real)width;
    for (int c = 0; c < width; c++) hat[c] -= mean;
    slt_real variance = slt_dot(hat, hat, width) / (slt_real)width;
    slt_real inverse = 1 / slt_sqrt(variance + epsilon);
    for (int c = 0; c < width; c++) hat[c] *= inverse;
    return inverse;
}

static void forward_rows(const slt_args *args, int task, slt_real *once) {
    slt_rows rows = slt_row_block(args->in_rows[SLT_NORM_X], task);
    int width = args->in_width[SLT_NORM_X];
    const slt_real *x = args->in[SLT_NORM_X], *residual = args->in[SLT_NORM_RESIDUAL];
    const slt_real *gamma = args->in[SLT_NORM_GAMMA], *beta = args->in[SLT_NORM_BETA];
    slt_real *inverse = args->aux + (size_t)args->in_rows[SLT_NORM_X] * (size_t)width;
    slt_real epsilon = (slt_real)args->node->attributes.x[0];
    for (int r = rows.first; r < rows.first + rows.count; r++) {
        size_t at = (size_t)r * (size_t)width;
        slt_real *restrict hat = args->keep ? args->aux + at : once, *restrict y =
                                                                         args->out[0] + at;
        inverse[r] = normalise(hat, x + at, residual ? residual + at : NULL, width, epsilon);
        for (int c = 0; c < width; c++)
            y[c] = (gamma ? gamma[c] : 1) * hat[c] + (beta ? beta[c] : 0);
    }
}
SLT_WIDE_TASK(forward_rows);

// y += P[l] over whole sequences
static void add_positions(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_space space = (slt_space)args->node->attributes.n[0];
    slt_row_span sequence = slt_span_at(args, space, task);
    size_t count = (size_t)sequence.computed * (size_t)args->in_width[SLT_NORM_X];
    slt_real *restrict y =
        args->out[0] + (size_t)sequence.first * (size_t)args->in_width[SLT_NORM_X];
    const slt_real *restrict p = args->in[SLT_NORM_POSITIONS];
    for (size_t i = 0; i < count; i++) y[i] += p[i];
}
SLT_WIDE_TASK(add_positions);

static void forward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[SLT_NORM_X], SLT_ROW_BLOCK),
                 SLT_WIDEST(forward_rows));
    if (args->in[SLT_NORM_POSITIONS])
        slt_args_run(args, slt_span_count(args, (slt_space)args->node->attributes.n[0]),
                     SLT_WIDEST(add_positions));
}

// ds of one row into `ds`; dγ and dβ of the block grow
static void backward_row(const slt_real *restrict dy, const slt_real *restrict hat,
                         const slt_real *gamma, slt_real inverse, int width, slt_real *restrict ds,
                         slt_real *restrict dgamma, slt_real *restrict dbeta) {
    for (int c = 0; c < width; c++) {
        slt_real g = gamma ? dy[c] * gamma[c] : dy[c];
        ds[c] = g;
        dgamma[c] += dy[c] * hat[c];
        dbeta[c] += dy[c];
    }
    slt_real mean = slt_sum(ds, width) / (slt_real)width;
    slt_real along = slt_dot(ds, hat, width) / (slt_real)width;
    for (int c = 0; c < width; c++) ds[c] = (ds[c] - mean - hat[c] * along) * inverse;
}

static void hand_out(slt_real *to, bool add, const slt_real *ds, int width) {
    if (!to) return;
    if (add)
        for (int c = 0; c < width; c++) to[c] += ds[c];
    else
        memcpy(to, ds, (size_t)width * sizeof *to);
}

static void backward_rows(const slt_args *args, int task, slt_real *scratch) {
    slt_rows rows = slt_row_block(args->in_rows[SLT_NORM_X], task);
    int width = args->in_width[SLT_NORM_X];
    slt_real *dgamma = args->shared + (size_t)task * 2 * (size_t)width, *dbeta = dgamma + width;
    memset(dgamma, 0, 2 * (size_t)width * sizeof *dgamma);
    for (int r = rows.first; r < rows.first + rows.count; r++) {
        size_t at = (size_t)r * (size_t)width;
        backward_row(args->out_grad[0] + at, args->aux + at, args->in[SLT_NORM_GAMMA],
                     inverse_tau(args, r), width, scratch, dgamma, dbeta);
        for (int i = SLT_NORM_X; i <= SLT_NORM_RESIDUAL; i++)
            hand_out(args->in_grad[i] ? args->in_grad[i] + at : NULL, args->add[i], scratch, width);
    }
}
SLT_WIDE_TASK(backward_rows);

static void backward(const slt_args *args) {
    int blocks = slt_blocks(args->in_rows[SLT_NORM_X], SLT_ROW_BLOCK),
        width = args->in_width[SLT_NORM_X];
    slt_args_run(args, blocks, SLT_WIDEST(backward_rows));
    for (int i = SLT_NORM_GAMMA; i <= SLT_NORM_BETA; i++)
        if (args->in_grad[i])
            slt_add_partials(args->in_grad[i], args->add[i],
                             args->shared + (i == SLT_NORM_BETA ? width : 0), blocks, width,
                             2 * width);
}

static size_t scratch(const slt_sizes *sizes) { return (size_t)sizes->in[SLT_NORM_X].width; }

static slt_var make_case(slt_probe *probe, slt_space space, int width, bool residual, bool affine,
                         bool positions) {
    slt_tape *tape = slt_probe_tape(probe);
    slt_var x = slt_probe_numbers(probe, space, 3, width, -1, 1);
    slt_var r = residual ? slt_probe_numbers(probe, space, 3, width, -1, 1) : 0;
    slt_var gamma = affine ? slt_probe_parameter(probe, 1, width, 0.5, 2) : 0;
    slt_var beta = affine ? slt_probe_parameter(probe, 1, width, -1, 1) : 0;
    int length = slt_tape_limits(tape).length;
    slt_var p = positions ? slt_probe_constant(probe, SLT_FIXED, length, width, -1, 1) : 0;
    return slt_layer_norm(tape, x, r, gamma, beta, p, 1e-3);
}
static slt_var case_plain(slt_probe *p) { return make_case(p, SLT_SLOTS, 4, false, false, false); }
static slt_var case_residual(slt_probe *p) {
    return make_case(p, SLT_TOKENS, 5, true, true, false);
}
static slt_var case_positions(slt_probe *p) {
    return make_case(p, SLT_SLOT_TOKENS, 4, false, true, true);
}
static slt_var case_twice(slt_probe *probe) { // the same input on both sides
    slt_var x = slt_probe_numbers(probe, SLT_TOKENS, 0, 4, -1, 1);
    return slt_layer_norm(slt_probe_tape(probe), x, x, 0, 0, 0, 1e-3);
}
static slt_var bench(slt_probe *p) { return make_case(p, SLT_SLOT_TOKENS, 128, true, true, true); }

// sums of blocks of rows
static size_t kernel_shared(const slt_sizes *sizes) {
    size_t rows = (size_t)sizes->in[SLT_NORM_X].rows, blocks = rows / 16 + 1;
    size_t width = (size_t)sizes->in[SLT_NORM_X].width;
    if (width > SLT_WIDE_ROW) return 0;
    if (width > SLT_SHORT_ROW) return 2 * width * (size_t)slt_wide_blocks((int)rows);
    return SLT_NORM_PARTS * (blocks > 512 ? blocks : 512);
}
static const char *kernel_limit(const slt_sizes *sizes) {
    return sizes->in[SLT_NORM_X].width > 2048 ? "it takes rows of at most 2048 numbers" : NULL;
}

static unsigned bf16_rows(const slt_sizes *sizes) {
    if (sizes->in[SLT_NORM_X].width > SLT_WIDE_ROW) return 0;
    return 1u << SLT_NORM_X | 1u << SLT_NORM_RESIDUAL | 1u << SLT_BF16_OUT;
}

const slt_op slt_op_layer_norm = {.name = "layer_norm",
                                  .sentence = "y = γ·norm(x + residual) + β + P[l]",
                                  .least = 1,
                                  .most = 5,
                                  .shape = shape,
                                  .no_gradient_in = 1u << SLT_NORM_POSITIONS,
                                  .saves_in = 1u << SLT_NORM_GAMMA,
                                  .aux = aux,
                                  .shared = shared,
                                  .scratch = scratch,
                                  .flops = flops,
                                  .kernel_shared = kernel_shared,
                                  .kernel_limit = kernel_limit,
                                  .bf16_rows = bf16_rows,
                                  .bf16_alike = true,
                                  .forward = forward,
                                  .backward = backward,
                                  .cases = {case_plain, case_residual, case_positions, case_twice},
                                  .bench = bench};

slt_var slt_layer_norm(slt_tape *tape, slt_var x, slt_var residual, slt_var gamma, slt_var beta,
                       slt_var positions, double epsilon) {
    slt_var inputs[] = {x, residual, gamma, beta, positions};
    slt_space space = x > 0 && !slt_tape_failed(tape) ? slt_tape_shape(tape, x).space : SLT_FIXED;
    slt_attributes attributes = {.n = {space}, .x = {epsilon}};
    return slt_tape_apply(tape, &slt_op_layer_norm, inputs, 5, &attributes);
}
