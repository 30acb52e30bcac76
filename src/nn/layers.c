// Dense layers, norms, and their initial values.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "nn/nn.h"

#include <math.h>
#include <stdio.h>

const char *slt_name(char *text, const char *scope, const char *part) {
    snprintf(text, SLT_NAME, "%.60s.%.30s", scope, part);
    return text;
}

slt_init slt_glorot(int in, int out) {
    return (slt_init){SLT_INIT_UNIFORM, sqrt(6.0 / ((double)in + (double)out))};
}
slt_init slt_he(int fan_in) { return (slt_init){SLT_INIT_UNIFORM, sqrt(6.0 / (double)fan_in)}; }
slt_init slt_constant(double value) { return (slt_init){SLT_INIT_CONSTANT, value}; }

slt_var slt_weights(slt_tape *tape, const char *name, int rows, int columns, slt_init init) {
    slt_part part = {name, columns, init, 0};
    return slt_tape_named(tape, rows, &part, 1);
}

slt_var slt_weights_joined(slt_tape *tape, int rows, const slt_part *parts, int count) {
    return slt_tape_named(tape, rows, parts, count);
}

static int width_of(slt_tape *tape, slt_var x) {
    return slt_tape_failed(tape) ? 1 : slt_tape_shape(tape, x).width;
}

static slt_var kernel(slt_tape *tape, const char *name, int in, int out) {
    char text[SLT_NAME];
    return slt_weights(tape, slt_name(text, name, "kernel"), in, out, slt_glorot(in, out));
}

static slt_var bias(slt_tape *tape, const char *name, int out) {
    char text[SLT_NAME];
    return slt_weights(tape, slt_name(text, name, "bias"), 1, out, slt_constant(0));
}

slt_var slt_nn_dense(slt_tape *tape, const char *name, slt_var x, int out, slt_activation act) {
    slt_var w = kernel(tape, name, width_of(tape, x), out);
    return slt_dense(tape, x, w, bias(tape, name, out), act);
}

slt_var slt_nn_linear(slt_tape *tape, const char *name, slt_var x, int out) {
    return slt_dense(tape, x, kernel(tape, name, width_of(tape, x), out), 0, SLT_LINEAR);
}

slt_var slt_nn_observe(slt_tape *tape, const char *name, slt_var observations, slt_type type,
                       int out) {
    if (type != SLT_BITS) return slt_nn_dense(tape, name, observations, out, SLT_LINEAR);
    slt_var w = kernel(tape, name, width_of(tape, observations), out);
    return slt_dense_bits(tape, observations, w, bias(tape, name, out));
}

slt_var slt_nn_norm(slt_tape *tape, const char *name, slt_var x, slt_var residual,
                    slt_var positions, double epsilon) {
    char text[SLT_NAME];
    int width = width_of(tape, x);
    slt_var gamma = slt_weights(tape, slt_name(text, name, "gamma"), 1, width, slt_constant(1));
    slt_var beta = slt_weights(tape, slt_name(text, name, "beta"), 1, width, slt_constant(0));
    return slt_layer_norm(tape, x, residual, gamma, beta, positions, epsilon);
}

slt_var slt_nn_mlp(slt_tape *tape, const char *scope, const char *first, const char *second,
                   slt_var x, int middle, int out) {
    char one[SLT_NAME], two[SLT_NAME];
    slt_name(one, scope, first);
    slt_name(two, scope, second);
    slt_var w1 = kernel(tape, one, width_of(tape, x), middle), c1 = bias(tape, one, middle);
    slt_var w2 = kernel(tape, two, middle, out), c2 = bias(tape, two, out);
    return slt_mlp(tape, x, w1, c1, w2, c2);
}
