// slottar-mdl as a row of the model table, and its answer for one trajectory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "models/slottar_mdl.h"

_Static_assert(sizeof(slt_mdl_options) <= SLT_MODEL_OPTIONS, "options fit");
_Static_assert(sizeof(slt_mdl) <= SLT_MODEL_VARS, "variables fit");

SLT_OPTIONS_TABLE(slt_mdl_rows, slt_mdl_options, SLT_MDL_OPTIONS)

static slt_status profile(void *options, const char *name) {
    (void)options;
    if (strcmp(name, "default") == 0) return SLT_OK;
    SLT_FAIL(SLT_INVALID, "no profile '%s': slottar-mdl has none but default", name);
}

static int slots(const void *options) { return (int)((const slt_mdl_options *)options)->slots; }
static slt_companions companions(const void *options) { return (void)options, SLT_COMPANION_NONE; }
static bool blind(const void *options) { return !slt_mdl_sees(options); }

// without positions a step looks back `window` steps and no further
static bool any_length(const void *options) {
    const slt_mdl_options *o = options;
    return o->boundary_input != SLT_BOUNDARY_FROM_CONTEXT && o->code == 0;
}

// what the options leave to the prior
static void resolve(void *options, const slt_prior_shape *prior) {
    enum { WITHOUT_PRIOR = 8 };
    slt_mdl_options *o = options;
    if (o->slots == 0) o->slots = prior->largest ? prior->largest + 1 : WITHOUT_PRIOR;
    if (o->gamma < 0) o->gamma = prior->exact ? 5 : 0;
    if (o->boundaries == SLT_BOUNDARIES_AUTO)
        o->boundaries = prior->exact ? SLT_BOUNDARIES_FREE : SLT_BOUNDARIES_CODED;
    if (o->exception_cost < 0) o->exception_cost = o->boundaries == SLT_BOUNDARIES_FREE ? 1 : 0;
}

static void build(slt_tape *tape, const void *options, const slt_model_data *data, bool with_loss,
                  void *vars) {
    slt_mdl model = slt_mdl_build(tape, options, data, with_loss);
    memcpy(vars, &model, sizeof model);
}

static slt_model_io io(const void *vars) {
    const slt_mdl *model = vars;
    return (slt_model_io){.actions = model->actions,
                          .observations = model->observations,
                          .effects = model->effects,
                          .loss = model->loss,
                          .reconstruction = model->reconstruction,
                          .kl = model->kl};
}

static void step(const void *options, bool training, slt_step *out) {
    const slt_mdl_options *o = options;
    out->weight[SLT_MDL_BETA] = (slt_real)o->beta;
    out->weight[SLT_MDL_ROUND] = 0;
    out->weight[SLT_MDL_CODE] = (slt_real)o->code_cost;
    out->weight[SLT_MDL_EXCEPTIONS] = (slt_real)o->exception_cost;
    out->noise = training ? 1 : 0;
}

static void round_ends(slt_step *out) { out->weight[SLT_MDL_ROUND] = 1; }

// a start that cuts after the given symbols
static void start(slt_store *store, int member, const int32_t *symbols, int count) {
    static const slt_real SURE = 5, REST = (slt_real)0.1;
    int own = slt_store_find(store, "end.symbol"), out = slt_store_find(store, "end.out.kernel");
    slt_real *logit = slt_store_at(store, store->value, own, member);
    slt_real *w = slt_store_at(store, store->value, out, member);
    for (int a = 0; a < store->parameters[own].rows; a++) logit[a] = -SURE;
    for (int i = 0; i < count; i++) logit[symbols[i]] = SURE;
    for (int i = 0; i < store->parameters[out].rows; i++) w[i] *= REST;
}

// ---- heads: without observations an end is seen from the action alone

static int inputs(const void *options, const slt_model_data *data) {
    return ((const slt_mdl_options *)options)->boundary_input == SLT_BOUNDARY_FROM_AUTO &&
                   data->observation
               ? 2
               : 1;
}

static slt_real *gate(const slt_store *store, int member) {
    return slt_store_at(store, store->value, slt_store_find(store, "joint.eyes"), member);
}

static void set_input(slt_store *store, int member, int boundary_mlp) {
    *gate(store, member) = (slt_real)boundary_mlp;
}

static int get_input(const slt_store *store, int member) { return (int)*gate(store, member); }

// ---- the answer for one trajectory

typedef struct {
    int K, T, A;
    const slt_real *masks, *ends, *logits; // logits: NULL on a tape without losses
    const int32_t *actions;
    const slt_real *live; // token and slot of the rows of logits
    int first, rows;      // first token, live rows
} answer;

static answer gather(slt_tape *tape, int member, const slt_mdl *model, int b) {
    const slt_frame *frame = slt_tape_frame(tape, member);
    size_t first = (size_t)frame->batch.offset[b];
    answer a = {.K = slt_tape_limits(tape).slots, .T = frame->batch.length[b]};
    a.masks = slt_tape_value(tape, member, model->masks) + first * (size_t)a.K;
    a.ends = slt_tape_value(tape, member, model->ends) + first;
    if (!model->logits) return a;
    const slt_real *range = slt_tape_value(tape, member, model->live + 1) + 2 * b;
    a.A = slt_tape_shape(tape, model->logits).width / 2;
    a.first = (int)first;
    a.rows = (int)range[1];
    a.live = slt_tape_value(tape, member, model->live) + 2 * (size_t)range[0];
    a.logits = slt_tape_value(tape, member, model->logits) + (size_t)range[0] * 2 * (size_t)a.A;
    a.actions = (const int32_t *)frame->feed[model->actions] + first;
    return a;
}

// place of the largest; the first of equals
static int largest(const slt_real *x, int count) {
    int best = 0;
    for (int i = 1; i < count; i++)
        if (x[i] > x[best]) best = i;
    return best;
}

int slt_mdl_count(const slt_real *masks, int K) {
    int best = largest(masks, K);
    return masks[best] > 0 ? best : K - 1;
}

// probability of an end within one step of l; the last step of all does not count
static float near_end(const answer *a, int l) {
    slt_real none = 1;
    for (int s = l - 1; s <= l + 1; s++)
        if (s >= 0 && s + 1 < a->T) none *= 1 - a->ends[s];
    return (float)(1 - none);
}

// steps whose action is the decoder's best guess in their segment, the end being known
static int given_back(const answer *a, const int32_t *ids) {
    int right = 0;
    for (int r = 0; r < a->rows; r++) {
        int l = (int)a->live[2 * r] - a->first, k = (int)a->live[2 * r + 1];
        bool end = a->ends[l] > (slt_real)0.5;
        if (ids[l] == k)
            right +=
                largest(a->logits + (size_t)(2 * r + end) * (size_t)a->A, a->A) == a->actions[l];
    }
    return right;
}

static void segment(slt_tape *tape, int member, const void *options, const void *vars, int b,
                    slt_segmentation *out) {
    const slt_mdl *model = vars;
    answer a = gather(tape, member, model, b);
    out->code = (int)((const slt_mdl_options *)options)->code;
    out->codes = out->code ? slt_tape_value(tape, member, model->code) +
                                 (size_t)b * (size_t)a.K * (size_t)out->code
                           : NULL;
    const slt_real *halting = a.masks + (size_t)(a.T - 1) * (size_t)a.K;
    int count = slt_mdl_count(halting, a.K) + 1;
    out->length = a.T;
    out->slots = a.K;
    for (int k = 0; k < a.K; k++) out->counts[k] = (double)halting[k];
    for (int l = 0; l < a.T; l++) {
        const slt_real *m = a.masks + (size_t)l * (size_t)a.K;
        out->ids[l] = slt_mdl_count(m, count);
        out->ends[l] = (float)a.ends[l];
        for (int k = 0; k < a.K && out->masks; k++)
            out->masks[k * a.T + l] = k < count ? (float)m[k] : 0;
        for (int k = 0; k < a.K && out->attention; k++) out->attention[l * a.K + k] = (float)m[k];
    }
    if (a.logits) out->reconstructed = given_back(&a, out->ids);
    for (int l = 0; l < a.T; l++) {
        bool boundary = l + 1 < a.T && out->ids[l] != out->ids[l + 1];
        out->confidence[l] = boundary ? near_end(&a, l) : 0;
    }
}

const slt_model_kind slt_model_mdl = {
    .name = "slottar-mdl",
    .summary = "minimum description length: counted boundaries, a decoder that forgets at "
               "boundaries, no labels",
    .training = "lr=3e-3 lr_end=0.03 batch=32 steps=800 patience=1000000 prior_spread=0.1",
    .restarts = 16,
    .label_free = true,
    .per_step = true,
    .per_member = "beta code_cost",
    .rows = slt_mdl_rows,
    .profile = profile,
    .resolve = resolve,
    .slots = slots,
    .companions = companions,
    .blind = blind,
    .any_length = any_length,
    .build = build,
    .io = io,
    .step = step,
    .round = round_ends,
    .start = start,
    .inputs = inputs,
    .set_input = set_input,
    .get_input = get_input,
    .segment = segment,
};
