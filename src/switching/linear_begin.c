// How a linear chain begins: laws are ridge fits of random windows, spread as k-means++ spreads its
// means.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "switching/chain_random.h"
#include "switching/linear_impl.h"
#include "switching/solve.h"

enum { WINDOWS = 48, WINDOW = 12 };

typedef struct {
    slt_linear_chain *chain;
    const slt_motion *motion;
    const int64_t *episodes;
    int64_t count;
    slt_gram gram;
    slt_chain_random random;
} start;

static void find_limits(const start *f) {
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
static int64_t draw_window(start *f, int64_t *length) {
    int64_t e = f->episodes[slt_chain_draw(&f->random, f->count)];
    int64_t first = f->motion->offsets[e], T = f->motion->offsets[e + 1] - first;
    *length = T < WINDOW ? T : WINDOW;
    return first + slt_chain_draw(&f->random, T - *length + 1);
}

// ridge regression of a window's actions on its inputs: law [X][A]
static void fit_window(start *f, int64_t first, int64_t length, const float *inputs, double *law) {
    int X = slt_linear_inputs(f->chain), A = f->chain->A;
    slt_gram_begin(&f->gram, X, A);
    for (int64_t t = 0; t < length; t++)
        slt_gram_add(&f->gram, inputs + t * X, f->motion->actions + (first + t) * A, 1);
    slt_gram_solve(&f->gram, 1);
    memcpy(law, f->gram.moment, sizeof *law * (size_t)(X * A));
}

// squared errors of a law on a window, at most 9 each
static double window_error(const start *f, int64_t first, int64_t length, const float *inputs,
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

static slt_status draw_windows(start *f, slt_arena *arena, windows *w) {
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

static slt_status draw_laws(start *f, slt_arena *arena) {
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

slt_status slt_linear_prepare(slt_arena *arena, const slt_motion *motion, int64_t count,
                              const slt_linear_options *o, slt_linear_chain *out) {
    if (o->laws < 1 || o->laws > SLT_MOST_LAWS)
        SLT_FAIL(SLT_RANGE, "%d laws; 1 to %d are possible", o->laws, SLT_MOST_LAWS);
    if (count < 1) SLT_FAIL(SLT_INVALID, "no episodes to learn a chain from");
    if (motion->A < 1) SLT_FAIL(SLT_INVALID, "the actions never change");
    SLT_TRY(slt_linear_init(arena, o->family, o->laws, motion->A, motion->D, out));
    out->floor = o->floor;
    return SLT_OK;
}

slt_status slt_linear_begin(slt_linear_chain *c, const slt_motion *motion, const int64_t *episodes,
                            int64_t count, uint64_t seed, slt_arena *arena) {
    start f = {.chain = c, .motion = motion, .episodes = episodes, .count = count};
    size_t X = (size_t)(c->D + c->A), A = (size_t)c->A;
    slt_chain_random_init(&f.random, seed);
    SLT_TRY(SLT_NEW(arena, &f.gram.gram, X * X));
    SLT_TRY(SLT_NEW(arena, &f.gram.moment, X * A));
    SLT_TRY(SLT_NEW(arena, &f.gram.rows, SLT_GRAM_ROWS * (X + A)));
    find_limits(&f);
    SLT_TRY(draw_laws(&f, arena));
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
