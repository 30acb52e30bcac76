// Golden OMPN files: outputs, the loss, gradients before and after clipping, the first Adam step,
// three losses, and the segments of the test mode.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "engine/adam.h"
#include "models/ompn_model.h"
#include "verify/model_fixture.h"

typedef struct {
    slt_fixture fixture;
    slt_arena *arena;
    int B, L, D, A, n, d;
    double rate, epsilon, most_norm;
    slt_ompn_options options;
    slt_store *store;
    slt_tape *tape;
    slt_ompn_model model;
    const int32_t *actions, *lengths;
    const float *observations;
} subject;

static bool knows(const slt_golden *golden) { return slt_fixture_knows(golden, "ompn"); }

// ---- reading

static slt_status read_sizes(subject *s) {
    const slt_fixture *f = &s->fixture;
    SLT_TRY(slt_fixture_int(f, "B", 1, 256, &s->B));
    SLT_TRY(slt_fixture_int(f, "L", 1, 512, &s->L));
    SLT_TRY(slt_fixture_int(f, "D", 1, 4096, &s->D));
    SLT_TRY(slt_fixture_int(f, "A", 2, 256, &s->A));
    SLT_TRY(slt_fixture_int(f, "n", 2, 16, &s->n));
    SLT_TRY(slt_fixture_int(f, "d", 1, 512, &s->d));
    SLT_TRY(slt_fixture_real(f, "lr", &s->rate));
    SLT_TRY(slt_fixture_real(f, "adam_eps", &s->epsilon));
    SLT_TRY(slt_fixture_real(f, "max_grad_norm", &s->most_norm));
    const slt_options tables[] = {{slt_ompn_rows(), &s->options}, {NULL, NULL}};
    SLT_TRY(slt_options_defaults(tables));
    SLT_TRY(slt_ompn_profile(&s->options, "reference"));
    SLT_TRY(slt_fixture_real(f, "leaky_slope", &s->options.leaky_slope));
    s->options.hidden = s->d;
    s->options.depth = s->n;
    return SLT_OK;
}

// after the truth the action is the padding symbol A; DONE, the last one, is a target like others
static slt_status read_inputs(subject *s) {
    const slt_fixture *f = &s->fixture;
    size_t tokens = (size_t)s->B * (size_t)s->L;
    int done;
    SLT_TRY(slt_fixture_int(f, "done", s->A - 1, s->A - 1, &done));
    SLT_TRY(slt_fixture_ints(f, "in.actions", tokens, &s->actions));
    SLT_TRY(slt_fixture_ints(f, "in.lengths", (size_t)s->B, &s->lengths));
    SLT_TRY(slt_fixture_floats(f, "in.obs", tokens * (size_t)s->D, &s->observations));
    for (int b = 0; b < s->B; b++)
        if (s->lengths[b] < 1 || s->lengths[b] > s->L)
            SLT_FAIL(SLT_FORMAT, "%s: length %d", slt_safetensors_path(f->file), s->lengths[b]);
    for (size_t i = 0; i < tokens; i++) {
        bool truth = (int)(i % (size_t)s->L) < s->lengths[i / (size_t)s->L];
        if (s->actions[i] < 0 || s->actions[i] > s->A || truth != (s->actions[i] < s->A))
            SLT_FAIL(SLT_FORMAT, "%s: action %d", slt_safetensors_path(f->file), s->actions[i]);
    }
    return SLT_OK;
}

// ---- the tape, on a padded batch

static slt_status make_batch(subject *s, slt_batch *batch) {
    int32_t *offset, *index;
    SLT_TRY(SLT_NEW(s->arena, &offset, (size_t)s->B + 1));
    SLT_TRY(SLT_NEW(s->arena, &index, (size_t)s->B));
    *batch = (slt_batch){s->B, offset, s->lengths, index, NULL, 0};
    for (int b = 0; b < s->B; b++) {
        offset[b + 1] = (b + 1) * s->L;
        index[b] = b;
        batch->true_tokens += s->lengths[b];
    }
    return SLT_OK;
}

static slt_status build(subject *s) {
    slt_limits limits = {s->B, s->B * s->L, 1, s->L};
    slt_model_data data = {.symbols = s->A, .observation = s->D, .length = s->L};
    SLT_TRY(slt_store_create(s->fixture.verification->context, 1, &s->store));
    SLT_TRY(slt_tape_create(s->store, limits, &s->tape));
    s->model = slt_ompn_build(s->tape, &s->options, &data);
    SLT_TRY(slt_store_finish(s->store));
    SLT_TRY(slt_tape_finish(s->tape, s->model.loss, false));
    slt_frame *frame = slt_tape_frame(s->tape, 0);
    SLT_TRY(make_batch(s, &frame->batch));
    frame->step.learning_rate = (slt_real)s->rate;
    frame->step.adam_epsilon = (slt_real)s->epsilon;
    frame->step.max_norm = (slt_real)s->most_norm;
    slt_tape_feed(s->tape, 0, s->model.actions, s->actions);
    slt_tape_feed(s->tape, 0, s->model.observations, s->observations);
    return slt_fixture_load(&s->fixture, s->store);
}

static const slt_real *value(const subject *s, slt_var var) {
    return slt_tape_value(s->tape, 0, var);
}

// ---- comparing

// the shares p of the update, from p̂ without the end
static slt_status compare_shares(subject *s) {
    size_t n = (size_t)s->n, tokens = (size_t)s->B * (size_t)s->L;
    const slt_real *p_hat = value(s, s->model.p_hat);
    slt_real *shares;
    SLT_TRY(SLT_NEW(s->arena, &shares, tokens * n));
    for (size_t r = 0; r < tokens; r++) {
        slt_real sum = 0;
        for (size_t i = 1; i <= n; i++) sum += p_hat[r * (n + 1) + i];
        for (size_t i = 0; i < n; i++) shares[r * n + i] = p_hat[r * (n + 1) + i + 1] / sum;
    }
    slt_fixture_compare(&s->fixture, "mid.p", shares, tokens, n, n, 2e-5);
    return SLT_OK;
}

static slt_status compare_outputs(subject *s) {
    slt_fixture *f = &s->fixture;
    size_t A = (size_t)s->A, d = (size_t)s->d, n = (size_t)s->n;
    size_t tokens = (size_t)s->B * (size_t)s->L;
    slt_fixture_compare(f, "mid.obs_emb", value(s, s->model.x), tokens, d, d, 2e-5);
    slt_fixture_compare(f, "mid.memory", value(s, s->model.memory), tokens, n * d, n * d, 2e-5);
    slt_fixture_compare(f, "mid.p_hat", value(s, s->model.p_hat), tokens, n + 1, n + 1, 2e-5);
    slt_fixture_compare(f, "out.log_probs", value(s, s->model.prediction), tokens, A, A, 2e-5);
    slt_fixture_compare(f, "loss.total", value(s, s->model.loss), 1, 1, 1, 2e-5);
    return compare_shares(s);
}

static slt_status compare_gradients(subject *s) {
    const float *norm;
    SLT_TRY(slt_fixture_floats(&s->fixture, "gradnorm.global", 1, &norm));
    SLT_TRY(slt_fixture_gradients(&s->fixture, s->store));
    return slt_fixture_clipped(&s->fixture, s->store, s->most_norm / fmax(norm[0], s->most_norm));
}

static slt_status compare_training(subject *s) {
    slt_real losses[3];
    slt_frame *frame = slt_tape_frame(s->tape, 0);
    frame->step.active = true;
    for (int step = 0; step < 3; step++) {
        SLT_TRY(slt_tape_forward(s->tape));
        SLT_TRY(slt_tape_backward(s->tape));
        losses[step] = *value(s, s->model.loss);
        if (step == 0) {
            SLT_TRY(compare_outputs(s));
            SLT_TRY(compare_gradients(s));
        }
        frame->step.adam_count = (uint32_t)step + 1;
        slt_adam_step(s->tape);
        if (step > 0) continue;
        SLT_TRY(slt_store_fetch(s->store));
        slt_real norm = (slt_real)s->store->norm[0];
        slt_fixture_compare(&s->fixture, "gradnorm.global", &norm, 1, 1, 1, 1e-4);
        SLT_TRY(slt_fixture_first_step(&s->fixture, s->store, s->rate));
    }
    slt_fixture_compare(&s->fixture, "adam.losses", losses, 3, 1, 1, 1e-4);
    return slt_fixture_load(&s->fixture, s->store);
}

// ---- test mode

static void compare_depth(subject *s, int b, const slt_real *p_hat, slt_real *depth) {
    for (int t = 0; t < s->L; t++)
        depth[b * s->L + t] = t < s->lengths[b] ? (slt_real)slt_ompn_level(p_hat, s->n, t) : 0;
}

static slt_status compare_test(subject *s) {
    size_t B = (size_t)s->B, L = (size_t)s->L;
    const int32_t *counts, *want;
    int32_t *ids;
    slt_real *depth;
    SLT_TRY(slt_fixture_ints(&s->fixture, "test.oracle_segments", B, &counts));
    SLT_TRY(slt_fixture_ints(&s->fixture, "test.pred_ids", B * L, &want));
    SLT_TRY(SLT_NEW(s->arena, &ids, L));
    SLT_TRY(SLT_NEW(s->arena, &depth, B * L));
    SLT_TRY(slt_tape_forward(s->tape));
    for (int b = 0; b < s->B; b++) {
        const slt_real *p_hat = value(s, s->model.p_hat) + (size_t)b * L * (size_t)(s->n + 1);
        slt_ompn_ids_counted(p_hat, s->n, s->lengths[b], counts[b], ids);
        for (int t = 0; t < s->lengths[b]; t++)
            slt_verify_same(s->fixture.verification, want[b * s->L + t], ids[t], "test.pred_ids");
        compare_depth(s, b, p_hat, depth);
    }
    slt_fixture_compare(&s->fixture, "test.depth", depth, B * L, 1, 1, 2e-5);
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

static slt_status run(slt_verification *verification, const slt_golden *golden) {
    slt_safetensors *file;
    subject *s;
    SLT_TRY(slt_safetensors_view(&verification->context->allocator, golden->path, golden->text,
                                 golden->length, &file));
    slt_status status = SLT_NEW(verification->arena, &s, 1);
    if (status == SLT_OK) {
        s->fixture = (slt_fixture){verification, file, ""};
        s->arena = verification->arena;
        status = run_subject(s);
        slt_tape_destroy(s->tape);
        slt_store_destroy(s->store);
    }
    slt_safetensors_close(file);
    return status;
}

const slt_verify_kind slt_verify_ompn = {"ompn", knows, run};
