// Learning a symbol chain by EM. Event chains can begin with a few symbols as sure ends: many
// random sets are tried for a few sweeps, and the likeliest continues.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "switching/chain_random.h"
#include "switching/symbol_impl.h"

enum { LEAST_SWEEPS = 20, SHORT_SWEEPS = 6, SHORT_EPISODES = 120, MOST_ENDS = 3 };
static const double RARE = .005;      // share of steps below which a symbol is no candidate
static const double COMMON = .4;      // share above which it ends no segment, unless told
static const double OFTEN = .5;       // an event ends a segment at least so often, unless told
static const double CLOSE_LAWS = .05; // Jensen-Shannon distance of laws that are one, in nats
static const double LEAST_HAZARD = 1e-6;
static const double LEAST_PRIOR = 1e-12; // of the greatest chance; counts below are impossible

typedef struct {
    slt_symbol_chain *chain;
    const slt_symbols *symbols;
    const int64_t *episodes;
    int64_t count, steps;
    slt_symbol_tables tables;
    slt_symbol_sums sums;
    slt_chain_random random;
    double *best;        // the values of the best start
    int64_t *candidates; // [Q] symbols that may be sure ends
    int64_t candidate_count;
    bool *barred;          // [Q] symbols that end no segment
    double *ends, *single; // [Q] ends after a symbol; those before a segment of one step
    float *chance;         // [longest] of a boundary after each step
} fit;

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

// ---- beginning

// a random distribution over actions for law k: row [count], K apart
static void draw_row(fit *f, double shape, double *row, int count, int K) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += row[i * K] = slt_chain_gamma(&f->random, shape);
    for (int i = 0; i < count; i++) row[i * K] /= sum;
}

static void draw_events(fit *f) {
    slt_symbol_chain *c = f->chain;
    int K = c->K, A = c->A;
    for (int k = 0; k < K; k++) {
        for (int a = 0; a < A; a++) draw_row(f, 2, c->B + (size_t)a * (size_t)(A * K) + k, A, K);
        draw_row(f, 2, c->S + k, A, K);
        draw_row(f, 2, c->T + k * K, K, 1);
    }
    draw_row(f, 2, c->pi, K, 1);
}

static void draw_hazards(fit *f) {
    slt_symbol_chain *c = f->chain;
    for (int q = 0; q < c->Q; q++) { // Beta(1,3)
        double h = 1 - cbrt(1 - slt_chain_unit(&f->random));
        c->h[q] = fmin(.9, fmax(.02, h));
    }
}

static void draw_ends(fit *f) {
    slt_symbol_chain *c = f->chain;
    bool told = c->N > 0;
    int64_t ends = 1 + slt_chain_draw(&f->random, MOST_ENDS);
    slt_chain_shuffle(&f->random, f->candidates, f->candidate_count);
    for (int q = 0; q < c->Q; q++) c->h[q] = told ? .02 : .003;
    for (int64_t i = 0; i < ends && i < f->candidate_count; i++)
        c->h[f->candidates[i]] = told ? .9 : .95;
}

static void draw_phases(fit *f) {
    slt_symbol_chain *c = f->chain;
    int K = c->K;
    for (int k = 0; k < K; k++) {
        draw_row(f, 1, c->S + k, c->A, K);
        c->pi[k] = 1. / K;
        for (int j = 0; j < K; j++) c->T[k * K + j] = K == 1 ? 1 : j == k ? .9 : .1 / (K - 1);
        // not told, boundaries do not matter before the laws are known
        c->group[k] = c->N ? (uint8_t)k : 0;
    }
}

// ---- a sweep

static double expect(fit *f, int64_t count) {
    slt_symbol_moves moves;
    double nats = 0;
    slt_symbol_moves_of(f->chain, &moves);
    memset(f->sums.values, 0, sizeof *f->sums.values * f->sums.size);
    memset(f->sums.inside, 0, sizeof f->sums.inside);
    memset(f->sums.across, 0, sizeof f->sums.across);
    for (int64_t e = 0; e < count; e++)
        nats +=
            slt_symbol_smooth(f->chain, &moves, slt_symbol_episode_view(f->symbols, f->episodes[e]),
                              &f->tables, NULL, &f->sums);
    return nats;
}

// shares of counts, each with a little more: the greatest posterior under a Dirichlet prior.
// [count][K], over the first index
static void shares(const double *counts, double more, double *out, int count, int K) {
    for (int k = 0; k < K; k++) {
        double sum = 0;
        for (int i = 0; i < count; i++) sum += out[i * K + k] = counts[i * K + k] + more;
        for (int i = 0; i < count; i++) out[i * K + k] /= sum;
    }
}

static void maximise(fit *f) {
    slt_symbol_chain *c = f->chain;
    const slt_symbol_sums *s = &f->sums;
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
        c->h[q] = f->barred[q] ? LEAST_HAZARD : fmin(1 - LEAST_HAZARD, fmax(LEAST_HAZARD, h));
    }
}

static void sweep(fit *f, int most) {
    slt_symbol_chain *c = f->chain;
    double last = -INFINITY, enough = c->family == SLT_CHAIN_EVENTS ? 1e-5 : 1e-6;
    for (c->sweeps = 0; c->sweeps < most;) {
        double nats = expect(f, f->count) / (double)f->steps;
        maximise(f);
        c->nats = -nats;
        if (++c->sweeps > LEAST_SWEEPS && nats - last < enough) break;
        last = nats;
    }
}

// ---- which symbols are events

// Ends after most of the steps are a chain of single steps, not of segments: what is done most of
// the time is no event. Told the number of segments, a chain cannot end there.
static void find_candidates(fit *f) {
    const slt_symbols *s = f->symbols;
    double steps = (double)f->steps;
    int64_t *times = f->candidates;
    for (int64_t e = 0; e < f->count; e++)
        for (int64_t t = s->offsets[f->episodes[e]]; t < s->offsets[f->episodes[e] + 1]; t++)
            times[s->symbol[t]]++;
    for (int q = 0; q < f->chain->Q; q++) {
        double share = (double)times[q] / steps;
        f->barred[q] = !f->chain->N && share > COMMON;
        if (share > RARE && !f->barred[q]) f->candidates[f->candidate_count++] = q;
    }
}

// Ends after each symbol, and those of them after which the next step ends a segment, too.
static void count_ends(fit *f) {
    slt_symbol_moves moves;
    slt_symbol_moves_of(f->chain, &moves);
    memset(f->ends, 0, sizeof *f->ends * (size_t)f->chain->Q);
    memset(f->single, 0, sizeof *f->single * (size_t)f->chain->Q);
    for (int64_t e = 0; e < f->count; e++) {
        slt_symbol_episode view = slt_symbol_episode_view(f->symbols, f->episodes[e]);
        slt_symbol_smooth(f->chain, &moves, view, &f->tables, f->chance, NULL);
        f->chance[view.length - 1] = 1;
        for (int64_t t = 0; t + 1 < view.length; t++) {
            f->ends[view.symbol[t]] += f->chance[t];
            f->single[view.symbol[t]] += (double)f->chance[t] * f->chance[t + 1];
        }
    }
}

// Ends after a symbol that seldom ends a segment only change the law: no event. Nor is a symbol one
// that mostly comes before segments of a single step, as where an action is repeated: that is a
// chain of steps. Or the record lost the event, so the chain remembers how many such ends there
// were. Whether there were any.
static bool bar_others(fit *f) {
    slt_symbol_chain *c = f->chain;
    bool any = false;
    double all = 0, stray = 0;
    if (c->N) return false;
    count_ends(f);
    for (int q = 0; q < c->Q; q++) {
        bool chained = 2 * f->single[q] > f->ends[q];
        all += f->sums.h[q];
        if (f->barred[q] || (c->h[q] >= OFTEN && !chained)) continue;
        any = f->barred[q] = true;
        stray += f->sums.h[q];
        c->h[q] = LEAST_HAZARD;
    }
    if (all > 0) c->stray += (1 - c->stray) * stray / all;
    return any;
}

// ---- the likeliest of many starts

static void try_starts(fit *f, int starts) {
    slt_symbol_chain *c = f->chain;
    int64_t few = f->count < SHORT_EPISODES ? f->count : SHORT_EPISODES;
    double best = -INFINITY;
    for (int i = 0; i < starts; i++) {
        double nats = 0;
        draw_events(f);
        draw_ends(f);
        for (int n = 0; n < SHORT_SWEEPS; n++) {
            nats = expect(f, few);
            maximise(f);
        }
        if (i && !(nats > best)) continue;
        best = nats;
        memcpy(f->best, c->values, sizeof *f->best * c->size);
    }
    memcpy(c->values, f->best, sizeof *f->best * c->size);
}

static void begin(fit *f, int starts) {
    if (f->chain->family == SLT_CHAIN_PHASES) {
        draw_phases(f);
        return;
    }
    if (starts > 0) find_candidates(f);
    if (f->candidate_count) {
        try_starts(f, starts);
        return;
    }
    draw_events(f);
    draw_hazards(f);
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

static void merge_laws(slt_symbol_chain *c) {
    for (int k = 0; k < c->K; k++) c->group[k] = (uint8_t)k;
    for (int i = 0; i < c->K; i++)
        for (int j = 0; j < i; j++) {
            if (c->group[i] == c->group[j] || distance(c, i, j) >= CLOSE_LAWS) continue;
            uint8_t from = c->group[i], to = c->group[j];
            for (int k = 0; k < c->K; k++)
                if (c->group[k] == from) c->group[k] = to;
        }
}

// ---- all of it

static slt_status new_sums(slt_arena *arena, const slt_symbol_chain *c, slt_symbol_sums *s) {
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

static slt_status reserve(fit *f, slt_arena *arena) {
    int64_t longest = 0;
    for (int64_t e = 0; e < f->count; e++) {
        int64_t T = slt_symbol_episode_view(f->symbols, f->episodes[e]).length;
        longest = T > longest ? T : longest;
        f->steps += T;
    }
    if (!f->steps) SLT_FAIL(SLT_INVALID, "no steps to learn a chain from");
    SLT_TRY(slt_symbol_tables_init(&f->tables, arena, f->chain, longest));
    SLT_TRY(new_sums(arena, f->chain, &f->sums));
    SLT_TRY(SLT_NEW(arena, &f->best, f->chain->size));
    SLT_TRY(SLT_NEW(arena, &f->barred, (size_t)f->chain->Q));
    SLT_TRY(SLT_NEW(arena, &f->ends, (size_t)f->chain->Q));
    SLT_TRY(SLT_NEW(arena, &f->single, (size_t)f->chain->Q));
    SLT_TRY(SLT_NEW(arena, &f->chance, (size_t)longest));
    return SLT_NEW(arena, &f->candidates, (size_t)f->chain->Q);
}

slt_status slt_symbol_fit(slt_arena *arena, const slt_symbols *symbols, const int64_t *episodes,
                          int64_t count, const slt_symbol_options *options, slt_symbol_chain *out) {
    slt_arena scratch;
    slt_symbol_chain chain;
    fit f = {.chain = &chain, .symbols = symbols, .episodes = episodes, .count = count};
    slt_chain_random_init(&f.random, options->seed);
    SLT_TRY(slt_symbol_chain_init(arena, options, symbols->A, symbols->Q, &chain));
    slt_arena_init(&scratch, arena->allocator, 0);
    slt_status status = reserve(&f, &scratch);
    if (status == SLT_OK) {
        begin(&f, options->starts);
        sweep(&f, options->sweeps);
        while (f.candidate_count && bar_others(&f)) sweep(&f, options->sweeps);
        if (chain.family == SLT_CHAIN_PHASES) merge_laws(&chain);
        *out = chain;
    }
    slt_arena_deinit(&scratch);
    return status;
}
