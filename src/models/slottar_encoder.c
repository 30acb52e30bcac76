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

// relu((action ⊕ observation)·W + c): the action's half is one product per code
static slt_var join(slt_tape *tape, int d, const slt_model_data *data, slt_slottar *model,
                    slt_var *first) {
    slt_init init = slt_glorot(2 * d, d);
    const slt_likelihood *likelihood = model->likelihood;
    slt_var codes = likelihood->codes(tape, data, "enc.action", 1, d,
                                      slt_he(likelihood->width(data, 1)), model->actions);
    slt_part kernel = {"enc.joint.kernel", d, init, 0};
    bool seen = data->observation > 0;
    int number = slt_tape_number(tape, seen ? 2 * d : d, &kernel, 1);
    slt_var top = slt_tape_parameter_rows(tape, number, 0, d);
    slt_var bias = slt_weights(tape, "enc.joint.bias", 1, d, slt_constant(0));
    slt_var entries = slt_dense(tape, codes, top, bias, SLT_LINEAR);
    slt_var leaf = entries;
    *first = 0;
    if (seen) {
        slt_var bottom = slt_tape_parameter_rows(tape, number, d, d);
        leaf = slt_nn_observe(tape, "obs_enc", model->observations, data->observation_type, d);
        *first = slt_dense(tape, leaf, bottom, 0, SLT_LINEAR);
    }
    slt_tape_fuse(tape, SLT_FUSE_LEAVES, data->fed_noise ? entries : model->noise, leaf);
    return likelihood->join(tape, *first, model->actions, entries);
}

slt_var slt_slottar_encode(slt_tape *tape, const slt_slottar_options *options,
                           const slt_model_data *data, slt_slottar *model) {
    int d = (int)options->hidden;
    slt_var positions = slt_slottar_positions(tape, options);
    slt_var first, joined = join(tape, d, data, model, &first);
    slt_var x = options->joint_norm
                    ? slt_nn_norm(tape, "enc.joint_ln", joined, 0, positions, options->ln_eps)
                    : slt_add_table(tape, joined, positions);
    slt_tape_fuse(tape, SLT_FUSE_NORM, joined, x);
    x = slt_nn_dropout(tape, x, slt_slottar_dropout(options, SLT_DROPOUT_ENCODER));
    for (int i = 0; i < options->layers; i++) {
        char name[SLT_NAME];
        snprintf(name, sizeof name, "enc.layer%d", i);
        slt_var mixed = slt_nn_attention(tape, name, x, (int)options->heads);
        if (i == 0) slt_tape_fuse(tape, SLT_FUSE_ENCODER_INPUT, first ? first : joined, mixed);
        int place = SLT_DROPOUT_LAYERS + SLT_DROPOUT_PARTS * i;
        x = slt_nn_after_attention(tape, name, x, mixed, options->ln_eps,
                                   slt_slottar_dropout(options, place));
    }

    // the learned position, a dense layer on the scalar l/(L-1)
    slt_var w = slt_weights(tape, "pos.kernel", 1, d, slt_glorot(1, d));
    slt_var c = slt_weights(tape, "pos.bias", 1, d, slt_constant(0));
    slt_var placed = slt_add_position(tape, x, w, c);
    slt_tape_fuse(tape, SLT_FUSE_NORM, x, placed);
    slt_tape_fuse(tape, SLT_FUSE_LAYER, x, placed);
    if (!options->pre_slot_mlp) return placed;
    int S = (int)options->slot_size;
    x = slt_nn_norm(tape, "pre.ln", placed, 0, 0, options->ln_eps);
    slt_tape_fuse(tape, SLT_FUSE_NORM, placed, x);
    x = slt_nn_mlp(tape, "pre", "mlp1", "mlp2", x, S, S);
    slt_tape_fuse(tape, SLT_FUSE_LAYER, placed, x);
    return x;
}
