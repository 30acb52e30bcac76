// Where segment i ends (CompILE, models.md section 5.3): a relaxed one-hot over the positions 1 to
// the end of the trajectory, b = softmax((ℓ + g)/temperature) with Gumbel noise g; in a step
// without noise (at test time) the hard one-hot of argmax ℓ. The last segment ends at the last true
// position; so does, with the oracle, the last one of its trajectory.
// Backward: dℓ = b∘(db - Σ b·db)/temperature.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/compile/relaxed.h"

enum { COUNTS, LOGITS, UNIFORM };
enum { PASS, INCLUDE, ORACLE }; // attributes

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, COUNTS, SLT_TRAJECTORIES, 0, 1);
    slt_shape_type(rule, COUNTS, SLT_INTEGERS);
    slt_shape_want(rule, LOGITS, SLT_TOKENS, 0, 1);
    slt_shape_want(rule, UNIFORM, SLT_SLOT_TOKENS, 0, 1);
    if (slt_shape_has(rule, LOGITS) && !slt_shape_has(rule, UNIFORM))
        slt_tape_fail(rule->tape, SLT_INVALID, "boundary_sample: logits without noise");
    rule->out[0] = (slt_shape){SLT_TOKENS, 0, 1};
}

// does trajectory b have no choice in this pass?
static bool forced(const slt_args *args, int b) {
    const int *n = args->node->attributes.n;
    return !args->in[LOGITS] ||
           (n[ORACLE] && ((const int32_t *)args->in[COUNTS])[b] <= n[PASS] + 1);
}

static int end_of(const slt_args *args, int b) {
    return slt_stretch_end(args->batch, b, args->node->attributes.n[INCLUDE]);
}

static void choose(const slt_args *args, int b, int end, slt_real *p) {
    const int *n = args->node->attributes.n;
    slt_row_span sequence = slt_span_at(args, SLT_SLOT_TOKENS, b * args->limits.slots + n[PASS]);
    const slt_real *logit = (const slt_real *)args->in[LOGITS] + args->batch->offset[b];
    const slt_real *uniform = (const slt_real *)args->in[UNIFORM] + sequence.first;
    slt_real temperature = (slt_real)args->node->attributes.x[0];
    if (args->step->noise == 0) {
        p[1 + slt_arg_most(logit + 1, end - 1)] = 1;
        return;
    }
    for (int l = 1; l < end; l++) p[l] = (logit[l] + slt_gumbel(uniform[l])) / temperature;
    slt_softmax_here(p + 1, end - 1);
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    int computed = slt_batch_computed(args->batch, b), end = end_of(args, b);
    slt_real *p = args->out[0] + args->batch->offset[b];
    memset(p, 0, (size_t)computed * sizeof *p);
    if (forced(args, b) || end < 2)
        p[slt_stretch_end(args->batch, b, false) - 1] = 1;
    else
        choose(args, b, end, p);
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    int computed = slt_batch_computed(args->batch, b), end = end_of(args, b);
    size_t first = (size_t)args->batch->offset[b];
    const slt_real *p = args->out[0] + first, *dp = args->out_grad[0] + first;
    slt_real *to = args->in_grad[LOGITS] + first, sum = 0;
    slt_real temperature = (slt_real)args->node->attributes.x[0];
    bool free = !forced(args, b) && args->step->noise != 0;
    for (int l = 1; l < end; l++) sum += p[l] * dp[l];
    for (int l = 0; l < computed; l++)
        slt_put(&to[l], args->add[LOGITS],
                slt_where(free && l > 0 && l < end, p[l] * (dp[l] - sum) / temperature));
}

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, backward_trajectory);
}

static double flops(const slt_sizes *sizes) { return 40.0 * sizes->out[0].rows; }

static slt_var make_case(slt_probe *probe, slt_boundary_rule rule) {
    slt_var counts = slt_probe_integers(probe, SLT_TRAJECTORIES, 3);
    slt_var logits = slt_probe_numbers(probe, SLT_TOKENS, 0, 1, -2, 2);
    slt_var uniform = slt_probe_constant(probe, SLT_SLOT_TOKENS, 0, 1, 0.1, 0.9);
    return slt_boundary_sample(slt_probe_tape(probe), counts, logits, uniform, rule);
}
static slt_var case_packed(slt_probe *p) {
    return make_case(p, (slt_boundary_rule){.pass = 1, .temperature = 0.8});
}
static slt_var case_padded(slt_probe *p) {
    return make_case(p, (slt_boundary_rule){.pass = 1, .include = true, .temperature = 1.3});
}
static slt_var case_oracle(slt_probe *p) {
    return make_case(p, (slt_boundary_rule){.pass = 0, .oracle = true, .temperature = 1});
}

const slt_op slt_op_boundary_sample = {
    .name = "boundary_sample",
    .sentence = "b = softmax((ℓ + Gumbel)/temperature) over positions, or the arg-max",
    .least = 1,
    .most = 3,
    .shape = shape,
    .no_gradient_in = 1u << COUNTS | 1u << UNIFORM,
    .saves_in = 1u << COUNTS,
    .saves_out = 1,
    .flops = flops,
    .forward = forward,
    .backward = backward,
    .cases = {case_packed, case_padded, case_oracle},
    .bench = case_packed};

slt_var slt_boundary_sample(slt_tape *tape, slt_var counts, slt_var logits, slt_var uniform,
                            slt_boundary_rule rule) {
    slt_var inputs[] = {counts, logits, uniform};
    slt_attributes attributes = {.n = {rule.pass, rule.include, rule.oracle},
                                 .x = {rule.temperature}};
    return slt_tape_apply(tape, &slt_op_boundary_sample, inputs, 3, &attributes);
}
