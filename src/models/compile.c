// CompILE from end to end, and its loss:
//     loss = Σ_i E[share_i·nats(decoder of segment i)] + β(Σ_i KL(code_i) + N·KL(first boundary))
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/compile_model.h"
#include "nn/nn.h"

enum { SILENT = 2 }; // symbols that are no action: DONE and padding

// what the stages hand on
typedef struct {
    slt_tape *tape;
    const slt_compile_options *options;
    const slt_model_data *data;
    int d, N;
    slt_var features; // of the observations [tokens,d]; 0 without
    slt_var first;    // boundary logits of pass 1
} stage;

static bool includes(const stage *s) { return s->options->boundary_pad == SLT_BOUNDARY_INCLUDE; }

// ---- inputs

static void feed_inputs(const stage *s, slt_compile *model) {
    slt_tape *tape = s->tape;
    bool gaussian = s->options->latent == SLT_LATENT_GAUSSIAN, fed = s->data->fed_noise;
    slt_shape places = {SLT_SLOT_TOKENS, 0, 1}, codes = {SLT_SLOTS, 0, s->d};
    model->actions = model->likelihood->input(tape, s->data);
    model->counts =
        slt_tape_input(tape, SLT_INTEGERS, (slt_shape){SLT_TRAJECTORIES, 0, 1}, "counts");
    if (s->data->observation)
        model->observations =
            slt_tape_input(tape, s->data->observation_type,
                           (slt_shape){SLT_TOKENS, 0, s->data->observation}, "observations");
    model->boundary_noise = fed ? slt_tape_input(tape, SLT_NUMBERS, places, "boundary noise")
                                : slt_uniform(tape, SLT_SLOT_TOKENS, 1, SLT_RANDOM_GUMBEL);
    model->latent_noise = fed        ? slt_tape_input(tape, SLT_NUMBERS, codes, "latent noise")
                          : gaussian ? slt_noise(tape, SLT_SLOTS, s->d, SLT_RANDOM_LATENT)
                                     : slt_uniform(tape, SLT_SLOTS, s->d, SLT_RANDOM_LATENT);
}

// ---- embedding

// LN(relu((observation ⊕ action)·W + c)): the action's half is one product per code
static slt_var embed(stage *s, const slt_compile *model) {
    slt_tape *tape = s->tape;
    int d = s->d, seen = s->data->observation ? d : 0;
    slt_init small = {SLT_INIT_UNIFORM, 0.05};
    const slt_likelihood *likelihood = model->likelihood;
    slt_var codes = likelihood->codes(tape, s->data, "action", SILENT, d, small, model->actions);
    slt_part kernel = {"joint.kernel", d, slt_glorot(2 * d, d), 0};
    int number = slt_tape_number(tape, seen + d, &kernel, 1);
    slt_var bias = slt_weights(tape, "joint.bias", 1, d, slt_constant(0));
    slt_var bottom = slt_tape_parameter_rows(tape, number, seen, d);
    slt_var entries = slt_dense(tape, codes, bottom, bias, SLT_LINEAR), top = 0;
    if (seen) {
        s->features =
            slt_nn_observe(tape, "obs", model->observations, s->data->observation_type, d);
        slt_var weights = slt_tape_parameter_rows(tape, number, 0, d);
        top = slt_dense(tape, s->features, weights, 0, SLT_LINEAR);
    }
    slt_tape_fuse(tape, SLT_FUSE_LEAVES, s->data->fed_noise ? entries : model->latent_noise,
                  seen ? s->features : entries);
    slt_var x = likelihood->join(tape, top, model->actions, entries);
    slt_var y = slt_nn_norm(tape, "joint_ln", x, 0, 0, s->options->ln_eps);
    slt_tape_fuse(tape, SLT_FUSE_NORM, x, y);
    return y;
}

// ---- recognition

// relu(x·W1 + c1)·W2 + c2; the last `dead` columns of c2 have no gradient but rounding
static slt_var head(slt_tape *tape, const char *one, const char *two, slt_var x, int middle,
                    int out, int dead) {
    char text[SLT_NAME];
    int in = slt_tape_failed(tape) ? 1 : slt_tape_shape(tape, x).width;
    slt_var w1 =
        slt_weights(tape, slt_name(text, one, "kernel"), in, middle, slt_glorot(in, middle));
    slt_var c1 = slt_weights(tape, slt_name(text, one, "bias"), 1, middle, slt_constant(0));
    slt_var w2 =
        slt_weights(tape, slt_name(text, two, "kernel"), middle, out, slt_glorot(middle, out));
    slt_part bias = {slt_name(text, two, "bias"), out, slt_constant(0), dead};
    return slt_mlp(tape, x, w1, c1, w2, slt_tape_named(tape, 1, &bias, 1));
}

// where pass i ends; a shift of all logits changes nothing
static slt_var find_end(stage *s, const slt_compile *model, int i, slt_compile_pass *pass) {
    const slt_compile_options *o = s->options;
    slt_boundary_rule rule = {.pass = i,
                              .include = includes(s),
                              .oracle = o->count == SLT_COUNT_ORACLE &&
                                        o->compile_last == SLT_LAST_ORACLE,
                              .temperature = o->temp_b};
    if (i + 1 < s->N) pass->logits = head(s->tape, "b1", "b2", pass->enc, s->d, 1, 1);
    if (i == 0) s->first = pass->logits;
    return slt_boundary_sample(s->tape, model->counts, pass->logits,
                               pass->logits ? model->boundary_noise : 0, rule);
}

// N passes of one LSTM; gives the readouts [slots,d]
static slt_var recognise(stage *s, slt_var x, slt_compile *model, slt_compile_pass *passes) {
    slt_tape *tape = s->tape;
    int d = s->d;
    bool masked = s->options->compile_enc == SLT_ENC_MASKED;
    slt_var w = slt_weights(tape, "lstm.kernel", d, 4 * d, slt_glorot(d, 4 * d));
    slt_var u = slt_weights(tape, "lstm.recurrent", d, 4 * d, (slt_init){SLT_INIT_ORTHOGONAL, 1});
    slt_var c = slt_weights(tape, "lstm.bias", 1, 4 * d, (slt_init){SLT_INIT_FORGET, 1});
    slt_var gx = slt_dense(tape, x, w, c, SLT_LINEAR), readouts = 0, next = 0;
    for (int i = 0; i < s->N; i++) {
        slt_compile_pass pass = {.mask = next};
        pass.enc = slt_lstm(tape, gx, u, pass.mask, masked);
        pass.boundary = find_end(s, model, i, &pass);
        pass.share = slt_boundary_masks(tape, pass.boundary, pass.mask);
        next = slt_output_of(pass.share, 1);
        slt_var readout = slt_boundary_readout(tape, pass.enc, pass.boundary);
        readouts = slt_stack_slots(tape, readout, readouts, i);
        model->shares = slt_stack_slots(tape, pass.share, model->shares, i);
        model->boundaries = slt_stack_slots(tape, pass.boundary, model->boundaries, i);
        if (pass.logits) model->scores = slt_stack_slots(tape, pass.logits, model->scores, i);
        if (passes) passes[i] = pass;
    }
    return readouts;
}

static void encode(const stage *s, slt_var readouts, slt_compile *model) {
    bool gaussian = s->options->latent == SLT_LATENT_GAUSSIAN;
    model->zeta = head(s->tape, "z1", "z2", readouts, s->d, gaussian ? 2 * s->d : s->d, 0);
    model->latent = gaussian ? slt_gaussian_sample(s->tape, model->zeta, model->latent_noise)
                             : slt_concrete_sample(s->tape, model->zeta, model->latent_noise,
                                                   s->options->temp_z);
}

// ---- decoder

// relu((code ⊕ features)·W + c)·W2 + c2: one product per segment, one per token
static void decode(const stage *s, slt_compile *model) {
    slt_tape *tape = s->tape;
    int d = s->d, V = model->likelihood->width(s->data, SILENT);
    slt_part kernel = {"d1.kernel", d, slt_glorot(2 * d, d), 0};
    int number = slt_tape_number(tape, s->features ? 2 * d : d, &kernel, 1);
    slt_var bias = slt_weights(tape, "d1.bias", 1, d, slt_constant(0)), tokens = 0;
    slt_var codes = slt_dense(tape, model->latent, slt_tape_parameter_rows(tape, number, 0, d),
                              bias, SLT_LINEAR);
    if (s->features)
        tokens = slt_dense(tape, s->features, slt_tape_parameter_rows(tape, number, d, d), 0,
                           SLT_LINEAR);
    slt_var y = slt_join_slots(tape, codes, tokens);
    model->reconstructions = slt_nn_dense(tape, "d2", y, V, SLT_LINEAR);
}

// ---- loss

static slt_var prior_of(const stage *s) {
    slt_var prior;
    int L = slt_tape_limits(s->tape).length;
    slt_real *to = slt_tape_constant(s->tape, 1, L, "boundary prior", &prior);
    slt_rate_rule rule = (slt_rate_rule)s->options->compile_prior;
    if (to) slt_compile_log_prior(rule, s->options->prior_rate, L, to);
    return prior;
}

static void add_losses(const stage *s, slt_compile *model) {
    slt_tape *tape = s->tape;
    bool gaussian = s->options->latent == SLT_LATENT_GAUSSIAN;
    model->nll = model->likelihood->segment(tape, s->data, model->reconstructions, model->shares,
                                            model->actions, model->counts, includes(s));
    model->kl_z = gaussian ? slt_gaussian_kl(tape, model->zeta, model->counts)
                           : slt_concrete_kl(tape, model->zeta, model->counts);
    model->kl_b = slt_boundary_kl(tape, s->first, prior_of(s), s->N, includes(s));
    model->kl = slt_add(tape, model->kl_z, model->kl_b);
    model->loss = slt_add_loss(tape, model->nll, model->kl, SLT_COMPILE_BETA);
}

slt_compile slt_compile_build(slt_tape *tape, const slt_compile_options *options,
                              const slt_model_data *data, bool with_loss,
                              slt_compile_pass *passes) {
    slt_compile model = {.likelihood = slt_likelihood_of(data), .channel = data->channel};
    stage s = {tape, options, data, (int)options->hidden, (int)options->segments, 0, 0};
    feed_inputs(&s, &model);
    model.embedding = embed(&s, &model);
    slt_var readouts = recognise(&s, model.embedding, &model, passes);
    if (with_loss) {
        encode(&s, readouts, &model);
        decode(&s, &model);
        add_losses(&s, &model);
    }

    const slt_var kept[] = {model.scores, model.boundaries, model.shares,
                            model.zeta,   model.latent,     model.reconstructions,
                            model.nll,    model.kl_z,       model.kl_b,
                            model.kl,     model.loss};
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) slt_tape_keep(tape, kept[i]);
    return model;
}
