// CompILE as a row of the model table, and its answer for one trajectory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "models/compile_model.h"
#include "models/compile_segment.h"
#include "models/slot_ids.h"

_Static_assert(sizeof(slt_compile_options) <= SLT_MODEL_OPTIONS, "options fit");
_Static_assert(sizeof(slt_compile) <= SLT_MODEL_VARS, "variables fit");

static slt_status profile(void *options, const char *name) {
    return slt_compile_profile(options, name);
}
static int slots(const void *options) {
    return (int)((const slt_compile_options *)options)->segments;
}
static bool padded(const void *options) {
    return ((const slt_compile_options *)options)->boundary_pad == SLT_BOUNDARY_INCLUDE;
}
static slt_companions companions(const void *options) {
    (void)options;
    return SLT_COMPANION_OWN;
}
static bool fixed_companions(const void *options) {
    (void)options;
    return false;
}
static bool oracle(const void *options) {
    return ((const slt_compile_options *)options)->count == SLT_COUNT_ORACLE;
}
static slt_done done(const void *options) {
    bool repeat = ((const slt_compile_options *)options)->done_step == SLT_SHOW_LAST;
    return repeat ? SLT_DONE_REPEATED : SLT_DONE_FINAL;
}

static void build(slt_tape *tape, const void *options, const slt_model_data *data, bool with_loss,
                  void *vars) {
    slt_compile model = slt_compile_build(tape, options, data, with_loss, NULL);
    memcpy(vars, &model, sizeof model);
}

static slt_model_io io(const void *vars) {
    const slt_compile *model = vars;
    return (slt_model_io){.actions = model->actions,
                          .observations = model->observations,
                          .loss = model->loss,
                          .reconstruction = model->nll,
                          .kl = model->kl,
                          .counts = model->counts};
}

// without noise boundaries and codes are the most probable ones
static void step(const void *options, bool training, slt_step *out) {
    out->weight[SLT_COMPILE_BETA] = (slt_real)((const slt_compile_options *)options)->beta;
    out->noise = training;
}

// ---- the answer for one trajectory

typedef struct {
    int N, T, V, computed, end; // T: real steps; end: positions that a boundary may take, from 1 on
    int G;                      // segments that may be used
    const slt_real *shares, *scores, *logits; // logits: NULL on a tape without losses
    const void *actions;
    size_t first; // row of its first action
} answer;

static answer gather(slt_tape *tape, int member, const slt_compile_options *options,
                     const slt_compile *model, int b) {
    const slt_frame *frame = slt_tape_frame(tape, member);
    const slt_batch *batch = &frame->batch;
    answer a = {.N = (int)options->segments,
                .T = batch->length[b] - 1,
                .computed = slt_batch_computed(batch, b),
                .G = ((const int32_t *)frame->feed[model->counts])[b]};
    size_t rows = (size_t)a.N * (size_t)batch->offset[b];
    a.end = options->boundary_pad == SLT_BOUNDARY_INCLUDE ? a.computed : batch->length[b];
    a.shares = slt_tape_value(tape, member, model->shares) + rows;
    a.scores = slt_tape_value(tape, member, model->scores) + rows;
    a.actions = frame->feed[model->actions];
    a.first = (size_t)batch->offset[b];
    if (!model->reconstructions) return a;
    a.V = slt_tape_shape(tape, model->reconstructions).width;
    a.logits = slt_tape_value(tape, member, model->reconstructions) + rows * (size_t)a.V;
    return a;
}

// steps whose action the decoder of their segment gives back
static int reconstruct(const slt_compile *model, const answer *a, const int32_t *ids) {
    int right = 0;
    for (int l = 0; l < a->T; l++) {
        size_t row = (size_t)ids[l] * (size_t)a->computed + (size_t)l;
        right += model->likelihood->given_back(model->channel, a->logits + row * (size_t)a->V, a->V,
                                               a->actions, a->first + (size_t)l);
    }
    return right;
}

static void pictures(const answer *a, slt_segmentation *out) {
    for (int k = 0; out->masks && k < a->N; k++)
        for (int l = 0; l < a->T; l++)
            out->masks[k * a->T + l] = (float)a->shares[k * a->computed + l];
    out->attention = NULL;
}

static void segment(slt_tape *tape, int member, const void *options, const void *vars, int b,
                    slt_segmentation *out) {
    answer a = gather(tape, member, options, vars, b);
    slt_compile_scores scores = {a.scores, a.computed, a.end, a.N};
    out->length = a.T;
    out->slots = a.N;
    out->has_done = true;
    out->done_first =
        ((const slt_compile_options *)options)->baseline_scoring == SLT_SCORING_REFERENCE;
    out->told_count = oracle(options) && out->true_count > 0;
    slt_slot_ids(a.shares, a.computed, NULL, a.G, a.T + 1, out->done_ids);
    memcpy(out->ids, out->done_ids, (size_t)a.T * sizeof *out->ids);
    slt_compile_counts(&scores, a.T, out->counts);
    for (int l = 0; l < a.T; l++) {
        bool boundary = l + 1 < a.T && out->ids[l] != out->ids[l + 1];
        out->confidence[l] = boundary ? slt_compile_confidence(&scores, out->ids[l], l + 1) : 0;
    }
    if (a.logits) out->reconstructed = reconstruct(vars, &a, out->ids);
    pictures(&a, out);
}

const slt_model_kind slt_model_compile = {
    .name = "compile",
    .summary = "CompILE: an LSTM reads the trajectory once per segment and finds its end",
    .vectors = true,
    .training = "adam_eps=1e-7",
    .reference = "early_stop=ari_f1_align",
    .no_prior = true,
    .per_trajectory = true,
    .per_member = "beta baseline_scoring",
    .rows = slt_compile_rows,
    .profile = profile,
    .slots = slots,
    .padded = padded,
    .companions = companions,
    .done = done,
    .fixed_companions = fixed_companions,
    .oracle = oracle,
    .build = build,
    .io = io,
    .step = step,
    .segment = segment,
};
