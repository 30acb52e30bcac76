// A concrete latent: a relaxed one-hot over the width (Maddison, Mnih, Teh 2017; Jang, Gu, Poole
// 2017).
//     sample: z = softmax((ζ + g)/temperature), g Gumbel noise; the hard one-hot of argmax ζ in a
//     step without noise.  dζ = z∘(dz - Σ z·dz)/temperature
//     KL as the reference has it: 1/B Σ_b Σ_{i<=G_b} Σ q·log(q + 1e-17), q = softmax(ζ)
//     dζ = 1/B q∘(w - Σ q·w), w = log(q + 1e-17) + q/(q + 1e-17)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/compile/relaxed.h"

enum { ZETA, UNIFORM };
enum { COUNTS = 1 }; // of the KL

static slt_real temperature_of(const slt_args *args) {
    return (slt_real)args->node->attributes.x[0];
}

static const slt_real *zeta_row(const slt_args *args, int row) {
    return (const slt_real *)args->in[ZETA] + (size_t)row * (size_t)args->in_width[ZETA];
}

// ---- sample

static void sample_shape(slt_shape_check *rule) {
    slt_shape_same(rule, ZETA, UNIFORM);
    rule->out[0] = rule->in[ZETA];
}

static void sample_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->out_rows[0], task);
    int Z = args->out_width[0];
    for (int r = rows.first; r < rows.first + rows.count; r++) {
        const slt_real *zeta = zeta_row(args, r);
        const slt_real *uniform = (const slt_real *)args->in[UNIFORM] + (size_t)r * (size_t)Z;
        slt_real *z = args->out[0] + (size_t)r * (size_t)Z;
        if (args->step->noise == 0) {
            memset(z, 0, (size_t)Z * sizeof *z);
            z[slt_arg_most(zeta, Z)] = 1;
            continue;
        }
        for (int k = 0; k < Z; k++)
            z[k] = (zeta[k] + slt_gumbel(uniform[k])) / temperature_of(args);
        slt_softmax_here(z, Z);
    }
}

static void sample(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->out_rows[0], SLT_ROW_BLOCK), sample_rows);
}

static void sample_back_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->out_rows[0], task);
    int Z = args->out_width[0];
    slt_real scale = args->step->noise == 0 ? 0 : 1 / temperature_of(args);
    for (int r = rows.first; r < rows.first + rows.count; r++) {
        size_t at = (size_t)r * (size_t)Z;
        const slt_real *z = args->out[0] + at, *dz = args->out_grad[0] + at;
        slt_real sum = slt_dot(z, dz, Z);
        for (int k = 0; k < Z; k++)
            slt_put(&args->in_grad[ZETA][at + (size_t)k], args->add[ZETA],
                    scale * z[k] * (dz[k] - sum));
    }
}

static void sample_back(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->out_rows[0], SLT_ROW_BLOCK), sample_back_rows);
}

static double flops(const slt_sizes *sizes) {
    return 30.0 * sizes->in[ZETA].rows * sizes->in[ZETA].width;
}

// ---- KL

static void kl_shape(slt_shape_check *rule) {
    slt_shape_want(rule, ZETA, SLT_SLOTS, 0, rule->in[ZETA].width);
    slt_shape_want(rule, COUNTS, SLT_TRAJECTORIES, 0, 1);
    slt_shape_type(rule, COUNTS, SLT_INTEGERS);
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

static void distribution(const slt_args *args, int row, slt_real *q) {
    int Z = args->in_width[ZETA];
    memcpy(q, zeta_row(args, row), (size_t)Z * sizeof *q);
    slt_softmax_here(q, Z);
}

static void kl(const slt_args *args) {
    slt_real total = 0, *q = args->shared;
    for (int r = 0; r < args->in_rows[ZETA]; r++) {
        if (!slt_gate(args->in[COUNTS], r, args->limits.slots)) continue;
        distribution(args, r, q);
        slt_real sum = 0;
        for (int k = 0; k < args->in_width[ZETA]; k++) sum += q[k] * slt_log(q[k] + SLT_TINY);
        total += sum;
    }
    args->out[0][0] = total / (slt_real)slt_batch_total(args->batch);
}

static void kl_back(const slt_args *args) {
    int Z = args->in_width[ZETA];
    slt_real *q = args->shared,
             scale = args->out_grad[0][0] / (slt_real)slt_batch_total(args->batch);
    for (int r = 0; r < args->in_rows[ZETA]; r++) {
        slt_real share = slt_gate(args->in[COUNTS], r, args->limits.slots) ? scale : 0, sum = 0;
        slt_real *to = args->in_grad[ZETA] + (size_t)r * (size_t)Z;
        distribution(args, r, q);
        for (int k = 0; k < Z; k++) sum += q[k] * slt_entropy_slope(q[k], 0);
        for (int k = 0; k < Z; k++)
            slt_put(&to[k], args->add[ZETA], share * q[k] * (slt_entropy_slope(q[k], 0) - sum));
    }
}

static size_t kl_shared(const slt_sizes *sizes) { return (size_t)sizes->in[ZETA].width; }

// ---- cases

static slt_var make_sample(slt_probe *probe, int width) {
    slt_var zeta = slt_probe_numbers(probe, SLT_SLOTS, 0, width, -2, 2);
    slt_var uniform = slt_probe_constant(probe, SLT_SLOTS, 0, width, 0.1, 0.9);
    return slt_concrete_sample(slt_probe_tape(probe), zeta, uniform, 0.7);
}
static slt_var sample_case(slt_probe *p) { return make_sample(p, 4); }
static slt_var sample_bench(slt_probe *p) { return make_sample(p, 128); }

static slt_var make_kl(slt_probe *probe, int width) {
    slt_var zeta = slt_probe_numbers(probe, SLT_SLOTS, 0, width, -2, 2);
    slt_var counts = slt_probe_integers(probe, SLT_TRAJECTORIES, 4);
    return slt_concrete_kl(slt_probe_tape(probe), zeta, counts);
}
static slt_var kl_case(slt_probe *p) { return make_kl(p, 4); }
static slt_var kl_bench(slt_probe *p) { return make_kl(p, 128); }

const slt_op slt_op_concrete_sample = {.name = "concrete_sample",
                                       .sentence = "z = softmax((ζ + Gumbel)/temperature)",
                                       .least = 2,
                                       .most = 2,
                                       .shape = sample_shape,
                                       .no_gradient_in = 1u << UNIFORM,
                                       .saves_out = 1,
                                       .flops = flops,
                                       .forward = sample,
                                       .backward = sample_back,
                                       .cases = {sample_case},
                                       .bench = sample_bench};

// shares of the loss
static size_t kernel_shared(const slt_sizes *sizes) {
    return (size_t)sizes->limits.trajectories * (size_t)sizes->limits.slots;
}

const slt_op slt_op_concrete_kl = {.name = "concrete_kl",
                                   .sentence = "mean over trajectories of Σ q·log q",
                                   .least = 2,
                                   .most = 2,
                                   .shape = kl_shape,
                                   .no_gradient_in = 1u << COUNTS,
                                   .saves_in = 1u << ZETA | 1u << COUNTS,
                                   .shared = kl_shared,
                                   .flops = flops,
                                   .kernel_shared = kernel_shared,
                                   .forward = kl,
                                   .backward = kl_back,
                                   .cases = {kl_case},
                                   .bench = kl_bench};

slt_var slt_concrete_sample(slt_tape *tape, slt_var zeta, slt_var uniform, double temperature) {
    slt_var inputs[] = {zeta, uniform};
    slt_attributes attributes = {.x = {temperature}};
    return slt_tape_apply(tape, &slt_op_concrete_sample, inputs, 2, &attributes);
}

slt_var slt_concrete_kl(slt_tape *tape, slt_var zeta, slt_var counts) {
    slt_var inputs[] = {zeta, counts};
    return slt_tape_apply(tape, &slt_op_concrete_kl, inputs, 2, NULL);
}
