// Learning a linear chain by EM. Laws begin as ridge fits of random windows, spread as k-means++
// spreads its means; a sweep is a forward-backward pass and a weighted ridge regression per law.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "switching/chain_random.h"
#include "switching/linear_impl.h"
#include "switching/solve.h"

enum { WINDOWS = 48, WINDOW = 12, LEAST_SWEEPS = 11 };
static const double RIDGE = .3, ENOUGH = 1e-3; // nats per step that a sweep must gain
static const float LEAST_WEIGHT = 1e-4f;

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
    slt_chain_random random;
} fit;

// ---- beginning

static slt_status check(const slt_motion *motion, int64_t count, const slt_linear_options *o) {
    if (o->laws < 1 || o->laws > SLT_MOST_LAWS)
        SLT_FAIL(SLT_RANGE, "%d laws; 1 to %d are possible", o->laws, SLT_MOST_LAWS);
    if (count < 1) SLT_FAIL(SLT_INVALID, "no episodes to learn a chain from");
    if (motion->A < 1) SLT_FAIL(SLT_INVALID, "the actions never change");
    return SLT_OK;
}

static void find_limits(const fit *f) {
    slt_linear_chain *c = f->chain;
    for (int i = 0; i < c->A; i++) c->low[i] = INFINITY, c->high[i] = -INFINITY;
    for (int64_t e = 0; e < f->count; e++) {
        int64_t at = f->motion->offsets[f->episodes[e]],
                end = f->motion->offsets[f->episodes[e] + 1];
        for (; at < end; at++)
            for (int i = 0; i < c->A; i++) {
                double a = f->motion->actions[at * c->A + i];
                c->low[i] = fmin(c->low[i], a);
                c->high[i] = fmax(c->high[i], a);
            }
    }
}

// a random window: its first step and its length
static int64_t draw_window(fit *f, int64_t *length) {
    int64_t e = f->episodes[slt_chain_draw(&f->random, f->count)];
    int64_t first = f->motion->offsets[e], T = f->motion->offsets[e + 1] - first;
    *length = T < WINDOW ? T : WINDOW;
    return first + slt_chain_draw(&f->random, T - *length + 1);
}

// ridge regression of a window's actions on its inputs: law [X][A]
static void fit_window(fit *f, int64_t first, int64_t length, const float *inputs, double *law) {
    int X = slt_linear_inputs(f->chain), A = f->chain->A;
    slt_gram_begin(&f->gram, X, A);
    for (int64_t t = 0; t < length; t++)
        slt_gram_add(&f->gram, inputs + t * X, f->motion->actions + (first + t) * A, 1);
    slt_gram_solve(&f->gram, 1);
    memcpy(law, f->gram.moment, sizeof *law * (size_t)(X * A));
}

// squared errors of a law on a window, at most 9 each
static double window_error(const fit *f, int64_t first, int64_t length, const float *inputs,
                           const double *law) {
    int X = slt_linear_inputs(f->chain), A = f->chain->A;
    double sum = 0;
    for (int64_t t = 0; t < length; t++)
        for (int i = 0; i < A; i++) {
            double r = f->motion->actions[(first + t) * A + i];
            for (int d = 0; d < X; d++) r -= inputs[t * X + d] * law[d * A + i];
            sum += fmin(9, r * r);
        }
    return sum;
}

typedef struct {
    int64_t first[WINDOWS], length[WINDOWS];
    float *inputs; // [WINDOWS][WINDOW][X]
    double *laws;  // [WINDOWS][X][A]
} windows;

static slt_status draw_windows(fit *f, slt_arena *arena, windows *w) {
    size_t X = (size_t)slt_linear_inputs(f->chain), A = (size_t)f->chain->A;
    SLT_TRY(SLT_NEW(arena, &w->inputs, WINDOWS * WINDOW * X));
    SLT_TRY(SLT_NEW(arena, &w->laws, WINDOWS * X * A));
    for (size_t i = 0; i < WINDOWS; i++) {
        w->first[i] = draw_window(f, &w->length[i]);
        float *inputs = w->inputs + i * WINDOW * X;
        slt_linear_fill(f->chain, f->motion, w->first[i], w->length[i], inputs);
        fit_window(f, w->first[i], w->length[i], inputs, w->laws + i * X * A);
    }
    return SLT_OK;
}

static void take_law(slt_linear_chain *c, int k, const double *law) {
    int X = slt_linear_inputs(c), KA = c->K * c->A;
    for (int d = 0; d < X; d++)
        for (int i = 0; i < c->A; i++) {
            c->W[d * KA + k * c->A + i] = (float)law[d * c->A + i];
            if (d < c->D) c->V[d * KA + k * c->A + i] = (float)law[d * c->A + i];
        }
}

static slt_status draw_laws(fit *f, slt_arena *arena) {
    slt_linear_chain *c = f->chain;
    size_t X = (size_t)slt_linear_inputs(c), A = (size_t)c->A;
    double least[WINDOWS];
    windows w;
    SLT_TRY(draw_windows(f, arena, &w));
    for (int i = 0; i < WINDOWS; i++) least[i] = INFINITY;
    for (int k = 0; k < c->K; k++) {
        int64_t pick = k ? slt_chain_draw_weighted(&f->random, least, WINDOWS)
                         : slt_chain_draw(&f->random, WINDOWS);
        const double *law = w.laws + (size_t)pick * X * A;
        take_law(c, k, law);
        for (int i = 0; i < WINDOWS; i++)
            least[i] = fmin(least[i], 1e-6 + window_error(f, w.first[i], w.length[i],
                                                          w.inputs + (size_t)i * WINDOW * X, law));
    }
    return SLT_OK;
}

static slt_status begin(fit *f, slt_arena *arena) {
    slt_linear_chain *c = f->chain;
    find_limits(f);
    SLT_TRY(draw_laws(f, arena));
    for (int i = 0; i < c->K * c->A; i++) c->v[i] = .09 + c->floor * c->floor, c->u[i] = 1;
    for (int i = 0; i < c->A; i++) c->rho[i] = .73;
    for (int j = 0; j < c->K; j++) {
        c->q[j] = .05;
        c->start[j] = 1. / c->K;
        for (int k = 0; k < c->K; k++) {
            c->fresh[j][k] = 1. / c->K;
            c->change[j][k] = j == k || c->K == 1 ? 0 : 1. / (c->K - 1);
        }
    }
    c->mix = .5;
    return SLT_OK;
}

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

typedef enum { OF_STAY, OF_FRESH, OF_BOTH } which_rows;

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

// the equations of law k, and of S what its rows are weighted with
typedef struct {
    which_rows which;
    int k;
    double rho, v, u; // means over the numbers of an action
} equations;

// S: differences inside a segment, plain rows at its start
static void add_smooth_step(fit *f, const equations *q, const float *features, const float *actions,
                            float stay, float fresh, bool first) {
    const slt_linear_chain *c = f->chain;
    int D = c->D, A = c->A;
    if (fresh > LEAST_WEIGHT) slt_gram_add(&f->gram, features, actions, fresh / q->u);
    if (stay < LEAST_WEIGHT || first) return;
    for (int i = 0; i < D; i++) f->row[i] = features[i] - (float)q->rho * features[i - D];
    for (int i = 0; i < A; i++) f->target[i] = actions[i] - (float)c->rho[i] * actions[i - A];
    slt_gram_add(&f->gram, f->row, f->target, stay / q->v);
}

// adds a step to the equations
static void add_step(fit *f, const equations *q, int64_t step, int64_t at, bool first) {
    slt_linear_chain *c = f->chain;
    const slt_motion *m = f->motion;
    int D = c->D, A = c->A;
    float stay = f->stay[at * c->K + q->k], fresh = f->fresh[at * c->K + q->k];
    if (stay < LEAST_WEIGHT && fresh < LEAST_WEIGHT) return;
    const float *features = m->features + step * D, *actions = m->actions + step * A;
    const float *residual =
        (q->which == OF_FRESH ? f->r_fresh : f->r_stay) + (at * c->K + q->k) * A;
    if (q->which == OF_BOTH) {
        add_smooth_step(f, q, features, actions, stay, fresh, first);
    } else if (q->which == OF_FRESH) {
        if (fresh < LEAST_WEIGHT) return;
        unlimited(c, actions, residual, f->target);
        slt_gram_add(&f->gram, features, f->target, fresh);
    } else {
        if (stay < LEAST_WEIGHT) return;
        unlimited(c, actions, residual, f->target);
        memcpy(f->row, features, sizeof *features * (size_t)D);
        memcpy(f->row + D, first ? actions : actions - A, sizeof *actions * (size_t)A);
        slt_gram_add(&f->gram, f->row, f->target, stay);
    }
}

static double mean_of(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    return sum / count;
}

static void regress(fit *f, which_rows which, int k) {
    slt_linear_chain *c = f->chain;
    int A = c->A, X = which == OF_STAY ? c->D + A : c->D, KA = c->K * A;
    float *to = which == OF_FRESH ? c->V : c->W;
    equations q = {which, k, mean_of(c->rho, A), mean_of(c->v + k * A, A),
                   mean_of(c->u + k * A, A)};
    int64_t at = 0;
    slt_gram_begin(&f->gram, X, A);
    for (int64_t e = 0; e < f->count; e++) {
        int64_t first = f->motion->offsets[f->episodes[e]];
        int64_t T = f->motion->offsets[f->episodes[e] + 1] - first;
        for (int64_t t = 0; t < T; t++) add_step(f, &q, first + t, at++, t == 0);
    }
    slt_gram_solve(&f->gram, which == OF_BOTH ? RIDGE / q.v : RIDGE);
    for (int d = 0; d < X; d++)
        for (int i = 0; i < A; i++) to[d * KA + k * A + i] = (float)f->gram.moment[d * A + i];
}

// how much of a residual the next one remembers
static void update_rho(fit *f) {
    slt_linear_chain *c = f->chain;
    int K = c->K, A = c->A;
    for (int i = 0; i < A; i++) {
        double both = 0, square = 1e-9;
        for (int64_t at = 1; at < f->steps; at++)
            for (int k = 0; k < K; k++) {
                float w = f->stay[at * K + k];
                if (w < LEAST_WEIGHT) continue;
                const float *r = f->r_stay + (at * K + k) * A + i;
                both += (double)w * r[0] * r[-K * A];
                square += (double)w * r[-K * A] * r[-K * A];
            }
        c->rho[i] = fmin(.999, fmax(0, both / square));
    }
}

static void update_variances(fit *f) {
    slt_linear_chain *c = f->chain;
    int K = c->K, A = c->A;
    bool smooth = c->family == SLT_LAW_SMOOTH;
    const float *fresh = c->family == SLT_LAW_BOTH ? f->r_fresh : f->r_stay;
    double least = c->floor * c->floor, wv[SLT_MOST_LAWS] = {0}, wu[SLT_MOST_LAWS] = {0};
    memset(c->v, 0, sizeof *c->v * (size_t)(K * A));
    memset(c->u, 0, sizeof *c->u * (size_t)(K * A));
    for (int64_t at = 0; at < f->steps; at++)
        for (int k = 0; k < K; k++) {
            float s = f->stay[at * K + k], w = f->fresh[at * K + k];
            const float *r = f->r_stay + (at * K + k) * A, *q = fresh + (at * K + k) * A;
            wv[k] += s, wu[k] += w;
            if (s >= LEAST_WEIGHT)
                for (int i = 0; i < A; i++) {
                    double x = smooth ? r[i] - c->rho[i] * r[i - K * A] : r[i];
                    c->v[k * A + i] += s * x * x;
                }
            if (w >= LEAST_WEIGHT)
                for (int i = 0; i < A; i++) c->u[k * A + i] += (double)w * q[i] * q[i];
        }
    for (int k = 0; k < K; k++)
        for (int i = 0; i < A; i++) {
            c->v[k * A + i] = fmax(least, c->v[k * A + i] / (wv[k] + 1e-9));
            c->u[k * A + i] = fmax(least, c->u[k * A + i] / (wu[k] + 1e-9));
        }
}

static void normalise(double *row, int K) {
    double sum = 0;
    for (int k = 0; k < K; k++) sum += row[k];
    for (int k = 0; k < K; k++) row[k] = sum > 0 ? row[k] / sum : 0;
}

static void update_moves(fit *f) {
    slt_linear_chain *c = f->chain;
    const slt_linear_sums *s = &f->sums;
    double changes = 0, freshes = 0;
    for (int j = 0; j < c->K; j++) {
        double leaves = 0;
        for (int k = 0; k < c->K; k++) {
            leaves += s->change[j][k] + s->fresh[j][k];
            changes += s->change[j][k], freshes += s->fresh[j][k];
            c->change[j][k] = j == k ? 0 : s->change[j][k] + .1;
            c->fresh[j][k] = s->fresh[j][k] + .1;
        }
        normalise(c->change[j], c->K);
        normalise(c->fresh[j], c->K);
        c->q[j] = fmin(.5, fmax(1e-4, (leaves + .5) / (leaves + s->stays[j] + 10)));
        c->start[j] = s->start[j] + .1;
    }
    normalise(c->start, c->K);
    c->mix = (freshes + 1) / (freshes + changes + 2);
}

static void maximise(fit *f) {
    slt_linear_chain *c = f->chain;
    for (int k = 0; k < c->K; k++) {
        regress(f, c->family == SLT_LAW_SMOOTH ? OF_BOTH : OF_STAY, k);
        if (c->family == SLT_LAW_BOTH) regress(f, OF_FRESH, k);
    }
    measure(f);
    if (c->family == SLT_LAW_SMOOTH) update_rho(f);
    update_variances(f);
    update_moves(f);
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
        c->nats = -nats;
        if (c->sweeps > LEAST_SWEEPS && nats - last < ENOUGH) break;
        last = nats;
    }
}

slt_status slt_linear_fit(slt_arena *arena, const slt_motion *motion, const int64_t *episodes,
                          int64_t count, const slt_linear_options *options, slt_linear_chain *out) {
    slt_arena scratch;
    fit f = {.chain = out, .motion = motion, .episodes = episodes, .count = count};
    slt_chain_random_init(&f.random, options->seed);
    SLT_TRY(check(motion, count, options));
    SLT_TRY(slt_linear_init(arena, options->family, options->laws, motion->A, motion->D, out));
    out->floor = options->floor;
    slt_arena_init(&scratch, arena->allocator, 0);
    slt_status status = reserve(&f, &scratch);
    if (status == SLT_OK) status = begin(&f, &scratch);
    if (status == SLT_OK) sweep(&f, options->sweeps);
    slt_arena_deinit(&scratch);
    return status;
}
