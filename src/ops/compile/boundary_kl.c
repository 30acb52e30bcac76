// KL of the boundary's distribution to a prior over positions (CompILE, models.md section 5.7):
//     weight/B Σ_b Σ_{l>=1} q_l(log(q_l + 1e-17) - logprior_l),  q = softmax(ℓ) over l >= 1
// Backward: dℓ = q∘(w - Σ q·w), w = weight/B (log(q + 1e-17) - logprior + q/(q + 1e-17)).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/compile/relaxed.h"

enum { LOGITS, PRIOR };

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, LOGITS, SLT_TOKENS, 0, 1);
    slt_shape_want(rule, PRIOR, SLT_FIXED, 1, rule->limits.length);
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

static int end_of(const slt_args *args, int b) {
    return slt_stretch_end(args->batch, b, args->node->attributes.n[0]);
}

static slt_real weight_of(const slt_args *args) {
    return (slt_real)args->node->attributes.x[0] / (slt_real)slt_batch_total(args->batch);
}

// q[0] = 0, q[1..end-1] = softmax
static void distribution(const slt_args *args, int b, int end, slt_real *q) {
    const slt_real *logit = (const slt_real *)args->in[LOGITS] + args->batch->offset[b];
    q[0] = 0;
    for (int l = 1; l < end; l++) q[l] = logit[l];
    if (end > 1) slt_softmax_here(q + 1, end - 1);
}

static void forward_trajectory(const slt_args *args, int b, slt_real *q) {
    const slt_real *prior = args->in[PRIOR];
    int end = end_of(args, b);
    slt_real sum = 0;
    distribution(args, b, end, q);
    for (int l = 1; l < end; l++) sum += q[l] * (slt_log(q[l] + SLT_TINY) - prior[l]);
    args->shared[b] = weight_of(args) * sum;
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
    slt_add_partials(args->out[0], false, args->shared, args->batch->count, 1, 1);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *q) {
    const slt_real *prior = args->in[PRIOR];
    int end = end_of(args, b), computed = slt_batch_computed(args->batch, b);
    slt_real *to = args->in_grad[LOGITS] + args->batch->offset[b], sum = 0;
    slt_real scale = args->out_grad[0][0] * weight_of(args);
    distribution(args, b, end, q);
    for (int l = 1; l < end; l++) sum += q[l] * slt_entropy_slope(q[l], prior[l]);
    for (int l = 0; l < computed; l++) {
        bool inside = l > 0 && l < end;
        slt_real slope = inside ? slt_entropy_slope(q[l], prior[l]) : 0;
        slt_put(&to[l], args->add[LOGITS], inside ? scale * q[l] * (slope - sum) : 0);
    }
}

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, backward_trajectory);
}

static size_t shared(const slt_sizes *sizes) { return (size_t)sizes->limits.trajectories; }
static size_t scratch(const slt_sizes *sizes) { return (size_t)sizes->limits.length + 1; }

static slt_var make_case(slt_probe *probe, bool include) {
    int length = slt_tape_limits(slt_probe_tape(probe)).length;
    slt_var logits = slt_probe_numbers(probe, SLT_TOKENS, 0, 1, -2, 2);
    slt_var prior = slt_probe_constant(probe, SLT_FIXED, 1, length, -3, -1);
    return slt_boundary_kl(slt_probe_tape(probe), logits, prior, 4, include);
}
static slt_var case_packed(slt_probe *p) { return make_case(p, false); }
static slt_var case_padded(slt_probe *p) { return make_case(p, true); }

const slt_op slt_op_boundary_kl = {.name = "boundary_kl",
                                   .sentence = "weighted mean KL of softmax(ℓ) over positions",
                                   .least = 2,
                                   .most = 2,
                                   .shape = shape,
                                   .no_gradient_in = 1u << PRIOR,
                                   .saves_in = 1u << LOGITS | 1u << PRIOR,
                                   .shared = shared,
                                   .scratch = scratch,
                                   .forward = forward,
                                   .backward = backward,
                                   .cases = {case_packed, case_padded},
                                   .bench = case_packed};

slt_var slt_boundary_kl(slt_tape *tape, slt_var logits, slt_var prior, double weight,
                        bool include) {
    slt_var inputs[] = {logits, prior};
    slt_attributes attributes = {.n = {include}, .x = {weight}};
    return slt_tape_apply(tape, &slt_op_boundary_kl, inputs, 2, &attributes);
}
