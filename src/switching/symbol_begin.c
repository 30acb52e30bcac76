// How a symbol chain begins: its shape, random values, and which symbols may be sure ends.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "switching/symbol_learn.h"

enum { MOST_ENDS = 3 };
static const double RARE = .005;         // share of steps below which a symbol is no candidate
static const double COMMON = .4;         // share above which it ends no segment, unless told
static const double LEAST_PRIOR = 1e-12; // of the greatest chance; counts below are impossible

// ---- the chain

static slt_status take_prior(slt_arena *arena, const double *prior, int counts,
                             slt_symbol_chain *c) {
    double sum = 0, most = 0;
    for (int n = 0; n < counts; n++) {
        if (!(prior[n] >= 0 && prior[n] < INFINITY))
            SLT_FAIL(SLT_INVALID, "the chance of %d segments is %g", n + 1, prior[n]);
        most = fmax(most, prior[n]);
    }
    if (!(most > 0)) SLT_FAIL(SLT_INVALID, "no number of segments has a chance above 0");
    SLT_TRY(SLT_NEW(arena, &c->count_prior, (size_t)counts));
    for (int n = 0; n < counts; n++) {
        if (prior[n] < LEAST_PRIOR * most) continue;
        sum += c->count_prior[n] = prior[n] / most;
        c->N = n + 1;
    }
    for (int n = 0; n < c->N; n++) c->count_prior[n] /= sum;
    return SLT_OK;
}

static slt_status check(const slt_symbol_options *o, int A) {
    if (o->laws < 1 || o->laws > SLT_MOST_LAWS)
        SLT_FAIL(SLT_RANGE, "%d laws; 1 to %d are possible", o->laws, SLT_MOST_LAWS);
    if (o->count_prior && (o->counts < 1 || o->counts > SLT_MOST_COUNTS))
        SLT_FAIL(SLT_RANGE, "a prior of %d counts; 1 to %d are possible", o->counts,
                 SLT_MOST_COUNTS);
    if (o->family == SLT_CHAIN_EVENTS && A > SLT_MOST_EVENT_ACTIONS)
        SLT_FAIL(SLT_UNSUPPORTED, "%d actions; event chains know at most %d", A,
                 SLT_MOST_EVENT_ACTIONS);
    return SLT_OK;
}

slt_status slt_symbol_chain_init(slt_arena *arena, const slt_symbol_options *o, int A, int Q,
                                 slt_symbol_chain *out) {
    SLT_TRY(check(o, A));
    bool events = o->family == SLT_CHAIN_EVENTS;
    size_t K = (size_t)o->laws, a = (size_t)A, pairs = events ? a * a * K : 0;
    slt_symbol_chain c = {.family = o->family, .K = o->laws, .A = A, .Q = Q};
    c.size = pairs + a * K + K * K + K + (events ? (size_t)Q : 0);
    SLT_TRY(SLT_NEW(arena, &c.values, c.size));
    c.B = events ? c.values : NULL;
    c.S = c.values + pairs;
    c.T = c.S + a * K;
    c.pi = c.T + K * K;
    c.h = events ? c.pi + K : NULL;
    for (int k = 0; k < c.K; k++) c.group[k] = (uint8_t)k;
    if (o->count_prior) SLT_TRY(take_prior(arena, o->count_prior, o->counts, &c));
    *out = c;
    return SLT_OK;
}

// ---- random values

// a random distribution over actions for law k: row [count], K apart
static void draw_row(slt_symbol_learner *l, double shape, double *row, int count, int K) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += row[i * K] = slt_chain_gamma(&l->random, shape);
    for (int i = 0; i < count; i++) row[i * K] /= sum;
}

static void draw_events(slt_symbol_learner *l) {
    slt_symbol_chain *c = l->chain;
    int K = c->K, A = c->A;
    for (int k = 0; k < K; k++) {
        for (int a = 0; a < A; a++) draw_row(l, 2, c->B + (size_t)a * (size_t)(A * K) + k, A, K);
        draw_row(l, 2, c->S + k, A, K);
        draw_row(l, 2, c->T + k * K, K, 1);
    }
    draw_row(l, 2, c->pi, K, 1);
}

static void draw_hazards(slt_symbol_learner *l) {
    slt_symbol_chain *c = l->chain;
    for (int q = 0; q < c->Q; q++) { // Beta(1,3)
        double h = 1 - cbrt(1 - slt_chain_unit(&l->random));
        c->h[q] = fmin(.9, fmax(.02, h));
    }
}

static void draw_ends(slt_symbol_learner *l) {
    slt_symbol_chain *c = l->chain;
    bool told = c->N > 0;
    int64_t ends = 1 + slt_chain_draw(&l->random, MOST_ENDS);
    slt_chain_shuffle(&l->random, l->candidates, l->candidate_count);
    for (int q = 0; q < c->Q; q++) c->h[q] = told ? .02 : .003;
    for (int64_t i = 0; i < ends && i < l->candidate_count; i++)
        c->h[l->candidates[i]] = told ? .9 : .95;
}

static void draw_phases(slt_symbol_learner *l) {
    slt_symbol_chain *c = l->chain;
    int K = c->K;
    for (int k = 0; k < K; k++) {
        draw_row(l, 1, c->S + k, c->A, K);
        c->pi[k] = 1. / K;
        for (int j = 0; j < K; j++) c->T[k * K + j] = K == 1 ? 1 : j == k ? .9 : .1 / (K - 1);
        // not told, boundaries do not matter before the laws are known
        c->group[k] = c->N ? (uint8_t)k : 0;
    }
}

// ---- which symbols may be events

// Ends after most of the steps are a chain of single steps, not of segments: what is done most of
// the time is no event. Told the number of segments, a chain cannot end there.
static void find_candidates(slt_symbol_learner *l) {
    const slt_symbols *s = l->symbols;
    double steps = (double)l->steps;
    int64_t *times = l->candidates;
    for (int64_t e = 0; e < l->count; e++)
        for (int64_t t = s->offsets[l->episodes[e]]; t < s->offsets[l->episodes[e] + 1]; t++)
            times[s->symbol[t]]++;
    for (int q = 0; q < l->chain->Q; q++) {
        double share = (double)times[q] / steps;
        l->barred[q] = !l->chain->N && share > COMMON;
        if (share > RARE && !l->barred[q]) l->candidates[l->candidate_count++] = q;
    }
}

void slt_symbol_draw(slt_symbol_learner *l) {
    if (l->chain->family == SLT_CHAIN_PHASES) {
        draw_phases(l);
        return;
    }
    draw_events(l);
    if (l->candidate_count)
        draw_ends(l);
    else
        draw_hazards(l);
}

// ---- a learner

slt_status slt_symbol_sums_init(slt_symbol_sums *s, slt_arena *arena, const slt_symbol_chain *c) {
    bool events = c->family == SLT_CHAIN_EVENTS;
    size_t K = (size_t)c->K, A = (size_t)c->A, Q = (size_t)c->Q, pairs = events ? A * A * K : 0;
    s->size = pairs + A * K + K + 2 * Q;
    SLT_TRY(SLT_NEW(arena, &s->values, s->size));
    s->B = s->values;
    s->S = s->B + pairs;
    s->pi = s->S + A * K;
    s->h = s->pi + K;
    s->stays = s->h + Q;
    return SLT_OK;
}

void slt_symbol_sums_clear(slt_symbol_sums *s) {
    memset(s->values, 0, sizeof *s->values * s->size);
    memset(s->inside, 0, sizeof s->inside);
    memset(s->across, 0, sizeof s->across);
}

slt_status slt_symbol_learner_init(slt_symbol_learner *l, slt_arena *arena, slt_arena *scratch,
                                   const slt_symbol_options *options) {
    size_t Q = (size_t)l->symbols->Q;
    SLT_TRY(slt_symbol_chain_init(arena, options, l->symbols->A, l->symbols->Q, l->chain));
    slt_chain_random_init(&l->random, options->seed);
    for (int64_t e = 0; e < l->count; e++)
        l->steps += slt_symbol_episode_view(l->symbols, l->episodes[e]).length;
    if (!l->steps) SLT_FAIL(SLT_INVALID, "no steps to learn a chain from");
    SLT_TRY(slt_symbol_sums_init(&l->sums, scratch, l->chain));
    SLT_TRY(SLT_NEW(scratch, &l->best, l->chain->size));
    SLT_TRY(SLT_NEW(scratch, &l->barred, Q));
    SLT_TRY(SLT_NEW(scratch, &l->ends, Q));
    SLT_TRY(SLT_NEW(scratch, &l->single, Q));
    SLT_TRY(SLT_NEW(scratch, &l->candidates, Q));
    if (options->family == SLT_CHAIN_EVENTS && options->starts > 0) find_candidates(l);
    return SLT_OK;
}
