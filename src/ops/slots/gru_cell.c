// GRU cell with the reset applied after the recurrent product (Cho et al. 2014, Keras' form):
//     z = σ(gx_z + gh_z), r = σ(gx_r + gh_r), c = tanh(gx_h + r∘gh_h), s' = z∘s + (1-z)∘c
// gx and gh hold the blocks z, r, h next to each other. z, r and c are kept for backward.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { GX, GH, STATE };

static void shape(slt_shape_check *rule) {
    slt_shape state = rule->in[STATE];
    slt_shape_same(rule, GX, GH);
    if (rule->in[GX].space != state.space || rule->in[GX].width != 3 * state.width)
        slt_shape_reject_pair(rule, GX, STATE, "the first is three times as wide");
    rule->out[0] = state;
}

static void forward_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->in_rows[STATE], task);
    int S = args->in_width[STATE];
    for (int i = rows.first; i < rows.first + rows.count; i++) {
        size_t at = (size_t)i * (size_t)S;
        const slt_real *gx = (const slt_real *)args->in[GX] + 3 * at;
        const slt_real *gh = (const slt_real *)args->in[GH] + 3 * at;
        const slt_real *s = (const slt_real *)args->in[STATE] + at;
        slt_real *restrict z = args->aux + 3 * at, *restrict r = z + S, *restrict c = r + S;
        slt_real *restrict next = args->out[0] + at;
        for (int k = 0; k < S; k++) z[k] = slt_sigmoid(gx[k] + gh[k]);
        for (int k = 0; k < S; k++) r[k] = slt_sigmoid(gx[S + k] + gh[S + k]);
        for (int k = 0; k < S; k++) c[k] = slt_tanh(gx[2 * S + k] + r[k] * gh[2 * S + k]);
        for (int k = 0; k < S; k++) next[k] = z[k] * s[k] + (1 - z[k]) * c[k];
    }
}
SLT_WIDE_TASK(forward_rows);

static void forward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[STATE], SLT_ROW_BLOCK), SLT_WIDEST(forward_rows));
}

// δz, δr, δc of one row next to each other in `delta`
static void deltas(const slt_args *args, size_t at, int S, slt_real *restrict delta) {
    const slt_real *dn = args->out_grad[0] + at, *s = (const slt_real *)args->in[STATE] + at;
    const slt_real *z = args->aux + 3 * at, *r = z + S, *c = r + S;
    const slt_real *gh = (const slt_real *)args->in[GH] + 3 * at + 2 * S;
    for (int k = 0; k < S; k++) {
        slt_real dc = dn[k] * (1 - z[k]) * (1 - c[k] * c[k]);
        delta[k] = dn[k] * (s[k] - c[k]) * z[k] * (1 - z[k]);
        delta[S + k] = dc * gh[k] * r[k] * (1 - r[k]);
        delta[2 * S + k] = dc;
    }
}

static void hand_out(const slt_args *args, size_t at, int S, const slt_real *delta) {
    const slt_real *dn = args->out_grad[0] + at, *z = args->aux + 3 * at, *r = z + S;
    slt_real *dx = args->in_grad[GX] ? args->in_grad[GX] + 3 * at : NULL;
    slt_real *dh = args->in_grad[GH] ? args->in_grad[GH] + 3 * at : NULL;
    slt_real *ds = args->in_grad[STATE] ? args->in_grad[STATE] + at : NULL;
    for (int k = 0; dx && k < 3 * S; k++) slt_put(&dx[k], args->add[GX], delta[k]);
    for (int k = 0; dh && k < 3 * S; k++)
        slt_put(&dh[k], args->add[GH], k < 2 * S ? delta[k] : delta[k] * r[k - 2 * S]);
    for (int k = 0; ds && k < S; k++) slt_put(&ds[k], args->add[STATE], dn[k] * z[k]);
}

static void backward_rows(const slt_args *args, int task, slt_real *scratch) {
    slt_rows rows = slt_row_block(args->in_rows[STATE], task);
    int S = args->in_width[STATE];
    for (int i = rows.first; i < rows.first + rows.count; i++) {
        deltas(args, (size_t)i * (size_t)S, S, scratch);
        hand_out(args, (size_t)i * (size_t)S, S, scratch);
    }
}
SLT_WIDE_TASK(backward_rows);

static void backward(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->in_rows[STATE], SLT_ROW_BLOCK), SLT_WIDEST(backward_rows));
}

static size_t aux(const slt_sizes *sizes) {
    return 3 * (size_t)sizes->in[STATE].rows * (size_t)sizes->in[STATE].width;
}
static size_t scratch(const slt_sizes *sizes) { return 3 * (size_t)sizes->in[STATE].width; }
static double flops(const slt_sizes *sizes) {
    return 30.0 * sizes->in[STATE].rows * sizes->in[STATE].width;
}

static slt_var make_case(slt_probe *probe, slt_space space, int width) {
    slt_var gx = slt_probe_numbers(probe, space, 0, 3 * width, -1, 1);
    slt_var gh = slt_probe_numbers(probe, space, 0, 3 * width, -1, 1);
    slt_var s = slt_probe_numbers(probe, space, 0, width, -1, 1);
    return slt_gru_cell(slt_probe_tape(probe), gx, gh, s);
}
static slt_var case_small(slt_probe *p) { return make_case(p, SLT_SLOTS, 3); }
static slt_var bench(slt_probe *p) { return make_case(p, SLT_SLOTS, 128); }

const slt_op slt_op_gru_cell = {.name = "gru_cell",
                                .sentence = "s' = z∘s + (1-z)∘tanh(gx + r∘gh)",
                                .least = 3,
                                .most = 3,
                                .shape = shape,
                                .saves_in = 1u << GH | 1u << STATE,
                                .aux = aux,
                                .scratch = scratch,
                                .flops = flops,
                                .backward_flops = 0.5,
                                .forward = forward,
                                .backward = backward,
                                .cases = {case_small},
                                .bench = bench};

slt_var slt_gru_cell(slt_tape *tape, slt_var gx, slt_var gh, slt_var s) {
    slt_var inputs[] = {gx, gh, s};
    return slt_tape_apply(tape, &slt_op_gru_cell, inputs, 3, NULL);
}
