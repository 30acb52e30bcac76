// Golden CompILE files: every intermediate and its gradient where they are stored, losses,
// gradients, the first Adam step, three losses, and the test mode, on padded batches as the
// reference has them; and the logarithms of the boundary priors.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <string.h>
#include "engine/adam.h"
#include "models/slot_ids.h"
#include "models/compile_model.h"
#include "models/compile_segment.h"
#include "verify/model_fixture.h"

enum { SEGMENTS = 64 };
static const double CLOSE = 2e-5, GRADIENT = 1e-4;

typedef struct {
    slt_fixture fixture;
    slt_arena *arena;
    int B, L, D, A, N, d, pad;
    double beta, rate, epsilon;
    slt_compile_options options;
    slt_model_data data;
    slt_store *store;
    slt_tape *tape;
    slt_compile model;
    slt_compile_pass passes[SEGMENTS];
    const int32_t *actions, *lengths, *counts;
    const float *observations;
    slt_real *work; // [B][L]
} subject;

static bool knows(const slt_golden *golden) { return slt_fixture_knows(golden, "compile"); }

// ---- reading

static slt_status read_options(subject *s) {
    const slt_fixture *f = &s->fixture;
    const slt_options tables[] = {{slt_compile_rows(), &s->options}, {NULL, NULL}};
    SLT_TRY(slt_options_defaults(tables));
    SLT_TRY(slt_compile_profile(&s->options, "reference"));
    SLT_TRY(slt_fixture_real(f, "prior_rate", &s->options.prior_rate));
    bool concrete = slt_fixture_is(f, "latent", "concrete");
    s->options.latent = concrete ? SLT_LATENT_CONCRETE : SLT_LATENT_GAUSSIAN;
    if (slt_fixture_is(f, "compile_enc", "masked")) s->options.compile_enc = SLT_ENC_MASKED;
    if (slt_fixture_is(f, "compile_prior", "poisson")) s->options.compile_prior = SLT_RATE_POISSON;
    s->options.hidden = s->d;
    s->options.segments = s->N;
    return SLT_OK;
}

static slt_status read_sizes(subject *s) {
    const slt_fixture *f = &s->fixture;
    SLT_TRY(slt_fixture_int(f, "B", 1, 256, &s->B));
    SLT_TRY(slt_fixture_int(f, "L", 2, 512, &s->L));
    SLT_TRY(slt_fixture_int(f, "D", 1, 4096, &s->D));
    SLT_TRY(slt_fixture_int(f, "A", 1, 256, &s->A));
    SLT_TRY(slt_fixture_int(f, "N", 2, SEGMENTS, &s->N));
    SLT_TRY(slt_fixture_int(f, "d", 1, 512, &s->d));
    SLT_TRY(slt_fixture_int(f, "pad", s->A, s->A, &s->pad));
    SLT_TRY(slt_fixture_real(f, "beta", &s->beta));
    SLT_TRY(slt_fixture_real(f, "lr", &s->rate));
    SLT_TRY(slt_fixture_real(f, "adam_eps", &s->epsilon));
    return read_options(s);
}

static slt_status check_range(const subject *s, const int32_t *values, int count, int low, int high,
                              const char *what) {
    for (int i = 0; i < count; i++)
        if (values[i] < low || values[i] > high)
            SLT_FAIL(SLT_FORMAT, "%s: %s %d", slt_safetensors_path(s->fixture.file), what,
                     values[i]);
    return SLT_OK;
}

static slt_status read_inputs(subject *s) {
    const slt_fixture *f = &s->fixture;
    size_t B = (size_t)s->B, L = (size_t)s->L;
    SLT_TRY(slt_fixture_ints(f, "in.actions", B * L, &s->actions));
    SLT_TRY(slt_fixture_ints(f, "in.lengths", B, &s->lengths));
    SLT_TRY(slt_fixture_ints(f, "in.num_segments", B, &s->counts));
    SLT_TRY(SLT_NEW(s->arena, &s->work, B * L));
    SLT_TRY(slt_fixture_floats(f, "in.obs", B * L * (size_t)s->D, &s->observations));
    SLT_TRY(check_range(s, s->actions, s->B * s->L, 0, s->pad, "action"));
    SLT_TRY(check_range(s, s->lengths, s->B, 1, s->L, "length"));
    SLT_TRY(check_range(s, s->counts, s->B, 1, s->N, "number of segments"));
    s->data =
        (slt_model_data){.symbols = s->A, .observation = s->D, .length = s->L, .fed_noise = true};
    return SLT_OK;
}

// ---- the tape, on a padded batch

static slt_status make_batch(subject *s, slt_batch *batch) {
    int32_t *offset, *index, *companion;
    SLT_TRY(SLT_NEW(s->arena, &offset, (size_t)s->B + 1));
    SLT_TRY(SLT_NEW(s->arena, &index, (size_t)s->B));
    SLT_TRY(SLT_NEW(s->arena, &companion, (size_t)s->B * (size_t)s->N));
    *batch = (slt_batch){s->B, offset, s->lengths, index, companion, 0};
    for (int b = 0; b < s->B; b++) {
        offset[b + 1] = (b + 1) * s->L;
        index[b] = b;
        batch->true_tokens += s->lengths[b];
        for (int k = 0; k < s->N; k++) companion[b * s->N + k] = b;
    }
    return SLT_OK;
}

// every buffer has memory of its own, so that gradients of intermediates can be read
static slt_status build(subject *s) {
    slt_limits limits = {s->B, s->B * s->L, s->N, s->L};
    SLT_TRY(slt_store_create(s->fixture.verification->context, 1, &s->store));
    SLT_TRY(slt_tape_create(s->store, limits, &s->tape));
    s->model = slt_compile_build(s->tape, &s->options, &s->data, true, s->passes);
    SLT_TRY(slt_store_finish(s->store));
    SLT_TRY(slt_tape_finish(s->tape, s->model.loss, true));
    slt_frame *frame = slt_tape_frame(s->tape, 0);
    SLT_TRY(make_batch(s, &frame->batch));
    frame->step.weight[SLT_COMPILE_BETA] = (slt_real)s->beta;
    frame->step.learning_rate = (slt_real)s->rate;
    frame->step.adam_epsilon = (slt_real)s->epsilon;
    slt_tape_feed(s->tape, 0, s->model.actions, s->actions);
    slt_tape_feed(s->tape, 0, s->model.counts, s->counts);
    slt_tape_feed(s->tape, 0, s->model.observations, s->observations);
    return slt_fixture_load(&s->fixture, s->store);
}

// the file has no noise for the last pass; the tape wants a row for it
static slt_status feed_noise(subject *s) {
    size_t B = (size_t)s->B, N = (size_t)s->N, L = (size_t)s->L, d = (size_t)s->d;
    const float *uniform, *latent;
    slt_real *all;
    SLT_TRY(slt_fixture_floats(&s->fixture, "in.boundary_uniform", B * (N - 1) * L, &uniform));
    SLT_TRY(slt_fixture_floats(&s->fixture, "in.latent_noise", B * N * d, &latent));
    SLT_TRY(SLT_NEW(s->arena, &all, B * N * L));
    for (size_t b = 0; b < B; b++)
        for (size_t i = 0; i < (N - 1) * L; i++) all[b * N * L + i] = uniform[b * (N - 1) * L + i];
    slt_tape_feed(s->tape, 0, s->model.boundary_noise, all);
    slt_tape_feed(s->tape, 0, s->model.latent_noise, latent);
    return SLT_OK;
}

// ---- comparing

static const slt_real *value(const subject *s, slt_var var) {
    return slt_tape_value(s->tape, 0, var);
}

// what every pass has, [B, passes, L, width]: a golden array against variables of the passes. The
// first `skip` positions are constants of the reference.
typedef struct {
    const char *name;
    size_t from, passes; // passes from, from+1, ...
    size_t width, skip;
    double tolerance, least; // relative to the largest number, at least to this
} comparison;

static double largest(const float *values, size_t count, size_t stretch, size_t skip) {
    double most = 0;
    for (size_t i = 0; i < count; i++) {
        double size = values[i] < 0 ? -(double)values[i] : (double)values[i];
        if (i % stretch >= skip && size > most) most = size;
    }
    return most;
}

static slt_status compare_passes(subject *s, comparison c,
                                 slt_real *(*read)(const subject *s, int pass)) {
    size_t B = (size_t)s->B, stretch = (size_t)s->L * c.width, skip = c.skip * c.width;
    const float *want;
    SLT_TRY(slt_fixture_floats(&s->fixture, c.name, B * c.passes * stretch, &want));
    double scale = largest(want, B * c.passes * stretch, stretch, skip);
    if (scale < c.least) scale = c.least;
    for (size_t i = 0; i < c.passes; i++) {
        const slt_real *got = read(s, (int)(i + c.from));
        for (size_t b = 0; b < B; b++)
            for (size_t k = skip; k < stretch; k++)
                slt_verify_near(s->fixture.verification, want[(b * c.passes + i) * stretch + k],
                                (double)got[b * stretch + k], c.tolerance, scale, c.name);
    }
    return SLT_OK;
}

static slt_real *enc_of(const subject *s, int i) {
    return slt_tape_value(s->tape, 0, s->passes[i].enc);
}
static slt_real *logits_of(const subject *s, int i) {
    return slt_tape_value(s->tape, 0, s->passes[i].logits);
}
static slt_real *mask_of(const subject *s, int i) {
    return slt_tape_value(s->tape, 0, s->passes[i].mask);
}
static slt_real *dboundary_of(const subject *s, int i) {
    return slt_tape_gradient(s->tape, 0, s->passes[i].boundary);
}
// In the reference no mask is made from another one; here the next one is, so what comes back
// through it is not the mask's own.
static slt_real *dmask_of(const subject *s, int i) {
    const slt_real *all = slt_tape_gradient(s->tape, 0, s->passes[i].mask), *later = NULL;
    const slt_real *boundary = value(s, s->passes[i].boundary);
    slt_real sum = 0;
    if (i + 1 < s->N) later = slt_tape_gradient(s->tape, 0, s->passes[i + 1].mask);
    for (int row = 0; row < s->B * s->L; row++) {
        sum = row % s->L ? sum + boundary[row] : boundary[row];
        s->work[row] = all[row] - (later ? later[row] * sum : 0);
    }
    return s->work;
}

static slt_status compare_inside(subject *s) {
    size_t N = (size_t)s->N, d = (size_t)s->d;
    SLT_TRY(compare_passes(s, (comparison){"mid.enc", 0, N, d, 0, CLOSE, 0}, enc_of));
    SLT_TRY(compare_passes(s, (comparison){"mid.boundary_logits", 0, N - 1, 1, 1, CLOSE, 0},
                           logits_of));
    return compare_passes(s, (comparison){"mid.state_masks", 1, N - 1, 1, 0, CLOSE, 0}, mask_of);
}

static void compare_prior(subject *s) {
    slt_compile_log_prior((slt_rate_rule)s->options.compile_prior, s->options.prior_rate, s->L,
                          s->work);
    slt_fixture_compare(&s->fixture, "in.log_prior", s->work, (size_t)s->L, 1, 1, CLOSE);
}

// gradients of intermediates, which live until the next backward
static slt_status compare_inner_gradients(subject *s) {
    size_t N = (size_t)s->N;
    const float *norm;
    SLT_TRY(slt_fixture_floats(&s->fixture, "gradnorm.global", 1, &norm));
    double least = 1e-4 * (double)*norm;
    SLT_TRY(compare_passes(
        s, (comparison){"gmid.boundary_samples", 0, N - 1, 1, 0, GRADIENT, least}, dboundary_of));
    return compare_passes(s, (comparison){"gmid.state_masks", 1, N - 1, 1, 0, GRADIENT, least},
                          dmask_of);
}

static void compare_outputs(subject *s) {
    slt_fixture *f = &s->fixture;
    size_t B = (size_t)s->B, N = (size_t)s->N, L = (size_t)s->L, V = (size_t)s->A + 1;
    size_t wide = (size_t)slt_tape_shape(s->tape, s->model.zeta).width, d = (size_t)s->d;
    const slt_compile *m = &s->model;
    slt_fixture_compare(f, "mid.embedding", value(s, m->embedding), B * L, d, d, CLOSE);
    slt_fixture_compare(f, "mid.boundary_samples", value(s, m->boundaries), B * N, L, L, CLOSE);
    slt_fixture_compare(f, "mid.segment_probs", value(s, m->shares), B * N, L, L, CLOSE);
    slt_fixture_compare(f, "mid.latent_logits", value(s, m->zeta), B * N, wide, wide, CLOSE);
    slt_fixture_compare(f, "mid.latent_samples", value(s, m->latent), B * N, d, d, CLOSE);
    slt_fixture_compare(f, "mid.rec_logits", value(s, m->reconstructions), B * N * L, V, V, CLOSE);
    slt_fixture_compare(f, "loss.nll", value(s, m->nll), 1, 1, 1, CLOSE);
    slt_fixture_compare(f, "loss.kl_z", value(s, m->kl_z), 1, 1, 1, CLOSE);
    slt_fixture_compare(f, "loss.kl_b", value(s, m->kl_b), 1, 1, 1, CLOSE);
    slt_fixture_compare(f, "loss.total", value(s, m->loss), 1, 1, 1, CLOSE);
}

static slt_status compare_training(subject *s) {
    slt_real losses[3];
    slt_frame *frame = slt_tape_frame(s->tape, 0);
    frame->step.noise = 1;
    SLT_TRY(feed_noise(s));
    for (int step = 0; step < 3; step++) {
        SLT_TRY(slt_tape_forward(s->tape));
        SLT_TRY(slt_tape_backward(s->tape));
        losses[step] = *value(s, s->model.loss);
        if (step == 0) {
            compare_prior(s);
            compare_outputs(s);
            SLT_TRY(compare_inside(s));
            SLT_TRY(compare_inner_gradients(s));
            SLT_TRY(slt_fixture_gradients(&s->fixture, s->store));
        }
        frame->step.adam_count = (uint32_t)step + 1;
        slt_adam_step(s->tape);
        if (step == 0) SLT_TRY(slt_fixture_first_step(&s->fixture, s->store, s->rate));
    }
    slt_fixture_compare(&s->fixture, "adam.losses", losses, 3, 1, 1, 1e-4);
    return slt_fixture_load(&s->fixture, s->store);
}

// ---- test mode

// ids where the best share is not decided by rounding
static slt_status compare_ids(subject *s) {
    const int32_t *want;
    int32_t *ids;
    SLT_TRY(slt_fixture_ints(&s->fixture, "test.pred_ids", (size_t)s->B * (size_t)s->L, &want));
    SLT_TRY(SLT_NEW(s->arena, &ids, (size_t)s->L));
    for (int b = 0; b < s->B; b++) {
        const slt_real *shares = value(s, s->model.shares) + (size_t)b * (size_t)(s->N * s->L);
        slt_slot_ids(shares, s->L, NULL, s->counts[b], s->lengths[b], ids);
        for (int l = 0; l < s->lengths[b]; l++)
            slt_verify_same(s->fixture.verification, want[b * s->L + l], ids[l], "test.pred_ids");
    }
    return SLT_OK;
}

static slt_status compare_test(subject *s) {
    slt_fixture *f = &s->fixture;
    size_t B = (size_t)s->B, N = (size_t)s->N, L = (size_t)s->L, V = (size_t)s->A + 1;
    const slt_compile *m = &s->model;
    slt_real *none;
    SLT_TRY(SLT_NEW(s->arena, &none, B * N * (size_t)s->d));
    slt_tape_feed(s->tape, 0, m->latent_noise, none);
    slt_tape_frame(s->tape, 0)->step.noise = 0;
    SLT_TRY(slt_tape_forward(s->tape));
    slt_fixture_compare(f, "test.boundary_samples", value(s, m->boundaries), B * N, L, L, CLOSE);
    slt_fixture_compare(f, "test.segment_probs", value(s, m->shares), B * N, L, L, CLOSE);
    slt_fixture_compare(f, "test.latent", value(s, m->latent), B * N, (size_t)s->d, (size_t)s->d,
                        CLOSE);
    slt_fixture_compare(f, "test.rec_logits", value(s, m->reconstructions), B * N * L, V, V, CLOSE);
    return compare_ids(s);
}

// ---- priors alone

// every array "reference.L65.rate3" or "poisson.L65.rate3" of the file
static slt_status compare_priors(slt_fixture *fixture, slt_arena *arena) {
    static const char *const names[] = {"poisson", "reference"};
    slt_real *logs;
    SLT_TRY(SLT_NEW(arena, &logs, 512));
    for (int rule = SLT_RATE_POISSON; rule <= SLT_RATE_REFERENCE; rule++)
        for (int L = 2; L <= 512; L++)
            for (int rate = 2; rate <= 9; rate++) {
                char name[64];
                snprintf(name, sizeof name, "%s.L%d.rate%d", names[rule], L, rate);
                if (!slt_fixture_find(fixture, name, (size_t)L)) continue;
                slt_compile_log_prior((slt_rate_rule)rule, rate, L, logs);
                slt_fixture_compare(fixture, name, logs, (size_t)L, 1, 1, CLOSE);
            }
    if (!fixture->verification->result->checked)
        SLT_FAIL(SLT_FORMAT, "%s: no priors in it", slt_safetensors_path(fixture->file));
    return SLT_OK;
}

// ---- one file

static slt_status run_subject(subject *s) {
    SLT_TRY(read_sizes(s));
    SLT_TRY(read_inputs(s));
    SLT_TRY(build(s));
    SLT_TRY(compare_training(s));
    return compare_test(s);
}

static slt_status run_model(slt_verification *verification, slt_safetensors *file) {
    subject *s;
    SLT_TRY(SLT_NEW(verification->arena, &s, 1));
    s->fixture = (slt_fixture){verification, file, ""};
    s->arena = verification->arena;
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
    bool priors = !slt_safetensors_metadata(file, "B");
    slt_status status =
        priors ? compare_priors(&fixture, verification->arena) : run_model(verification, file);
    slt_safetensors_close(file);
    return status;
}

const slt_verify_kind slt_verify_compile = {"compile", knows, run};
