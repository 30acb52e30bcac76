// SloTTAr from end to end, and its loss:
//     loss = Σ_j h_j·nats(mixture of the first j slots) per true step + β·KL(h || prior)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/slottar_model.h"

#include "nn/nn.h"

static void feed_inputs(slt_tape *tape, const slt_slottar_options *options,
                        const slt_model_data *data, slt_slottar *model) {
    int S = (int)options->slot_size;
    model->actions = model->likelihood->input(tape, data);
    if (data->observation)
        model->observations =
            slt_tape_input(tape, data->observation_type,
                           (slt_shape){SLT_TOKENS, 0, data->observation}, "observations");
    bool listed = slt_tape_limits(tape).seen && options->decoder_pairing != SLT_PAIRING_NONE;
    if (data->observation && listed)
        model->seen = slt_tape_input(tape, data->observation_type,
                                     (slt_shape){SLT_SHARED_TOKENS, 0, data->observation}, "seen");
    model->noise = data->fed_noise
                       ? slt_tape_input(tape, SLT_NUMBERS, (slt_shape){SLT_SLOTS, 0, S}, "noise")
                       : slt_noise(tape, SLT_SLOTS, S, SLT_RANDOM_SLOT_NOISE);
}

static void add_losses(slt_tape *tape, const slt_slottar_options *options,
                       const slt_model_data *data, slt_slottar *model) {
    slt_var prior;
    slt_real *share = slt_tape_constant(tape, 1, (int)options->slots, "prior", &prior);
    for (int k = 0; share && k < options->slots; k++) share[k] = (slt_real)data->prior[k];
    model->reconstruction = model->likelihood->prefix(tape, data, model->logits, model->masks,
                                                      model->halting, model->actions);
    model->kl = slt_halting_kl(tape, model->halting, prior);
    model->loss = slt_add_loss(tape, model->reconstruction, model->kl, SLT_SLOTTAR_BETA);
    slt_tape_fuse(tape, SLT_FUSE_LOSS, model->masks, model->loss);
}

slt_slottar slt_slottar_build(slt_tape *tape, const slt_slottar_options *options,
                              const slt_model_data *data, bool with_loss) {
    slt_slottar model = {.likelihood = slt_likelihood_of(data), .channel = data->channel};
    feed_inputs(tape, options, data, &model);
    slt_var encoded = slt_slottar_encode(tape, options, data, &model);
    slt_slottar_attend(tape, options, encoded, &model);
    slt_slottar_decode(tape, options, data, &model);
    if (with_loss) add_losses(tape, options, data, &model);

    const slt_var kept[] = {model.slots,  model.attention, model.lambda, model.halting,
                            model.logits, model.masks,     model.cdf,    model.reconstruction,
                            model.kl,     model.loss};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) slt_tape_keep(tape, kept[i]);
    return model;
}
