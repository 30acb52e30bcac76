// What ends say beyond their action, in nats per true step: the information that they carry about
// whatever else the head saw,
//     q_a = mean of b over the batch's steps with action a
//     exception cost = 1/M Σ_l KL(b_l || q_{a_l}) over all steps but the last of a trajectory
// It is 0 where the action decides, so that a set of actions costs nothing and every exception
// does. Backward: db_l = 1/M·log[ b(1-q) / (q(1-b)) ]; q is where the sum is least, so it adds
// nothing.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { ENDS, ACTIONS };
enum { SYMBOLS };
static const slt_real LEAST = (slt_real)1e-6;

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, ENDS, SLT_TOKENS, 0, 1);
    slt_shape_want(rule, ACTIONS, SLT_TOKENS, 0, 1);
    slt_shape_type(rule, ACTIONS, SLT_INTEGERS);
    if (rule->node->attributes.n[SYMBOLS] < 1)
        slt_tape_fail(rule->tape, SLT_RANGE, "exception_cost: no symbols");
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

// steps of a trajectory whose end is not given
static int inner_steps(const slt_args *args, slt_row_span sequence) {
    return slt_min(args->batch->length[sequence.b] - 1, sequence.computed);
}

static slt_real bounded(slt_real b) {
    b = b < LEAST ? LEAST : b;
    return b > 1 - LEAST ? 1 - LEAST : b;
}

// q (A); seen is scratch
static void mean_ends(const slt_args *args, slt_real *q, slt_real *seen) {
    int A = args->node->attributes.n[SYMBOLS];
    for (int a = 0; a < A; a++) q[a] = seen[a] = 0;
    for (int b = 0; b < args->batch->count; b++) {
        slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
        const slt_real *ends = (const slt_real *)args->in[ENDS] + sequence.first;
        const int32_t *actions = (const int32_t *)args->in[ACTIONS] + sequence.first;
        for (int l = 0; l < inner_steps(args, sequence); l++) {
            q[actions[l]] += ends[l];
            seen[actions[l]] += 1;
        }
    }
    for (int a = 0; a < A; a++) q[a] = bounded(seen[a] > 0 ? q[a] / seen[a] : LEAST);
}

static slt_real divergence(slt_real b, slt_real q) {
    return b * (slt_log(b) - slt_log(q)) + (1 - b) * (slt_log(1 - b) - slt_log(1 - q));
}

// log-odds of an end
static slt_real odds(slt_real b) { return slt_log(b) - slt_log(1 - b); }

static void forward(const slt_args *args) {
    int A = args->node->attributes.n[SYMBOLS];
    slt_real *q = args->shared, sum = 0;
    mean_ends(args, q, q + A);
    for (int b = 0; b < args->batch->count; b++) {
        slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
        const slt_real *ends = (const slt_real *)args->in[ENDS] + sequence.first;
        const int32_t *actions = (const int32_t *)args->in[ACTIONS] + sequence.first;
        for (int l = 0; l < inner_steps(args, sequence); l++)
            sum += divergence(bounded(ends[l]), q[actions[l]]);
    }
    args->out[0][0] = sum / (slt_real)args->batch->true_tokens;
}

static void backward(const slt_args *args) {
    int A = args->node->attributes.n[SYMBOLS];
    slt_real *q = args->shared;
    slt_real scale = args->out_grad[0][0] / (slt_real)args->batch->true_tokens;
    mean_ends(args, q, q + A);
    for (int b = 0; b < args->batch->count; b++) {
        slt_row_span sequence = slt_span_at(args, SLT_TOKENS, b);
        const slt_real *ends = (const slt_real *)args->in[ENDS] + sequence.first;
        const int32_t *actions = (const int32_t *)args->in[ACTIONS] + sequence.first;
        slt_real *d = args->in_grad[ENDS] + sequence.first;
        int inner = inner_steps(args, sequence);
        for (int l = 0; l < inner; l++)
            slt_put(&d[l], args->add[ENDS], scale * (odds(bounded(ends[l])) - odds(q[actions[l]])));
        for (int l = inner > 0 ? inner : 0; l < sequence.computed; l++)
            slt_put(&d[l], args->add[ENDS], 0);
    }
}

static size_t shared(const slt_sizes *sizes) {
    return 2 * (size_t)sizes->node->attributes.n[SYMBOLS];
}
static double flops(const slt_sizes *sizes) { return 40.0 * sizes->in[ENDS].rows; }

static slt_var make_case(slt_probe *probe, int symbols) {
    slt_var ends = slt_probe_numbers(probe, SLT_TOKENS, 0, 1, 0.1, 0.9);
    slt_var actions = slt_probe_integers(probe, SLT_TOKENS, symbols);
    return slt_exception_cost(slt_probe_tape(probe), ends, actions, symbols);
}
static slt_var case_few(slt_probe *p) { return make_case(p, 2); }
static slt_var case_many(slt_probe *p) { return make_case(p, 50); }
static slt_var bench(slt_probe *p) { return make_case(p, 7); }

// means of boundaries by action, shares of the loss
static size_t kernel_shared(const slt_sizes *sizes) {
    return (size_t)sizes->node->attributes.n[SYMBOLS] + (size_t)sizes->in[ENDS].rows / 256 + 1;
}

const slt_op slt_op_exception_cost = {.name = "exception_cost",
                                      .sentence = "nats that ends say beyond their action",
                                      .least = 2,
                                      .most = 2,
                                      .shape = shape,
                                      .no_gradient_in = 1u << ACTIONS,
                                      .saves_in = 1u << ENDS | 1u << ACTIONS,
                                      .shared = shared,
                                      .flops = flops,
                                      .kernel_shared = kernel_shared,
                                      .forward = forward,
                                      .backward = backward,
                                      .cases = {case_few, case_many},
                                      .bench = bench};

slt_var slt_exception_cost(slt_tape *tape, slt_var ends, slt_var actions, int symbols) {
    slt_var inputs[] = {ends, actions};
    slt_attributes attributes = {.n = {symbols}};
    return slt_tape_apply(tape, &slt_op_exception_cost, inputs, 2, &attributes);
}
