// The broadcast decoder: every slot is laid over the whole trajectory, joined with observation
// features, and decoded by a Transformer into action logits (or the means of vectors) and one end
// logit per step (paper, section 3.3).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "models/slottar_model.h"
#include "nn/nn.h"

// relu((slot ⊕ observation)·W + c): one product per slot, one per token. alone: slots without
// observations, one row each
static slt_var join(slt_tape *tape, const slt_slottar_options *options, const slt_model_data *data,
                    const slt_slottar *model, bool seen, bool alone) {
    int d = (int)options->hidden, S = (int)options->slot_size;
    slt_part kernel = {"dec.joint.kernel", d, slt_glorot(S + d, d), 0};
    int number = slt_tape_number(tape, seen ? S + d : S, &kernel, 1);
    slt_var bias = slt_weights(tape, "dec.joint.bias", 1, d, slt_constant(0));
    slt_var top = slt_tape_parameter_rows(tape, number, 0, S);
    slt_var slots = slt_dense(tape, model->slots, top, bias, alone ? SLT_RELU : SLT_LINEAR);
    slt_tape_fuse(tape, SLT_FUSE_SLOTS, model->slots, slots);
    slt_var features = 0;
    if (alone) return slots;
    if (seen) {
        slt_var bottom = slt_tape_parameter_rows(tape, number, S, d);
        slt_var from = model->seen ? model->seen : model->observations;
        features = slt_nn_observe(tape, "obs_dec", from, data->observation_type, d);
        features = slt_dense(tape, features, bottom, 0, SLT_LINEAR);
    }
    return slt_join_slots(tape, slots, features);
}

// the end logit's bias shifts all positions alike: its gradient is zero but for rounding
static slt_var output(slt_tape *tape, int d, int predicted, slt_var y) {
    slt_part bias = {"out.bias", predicted + 1, slt_constant(0), 1};
    slt_var w = slt_weights(tape, "out.kernel", d, predicted + 1, slt_glorot(d, predicted + 1));
    return slt_dense(tape, y, w, slt_tape_named(tape, 1, &bias, 1), SLT_LINEAR);
}

void slt_slottar_decode(slt_tape *tape, const slt_slottar_options *options,
                        const slt_model_data *data, slt_slottar *model) {
    slt_var positions = slt_slottar_positions(tape, options);
    int dropout = slt_slottar_dropout(options, SLT_DROPOUT_DECODER), heads = (int)options->heads;
    bool seen = data->observation > 0 && options->decoder_pairing != SLT_PAIRING_NONE;
    // a device finds by itself that rows are sums (cuda/fused/slot_rows)
    bool alone = !seen && !dropout && !slt_tape_has_device(tape);
    slt_var joined = join(tape, options, data, model, seen, alone), table = alone ? 0 : positions;
    slt_var y = joined;
    if (options->joint_norm)
        y = slt_nn_norm(tape, "dec.joint_ln", joined, 0, table, options->ln_eps);
    else if (table)
        y = slt_add_table(tape, joined, table);
    slt_var slots = y; // of those alone
    slt_tape_fuse(tape, SLT_FUSE_NORM, joined, y);
    y = alone ? slt_spread_slots(tape, slots, positions) : slt_nn_dropout(tape, y, dropout);
    for (int i = 0; i < options->layers; i++) {
        char name[SLT_NAME];
        snprintf(name, sizeof name, "dec.layer%d", i);
        slt_var mixed = i == 0 && alone
                            ? slt_nn_attention_of_sums(tape, name, slots, positions, heads)
                            : slt_nn_attention(tape, name, y, heads);
        if (i == 0) slt_tape_fuse(tape, SLT_FUSE_DECODER_INPUT, joined, mixed);
        int place = SLT_DROPOUT_LAYERS + SLT_DROPOUT_PARTS * i + 2;
        y = slt_nn_after_attention(tape, name, y, mixed, options->ln_eps,
                                   slt_slottar_dropout(options, place));
    }
    model->logits = output(tape, (int)options->hidden, model->likelihood->width(data, 1), y);
    slt_tape_fuse(tape, SLT_FUSE_LAYER, y, model->logits);
    slt_tape_fuse(tape, SLT_FUSE_OUTPUT, y, model->logits);
    model->masks = slt_segment_mask(tape, model->logits, options->end_pad == SLT_PAD_TAKE_PART);
    model->cdf = slt_output_of(model->masks, 1);
}
