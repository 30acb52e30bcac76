// OMPN as a row of the model table, and its answer for one trajectory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "models/ompn_model.h"

_Static_assert(sizeof(slt_ompn_options) <= SLT_MODEL_OPTIONS, "options fit");
_Static_assert(sizeof(slt_ompn_model) <= SLT_MODEL_VARS, "variables fit");

static slt_status profile(void *options, const char *name) {
    return slt_ompn_profile(options, name);
}
static int slots(const void *options) { return (void)options, 1; }
static slt_companions companions(const void *options) { return (void)options, SLT_COMPANION_NONE; }

static bool any_length(const void *options) { return (void)options, true; }

static slt_done done(const void *options) {
    bool final = ((const slt_ompn_options *)options)->done_step == SLT_DONE_STEP_FINAL;
    return final ? SLT_DONE_FINAL : SLT_DONE_REPEATED;
}

static void build(slt_tape *tape, const void *options, const slt_model_data *data, bool with_loss,
                  void *vars) {
    (void)with_loss; // the probabilities come with it
    slt_ompn_model model = slt_ompn_build(tape, options, data);
    memcpy(vars, &model, sizeof model);
}

static slt_model_io io(const void *vars) {
    const slt_ompn_model *model = vars;
    return (slt_model_io){.actions = model->actions,
                          .observations = model->observations,
                          .loss = model->loss,
                          .reconstruction = model->loss};
}

static void step(const void *options, bool training, slt_step *out) {
    (void)options, (void)training, (void)out; // nothing is weighted, nothing sampled
}

// ---- the answer for one trajectory

// real steps whose action is the most probable one
static int reconstruct(const slt_ompn_model *model, const slt_real *prediction, int width,
                       const void *actions, size_t first, int steps) {
    int right = 0;
    for (size_t row = first; row < first + (size_t)steps; row++)
        right += model->likelihood->given_back(model->channel, prediction + row * (size_t)width,
                                               width, actions, row);
    return right;
}

// probability that a step within one of t writes above the leaf
static float near_end(const slt_real *p_hat, int depth, int T, int t) {
    double none = 1;
    for (int s = t > 1 ? t - 1 : 1; s <= t + 1 && s < T; s++)
        none *= (double)p_hat[(size_t)s * (size_t)(depth + 1) + (size_t)depth];
    return (float)(1 - none);
}

static void find_ids(const slt_ompn_options *options, const slt_real *p_hat, int T,
                     slt_segmentation *out, int32_t *ids) {
    int n = (int)options->depth;
    out->told_count = options->count == SLT_COUNT_ORACLE && out->true_count > 0;
    if (out->told_count)
        slt_ompn_ids_counted(p_hat, n, T, out->true_count, ids);
    else if (options->threshold > 0)
        slt_ompn_ids_free(p_hat, n, T, options->threshold, ids);
    else
        slt_ompn_ids_parted(p_hat, n, T, ids);
}

static void segment(slt_tape *tape, int member, const void *options, const void *vars, int b,
                    slt_segmentation *out) {
    const slt_ompn_options *o = options;
    const slt_ompn_model *model = vars;
    const slt_frame *frame = slt_tape_frame(tape, member);
    int n = (int)o->depth, width = slt_tape_shape(tape, model->prediction).width;
    int steps = frame->batch.length[b], T = steps - 1; // the last one is DONE
    size_t first = (size_t)frame->batch.offset[b];
    const slt_real *p_hat = slt_tape_value(tape, member, model->p_hat) + first * (size_t)(n + 1);
    find_ids(o, p_hat, steps, out, out->done_ids);
    find_ids(o, p_hat, T, out, out->ids);
    out->has_done = true;
    out->done_first = o->baseline_scoring == SLT_SCORE_REFERENCE;
    out->length = T;
    out->slots = 0;
    for (int t = 0; t < T; t++) {
        bool boundary = t + 1 < T && out->ids[t] != out->ids[t + 1];
        out->confidence[t] = boundary ? near_end(p_hat, n, T, t) : 0;
    }
    out->reconstructed = reconstruct(model, slt_tape_value(tape, member, model->prediction), width,
                                     frame->feed[model->actions], first, T);
}

const slt_model_kind slt_model_ompn = {
    .name = "ompn",
    .summary = "Ordered memory policy network: a stack of memories predicts actions",
    .vectors = true,
    .training = "adam_eps=1e-7",
    .reference = "early_stop=ari_f1_align",
    .no_prior = true,
    .per_member = "threshold baseline_scoring",
    .rows = slt_ompn_rows,
    .profile = profile,
    .slots = slots,
    .companions = companions,
    .done = done,
    .any_length = any_length,
    .build = build,
    .io = io,
    .step = step,
    .segment = segment,
};
