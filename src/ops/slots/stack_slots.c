// Rows of trajectories or tokens become slot k of a stack: out = stack with slot k replaced by x.
// The first call makes the stack, zero elsewhere. Backward splits the gradient again.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

enum { X, STACK };

static int slot_of(const slt_args *args) { return args->node->attributes.n[0]; }

static void shape(slt_shape_check *rule) {
    slt_shape x = rule->in[X];
    int k = rule->node->attributes.n[0];
    if (x.space != SLT_TRAJECTORIES && x.space != SLT_TOKENS)
        slt_shape_reject(rule, X, "rows of trajectories or tokens");
    if (k < 0 || k >= rule->limits.slots)
        slt_tape_fail(rule->tape, SLT_RANGE, "stack_slots: slot %d of %d", k, rule->limits.slots);
    slt_space space = x.space == SLT_TOKENS ? SLT_SLOT_TOKENS : SLT_SLOTS;
    slt_shape_want(rule, STACK, space, 0, x.width);
    rule->out[0] = (slt_shape){space, 0, x.width};
}

// numbers of one trajectory: where x begins, where its part of the stack begins, how many in a slot
typedef struct {
    size_t x, stack, count;
} stretch;

static stretch stretch_of(const slt_args *args, int b) {
    size_t width = (size_t)args->in_width[X], K = (size_t)args->limits.slots;
    bool tokens = args->node->attributes.n[1];
    size_t first = tokens ? (size_t)args->batch->offset[b] : (size_t)b;
    size_t rows = tokens ? (size_t)slt_batch_computed(args->batch, b) : 1;
    return (stretch){first * width, K * first * width, rows * width};
}

static void forward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    stretch s = stretch_of(args, b);
    for (int k = 0; k < args->limits.slots; k++) {
        size_t at = s.stack + (size_t)k * s.count;
        const slt_real *from = k == slot_of(args) ? (const slt_real *)args->in[X] + s.x
                               : args->in[STACK]  ? (const slt_real *)args->in[STACK] + at
                                                  : NULL;
        if (from)
            memcpy(args->out[0] + at, from, s.count * sizeof *from);
        else
            memset(args->out[0] + at, 0, s.count * sizeof *from);
    }
}

static void forward(const slt_args *args) {
    slt_args_run(args, args->batch->count, forward_trajectory);
}

static void backward_trajectory(const slt_args *args, int b, slt_real *scratch) {
    (void)scratch;
    stretch s = stretch_of(args, b);
    for (int k = 0; k < args->limits.slots; k++) {
        bool own = k == slot_of(args);
        size_t at = s.stack + (size_t)k * s.count;
        for (size_t i = 0; own && args->in_grad[X] && i < s.count; i++)
            slt_put(&args->in_grad[X][s.x + i], args->add[X], args->out_grad[0][at + i]);
        for (size_t i = 0; args->in_grad[STACK] && i < s.count; i++)
            slt_put(&args->in_grad[STACK][at + i], args->add[STACK],
                    own ? 0 : args->out_grad[0][at + i]);
    }
}

static void backward(const slt_args *args) {
    slt_args_run(args, args->batch->count, backward_trajectory);
}

static slt_var make_case(slt_probe *probe, slt_space space, int width, bool stack) {
    slt_space wide = space == SLT_TOKENS ? SLT_SLOT_TOKENS : SLT_SLOTS;
    slt_var x = slt_probe_numbers(probe, space, 0, width, -1, 1);
    slt_var all = stack ? slt_probe_numbers(probe, wide, 0, width, -1, 1) : 0;
    return slt_stack_slots(slt_probe_tape(probe), x, all, 1);
}
static slt_var case_first(slt_probe *p) { return make_case(p, SLT_TRAJECTORIES, 3, false); }
static slt_var case_rows(slt_probe *p) { return make_case(p, SLT_TRAJECTORIES, 3, true); }
static slt_var case_tokens(slt_probe *p) { return make_case(p, SLT_TOKENS, 2, true); }
static slt_var bench(slt_probe *p) { return make_case(p, SLT_TOKENS, 1, true); }

const slt_op slt_op_stack_slots = {.name = "stack_slots",
                                   .sentence = "stack with slot k replaced by x",
                                   .least = 1,
                                   .most = 2,
                                   .shape = shape,
                                   .forward = forward,
                                   .backward = backward,
                                   .cases = {case_first, case_rows, case_tokens},
                                   .bench = bench};

slt_var slt_stack_slots(slt_tape *tape, slt_var x, slt_var stack, int k) {
    slt_var inputs[] = {x, stack};
    bool tokens = x > 0 && !slt_tape_failed(tape) && slt_tape_shape(tape, x).space == SLT_TOKENS;
    slt_attributes attributes = {.n = {k, tokens}};
    return slt_tape_apply(tape, &slt_op_stack_slots, inputs, 2, &attributes);
}
