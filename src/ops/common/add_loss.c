// first + weight·second, the weight taken from the step's own data (β of the halting term, say). A
// weight of 0 leaves the second term out, so that a value that is not finite cannot poison the sum.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"
#include "ops/common/op_tools.h"

static void shape(slt_shape_check *rule) {
    slt_shape_want(rule, 0, SLT_FIXED, 1, 1);
    slt_shape_want(rule, 1, SLT_FIXED, 1, 1);
    int w = rule->node->attributes.n[0];
    if (w < 0 || w >= SLT_WEIGHTS)
        slt_tape_fail(rule->tape, SLT_RANGE, "add_loss: no weight number %d", w);
    rule->out[0] = (slt_shape){SLT_FIXED, 1, 1};
}

static slt_real weight_of(const slt_args *args) {
    return args->step->weight[args->node->attributes.n[0]];
}

static void forward(const slt_args *args) {
    const slt_real *first = args->in[0], *second = args->in[1];
    slt_real weight = weight_of(args);
    args->out[0][0] = weight != 0 ? first[0] + weight * second[0] : first[0];
}

static void backward(const slt_args *args) {
    slt_real d = args->out_grad[0][0];
    if (args->in_grad[0]) slt_put(args->in_grad[0], args->add[0], d);
    if (args->in_grad[1]) slt_put(args->in_grad[1], args->add[1], d * weight_of(args));
}

static slt_var case_small(slt_probe *probe) {
    slt_var a = slt_probe_parameter(probe, 1, 1, -1, 1),
            b = slt_probe_parameter(probe, 1, 1, -1, 1);
    return slt_add_loss(slt_probe_tape(probe), a, b, 2);
}

const slt_op slt_op_add_loss = {.name = "add_loss",
                                .sentence = "first + the step's weight·second",
                                .least = 2,
                                .most = 2,
                                .shape = shape,
                                .forward = forward,
                                .backward = backward,
                                .cases = {case_small},
                                .bench = case_small};

slt_var slt_add_loss(slt_tape *tape, slt_var first, slt_var second, int w) {
    slt_var inputs[] = {first, second};
    slt_attributes attributes = {.n = {w}};
    return slt_tape_apply(tape, &slt_op_add_loss, inputs, 2, &attributes);
}
