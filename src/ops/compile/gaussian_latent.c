// A Gaussian latent (Kingma, Welling: Auto-encoding variational Bayes, 2014). ζ holds mean m and
// log variance v side by side:
//     sample: z = m + exp(v/2)·η;  dm = dz, dv = ½dz∘η∘exp(v/2)
//     KL to N(0,1): 1/B Σ_b Σ_{i<=G_b} -½Σ(1 + v - m² - e^v);  dm = κm, dv = ½κ(e^v - 1), κ = 1/B
// The KL is that of the first G_b slots of a trajectory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/compile/relaxed.h"

enum { ZETA, NOISE };
enum { COUNTS = 1 }; // of the KL

// ---- sample

static void sample_shape(slt_shape_check *rule) {
    slt_shape zeta = rule->in[ZETA], noise = rule->in[NOISE];
    if (zeta.space != noise.space || zeta.width != 2 * noise.width)
        slt_shape_reject_pair(rule, ZETA, NOISE, "the first is twice as wide");
    rule->out[0] = (slt_shape){zeta.space, zeta.rows, zeta.width / 2};
}

static void sample_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->out_rows[0], task);
    int Z = args->out_width[0];
    for (int r = rows.first; r < rows.first + rows.count; r++) {
        size_t at = (size_t)r * (size_t)Z;
        const slt_real *mean = (const slt_real *)args->in[ZETA] + 2 * at, *logvar = mean + Z;
        const slt_real *noise = (const slt_real *)args->in[NOISE] + at;
        slt_real *restrict z = args->out[0] + at;
        for (int k = 0; k < Z; k++) z[k] = mean[k] + slt_exp(logvar[k] / 2) * noise[k];
    }
}

static void sample(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->out_rows[0], SLT_ROW_BLOCK), sample_rows);
}

static void sample_back_rows(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_rows rows = slt_row_block(args->out_rows[0], task);
    int Z = args->out_width[0];
    for (int r = rows.first; r < rows.first + rows.count; r++) {
        size_t at = (size_t)r * (size_t)Z;
        const slt_real *logvar = (const slt_real *)args->in[ZETA] + 2 * at + Z;
        const slt_real *noise = (const slt_real *)args->in[NOISE] + at;
        const slt_real *dz = args->out_grad[0] + at;
        slt_real *to = args->in_grad[ZETA] + 2 * at;
        for (int k = 0; k < Z; k++) {
            slt_put(&to[k], args->add[ZETA], dz[k]);
            slt_put(&to[Z + k], args->add[ZETA],
                    (slt_real)0.5 * dz[k] * noise[k] * slt_exp(logvar[k] / 2));
        }
    }
}

static void sample_back(const slt_args *args) {
    slt_args_run(args, slt_blocks(args->out_rows[0], SLT_ROW_BLOCK), sample_back_rows);
}

static double flops(const slt_sizes *sizes) {
    return 12.0 * sizes->in[ZETA].rows * sizes->in[ZETA].width;
}

// ---- KL

static void kl_shape(slt_shape_check *rule) {
    slt_shape zeta = rule->in[ZETA];
    slt_shape_want(rule, ZETA, SLT_SLOTS, 0, zeta.width);
    slt_shape_want(rule, COUNTS, SLT_TRAJECTORIES, 0, 1);
    slt_shape_type(rule, COUNTS, SLT_INTEGERS);
    if (zeta.width % 2) slt_shape_reject(rule, ZETA, "an even width");
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

static void kl(const slt_args *args) {
    int rows = args->in_rows[ZETA], Z = args->in_width[ZETA] / 2;
    slt_real total = 0;
    for (int r = 0; r < rows; r++) {
        if (!slt_gate(args->in[COUNTS], r, args->limits.slots)) continue;
        const slt_real *mean = (const slt_real *)args->in[ZETA] + 2 * (size_t)r * (size_t)Z;
        const slt_real *logvar = mean + Z;
        slt_real sum = 0;
        for (int k = 0; k < Z; k++) sum += 1 + logvar[k] - mean[k] * mean[k] - slt_exp(logvar[k]);
        total -= sum / 2;
    }
    args->out[0][0] = total / (slt_real)slt_batch_total(args->batch);
}

static void kl_back(const slt_args *args) {
    int rows = args->in_rows[ZETA], Z = args->in_width[ZETA] / 2;
    slt_real scale = args->out_grad[0][0] / (slt_real)slt_batch_total(args->batch);
    for (int r = 0; r < rows; r++) {
        slt_real share = slt_gate(args->in[COUNTS], r, args->limits.slots) ? scale : 0;
        const slt_real *mean = (const slt_real *)args->in[ZETA] + 2 * (size_t)r * (size_t)Z;
        const slt_real *logvar = mean + Z;
        slt_real *to = args->in_grad[ZETA] + 2 * (size_t)r * (size_t)Z;
        for (int k = 0; k < Z; k++) {
            slt_put(&to[k], args->add[ZETA], share * mean[k]);
            slt_put(&to[Z + k], args->add[ZETA], share * (slt_exp(logvar[k]) - 1) / 2);
        }
    }
}

// ---- cases

static slt_var make_sample(slt_probe *probe, int width) {
    slt_var zeta = slt_probe_numbers(probe, SLT_SLOTS, 0, 2 * width, -1, 1);
    slt_var noise = slt_probe_constant(probe, SLT_SLOTS, 0, width, -1, 1);
    return slt_gaussian_sample(slt_probe_tape(probe), zeta, noise);
}
static slt_var sample_case(slt_probe *p) { return make_sample(p, 3); }
static slt_var sample_bench(slt_probe *p) { return make_sample(p, 128); }

static slt_var make_kl(slt_probe *probe, int width) {
    slt_var zeta = slt_probe_numbers(probe, SLT_SLOTS, 0, 2 * width, -1, 1);
    slt_var counts = slt_probe_integers(probe, SLT_TRAJECTORIES, 4);
    return slt_gaussian_kl(slt_probe_tape(probe), zeta, counts);
}
static slt_var kl_case(slt_probe *p) { return make_kl(p, 3); }
static slt_var kl_bench(slt_probe *p) { return make_kl(p, 128); }

const slt_op slt_op_gaussian_sample = {.name = "gaussian_sample",
                                       .sentence = "z = mean + exp(logvar/2)·noise",
                                       .least = 2,
                                       .most = 2,
                                       .shape = sample_shape,
                                       .no_gradient_in = 1u << NOISE,
                                       .saves_in = 1u << ZETA | 1u << NOISE,
                                       .flops = flops,
                                       .forward = sample,
                                       .backward = sample_back,
                                       .cases = {sample_case},
                                       .bench = sample_bench};

// shares of the loss
static size_t kernel_shared(const slt_sizes *sizes) {
    return (size_t)sizes->limits.trajectories * (size_t)sizes->limits.slots;
}

const slt_op slt_op_gaussian_kl = {.name = "gaussian_kl",
                                   .sentence = "mean over trajectories of Σ KL(N(m,v) || N(0,1))",
                                   .least = 2,
                                   .most = 2,
                                   .shape = kl_shape,
                                   .no_gradient_in = 1u << COUNTS,
                                   .saves_in = 1u << ZETA | 1u << COUNTS,
                                   .flops = flops,
                                   .kernel_shared = kernel_shared,
                                   .forward = kl,
                                   .backward = kl_back,
                                   .cases = {kl_case},
                                   .bench = kl_bench};

slt_var slt_gaussian_sample(slt_tape *tape, slt_var zeta, slt_var noise) {
    slt_var inputs[] = {zeta, noise};
    return slt_tape_apply(tape, &slt_op_gaussian_sample, inputs, 2, NULL);
}

slt_var slt_gaussian_kl(slt_tape *tape, slt_var zeta, slt_var counts) {
    slt_var inputs[] = {zeta, counts};
    return slt_tape_apply(tape, &slt_op_gaussian_kl, inputs, 2, NULL);
}
