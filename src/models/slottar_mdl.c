// slottar-mdl from end to end, and its loss:
//     loss = Σ_l Σ_k m_k(l)·(code length of action l in segment k) per true step
//          + β·(KL(h_b || prior) + γ·KL(mean h || prior)) per true step
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/slottar_mdl.h"

#include <math.h>
#include "nn/nn.h"

enum { END_HIDDEN = 32 };
static const double LEAST_MASK = 0.02; // below it a slot is not decoded in a step

bool slt_mdl_sees(const slt_mdl_options *options) {
    return options->boundary_input != SLT_BOUNDARY_FROM_ACTION || options->code > 0;
}

static slt_init normal(double deviation) { return (slt_init){SLT_INIT_NORMAL, deviation}; }

// ---- ends

// log-odds of an end when the prior's mean number of cuts is spread evenly over the steps
static double even_odds(const slt_model_data *data, int K) {
    double mean = 0, sum = 0;
    for (int k = 0; k < K; k++) {
        mean += data->prior[k] * k;
        sum += data->prior[k];
    }
    double share = data->mean_length > 0 && sum > 0 ? mean / sum / data->mean_length : 0.2;
    share = fmin(fmax(share, 0.01), 0.5);
    return log(share / (1 - share));
}

// w2·relu(W1·x + c1), of rows of any space
static slt_var boundary_mlp(slt_tape *tape, const slt_mdl_options *options, slt_var x) {
    slt_init wide = slt_glorot(END_HIDDEN, 1);
    wide.value *= options->boundary_init;
    slt_var hidden = slt_nn_dense(tape, "end.hidden", x, END_HIDDEN, SLT_RELU);
    slt_var w = slt_weights(tape, "end.out.kernel", END_HIDDEN, 1, wide);
    return slt_dense(tape, hidden, w, 0, SLT_LINEAR);
}

// the observations, or nothing where the gate of a member is shut
static slt_var gated(slt_tape *tape, slt_var seen, slt_var gate) {
    return gate ? slt_scale(tape, seen, gate) : seen;
}

// LN(relu(action ⊕ observation)); the action's half is one product per symbol
static slt_var join(slt_tape *tape, const slt_mdl_options *options, const slt_model_data *data,
                    slt_var table, slt_var gate, const slt_mdl *model) {
    int d = (int)options->hidden;
    slt_var w = slt_weights(tape, "joint.action.kernel", d, d, slt_glorot(2 * d, d));
    slt_var bias = slt_weights(tape, "joint.bias", 1, d, slt_constant(0));
    slt_var features = 0, entries = slt_dense(tape, table, w, bias, SLT_LINEAR);
    if (model->observations)
        features = slt_nn_observe(tape, "joint.observation", model->observations,
                                  data->observation_type, d);
    slt_tape_fuse(tape, SLT_FUSE_LEAVES, entries, features ? features : entries);
    if (features) features = gated(tape, features, gate);
    slt_var x = slt_join_tokens(tape, features, model->actions, entries);
    slt_var y = slt_nn_norm(tape, "joint.ln", x, 0, 0, options->ln_eps);
    slt_tape_fuse(tape, SLT_FUSE_NORM, x, y);
    return y;
}

static slt_var encode(slt_tape *tape, const slt_mdl_options *options, slt_var x) {
    int d = (int)options->hidden;
    x = slt_add_table(tape, x, slt_nn_sinusoid(tape, d, 1 / sqrt((double)d)));
    return slt_nn_transformer(tape, "enc", x, (int)options->heads, options->ln_eps);
}

// a number of the symbol's own, and one of the symbol with its effect, at first 0; the latter is a
// product, as a number alone moves no faster than lr a step
static slt_var own_logits(slt_tape *tape, const slt_model_data *data, slt_var own, slt_var gate,
                          const slt_mdl *model) {
    slt_var x = slt_embed(tape, model->actions, own);
    if (!model->effects) return x;
    slt_var table = slt_weights(tape, "end.effect", 2 * data->symbols, END_HIDDEN, normal(0.5));
    slt_var w = slt_weights(tape, "end.effect.kernel", END_HIDDEN, 1, slt_constant(0));
    slt_var effect = slt_embed(tape, model->effects, slt_dense(tape, table, w, 0, SLT_LINEAR));
    return slt_add(tape, x, gated(tape, effect, gate));
}

// x_l = head(what it sees) + numbers of the symbol's own; context is made where it is used
static slt_var end_logits(slt_tape *tape, const slt_mdl_options *options,
                          const slt_model_data *data, const slt_mdl *model, slt_var *context) {
    int A = data->symbols;
    slt_init even = slt_constant(even_odds(data, (int)options->slots));
    slt_var table = slt_weights(tape, "end.embedding", A, (int)options->hidden, normal(0.5));
    slt_var own = slt_weights(tape, "end.symbol", A, 1, even);
    bool shut = model->observations && options->boundary_input == SLT_BOUNDARY_FROM_AUTO;
    slt_var gate = shut ? slt_weights(tape, "joint.eyes", 1, 1, slt_constant(1)) : 0;
    slt_var x = slt_mdl_sees(options) ? join(tape, options, data, table, gate, model) : 0;
    if (options->boundary_input == SLT_BOUNDARY_FROM_CONTEXT || options->code > 0)
        *context = encode(tape, options, x);
    if (options->boundary_input == SLT_BOUNDARY_FROM_ACTION)
        return slt_embed(tape, model->actions,
                         slt_add(tape, boundary_mlp(tape, options, table), own));
    if (options->boundary_input == SLT_BOUNDARY_FROM_CONTEXT) x = *context;
    return slt_add(tape, boundary_mlp(tape, options, x), own_logits(tape, data, own, gate, model));
}

// ---- codes

// a few numbers that say what a segment is about, from the steps it covers; they cost their KL
static slt_var code(slt_tape *tape, const slt_mdl_options *options, slt_var context,
                    slt_var masks) {
    int c = (int)options->code, d = (int)options->hidden;
    slt_var seen = slt_nn_dense(tape, "code.value", context, d, SLT_LINEAR);
    slt_var pooled = slt_mask_pool(tape, masks, seen);
    slt_var stats = slt_nn_dense(tape, "code.stats", pooled, 2 * c, SLT_LINEAR);
    slt_var noise = slt_noise(tape, SLT_SLOTS, c, SLT_RANDOM_LATENT);
    return slt_segment_code(tape, stats, noise, masks);
}

// ---- decoder

// keys and values of every symbol; the padding's row is the start vector
static slt_var key_table(slt_tape *tape, const slt_mdl_options *options, int symbols) {
    int d = (int)options->hidden;
    slt_part parts[] = {{"dec.k.kernel", d, slt_glorot(d, d), 0},
                        {"dec.v.kernel", d, slt_glorot(d, d), 0}};
    slt_var table = slt_weights(tape, "dec.embedding", symbols, d, normal(0.5));
    return slt_dense(tape, table, slt_weights_joined(tape, d, parts, 2), 0, SLT_LINEAR);
}

// logits of a step inside its segment and of one that ends it
static slt_var decode(slt_tape *tape, const slt_mdl_options *options, const slt_model_data *data,
                      slt_var slots, slt_var codes, const slt_mdl *model) {
    int d = (int)options->hidden, H = (int)options->heads, W = (int)options->window;
    slt_var lags = slt_weights(tape, "dec.lags", H, W + 1, slt_constant(0));
    slt_var q = slt_nn_dense(tape, "dec.q", slots, d, SLT_LINEAR);
    slt_var keys = key_table(tape, options, data->symbols);
    slt_tape_fuse(tape, SLT_FUSE_LEAVES, q, keys);
    slt_var o = slt_window_attention(tape, q, keys, model->actions, model->ends, lags, model->live);
    o = slt_nn_dense(tape, "dec.o", o, d, SLT_LINEAR);
    o = slt_add_slots(tape, o, slots, model->live);
    if (codes) o = slt_add_slots(tape, o, codes, model->live);
    slt_var y = slt_nn_norm(tape, "dec.ln1", o, 0, 0, options->ln_eps);
    slt_var wide = slt_nn_mlp(tape, "dec", "ff1", "ff2", y, 4 * d, d);
    y = slt_nn_norm(tape, "dec.ln2", y, wide, 0, options->ln_eps);
    slt_var logits = slt_nn_dense(tape, "out", y, 2 * (data->symbols - 1), SLT_LINEAR);
    slt_tape_fuse(tape, SLT_FUSE_OUTPUT, y, logits);
    return logits;
}

// how the actions are explained: the slots of the steps that are worth it, and their logits
static void explain(slt_tape *tape, const slt_mdl_options *options, const slt_model_data *data,
                    slt_mdl *model) {
    int d = (int)options->hidden;
    slt_var codes = 0;
    model->live = slt_live_rows(tape, model->masks, LEAST_MASK);
    slt_var slots = slt_weights(tape, "slot.mu", (int)options->slots, d, normal(0.1));
    if (model->code) codes = slt_nn_dense(tape, "code.out", model->code, d, SLT_LINEAR);
    model->logits = decode(tape, options, data, slots, codes, model);
}

// ---- loss

static const double BEYOND = 1e-4; // prior of more than K segments

// what ends say beyond their action and whether it changed what is observed: a pickup that picks
// nothing up is another symbol than one that does
static slt_var exception_cost(slt_tape *tape, const slt_model_data *data, const slt_mdl *model) {
    if (!model->effects)
        return slt_exception_cost(tape, model->ends, model->actions, data->symbols);
    return slt_exception_cost(tape, model->ends, model->effects, 2 * data->symbols);
}

// actions, and what is told next to them: exceptions to a set of actions, and codes
static slt_var content(slt_tape *tape, const slt_mdl_options *options, const slt_model_data *data,
                       const slt_mdl *model) {
    slt_var nats = slt_count_xent(tape, model->logits, model->masks, model->ends, model->actions,
                                  model->live, options->boundaries == SLT_BOUNDARIES_CODED);
    if (options->exception_cost > 0 && options->boundary_input != SLT_BOUNDARY_FROM_ACTION)
        nats = slt_add_loss(tape, nats, exception_cost(tape, data, model), SLT_MDL_EXCEPTIONS);
    return model->code ? slt_add_loss(tape, nats, slt_output_of(model->code, 1), SLT_MDL_CODE)
                       : nats;
}

static void add_losses(slt_tape *tape, const slt_mdl_options *options, const slt_model_data *data,
                       slt_mdl *model) {
    slt_var prior;
    int K = (int)options->slots;
    slt_real *share = slt_tape_constant(tape, 1, K + 1, "prior", &prior);
    for (int k = 0; share && k <= K; k++) share[k] = (slt_real)(k < K ? data->prior[k] : BEYOND);
    model->reconstruction = content(tape, options, data, model);
    model->kl = slt_count_kl(tape, model->masks, prior, fmax(options->gamma, 0));
    model->loss = slt_add_loss(tape, model->reconstruction, model->kl, SLT_MDL_BETA);
}

slt_mdl slt_mdl_build(slt_tape *tape, const slt_mdl_options *options, const slt_model_data *data,
                      bool with_loss) {
    slt_mdl model = {0};
    model.actions = slt_tape_input(tape, SLT_INTEGERS, (slt_shape){SLT_TOKENS, 0, 1}, "actions");
    if (data->observation && slt_mdl_sees(options))
        model.observations =
            slt_tape_input(tape, data->observation_type,
                           (slt_shape){SLT_TOKENS, 0, data->observation}, "observations");
    if (model.observations && options->boundary_input != SLT_BOUNDARY_FROM_ACTION)
        model.effects =
            slt_tape_input(tape, SLT_INTEGERS, (slt_shape){SLT_TOKENS, 0, 1}, "effects");
    slt_var context = 0;
    slt_var x = end_logits(tape, options, data, &model, &context);
    model.ends = slt_end_probability(tape, x, SLT_MDL_ROUND);
    model.masks = slt_count_mask(tape, model.ends);
    if (options->code > 0) model.code = code(tape, options, context, model.masks);
    if (with_loss) {
        explain(tape, options, data, &model);
        add_losses(tape, options, data, &model);
    }

    const slt_var kept[] = {
        model.ends,   model.masks,          model.live, slt_output_of(model.live, 1),
        model.logits, model.reconstruction, model.kl,   model.loss,
        model.code};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) slt_tape_keep(tape, kept[i]);
    return model;
}
