// Learning a linear chain by EM: a sweep is a forward-backward pass and a weighted ridge regression
// per law.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "switching/linear_impl.h"
#include "switching/solve.h"

typedef struct {
    slt_linear_chain *chain;
    const slt_motion *motion;
    const int64_t *episodes;
    int64_t count, steps;
    slt_linear_tables tables;
    float *stay, *fresh;     // [steps][K] posteriors
    float *r_stay, *r_fresh; // [steps][K*A] residuals
    slt_gram gram;           // [X][X], [X][A]
    float *row, *target;     // [D+A], [A]
    slt_linear_sums sums;
} fit;

// ---- expectation

static double expect(fit *f) {
    slt_linear_chain *c = f->chain;
    size_t K = (size_t)c->K, KA = K * (size_t)c->A;
    int64_t at = 0;
    double nats = 0;
    f->sums = (slt_linear_sums){0};
    for (int64_t e = 0; e < f->count; e++) {
        int64_t first = f->motion->offsets[f->episodes[e]];
        int64_t T = f->motion->offsets[f->episodes[e] + 1] - first;
        slt_linear_tables t = f->tables;
        t.stay = f->r_stay + (size_t)at * KA;
        t.fresh = f->r_fresh + (size_t)at * KA;
        slt_linear_densities(c, T, &t);
        nats += slt_linear_smooth(c, T, &t, f->stay + (size_t)at * K, f->fresh + (size_t)at * K,
                                  NULL, &f->sums);
        at += T;
    }
    slt_linear_weigh(c, &f->sums);
    return nats;
}

// residuals of all steps under the present laws
static void measure(fit *f) {
    size_t KA = (size_t)(f->chain->K * f->chain->A);
    int64_t at = 0;
    for (int64_t e = 0; e < f->count; e++) {
        int64_t first = f->motion->offsets[f->episodes[e]];
        int64_t T = f->motion->offsets[f->episodes[e] + 1] - first;
        slt_linear_tables t = f->tables;
        t.stay = f->r_stay + (size_t)at * KA;
        t.fresh = f->r_fresh + (size_t)at * KA;
        slt_linear_residuals(f->chain, f->motion, first, T, &t);
        at += T;
    }
}

// ---- maximisation

// The action that a regression without limits would have to give: the action itself, or, where the
// prediction lies outside the limits, that prediction and what is left of the error. (With slopes
// of at most 1 this majorises the error, so a sweep does not make it worse.)
static void unlimited(const slt_linear_chain *c, const float *actions, const float *residual,
                      float *out) {
    for (int i = 0; i < c->A; i++) {
        float low = (float)c->low[i], high = (float)c->high[i], x = actions[i] - residual[i];
        float beyond = x > high ? x - high : x < low ? x - low : 0;
        out[i] = actions[i] + 19 * beyond;
    }
}

// S: differences inside a segment, plain rows at its start
static void add_smooth_step(fit *f, const slt_linear_regression *q, const float *features,
                            const float *actions, float stay, float fresh, bool first) {
    const slt_linear_chain *c = f->chain;
    int D = c->D, A = c->A;
    if (fresh > SLT_LEAST_WEIGHT) slt_gram_add(&f->gram, features, actions, fresh / q->u);
    if (stay < SLT_LEAST_WEIGHT || first) return;
    for (int i = 0; i < D; i++) f->row[i] = features[i] - (float)q->rho * features[i - D];
    for (int i = 0; i < A; i++) f->target[i] = actions[i] - (float)c->rho[i] * actions[i - A];
    slt_gram_add(&f->gram, f->row, f->target, stay / q->v);
}

// adds a step to the equations
static void add_step(fit *f, const slt_linear_regression *q, int k, int64_t step, int64_t at,
                     bool first) {
    slt_linear_chain *c = f->chain;
    const slt_motion *m = f->motion;
    int D = c->D, A = c->A;
    float stay = f->stay[at * c->K + k], fresh = f->fresh[at * c->K + k];
    if (stay < SLT_LEAST_WEIGHT && fresh < SLT_LEAST_WEIGHT) return;
    const float *features = m->features + step * D, *actions = m->actions + step * A;
    const float *residual =
        (q->rows == SLT_ROWS_FRESH ? f->r_fresh : f->r_stay) + (at * c->K + k) * A;
    if (q->rows == SLT_ROWS_BOTH) {
        add_smooth_step(f, q, features, actions, stay, fresh, first);
    } else if (q->rows == SLT_ROWS_FRESH) {
        if (fresh < SLT_LEAST_WEIGHT) return;
        unlimited(c, actions, residual, f->target);
        slt_gram_add(&f->gram, features, f->target, fresh);
    } else {
        if (stay < SLT_LEAST_WEIGHT) return;
        unlimited(c, actions, residual, f->target);
        memcpy(f->row, features, sizeof *features * (size_t)D);
        memcpy(f->row + D, first ? actions : actions - A, sizeof *actions * (size_t)A);
        slt_gram_add(&f->gram, f->row, f->target, stay);
    }
}

static void regress(fit *f, slt_linear_rows rows, int k) {
    slt_linear_regression r = slt_linear_regression_of(f->chain, rows, k);
    int64_t at = 0;
    slt_gram_begin(&f->gram, r.inputs, f->chain->A);
    for (int64_t e = 0; e < f->count; e++) {
        int64_t first = f->motion->offsets[f->episodes[e]];
        int64_t T = f->motion->offsets[f->episodes[e] + 1] - first;
        for (int64_t t = 0; t < T; t++) add_step(f, &r, k, first + t, at++, t == 0);
    }
    slt_gram_solve(&f->gram, r.ridge);
    slt_linear_take_law(f->chain, rows, k, f->gram.moment);
}

// how much of a residual the next one remembers
static void update_memory(fit *f) {
    slt_linear_chain *c = f->chain;
    int K = c->K, A = c->A;
    for (int i = 0; i < A; i++) {
        double both = 0, square = 0;
        for (int64_t at = 1; at < f->steps; at++)
            for (int k = 0; k < K; k++) {
                float w = f->stay[at * K + k];
                if (w < SLT_LEAST_WEIGHT) continue;
                const float *r = f->r_stay + (at * K + k) * A + i;
                both += (double)w * r[0] * r[-K * A];
                square += (double)w * r[-K * A] * r[-K * A];
            }
        slt_linear_take_memory(c, i, both, square);
    }
}

static void update_spread(fit *f) {
    slt_linear_chain *c = f->chain;
    int K = c->K, A = c->A;
    bool smooth = c->family == SLT_LAW_SMOOTH;
    const float *fresh = c->family == SLT_LAW_BOTH ? f->r_fresh : f->r_stay;
    double wv[SLT_MOST_LAWS] = {0}, wu[SLT_MOST_LAWS] = {0};
    memset(c->v, 0, sizeof *c->v * (size_t)(K * A));
    memset(c->u, 0, sizeof *c->u * (size_t)(K * A));
    for (int64_t at = 0; at < f->steps; at++)
        for (int k = 0; k < K; k++) {
            float s = f->stay[at * K + k], w = f->fresh[at * K + k];
            const float *r = f->r_stay + (at * K + k) * A, *q = fresh + (at * K + k) * A;
            wv[k] += s, wu[k] += w;
            if (s >= SLT_LEAST_WEIGHT)
                for (int i = 0; i < A; i++) {
                    double x = smooth ? r[i] - c->rho[i] * r[i - K * A] : r[i];
                    c->v[k * A + i] += s * x * x;
                }
            if (w >= SLT_LEAST_WEIGHT)
                for (int i = 0; i < A; i++) c->u[k * A + i] += (double)w * q[i] * q[i];
        }
    slt_linear_take_spread(c, c->v, c->u, wv, wu);
}

static void maximise(fit *f) {
    slt_linear_chain *c = f->chain;
    for (int k = 0; k < c->K; k++) {
        regress(f, c->family == SLT_LAW_SMOOTH ? SLT_ROWS_BOTH : SLT_ROWS_STAY, k);
        if (c->family == SLT_LAW_BOTH) regress(f, SLT_ROWS_FRESH, k);
    }
    measure(f);
    if (c->family == SLT_LAW_SMOOTH) update_memory(f);
    update_spread(f);
    slt_linear_take_moves(c, &f->sums);
}

// ---- all of it

static slt_status reserve(fit *f, slt_arena *arena) {
    const slt_linear_chain *c = f->chain;
    size_t X = (size_t)(c->D + c->A), K = (size_t)c->K, KA = K * (size_t)c->A;
    int64_t longest = 0;
    for (int64_t e = 0; e < f->count; e++) {
        int64_t T = f->motion->offsets[f->episodes[e] + 1] - f->motion->offsets[f->episodes[e]];
        longest = T > longest ? T : longest;
        f->steps += T;
    }
    SLT_TRY(slt_linear_tables_init(&f->tables, arena, c, longest));
    SLT_TRY(SLT_NEW(arena, &f->stay, (size_t)f->steps * K));
    SLT_TRY(SLT_NEW(arena, &f->fresh, (size_t)f->steps * K));
    SLT_TRY(SLT_NEW(arena, &f->r_stay, (size_t)f->steps * KA));
    SLT_TRY(SLT_NEW(arena, &f->r_fresh, (size_t)f->steps * KA));
    SLT_TRY(SLT_NEW(arena, &f->gram.gram, X * X));
    SLT_TRY(SLT_NEW(arena, &f->gram.moment, X * (size_t)c->A));
    SLT_TRY(SLT_NEW(arena, &f->gram.rows, SLT_GRAM_ROWS * (X + (size_t)c->A)));
    SLT_TRY(SLT_NEW(arena, &f->row, X));
    return SLT_NEW(arena, &f->target, (size_t)c->A);
}

static void sweep(fit *f, int most) {
    slt_linear_chain *c = f->chain;
    double last = -INFINITY;
    measure(f);
    for (c->sweeps = 1; c->sweeps <= most; c->sweeps++) {
        double nats = expect(f) / (double)f->steps;
        maximise(f);
        if (slt_linear_settled(c, nats, last)) break;
        last = nats;
    }
}

slt_status slt_linear_fit(slt_arena *arena, const slt_motion *motion, const int64_t *episodes,
                          int64_t count, const slt_linear_options *options, slt_linear_chain *out) {
    slt_arena scratch;
    fit f = {.chain = out, .motion = motion, .episodes = episodes, .count = count};
    SLT_TRY(slt_linear_prepare(arena, motion, count, options, out));
    slt_arena_init(&scratch, arena->allocator, 0);
    slt_status status = reserve(&f, &scratch);
    if (status == SLT_OK)
        status = slt_linear_begin(out, motion, episodes, count, options->seed, &scratch);
    if (status == SLT_OK) sweep(&f, options->sweeps);
    slt_arena_deinit(&scratch);
    return status;
}
