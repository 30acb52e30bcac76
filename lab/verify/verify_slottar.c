// Golden SloTTAr files: outputs, losses, gradients, the first Adam step, three losses, and the test
// mode, recomputed on padded batches as the reference has them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "engine/adam.h"
#include "models/slot_ids.h"
#include "models/slottar_model.h"
#include "models/slottar_segment.h"
#include "verify/model_fixture.h"

typedef struct {
    slt_fixture fixture;
    slt_arena *arena;
    int B, L, D, A, K, S;
    double beta, rate, slot_std;
    slt_slottar_options options;
    slt_model_data data;
    slt_store *store;
    slt_tape *tape;
    slt_slottar model;
    const int32_t *actions, *lengths;
    float *observations;
    slt_bits bits; // the same, where they are bytes of zeros and ones
} subject;

static bool knows(const slt_golden *golden) { return slt_fixture_knows(golden, "slottar"); }

// ---- reading

static slt_status read_sizes(subject *s) {
    const slt_fixture *f = &s->fixture;
    int d, heads, layers, iterations;
    SLT_TRY(slt_fixture_int(f, "B", 1, 256, &s->B));
    SLT_TRY(slt_fixture_int(f, "L", 1, 512, &s->L));
    SLT_TRY(slt_fixture_int(f, "D", 1, 4096, &s->D));
    SLT_TRY(slt_fixture_int(f, "A", 1, 256, &s->A));
    SLT_TRY(slt_fixture_int(f, "K", 1, 64, &s->K));
    SLT_TRY(slt_fixture_int(f, "S", 2, 512, &s->S));
    SLT_TRY(slt_fixture_int(f, "d", 1, 512, &d));
    SLT_TRY(slt_fixture_int(f, "heads", 1, 64, &heads));
    SLT_TRY(slt_fixture_int(f, "layers", 1, 8, &layers));
    SLT_TRY(slt_fixture_int(f, "iters", 1, 8, &iterations));
    SLT_TRY(slt_fixture_real(f, "beta", &s->beta));
    SLT_TRY(slt_fixture_real(f, "lr", &s->rate));
    SLT_TRY(slt_fixture_real(f, "slot_std", &s->slot_std));
    const slt_options tables[] = {{slt_slottar_rows(), &s->options}, {NULL, NULL}};
    SLT_TRY(slt_options_defaults(tables));
    SLT_TRY(slt_slottar_profile(&s->options, "reference"));
    s->options.hidden = d;
    s->options.heads = heads;
    s->options.layers = layers;
    s->options.iterations = iterations;
    s->options.slots = s->K;
    s->options.slot_size = s->S;
    return SLT_OK;
}

// bytes of zeros and ones go through the sparse layer
static slt_status list_ones(subject *s, const uint8_t *bytes) {
    size_t rows = (size_t)s->B * (size_t)s->L, width = (size_t)s->D, ones = 0;
    int64_t *offset;
    uint16_t *index;
    SLT_TRY(SLT_NEW(s->arena, &offset, rows + 1));
    SLT_TRY(SLT_NEW(s->arena, &index, rows * width));
    for (size_t r = 0; r < rows; r++) {
        for (size_t c = 0; c < width; c++) {
            if (bytes[r * width + c] > 1) return SLT_OK; // counts: stay numbers
            if (bytes[r * width + c]) index[ones++] = (uint16_t)c;
        }
        offset[r + 1] = (int64_t)ones;
    }
    s->bits = (slt_bits){offset, index};
    s->data.observation_type = SLT_BITS;
    return SLT_OK;
}

static slt_status read_observations(subject *s) {
    size_t count = (size_t)s->B * (size_t)s->L * (size_t)s->D;
    SLT_TRY(SLT_NEW(s->arena, &s->observations, count));
    const slt_array *array = slt_safetensors_find(s->fixture.file, "in.obs");
    bool bytes = array && array->dtype == SLT_DTYPE_U8;
    if (!array || array->count != count || (!bytes && array->dtype != SLT_DTYPE_F32))
        SLT_FAIL(SLT_FORMAT, "%s: no array 'in.obs' of %zu numbers",
                 slt_safetensors_path(s->fixture.file), count);
    for (size_t i = 0; i < count; i++)
        s->observations[i] =
            bytes ? ((const uint8_t *)array->data)[i] : ((const float *)array->data)[i];
    return bytes ? list_ones(s, array->data) : SLT_OK;
}

static slt_status read_inputs(subject *s) {
    const slt_fixture *f = &s->fixture;
    const float *prior;
    double *copy;
    SLT_TRY(slt_fixture_ints(f, "in.actions", (size_t)s->B * (size_t)s->L, &s->actions));
    SLT_TRY(slt_fixture_ints(f, "in.lengths", (size_t)s->B, &s->lengths));
    for (int i = 0; i < s->B * s->L; i++)
        if (s->actions[i] < 0 || s->actions[i] >= s->A)
            SLT_FAIL(SLT_FORMAT, "%s: action %d", slt_safetensors_path(f->file), s->actions[i]);
    for (int b = 0; b < s->B; b++)
        if (s->lengths[b] < 1 || s->lengths[b] > s->L)
            SLT_FAIL(SLT_FORMAT, "%s: length %d", slt_safetensors_path(f->file), s->lengths[b]);
    SLT_TRY(slt_fixture_floats(f, "in.prior", (size_t)s->K, &prior));
    SLT_TRY(SLT_NEW(s->arena, &copy, (size_t)s->K));
    for (int k = 0; k < s->K; k++) copy[k] = prior[k];
    s->data =
        (slt_model_data){.symbols = s->A, .observation = s->D, .prior = copy, .fed_noise = true};
    return read_observations(s);
}

// ---- the tape, on a padded batch

static slt_status make_batch(subject *s, slt_batch *batch) {
    int32_t *offset, *index, *companion;
    SLT_TRY(SLT_NEW(s->arena, &offset, (size_t)s->B + 1));
    SLT_TRY(SLT_NEW(s->arena, &index, (size_t)s->B));
    SLT_TRY(SLT_NEW(s->arena, &companion, (size_t)s->B * (size_t)s->K));
    *batch = (slt_batch){s->B, offset, s->lengths, index, companion, 0};
    bool own = s->options.decoder_pairing == SLT_PAIRING_OWN;
    for (int b = 0; b < s->B; b++) {
        offset[b + 1] = (b + 1) * s->L;
        index[b] = b;
        batch->true_tokens += s->lengths[b];
        for (int k = 0; k < s->K; k++) companion[b * s->K + k] = own ? b : (b * s->K + k) % s->B;
    }
    return SLT_OK;
}

static slt_status build(subject *s) {
    slt_limits limits = {s->B, s->B * s->L, s->K, s->L};
    SLT_TRY(slt_store_create(s->fixture.verification->context, 1, &s->store));
    SLT_TRY(slt_tape_create(s->store, limits, &s->tape));
    s->model = slt_slottar_build(s->tape, &s->options, &s->data, true);
    SLT_TRY(slt_store_finish(s->store));
    SLT_TRY(slt_tape_finish(s->tape, s->model.loss, false));
    slt_frame *frame = slt_tape_frame(s->tape, 0);
    SLT_TRY(make_batch(s, &frame->batch));
    frame->step.weight[SLT_SLOTTAR_BETA] = (slt_real)s->beta;
    frame->step.learning_rate = (slt_real)s->rate;
    frame->step.adam_epsilon = (slt_real)1e-8;
    slt_tape_feed(s->tape, 0, s->model.actions, s->actions);
    const void *bits = &s->bits, *numbers = s->observations;
    slt_tape_feed(s->tape, 0, s->model.observations, s->bits.index ? bits : numbers);
    return slt_fixture_load(&s->fixture, s->store);
}

static slt_status feed_noise(subject *s, const char *name) {
    size_t count = (size_t)s->B * (size_t)s->K * (size_t)s->S;
    const float *noise;
    slt_real *scaled;
    SLT_TRY(slt_fixture_floats(&s->fixture, name, count, &noise));
    SLT_TRY(SLT_NEW(s->arena, &scaled, count));
    for (size_t i = 0; i < count; i++) scaled[i] = noise[i] * (slt_real)s->slot_std;
    slt_tape_feed(s->tape, 0, s->model.noise, scaled);
    return SLT_OK;
}

static const slt_real *value(const subject *s, slt_var var) {
    return slt_tape_value(s->tape, 0, var);
}

// ---- comparing

static slt_status compare_mixture(subject *s) {
    size_t A = (size_t)s->A, L = (size_t)s->L, K = (size_t)s->K, B = (size_t)s->B;
    slt_real *mixture;
    SLT_TRY(SLT_NEW(s->arena, &mixture, B * K * L * A));
    const slt_real *logits = value(s, s->model.logits), *masks = value(s, s->model.masks);
    for (size_t row = 0; row < B * K * L; row++)
        for (size_t a = 0; a < A; a++) {
            slt_real before = row / L % K ? mixture[(row - L) * A + a] : 0;
            mixture[row * A + a] = before + masks[row] * logits[row * (A + 1) + a];
        }
    slt_fixture_compare(&s->fixture, "out.mixture_logits", mixture, B * K * L, A, A, 2e-5);
    return SLT_OK;
}

static slt_status compare_outputs(subject *s) {
    slt_fixture *f = &s->fixture;
    size_t A = (size_t)s->A, K = (size_t)s->K, B = (size_t)s->B, L = (size_t)s->L, S = (size_t)s->S;
    slt_fixture_compare(f, "out.action_logits", value(s, s->model.logits), B * K * L, A, A + 1,
                        2e-5);
    slt_fixture_compare(f, "out.end_logits", value(s, s->model.logits) + A, B * K * L, 1, A + 1,
                        2e-5);
    slt_fixture_compare(f, "out.masks", value(s, s->model.masks), B * K * L, 1, 1, 2e-5);
    slt_fixture_compare(f, "out.h", value(s, s->model.halting), B, K, K, 2e-5);
    slt_fixture_compare(f, "out.lambda", value(s, s->model.lambda), B, K, K, 2e-5);
    slt_fixture_compare(f, "out.slots", value(s, s->model.slots), B * K, S, S, 2e-5);
    slt_fixture_compare(f, "out.slot_attn_plus_eps", value(s, s->model.attention), B * L, K, K,
                        2e-5);
    slt_fixture_compare(f, "loss.rec", value(s, s->model.reconstruction), 1, 1, 1, 2e-5);
    slt_fixture_compare(f, "loss.kl", value(s, s->model.kl), 1, 1, 1, 2e-5);
    slt_fixture_compare(f, "loss.total", value(s, s->model.loss), 1, 1, 1, 2e-5);
    return compare_mixture(s);
}

static slt_status compare_training(subject *s) {
    slt_real losses[3];
    slt_frame *frame = slt_tape_frame(s->tape, 0);
    SLT_TRY(feed_noise(s, "in.slot_noise"));
    for (int step = 0; step < 3; step++) {
        SLT_TRY(slt_tape_forward(s->tape));
        SLT_TRY(slt_tape_backward(s->tape));
        losses[step] = *value(s, s->model.loss);
        if (step == 0) {
            SLT_TRY(compare_outputs(s));
            SLT_TRY(slt_fixture_gradients(&s->fixture, s->store));
        }
        frame->step.adam_count = (uint32_t)step + 1;
        SLT_TRY(slt_adam_step(s->tape));
        if (step == 0) SLT_TRY(slt_fixture_first_step(&s->fixture, s->store, s->rate));
    }
    slt_fixture_compare(&s->fixture, "adam.losses", losses, 3, 1, 1, 1e-4);
    return slt_fixture_load(&s->fixture, s->store);
}

// ---- test mode

static slt_status compare_active(subject *s, const char *name, slt_halting_kind rule,
                                 const float *uniform, bool *active) {
    const int32_t *want;
    SLT_TRY(slt_fixture_ints(&s->fixture, name, (size_t)s->B * (size_t)s->K, &want));
    for (int b = 0; b < s->B; b++) {
        size_t at = (size_t)b * (size_t)s->K;
        slt_slottar_active(rule, value(s, s->model.lambda) + at, value(s, s->model.halting) + at,
                           uniform + at, s->K, active + at);
        for (size_t k = at; k < at + (size_t)s->K; k++)
            slt_verify_same(s->fixture.verification, want[k], active[k], name);
    }
    return SLT_OK;
}

// ids where the best mask is not decided by rounding
static slt_status compare_ids(subject *s, const bool *active) {
    const int32_t *want;
    int32_t *ids;
    SLT_TRY(slt_fixture_ints(&s->fixture, "test.pred_ids", (size_t)s->B * (size_t)s->L, &want));
    SLT_TRY(SLT_NEW(s->arena, &ids, (size_t)s->L));
    for (int b = 0; b < s->B; b++) {
        const slt_real *masks = value(s, s->model.masks) + (size_t)b * (size_t)(s->K * s->L);
        slt_slot_ids(masks, s->L, active + b * s->K, s->K, s->lengths[b], ids);
        for (int l = 0; l < s->lengths[b]; l++)
            if (masks[ids[l] * s->L + l] >= (slt_real)1e-4)
                slt_verify_same(s->fixture.verification, want[b * s->L + l], ids[l],
                                "test.pred_ids");
    }
    return SLT_OK;
}

static slt_status compare_test(subject *s) {
    size_t BK = (size_t)s->B * (size_t)s->K, L = (size_t)s->L;
    const float *uniform;
    bool *active;
    slt_real *masks;
    SLT_TRY(slt_fixture_floats(&s->fixture, "in.test_uniform", BK, &uniform));
    SLT_TRY(SLT_NEW(s->arena, &active, BK));
    SLT_TRY(SLT_NEW(s->arena, &masks, BK * L));
    SLT_TRY(feed_noise(s, "in.test_slot_noise"));
    SLT_TRY(slt_tape_forward(s->tape));
    SLT_TRY(compare_active(s, "test.active_paper", SLT_HALT_LAMBDA, uniform, active));
    SLT_TRY(compare_active(s, "test.active", SLT_HALT_NORMALISED, uniform, active));
    for (size_t i = 0; i < BK * L; i++) masks[i] = active[i / L] ? value(s, s->model.masks)[i] : 0;
    slt_fixture_compare(&s->fixture, "test.masks", masks, BK * L, 1, 1, 2e-5);
    slt_fixture_compare(&s->fixture, "test.slots", value(s, s->model.slots), BK, (size_t)s->S,
                        (size_t)s->S, 2e-5);
    return compare_ids(s, active);
}

// ---- one pairing of one file

static slt_status run_subject(subject *s) {
    SLT_TRY(read_inputs(s));
    SLT_TRY(build(s));
    SLT_TRY(compare_training(s));
    return compare_test(s);
}

static slt_status run_pairing(slt_verification *verification, slt_safetensors *file,
                              slt_decoder_pairing pairing, const char *prefix) {
    subject *s;
    SLT_TRY(SLT_NEW(verification->arena, &s, 1));
    s->fixture = (slt_fixture){verification, file, prefix};
    s->arena = verification->arena;
    SLT_TRY(read_sizes(s));
    s->options.decoder_pairing = pairing;
    slt_status status = run_subject(s);
    slt_tape_destroy(s->tape);
    slt_store_destroy(s->store);
    return status;
}

static slt_status run(slt_verification *verification, const slt_golden *golden) {
    slt_safetensors *file;
    SLT_TRY(slt_safetensors_view(&verification->context->allocator, golden->path, golden->text,
                                 golden->length, &file));
    slt_fixture fixture = {verification, file, ""};
    bool own = slt_fixture_is(&fixture, "decoder_pairing", "own");
    slt_status status =
        run_pairing(verification, file, own ? SLT_PAIRING_OWN : SLT_PAIRING_REFERENCE, "");
    if (status == SLT_OK && slt_safetensors_find(file, "own.loss.total"))
        status = run_pairing(verification, file, SLT_PAIRING_OWN, "own.");
    slt_safetensors_close(file);
    return status;
}

const slt_verify_kind slt_verify_slottar = {"slottar", knows, run};
