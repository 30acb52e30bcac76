// SloTTAr as a row of the model table, and its answer for one trajectory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "core/philox.h"
#include "models/slottar_model.h"
#include "models/slot_ids.h"
#include "models/slottar_segment.h"

_Static_assert(sizeof(slt_slottar_options) <= SLT_MODEL_OPTIONS, "options fit");
_Static_assert(sizeof(slt_slottar) <= SLT_MODEL_VARS, "variables fit");

static slt_status profile(void *options, const char *name) {
    return slt_slottar_profile(options, name);
}
static int slots(const void *options) { return (int)((const slt_slottar_options *)options)->slots; }
static int slot_size(const void *options) {
    return (int)((const slt_slottar_options *)options)->slot_size;
}

// padded positions feed results under either of these switches
static bool padded(const void *options) {
    const slt_slottar_options *o = options;
    return o->slot_pad == SLT_PAD_TAKE_PART || o->end_pad == SLT_PAD_TAKE_PART;
}

static slt_companions companions(const void *options) {
    static const slt_companions of[] = {SLT_COMPANION_NONE, SLT_COMPANION_OWN,
                                        SLT_COMPANION_OTHERS};
    return of[((const slt_slottar_options *)options)->decoder_pairing];
}

static bool fixed_companions(const void *options) {
    return ((const slt_slottar_options *)options)->test_companions == SLT_COMPANIONS_FIXED;
}

static void build(slt_tape *tape, const void *options, const slt_model_data *data, bool with_loss,
                  void *vars) {
    slt_slottar model = slt_slottar_build(tape, options, data, with_loss);
    memcpy(vars, &model, sizeof model);
}

static slt_model_io io(const void *vars) {
    const slt_slottar *model = vars;
    return (slt_model_io){.actions = model->actions,
                          .observations = model->observations,
                          .seen = model->seen,
                          .loss = model->loss,
                          .reconstruction = model->reconstruction,
                          .kl = model->kl};
}

static void step(const void *options, bool training, slt_step *out) {
    const slt_slottar_options *o = options;
    bool noisy = training || o->test_noise == SLT_NOISE_SAMPLE;
    out->weight[SLT_SLOTTAR_BETA] = (slt_real)o->beta;
    out->noise = noisy ? (slt_real)o->slot_std : 0;
    out->dropout = training ? (slt_real)o->dropout : 0;
}

// ---- the answer for one trajectory

typedef struct {
    int b, K, T, A, computed;
    const slt_real *masks, *cdf, *logits, *halting, *lambda, *attention, *slots;
    bool active[1024];
} answer;

static void gather(slt_tape *tape, int member, const slt_slottar *model, int b, answer *a) {
    const slt_frame *frame = slt_tape_frame(tape, member);
    const slt_batch *batch = &frame->batch;
    a->b = b;
    a->K = slt_tape_limits(tape).slots;
    a->T = batch->length[b];
    a->A = slt_tape_shape(tape, model->logits).width - 1;
    a->computed = slt_batch_computed(batch, b);
    size_t first = (size_t)batch->offset[b], rows = (size_t)a->K * first;
    a->masks = slt_tape_value(tape, member, model->masks) + rows;
    a->cdf = slt_tape_value(tape, member, model->cdf) + rows;
    a->logits = slt_tape_value(tape, member, model->logits) + rows * (size_t)(a->A + 1);
    a->halting = slt_tape_value(tape, member, model->halting) + (size_t)b * (size_t)a->K;
    a->lambda = slt_tape_value(tape, member, model->lambda) + (size_t)b * (size_t)a->K;
    a->attention = slt_tape_value(tape, member, model->attention) + first * (size_t)a->K;
    size_t numbers = (size_t)a->K * (size_t)slt_tape_shape(tape, model->slots).width;
    a->slots = slt_tape_value(tape, member, model->slots) + (size_t)b * numbers;
}

static void halt(const slt_slottar_options *options, const slt_frame *frame, answer *a) {
    float uniform[1024];
    uint64_t place = (uint64_t)frame->batch.index[a->b] * (uint64_t)a->K;
    for (int k = 0; k < a->K; k++)
        uniform[k] = slt_random_unit(slt_random_words(frame->step.seed, SLT_RANDOM_HALTING,
                                                      place + (uint64_t)k, frame->step.step)
                                         .word[0]);
    slt_slottar_active((slt_halting_kind)options->halting, a->lambda, a->halting, uniform, a->K,
                       a->active);
}

// probability that slot k ends within one step of position l
static float near_end(const answer *a, int k, int l) {
    const slt_real *cdf = a->cdf + (size_t)k * (size_t)a->computed;
    int high = l + 1 < a->computed ? l + 1 : a->computed - 1;
    slt_real low = l >= 2 ? cdf[l - 2] : 0, p = cdf[high] - low;
    return p < 0 ? 0 : p > 1 ? 1 : (float)p;
}

// does the mixture of the active slots give the action back?
static int reconstruct(const slt_slottar *model, const answer *a, slt_real *mixed,
                       const void *actions, size_t first) {
    int right = 0;
    for (int l = 0; l < a->T; l++) {
        for (int s = 0; s < a->A; s++) {
            slt_real sum = 0;
            for (int k = 0; k < a->K; k++) {
                size_t row = (size_t)k * (size_t)a->computed + (size_t)l;
                if (a->active[k])
                    sum += a->masks[row] * a->logits[row * (size_t)(a->A + 1) + (size_t)s];
            }
            mixed[s] = sum;
        }
        right +=
            model->likelihood->given_back(model->channel, mixed, a->A, actions, first + (size_t)l);
    }
    return right;
}

static void pictures(const answer *a, slt_segmentation *out) {
    for (int k = 0; out->masks && k < a->K; k++)
        for (int l = 0; l < a->T; l++)
            out->masks[k * a->T + l] =
                a->active[k] ? (float)a->masks[(size_t)k * (size_t)a->computed + (size_t)l] : 0;
    for (int i = 0; out->attention && i < a->T * a->K; i++)
        out->attention[i] = (float)a->attention[i];
    for (int i = 0; out->vectors && i < a->K * out->slot_size; i++)
        out->vectors[i] = (float)a->slots[i];
}

static void segment(slt_tape *tape, int member, const void *options, const void *vars, int b,
                    slt_segmentation *out) {
    answer a;
    const slt_slottar *model = vars;
    const slt_frame *frame = slt_tape_frame(tape, member);
    gather(tape, member, model, b, &a);
    halt(options, frame, &a);
    slt_slot_ids(a.masks, a.computed, a.active, a.K, a.T, out->ids);
    out->length = a.T;
    out->slots = a.K;
    for (int k = 0; k < a.K; k++) out->counts[k] = (double)a.halting[k];
    for (int l = 0; l < a.T; l++) {
        bool boundary = l + 1 < a.T && out->ids[l] != out->ids[l + 1];
        out->confidence[l] = boundary ? near_end(&a, out->ids[l], l + 1) : 0;
    }
    if (model->loss)
        out->reconstructed = reconstruct(model, &a, out->head, frame->feed[model->actions],
                                         (size_t)frame->batch.offset[b]);
    pictures(&a, out);
}

const slt_model_kind slt_model_slottar = {
    .name = "slottar",
    .summary = "Slot Transformer: slots, masks by cumulative sums, halting",
    .per_member = "slot_std beta halting test_noise",
    .vectors = true,
    .rows = slt_slottar_rows,
    .profile = profile,
    .slots = slots,
    .slot_size = slot_size,
    .padded = padded,
    .companions = companions,
    .fixed_companions = fixed_companions,
    .build = build,
    .io = io,
    .step = step,
    .segment = segment,
};
