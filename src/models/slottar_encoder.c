// The encoder: action and observation are embedded together, the Transformer mixes the steps, and
// the learned position and a small MLP prepare them for the slots (paper, section 3.1).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include "models/slottar_model.h"
#include "nn/nn.h"

slt_var slt_slottar_positions(slt_tape *tape, const slt_slottar_options *options) {
    double width = (double)options->hidden;
    double scale = options->pe_scale == SLT_PE_INVSQRT ? (double)(1 / sqrtf((float)width)) : 1;
    return slt_nn_sinusoid(tape, (int)options->hidden, scale);
}

// relu((action ⊕ observation)·W + c): the action's half is one product per symbol
static slt_var join(slt_tape *tape, int d, const slt_model_data *data, slt_slottar *model) {
    slt_init init = slt_glorot(2 * d, d);
    slt_var table =
        slt_weights(tape, "enc.action.embedding", data->symbols, d, slt_he(data->symbols));
    slt_part kernel = {"enc.joint.kernel", d, init, 0};
    bool seen = data->observation > 0;
    int number = slt_tape_number(tape, seen ? 2 * d : d, &kernel, 1);
    slt_var top = slt_tape_parameter_rows(tape, number, 0, d);
    slt_var bias = slt_weights(tape, "enc.joint.bias", 1, d, slt_constant(0));
    slt_var entries = slt_dense(tape, table, top, bias, SLT_LINEAR);
    slt_var features = 0;
    if (seen) {
        slt_var bottom = slt_tape_parameter_rows(tape, number, d, d);
        features = slt_nn_observe(tape, "obs_enc", model->observations, data->observation_type, d);
        features = slt_dense(tape, features, bottom, 0, SLT_LINEAR);
    }
    return slt_join_tokens(tape, features, model->actions, entries);
}

slt_var slt_slottar_encode(slt_tape *tape, const slt_slottar_options *options,
                           const slt_model_data *data, slt_slottar *model) {
    int d = (int)options->hidden;
    slt_var positions = slt_slottar_positions(tape, options);
    slt_var x = join(tape, d, data, model);
    x = options->joint_norm ? slt_nn_norm(tape, "enc.joint_ln", x, 0, positions, options->ln_eps)
                            : slt_add_table(tape, x, positions);
    for (int i = 0; i < options->layers; i++) {
        char name[SLT_NAME];
        snprintf(name, sizeof name, "enc.layer%d", i);
        x = slt_nn_transformer(tape, name, x, (int)options->heads, options->ln_eps);
    }

    // the learned position, a dense layer on the scalar l/(L-1)
    slt_var w = slt_weights(tape, "pos.kernel", 1, d, slt_glorot(1, d));
    slt_var c = slt_weights(tape, "pos.bias", 1, d, slt_constant(0));
    x = slt_add_position(tape, x, w, c);
    if (!options->pre_slot_mlp) return x;
    int S = (int)options->slot_size;
    x = slt_nn_norm(tape, "pre.ln", x, 0, 0, options->ln_eps);
    return slt_nn_mlp(tape, "pre", "mlp1", "mlp2", x, S, S);
}
