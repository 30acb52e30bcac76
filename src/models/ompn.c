// OMPN from end to end:
//     x = o·W + c;  the ordered memory reads x (ops/ompn/ompn_sequence.c) and gives its leaf m and
//     p̂ action: (1-p̂_0)·softmax((m ⊕ task ⊕ x)·W + c), or Gaussian; DONE: p̂_0; loss: nats per step
// The task is not used: its rows of the kernels are there, as in the reference, and stay as they
// start.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "models/ompn_model.h"
#include "nn/nn.h"
#include "ops/ompn/ompn_layout.h"

enum { PARTS = 12 * SLT_OMPN_DEPTH };

// ---- the weights of the recurrence, in the order of ompn_layout.h

typedef struct {
    slt_part part[PARTS];
    int rows[PARTS], count;
    char names[PARTS][SLT_NAME];
} part_list;

static void add_part(part_list *list, const char *scope, const char *layer, int rows, int columns,
                     slt_init init) {
    const char *name = slt_name(list->names[list->count], scope, layer);
    list->part[list->count] = (slt_part){name, rows * columns, init, 0};
    list->rows[list->count++] = rows;
}

static void add_layer(part_list *list, const char *scope, const char *layer, int in, int out) {
    char name[SLT_NAME];
    slt_name(name, scope, layer);
    add_part(list, name, "kernel", in, out, slt_glorot(in, out));
    add_part(list, name, "bias", 1, out, slt_constant(0));
}

static void add_cell(part_list *list, const char *kind, int level, int inputs, int d) {
    char scope[SLT_NAME];
    snprintf(scope, sizeof scope, "%s%d", kind, level);
    add_layer(list, scope, "l1", (inputs + 2) * d, 4 * d);
    add_layer(list, scope, "l2", 4 * d, (inputs + 2) * d);
    add_part(list, scope, "gates_ln.gamma", 1, (inputs + 1) * d, slt_constant(1));
    add_part(list, scope, "gates_ln.beta", 1, (inputs + 1) * d, slt_constant(0));
}

static slt_var recurrent_weights(slt_tape *tape, int n, int d) {
    part_list list = {.count = 0};
    for (int i = 0; i < n; i++) add_cell(&list, "com", i, 2, d);
    for (int i = 0; i + 1 < n; i++) add_cell(&list, "decom", i, 1, d);
    add_layer(&list, "gate", "l1", 4 * d, d);
    add_layer(&list, "gate", "l2", d, 1);
    return slt_tape_flat(tape, list.part, list.rows, list.count);
}

// ---- the policy

static slt_var actor(slt_tape *tape, slt_var leaf, slt_var x, int d, int actions) {
    slt_part kernel = {"actor.kernel", actions, slt_glorot(3 * d, actions), 0};
    int number = slt_tape_number(tape, 3 * d, &kernel, 1);
    slt_var bias = slt_weights(tape, "actor.bias", 1, actions, slt_constant(0));
    slt_var remembered =
        slt_dense(tape, leaf, slt_tape_parameter_rows(tape, number, 0, d), bias, SLT_LINEAR);
    slt_var seen =
        slt_dense(tape, x, slt_tape_parameter_rows(tape, number, 2 * d, d), 0, SLT_LINEAR);
    return slt_add(tape, remembered, seen);
}

slt_ompn_model slt_ompn_build(slt_tape *tape, const slt_ompn_options *options,
                              const slt_model_data *data) {
    int n = (int)options->depth, d = (int)options->hidden;
    slt_ompn_model model = {.likelihood = slt_likelihood_of(data), .channel = data->channel};
    if (!data->observation) {
        slt_tape_fail(tape, SLT_UNSUPPORTED, "ompn reads observations alone, and there are none");
        return model;
    }
    model.actions = model.likelihood->input(tape, data);
    model.observations =
        slt_tape_input(tape, data->observation_type, (slt_shape){SLT_TOKENS, 0, data->observation},
                       "observations");
    model.x = slt_nn_observe(tape, "obs", model.observations, data->observation_type, d);
    slt_var leaf =
        slt_ompn_sequence(tape, model.x, recurrent_weights(tape, n, d), n, options->ln_eps,
                          options->leaky_slope, options->ompn_alias, (int)options->bptt);
    model.p_hat = slt_output_of(leaf, 1);
    model.memory = leaf ? leaf + 2 : 0;
    slt_var head = actor(tape, leaf, model.x, d, model.likelihood->width(data, 0));
    model.loss =
        model.likelihood->done(tape, data, head, model.p_hat, model.actions, &model.prediction);

    const slt_var kept[] = {model.x, model.memory, model.p_hat, model.prediction, model.loss};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) slt_tape_keep(tape, kept[i]);
    return model;
}
