// The closed-form steps of a symbol chain: what its sums over all steps make of it, and when it has
// learned enough.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "switching/symbol_learn.h"

enum { LEAST_SWEEPS = 20 };
static const double OFTEN = .5;       // an event ends a segment at least so often, unless told
static const double CLOSE_LAWS = .05; // Jensen-Shannon distance of laws that are one, in nats
static const double LEAST_HAZARD = 1e-6;

// shares of counts, each with a little more: the greatest posterior under a Dirichlet prior.
// [count][K], over the first index
static void shares(const double *counts, double more, double *out, int count, int K) {
    for (int k = 0; k < K; k++) {
        double sum = 0;
        for (int i = 0; i < count; i++) sum += out[i * K + k] = counts[i * K + k] + more;
        for (int i = 0; i < count; i++) out[i * K + k] /= sum;
    }
}

void slt_symbol_maximise(slt_symbol_chain *c, const slt_symbol_sums *s, const bool *barred) {
    bool events = c->family == SLT_CHAIN_EVENTS;
    int K = c->K, A = c->A;
    double more = events ? .1 : .01;
    for (int j = 0; j < K; j++) {
        double row[SLT_MOST_LAWS];
        for (int k = 0; k < K; k++) {
            bool cross = events || c->group[j] != c->group[k];
            row[k] = c->T[j * K + k] * (cross ? s->across : s->inside)[j * K + k];
        }
        shares(row, more, c->T + j * K, K, 1);
    }
    shares(s->S, more, c->S, A, K);
    shares(s->pi, more, c->pi, K, 1);
    if (!events) return;
    for (int a = 0; a < A; a++) {
        size_t at = (size_t)a * (size_t)(A * K);
        shares(s->B + at, more, c->B + at, A, K);
    }
    for (int q = 0; q < c->Q; q++) {
        double h = (s->h[q] + more) / (s->h[q] + s->stays[q] + 2 * more);
        c->h[q] = barred[q] ? LEAST_HAZARD : fmin(1 - LEAST_HAZARD, fmax(LEAST_HAZARD, h));
    }
}

bool slt_symbol_settled(slt_symbol_chain *c, double nats, double last) {
    double enough = c->family == SLT_CHAIN_EVENTS ? 1e-5 : 1e-6;
    c->nats = -nats;
    return ++c->sweeps > LEAST_SWEEPS && nats - last < enough;
}

bool slt_symbol_has_strays(const slt_symbol_learner *l) {
    return l->candidate_count && !l->chain->N;
}

// Ends after a symbol that seldom ends a segment only change the law: no event. Nor is a symbol one
// that mostly comes before segments of a single step, as where an action is repeated: that is a
// chain of steps. Or the record lost the event, so the chain remembers how many such ends there
// were.
bool slt_symbol_bar_others(slt_symbol_learner *l) {
    slt_symbol_chain *c = l->chain;
    bool any = false;
    double all = 0, stray = 0;
    for (int q = 0; q < c->Q; q++) {
        bool chained = 2 * l->single[q] > l->ends[q];
        all += l->sums.h[q];
        if (l->barred[q] || (c->h[q] >= OFTEN && !chained)) continue;
        any = l->barred[q] = true;
        stray += l->sums.h[q];
        c->h[q] = LEAST_HAZARD;
    }
    if (all > 0) c->stray += (1 - c->stray) * stray / all;
    return any;
}

// ---- laws that are one

// Jensen-Shannon distance of the emissions of two laws
static double distance(const slt_symbol_chain *c, int i, int j) {
    double sum = 0;
    for (int a = 0; a < c->A; a++) {
        double x = c->S[a * c->K + i], y = c->S[a * c->K + j], mean = (x + y) / 2;
        if (x > 0) sum += .5 * x * log(x / mean);
        if (y > 0) sum += .5 * y * log(y / mean);
    }
    return sum;
}

void slt_symbol_merge_laws(slt_symbol_chain *c) {
    for (int k = 0; k < c->K; k++) c->group[k] = (uint8_t)k;
    for (int i = 0; i < c->K; i++)
        for (int j = 0; j < i; j++) {
            if (c->group[i] == c->group[j] || distance(c, i, j) >= CLOSE_LAWS) continue;
            uint8_t from = c->group[i], to = c->group[j];
            for (int k = 0; k < c->K; k++)
                if (c->group[k] == from) c->group[k] = to;
        }
}
