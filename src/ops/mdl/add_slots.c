// y = x + s_k at every live row of slot k; s has a row per slot of a trajectory, or one per slot
// that all trajectories share. Backward: ds_k is the sum over its rows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/mdl/live_rows.h"
#include "ops/common/op_table.h"

enum { X, S, LIST, RANGE };

static void shape(slt_shape_check *rule) {
    slt_shape s = rule->in[S];
    slt_shape_want(rule, X, SLT_LIVE, 0, s.width);
    if (s.space != SLT_SLOTS) slt_shape_want(rule, S, SLT_FIXED, rule->limits.slots, s.width);
    slt_shape_want(rule, LIST, SLT_LIVE, 0, 2);
    slt_shape_want(rule, RANGE, SLT_TRAJECTORIES, 0, 2);
    rule->out[0] = rule->in[X];
}

static bool is_shared(const slt_args *args) { return args->node->attributes.n[0] == SLT_FIXED; }

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    slt_live live = slt_live_at(args->in[LIST], args->in[RANGE], b);
    size_t width = (size_t)args->out_width[0], at = (size_t)live.first * width;
    size_t own = is_shared(args) ? 0 : (size_t)(b * args->limits.slots);
    const slt_real *x = (const slt_real *)args->in[X] + at;
    slt_real *y = args->out[0] + at;
    for (int i = 0; i < live.count; i++, x += width, y += width) {
        const slt_real *s = args->in[S];
        s += (own + (size_t)slt_live_slot(&live, i)) * width;
        for (size_t c = 0; c < width; c++) y[c] = x[c] + s[c];
    }
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
}

// dx is dy; sums over the rows of a slot go to the slot, or to the trajectory's place in the
// scratch
static void backward_trajectory(const slt_args *args, int b, slt_real *sum) {
    slt_live live = slt_live_at(args->in[LIST], args->in[RANGE], b);
    size_t width = (size_t)args->out_width[0], at = (size_t)live.first * width;
    size_t all = (size_t)args->limits.slots * width;
    const slt_real *dy = args->out_grad[0] + at;
    slt_real *dx = args->in_grad[X] ? args->in_grad[X] + at : NULL;
    for (size_t c = 0; dx && c < (size_t)live.count * width; c++)
        slt_put(&dx[c], args->add[X], dy[c]);
    if (!args->in_grad[S]) return;
    memset(sum, 0, all * sizeof *sum);
    for (int i = 0; i < live.count; i++, dy += width) {
        slt_real *to = sum + (size_t)slt_live_slot(&live, i) * width;
        for (size_t c = 0; c < width; c++) to[c] += dy[c];
    }
    bool add = args->add[S] && !is_shared(args);
    slt_real *to = is_shared(args) ? args->shared : args->in_grad[S];
    for (size_t c = 0; c < all; c++) slt_put(&to[(size_t)b * all + c], add, sum[c]);
}

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, backward_trajectory);
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
static size_t scratch(const slt_sizes *sizes) {
    return (size_t)sizes->limits.slots * (size_t)sizes->out[0].width;
}
static double flops(const slt_sizes *sizes) {
    return 1.0 * sizes->out[0].rows * sizes->out[0].width;
}

static slt_var make_case(slt_probe *probe, slt_space space, int width) {
    slt_tape *tape = slt_probe_tape(probe);
    int K = slt_tape_limits(tape).slots;
    slt_var live = slt_live_rows(tape, slt_probe_constant(probe, SLT_TOKENS, 0, K, 0, 1), 0.5);
    slt_var zero =
        slt_dense(tape, live, slt_probe_constant(probe, SLT_FIXED, 2, width, 0, 0), 0, SLT_LINEAR);
    slt_var s = space == SLT_SLOTS ? slt_probe_numbers(probe, SLT_SLOTS, 0, width, -1, 1)
                                   : slt_probe_parameter(probe, K, width, -1, 1);
    return slt_add_slots(tape, slt_add_slots(tape, zero, s, live), s, live);
}
static slt_var case_own(slt_probe *p) { return make_case(p, SLT_SLOTS, 3); }
static slt_var case_shared(slt_probe *p) { return make_case(p, SLT_FIXED, 3); }
static slt_var bench(slt_probe *p) { return make_case(p, SLT_FIXED, 32); }

const slt_op slt_op_add_slots = {.name = "add_slots",
                                 .sentence = "y = x + its slot, broadcast over the sequence",
                                 .least = 4,
                                 .most = 4,
                                 .shape = shape,
                                 .no_gradient_in = 1u << LIST | 1u << RANGE,
                                 .saves_in = 1u << LIST | 1u << RANGE,
                                 .shared = shared,
                                 .scratch = scratch,
                                 .flops = flops,
                                 .forward = forward,
                                 .backward = backward,
                                 .cases = {case_own, case_shared},
                                 .bench = bench};

slt_var slt_add_slots(slt_tape *tape, slt_var x, slt_var s, slt_var live) {
    if (slt_tape_failed(tape)) return 0;
    slt_var inputs[] = {x, s, live, live + 1};
    slt_attributes attributes = {.n = {slt_tape_shape(tape, s).space}};
    return slt_tape_apply(tape, &slt_op_add_slots, inputs, 4, &attributes);
}
