// y = x + s_k at every row of the sequence (b,k); s has a row per slot of a trajectory, or one per
// slot that all trajectories share. Backward: ds_k is the sum over the rows of its sequences.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/op_table.h"
#include "ops/op_tools.h"

enum { X, S };

static void shape(slt_rule *rule) {
    slt_shape s = rule->in[S];
    slt_rule_want(rule, X, SLT_SLOT_TOKENS, 0, s.width);
    if (s.space != SLT_SLOTS) slt_rule_want(rule, S, SLT_FIXED, rule->limits.slots, s.width);
    rule->out[0] = rule->in[X];
}

static bool is_shared(const slt_args *args) { return args->node->attributes.n[0] == SLT_FIXED; }

static void forward_sequence(const slt_args *args, int i, slt_real *scratch) {
    (void)scratch;
    slt_sequence q = slt_sequence_at(args, SLT_SLOT_TOKENS, i);
    size_t width = (size_t)args->out_width[0], at = (size_t)q.first * width;
    const slt_real *s = (const slt_real *)args->in[S] + (size_t)(is_shared(args) ? q.k : i) * width;
    const slt_real *x = (const slt_real *)args->in[X] + at;
    slt_real *y = args->out[0] + at;
    for (int l = 0; l < q.computed; l++, x += width, y += width)
        for (size_t c = 0; c < width; c++) y[c] = x[c] + s[c];
}

static void forward(const slt_args *args) {
    slt_args_run(args, slt_sequence_count(args, SLT_SLOT_TOKENS), forward_sequence);
}

// dx is dy; the sum over a sequence goes to its slot, or to the sequence's place in the scratch
static void backward_sequence(const slt_args *args, int i, slt_real *sum) {
    slt_sequence q = slt_sequence_at(args, SLT_SLOT_TOKENS, i);
    size_t width = (size_t)args->out_width[0], at = (size_t)q.first * width;
    const slt_real *dy = args->out_grad[0] + at;
    slt_real *dx = args->in_grad[X] ? args->in_grad[X] + at : NULL;
    for (size_t c = 0; dx && c < (size_t)q.computed * width; c++)
        slt_put(&dx[c], args->add[X], dy[c]);
    if (!args->in_grad[S]) return;
    memset(sum, 0, width * sizeof *sum);
    for (int l = 0; l < q.computed; l++, dy += width)
        for (size_t c = 0; c < width; c++) sum[c] += dy[c];
    bool add = args->add[S] && !is_shared(args);
    slt_real *to = is_shared(args) ? args->shared : args->in_grad[S];
    for (size_t c = 0; c < width; c++) slt_put(&to[(size_t)i * width + c], add, sum[c]);
}

static void backward(const slt_args *args) {
    slt_args_run(args, slt_sequence_count(args, SLT_SLOT_TOKENS), backward_sequence);
    int width = args->limits.slots * args->out_width[0];
    if (args->in_grad[S] && is_shared(args))
        slt_add_partials(args->in_grad[S], args->add[S], args->shared, args->batch->count, width,
                         width);
}

static size_t shared(const slt_sizes *sizes) {
    bool needed = sizes->node->attributes.n[0] == SLT_FIXED;
    return needed ? (size_t)sizes->limits.trajectories * (size_t)sizes->limits.slots *
                        (size_t)sizes->out[0].width
                  : 0;
}
static size_t scratch(const slt_sizes *sizes) { return (size_t)sizes->out[0].width; }
static double flops(const slt_sizes *sizes) {
    return 1.0 * sizes->out[0].rows * sizes->out[0].width;
}

static slt_var make_case(slt_probe *probe, slt_space space, int width) {
    slt_tape *tape = slt_probe_tape(probe);
    slt_var x = slt_probe_numbers(probe, SLT_SLOT_TOKENS, 0, width, -1, 1);
    slt_var s = space == SLT_SLOTS
                    ? slt_probe_numbers(probe, SLT_SLOTS, 0, width, -1, 1)
                    : slt_probe_parameter(probe, slt_tape_limits(tape).slots, width, -1, 1);
    return slt_add_slots(tape, x, s);
}
static slt_var case_own(slt_probe *p) { return make_case(p, SLT_SLOTS, 3); }
static slt_var case_shared(slt_probe *p) { return make_case(p, SLT_FIXED, 3); }
static slt_var bench(slt_probe *p) { return make_case(p, SLT_FIXED, 32); }

const slt_op slt_op_add_slots = {.name = "add_slots",
                                 .sentence = "y = x + its slot, broadcast over the sequence",
                                 .least = 2,
                                 .most = 2,
                                 .shape = shape,
                                 .shared = shared,
                                 .scratch = scratch,
                                 .flops = flops,
                                 .forward = forward,
                                 .backward = backward,
                                 .cases = {case_own, case_shared},
                                 .bench = bench};

slt_var slt_add_slots(slt_tape *tape, slt_var x, slt_var s) {
    if (slt_tape_failed(tape)) return 0;
    slt_var inputs[] = {x, s};
    slt_attributes attributes = {.n = {slt_tape_shape(tape, s).space}};
    return slt_tape_apply(tape, &slt_op_add_slots, inputs, 2, &attributes);
}
