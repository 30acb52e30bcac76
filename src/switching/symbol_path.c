// The likeliest path of a symbol chain, and the whole answer for an episode.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "switching/symbol_impl.h"

typedef struct {
    const slt_symbol_chain *chain;
    slt_symbol_episode episode;
    int N, step, K; // counts, what a boundary adds to the count, laws
    slt_symbol_moves logs;
    double *value, *next; // [N][K]
    uint8_t *back;        // [length][N][K]: the law before, plus SLT_CHAIN_CUT
} search;

void slt_symbol_log_moves(const slt_symbol_chain *chain, const slt_symbol_moves *moves,
                          slt_symbol_moves *out) {
    bool events = chain->family == SLT_CHAIN_EVENTS;
    int K = chain->K;
    out->crosses = moves->crosses;
    for (int j = 0; j < K; j++)
        for (int k = 0; k < K; k++) {
            int i = j * K + k;
            out->inside[i] = events ? (j == k ? 0 : -INFINITY) : log(moves->inside[i]);
            out->across[i] = log(moves->across[i]);
        }
}

// the best law to come from, given what the laws before are worth
static void best_from(const double *value, const double *moves, int K, int k, double *best,
                      int *from) {
    *best = -INFINITY;
    *from = k;
    for (int j = 0; j < K; j++)
        if (value[j] + moves[j * K + k] > *best) *best = value[j] + moves[j * K + k], *from = j;
}

void slt_symbol_best_step(const slt_symbol_moves *logs, slt_symbol_view v, int N, int step, int K,
                          const double *value, double *next, uint8_t *back) {
    double go = log(v.go), cut = log(v.cut);
    for (int k = 0; k < K; k++) {
        double inside = go + log(v.inside[k]), fresh = cut + log(v.fresh[k]), stay, enter;
        for (int n = 0; n < N; n++) {
            int from, left;
            best_from(value + n * K, logs->inside, K, k, &stay, &from);
            next[n * K + k] = stay + inside;
            back[n * K + k] = (uint8_t)from;
            if (n < step) continue;
            best_from(value + (n - step) * K, logs->across, K, k, &enter, &left);
            if (!(enter + fresh > stay + inside)) continue;
            next[n * K + k] = enter + fresh;
            back[n * K + k] = (uint8_t)(left | SLT_CHAIN_CUT);
        }
    }
}

static void best_moves(search *f, int64_t t) {
    slt_symbol_view v = slt_symbol_view_at(f->chain, f->episode, t, f->K);
    slt_symbol_best_step(&f->logs, v, f->N, f->step, f->K, f->value, f->next,
                         f->back + t * f->N * f->K);
    double *swap = f->value;
    f->value = f->next;
    f->next = swap;
}

static void follow_back(const search *f, int state, slt_chain_path *out) {
    int n = state / f->K, law = state % f->K;
    int64_t last = f->episode.length - 1;
    out->cut[last] = 0;
    for (int64_t t = last; t >= 0; t--) {
        out->law[t] = f->chain->group[law];
        if (!t) break;
        uint8_t from = f->back[(t * f->N + n) * f->K + law];
        out->cut[t - 1] = (from & SLT_CHAIN_CUT) != 0;
        law = from & (SLT_CHAIN_CUT - 1);
        if (from & SLT_CHAIN_CUT) n -= f->step;
    }
}

// end: weights of the counts at the last step
static void find_path(search *f, const double *end, slt_chain_path *out) {
    const slt_symbol_chain *c = f->chain;
    const double *S = c->S + f->episode.action[0] * f->K;
    for (int i = 0; i < f->N * f->K; i++)
        f->value[i] = i < f->K ? log(c->pi[i]) + log(S[i]) : -INFINITY;
    for (int64_t t = 1; t < f->episode.length; t++) best_moves(f, t);
    int state = 0;
    double best = -INFINITY;
    for (int i = 0; i < f->N * f->K; i++) {
        double value = f->value[i] + log(end[i / f->K]);
        if (value > best) best = value, state = i;
    }
    follow_back(f, state, out);
}

// how much likelier a step is under one law than under another
static double odds(const slt_symbol_chain *c, const uint16_t *action, int64_t t, int one, int two) {
    return c->S[action[t] * c->K + one] / c->S[action[t] * c->K + two];
}

// whether the segment on one side of a boundary, from step t on, has so many steps
static bool has_steps(const slt_symbol_chain *c, const uint8_t *law, int64_t length, int64_t t,
                      int side, int steps) {
    int64_t last = t + side * (steps - 1);
    if (last < 0 || last >= length) return false;
    for (int64_t s = t; s != last; s += side)
        if (c->group[law[s + side]] != c->group[law[t]]) return false;
    return true;
}

// Chances are next to that of the likeliest step: a step more on one side is worth it where it is
// likelier than the one that is lost on the other.
int64_t slt_symbol_place(const slt_symbol_chain *c, const uint16_t *action, const uint8_t *law,
                         int64_t length, int least, int64_t t) {
    int before = c->group[law[t]], after = c->group[law[t + 1]];
    int enough = least + 2; // the boundary next to it may come a step nearer, too
    bool earlier = has_steps(c, law, length, t, -1, enough);
    bool later = has_steps(c, law, length, t + 1, 1, enough);
    double back = odds(c, action, t, after, before);
    double on = odds(c, action, t + 1, before, after);
    double gain_back = earlier ? back * odds(c, action, t - 1, after, before) - on : 0;
    double gain_on = later ? on * odds(c, action, t + 2, before, after) - back : 0;
    if (gain_back > 0 && gain_back >= gain_on) return t - 1;
    return gain_on > 0 ? t + 1 : t;
}

static slt_status segment(slt_arena *scratch, search *f, slt_chain_path *out) {
    size_t states = (size_t)(f->N * f->K);
    slt_symbol_tables t;
    slt_symbol_moves moves;
    SLT_TRY(slt_symbol_tables_init(&t, scratch, f->chain, f->episode.length));
    SLT_TRY(SLT_NEW(scratch, &f->value, states));
    SLT_TRY(SLT_NEW(scratch, &f->next, states));
    SLT_TRY(SLT_NEW(scratch, &f->back, (size_t)f->episode.length * states));
    slt_symbol_moves_of(f->chain, &moves);
    slt_symbol_log_moves(f->chain, &moves, &f->logs);
    slt_symbol_end_weights(f->chain, f->episode.length, t.end);
    find_path(f, t.end, out);
    out->nats = -slt_symbol_smooth(f->chain, &moves, f->episode, &t, out->chance, NULL);
    return SLT_OK;
}

slt_status slt_symbol_segment(slt_arena *scratch, const slt_symbol_chain *chain,
                              const slt_symbols *symbols, int64_t episode, slt_chain_path *out) {
    if (symbols->A != chain->A || symbols->Q != chain->Q)
        SLT_FAIL(SLT_INVALID, "the chain knows %d actions and %d symbols, the data have %d and %d",
                 chain->A, chain->Q, symbols->A, symbols->Q);
    slt_arena_mark mark = slt_arena_now(scratch);
    search f = {.chain = chain,
                .episode = slt_symbol_episode_view(symbols, episode),
                .N = chain->N ? chain->N : 1,
                .step = chain->N > 0,
                .K = chain->K};
    slt_status status = segment(scratch, &f, out);
    slt_arena_reset(scratch, mark);
    return status;
}
