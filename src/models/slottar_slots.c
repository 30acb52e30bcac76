// Slot attention: K slots, each with a mean and a scale of its own, compete for the steps of a
// trajectory; a GRU and a residual MLP take the winner's share in (paper, section 3.2; Locatello et
// al. 2020). The last channel of a slot is its halting probability.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/slottar_model.h"
#include "nn/nn.h"

static slt_var start(slt_tape *tape, const slt_slottar_options *options, slt_var noise) {
    int K = (int)options->slots, S = (int)options->slot_size;
    slt_var mu = slt_weights(tape, "slot.mu", K, S, slt_he(K));
    slt_var rho = slt_weights(tape, "slot.log_sigma", K, S, slt_he(K));
    return slt_slot_start(tape, mu, rho, noise);
}

// key and value in one product, without bias
static slt_var keys_and_values(slt_tape *tape, const slt_slottar_options *options, slt_var x) {
    if (slt_tape_failed(tape)) return 0;
    int in = slt_tape_shape(tape, x).width, S = (int)options->slot_size;
    slt_part parts[] = {{"slot.k.kernel", S, slt_glorot(in, S), 0},
                        {"slot.v.kernel", S, slt_glorot(in, S), 0}};
    return slt_dense(tape, x, slt_weights_joined(tape, in, parts, 2), 0, SLT_LINEAR);
}

// a norm whose shift adds the same number to all K logits: no gradient but rounding
static slt_var query(slt_tape *tape, const slt_slottar_options *options, slt_var slots) {
    int S = (int)options->slot_size;
    slt_part beta = {"slot.ln_slot.beta", S, slt_constant(0), S};
    slt_var gamma = slt_weights(tape, "slot.ln_slot.gamma", 1, S, slt_constant(1));
    slt_var shift = slt_tape_named(tape, 1, &beta, 1);
    slt_var x = slt_layer_norm(tape, slots, 0, gamma, shift, 0, options->ln_eps);
    return slt_nn_linear(tape, "slot.q", x, S);
}

static slt_var gru(slt_tape *tape, int S, slt_var update, slt_var slots) {
    slt_part bias = {"slot.gru.bias", 3 * S, slt_constant(0), 0};
    int number = slt_tape_number(tape, 2, &bias, 1);
    slt_var w = slt_weights(tape, "slot.gru.kernel", S, 3 * S, slt_glorot(S, 3 * S));
    slt_var u =
        slt_weights(tape, "slot.gru.recurrent", S, 3 * S, (slt_init){SLT_INIT_ORTHOGONAL, 1});
    slt_var gx =
        slt_dense(tape, update, w, slt_tape_parameter_rows(tape, number, 0, 1), SLT_LINEAR);
    slt_var gh = slt_dense(tape, slots, u, slt_tape_parameter_rows(tape, number, 1, 1), SLT_LINEAR);
    return slt_gru_cell(tape, gx, gh, slots);
}

void slt_slottar_attend(slt_tape *tape, const slt_slottar_options *options, slt_var encoded,
                        slt_slottar *model) {
    int S = (int)options->slot_size;
    int middle = options->slot_mlp_mult == SLT_MULT_TWO ? 2 * S : S;
    bool uniform = options->slot_pad == SLT_PAD_TAKE_PART;
    slt_var x = slt_nn_norm(tape, "slot.ln_in", encoded, 0, 0, options->ln_eps);
    slt_var kv = keys_and_values(tape, options, x);
    slt_tape_fuse(tape, options->pre_slot_mlp ? SLT_FUSE_LAYER : SLT_FUSE_NORM, encoded,
                  options->pre_slot_mlp ? kv : x);
    slt_var slots = start(tape, options, model->noise), first = slots;
    for (int i = 0; i < options->iterations; i++) {
        slt_var update = slt_slot_attention(tape, query(tape, options, slots), kv, uniform);
        model->attention = slt_output_of(update, 1);
        slots = gru(tape, S, update, slots);
        slt_var y = slt_nn_norm(tape, "slot.ln_mlp", slots, 0, 0, options->ln_eps);
        slots = slt_add(tape, slots, slt_nn_mlp(tape, "slot", "mlp1", "mlp2", y, middle, S));
    }
    model->slots = slots;
    model->halting = slt_halting(tape, slots);
    model->lambda = slt_output_of(model->halting, 1);
    slt_tape_fuse(tape, SLT_FUSE_SLOTS, first, model->halting);
}
