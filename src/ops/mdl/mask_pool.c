// What a slot covers: u_k = Σ_l m_k(l)·x_l / Z_k, Z_k = Σ_l m_k(l) + 1e-6, over true steps.
// Backward: dx_l = Σ_k m_k(l)·du_k/Z_k,  dm_k(l) = du_k·(x_l - u_k)/Z_k.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { MASKS, X };
static const slt_real TINY = (slt_real)1e-6;

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, MASKS, SLT_TOKENS, 0, rule->limits.slots);
    slt_shape_want(rule, X, SLT_TOKENS, 0, rule->in[X].width);
    rule->out[0] = (slt_shape){SLT_SLOTS, 0, rule->in[X].width};
}

// one trajectory
typedef struct {
    int first, truth, computed, K;
    size_t width;
    const slt_real *m, *x;
    slt_real *Z; // [K], kept
} view;

static view view_at(const slt_args *args, int b) {
    slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
    size_t K = (size_t)args->limits.slots, width = (size_t)args->out_width[0];
    return (view){.first = sequence.first,
                  .truth = slt_min(args->batch->length[b], sequence.computed),
                  .computed = sequence.computed,
                  .K = (int)K,
                  .width = width,
                  .m = (const slt_real *)args->in[MASKS] + (size_t)sequence.first * K,
                  .x = (const slt_real *)args->in[X] + (size_t)sequence.first * width,
                  .Z = args->aux + (size_t)b * K};
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    view v = view_at(args, b);
    slt_real *u = args->out[0] + (size_t)b * (size_t)v.K * v.width;
    for (int k = 0; k < v.K; k++, u += v.width) {
        v.Z[k] = TINY;
        memset(u, 0, v.width * sizeof *u);
        for (int l = 0; l < v.truth; l++) {
            slt_real m = v.m[l * v.K + k];
            const slt_real *x = v.x + (size_t)l * v.width;
            v.Z[k] += m;
            for (size_t c = 0; c < v.width; c++) u[c] += m * x[c];
        }
        for (size_t c = 0; c < v.width; c++) u[c] /= v.Z[k];
    }
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
}

static void clear(slt_real *gradient, bool add, size_t first, size_t count) {
    if (gradient && !add) memset(gradient + first, 0, count * sizeof *gradient);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    view v = view_at(args, b);
    size_t K = (size_t)v.K, first = (size_t)v.first, C = (size_t)v.computed;
    slt_real *dm = args->in_grad[MASKS], *dx = args->in_grad[X];
    clear(dm, args->add[MASKS], first * K, C * K);
    clear(dx, args->add[X], first * v.width, C * v.width);
    for (int k = 0; k < v.K; k++) {
        size_t at = ((size_t)b * K + (size_t)k) * v.width;
        const slt_real *u = args->out[0] + at, *du = args->out_grad[0] + at;
        slt_real level = slt_dot(u, du, (int)v.width);
        for (int l = 0; l < v.truth; l++) {
            const slt_real *x = v.x + (size_t)l * v.width;
            slt_real share = v.m[l * v.K + k] / v.Z[k];
            if (dm)
                dm[(first + (size_t)l) * K + (size_t)k] +=
                    (slt_dot(x, du, (int)v.width) - level) / v.Z[k];
            for (size_t c = 0; dx && c < v.width; c++)
                dx[(first + (size_t)l) * v.width + c] += share * du[c];
        }
    }
}

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, backward_trajectory);
}

static size_t aux(const slt_sizes *sizes) { return (size_t)sizes->out[0].rows; }
static double flops(const slt_sizes *sizes) {
    return 2.0 * sizes->in[X].rows * sizes->in[X].width * sizes->limits.slots;
}

static slt_var make_case(slt_probe *probe, int width) {
    slt_tape *tape = slt_probe_tape(probe);
    int K = slt_tape_limits(tape).slots;
    slt_var masks = slt_probe_numbers(probe, SLT_TOKENS, 0, K, 0.1, 0.9);
    return slt_mask_pool(tape, masks, slt_probe_numbers(probe, SLT_TOKENS, 0, width, -1, 1));
}
static slt_var case_small(slt_probe *p) { return make_case(p, 3); }
static slt_var bench(slt_probe *p) { return make_case(p, 32); }

const slt_op slt_op_mask_pool = {.name = "mask_pool",
                                 .sentence = "mean of the steps that a slot covers",
                                 .least = 2,
                                 .most = 2,
                                 .shape = shape,
                                 .saves_in = 1u << MASKS | 1u << X,
                                 .saves_out = 1,
                                 .aux = aux,
                                 .flops = flops,
                                 .forward = forward,
                                 .backward = backward,
                                 .cases = {case_small},
                                 .bench = bench};

slt_var slt_mask_pool(slt_tape *tape, slt_var masks, slt_var x) {
    slt_var inputs[] = {masks, x};
    return slt_tape_apply(tape, &slt_op_mask_pool, inputs, 2, NULL);
}
