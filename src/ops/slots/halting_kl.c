// KL = 1/B Σ_b Σ_k h_bk(log h_bk - log prior_k), with 0·log 0 = 0.
// Backward: dh_bk = (log h_bk - log prior_k)/B; the constant 1 cancels in the halting's own
// backward but is part of the derivative.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { H, PRIOR };

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, H, SLT_TRAJECTORIES, 0, rule->limits.slots);
    slt_shape_want(rule, PRIOR, SLT_FIXED, 1, rule->limits.slots);
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

static void forward(const slt_args *args) {
    const slt_real *h = args->in[H], *prior = args->in[PRIOR];
    int K = args->limits.slots;
    slt_real sum = 0;
    for (int b = 0; b < args->batch->count; b++)
        for (int k = 0; k < K; k++) {
            slt_real p = h[(size_t)b * (size_t)K + (size_t)k];
            if (p > 0) sum += p * (slt_log(p) - slt_log(prior[k]));
        }
    args->out[0][0] = sum / (slt_real)slt_batch_total(args->batch);
}

static void backward(const slt_args *args) {
    const slt_real *h = args->in[H], *prior = args->in[PRIOR];
    int K = args->limits.slots;
    slt_real scale = args->out_grad[0][0] / (slt_real)slt_batch_total(args->batch);
    for (int b = 0; b < args->batch->count; b++)
        for (int k = 0; k < K; k++) {
            size_t at = (size_t)b * (size_t)K + (size_t)k;
            slt_real value = h[at] > 0 ? slt_log(h[at]) - slt_log(prior[k]) + 1 : 0;
            slt_put(&args->in_grad[H][at], args->add[H], scale * value);
        }
}

static slt_var case_small(slt_probe *probe) {
    slt_var h = slt_probe_numbers(probe, SLT_TRAJECTORIES, 0,
                                  slt_tape_limits(slt_probe_tape(probe)).slots, 0.1, 0.9);
    slt_var prior = slt_probe_constant(probe, SLT_FIXED, 1,
                                       slt_tape_limits(slt_probe_tape(probe)).slots, 0.1, 0.9);
    return slt_halting_kl(slt_probe_tape(probe), h, prior);
}

// shares of the loss
static size_t kernel_shared(const slt_sizes *sizes) { return (size_t)sizes->limits.trajectories; }

const slt_op slt_op_halting_kl = {.name = "halting_kl",
                                  .sentence = "mean KL(h || prior)",
                                  .least = 2,
                                  .most = 2,
                                  .shape = shape,
                                  .no_gradient_in = 1u << PRIOR,
                                  .saves_in = 1u << H | 1u << PRIOR,
                                  .kernel_shared = kernel_shared,
                                  .forward = forward,
                                  .backward = backward,
                                  .cases = {case_small},
                                  .bench = case_small};

slt_var slt_halting_kl(slt_tape *tape, slt_var h, slt_var prior) {
    slt_var inputs[] = {h, prior};
    return slt_tape_apply(tape, &slt_op_halting_kl, inputs, 2, NULL);
}
