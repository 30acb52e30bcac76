// The parts of a symbol chain that learning and answering share.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_SYMBOL_IMPL_H
#define SLT_SWITCHING_SYMBOL_IMPL_H

#include "switching/symbol_chain.h"

// T in two parts: moves inside a segment (phases: between laws of one group) and over a boundary
typedef struct {
    bool crosses;               // whether there are moves over a boundary
    bool changes;               // whether the law can change inside a segment
    double same[SLT_MOST_LAWS]; // chance of the same law inside a segment
    double inside[SLT_MOST_LAWS * SLT_MOST_LAWS], across[SLT_MOST_LAWS * SLT_MOST_LAWS];
    // the same with rows and columns exchanged
    double inside_to[SLT_MOST_LAWS * SLT_MOST_LAWS], across_to[SLT_MOST_LAWS * SLT_MOST_LAWS];
} slt_symbol_moves;

// Expected numbers. T counts moves before they are weighted with the chain's T.
typedef struct {
    size_t size;
    double *values; // B, S, pi, h and stays, all of them
    double *B, *S, *pi, *h, *stays;
    double inside[SLT_MOST_LAWS * SLT_MOST_LAWS], across[SLT_MOST_LAWS * SLT_MOST_LAWS];
} slt_symbol_sums;

// one episode's tables; N is 1 when not told
typedef struct {
    double *alpha, *entered; // [length][N][K]: forward; what came over a boundary, less emission
    double *scale;           // [length]
    double *beta;            // [N][K]
    double *inside, *fresh;  // [N][K]: beta times the view of a step
    double *leave;           // [N][K]: beta over a boundary
    double *end;             // [N]
} slt_symbol_tables;

// one episode as the recursions read it
typedef struct {
    int64_t length;
    const uint16_t *action, *symbol;
} slt_symbol_episode;

static inline slt_symbol_episode slt_symbol_episode_view(const slt_symbols *s, int64_t episode) {
    int64_t first = s->offsets[episode];
    return (slt_symbol_episode){s->offsets[episode + 1] - first, s->action + first,
                                s->symbol + first};
}

// what step t > 0 looks like inside a segment and as the first of one
typedef struct {
    double go, cut;
    const double *inside, *fresh; // [K]
} slt_symbol_view;

static inline slt_symbol_view slt_symbol_view_at(const slt_symbol_chain *c, slt_symbol_episode e,
                                                 int64_t t, int K) {
    const double *S = c->S + e.action[t] * K;
    if (c->family == SLT_CHAIN_PHASES) return (slt_symbol_view){1, 1, S, S};
    double h = c->h[e.symbol[t - 1]];
    size_t pair = (size_t)e.action[t - 1] * (size_t)c->A + e.action[t];
    return (slt_symbol_view){1 - h, h, c->B + pair * (size_t)K, S};
}

slt_status slt_symbol_tables_init(slt_symbol_tables *t, slt_arena *arena,
                                  const slt_symbol_chain *chain, int64_t longest);
void slt_symbol_moves_of(const slt_symbol_chain *chain, slt_symbol_moves *out);

// the logs of these
void slt_symbol_log_moves(const slt_symbol_chain *chain, const slt_symbol_moves *moves,
                          slt_symbol_moves *out);

// One step of the likeliest path: values of the states before and after it [N][K]; back: [N][K] the
// law before, plus SLT_CHAIN_CUT where a segment begins. step: what a boundary adds to the count.
void slt_symbol_best_step(const slt_symbol_moves *logs, slt_symbol_view view, int N, int step,
                          int K, const double *value, double *next, uint8_t *back);

// weights of the counts at the last step; an episode too short for all of them takes the most
void slt_symbol_end_weights(const slt_symbol_chain *chain, int64_t length, double *end);

// Forward and backward: the chance of a boundary after each step ([length], may be NULL). Adds to
// `sums`, which may be NULL; gives the log likelihood.
double slt_symbol_smooth(const slt_symbol_chain *chain, const slt_symbol_moves *moves,
                         slt_symbol_episode episode, slt_symbol_tables *t, float *chance,
                         slt_symbol_sums *sums);

#endif
