// A symbol chain, step by step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "switching/symbol_stream.h"
#include <math.h>
#include <string.h>

void slt_symbol_plan_init(slt_symbol_plan *plan, const slt_symbol_chain *chain) {
    plan->chain = chain;
    slt_symbol_moves_of(chain, &plan->moves);
    slt_symbol_log_moves(chain, &plan->moves, &plan->logs);
}

// a step that no law allows says nothing
static void normalise(double *alpha, int K, double total) {
    for (int k = 0; k < K; k++) alpha[k] = total > 0 ? alpha[k] / total : 1. / K;
}

void slt_symbol_begin(const slt_symbol_plan *plan, slt_symbol_state *state, uint16_t action) {
    const slt_symbol_chain *c = plan->chain;
    const double *S = c->S + action * c->K;
    double total = 0;
    for (int k = 0; k < c->K; k++) {
        state->value[k] = log(c->pi[k]) + log(S[k]);
        total += state->alpha[k] = c->pi[k] * S[k];
    }
    normalise(state->alpha, c->K, total);
}

static void times(const double *from, const double *table, int K, double *out) {
    for (int k = 0; k < K; k++) out[k] = 0;
    for (int j = 0; j < K; j++)
        for (int k = 0; k < K; k++) out[k] += from[j] * table[j * K + k];
}

static double advance_alpha(const slt_symbol_plan *plan, slt_symbol_view v, double *alpha) {
    const slt_symbol_chain *c = plan->chain;
    int K = c->K;
    double stay[SLT_MOST_LAWS], enter[SLT_MOST_LAWS], total = 0, cut = 0;
    if (c->family == SLT_CHAIN_EVENTS)
        memcpy(stay, alpha, sizeof *alpha * (size_t)K);
    else
        times(alpha, plan->moves.inside, K, stay);
    times(alpha, plan->moves.across, K, enter);
    for (int k = 0; k < K; k++) {
        double enters = enter[k] * v.cut * v.fresh[k];
        alpha[k] = stay[k] * v.go * v.inside[k] + enters;
        total += alpha[k];
        cut += enters;
    }
    normalise(alpha, K, total);
    return total > 0 ? cut / total : 0;
}

// values fall without end: taken back to 0 long before a double loses what tells them apart
static void keep_small(double *value, int K) {
    static const double FAR = -1e7;
    double best = -INFINITY;
    for (int k = 0; k < K; k++) best = fmax(best, value[k]);
    if (best > FAR || !isfinite(best)) return;
    for (int k = 0; k < K; k++) value[k] -= best;
}

double slt_symbol_advance(const slt_symbol_plan *plan, slt_symbol_state *state, uint16_t before,
                          uint16_t symbol, uint16_t action, uint8_t *back) {
    const uint16_t actions[2] = {before, action}, symbols[2] = {symbol, 0};
    slt_symbol_episode two = {.length = 2, .action = actions, .symbol = symbols};
    int K = plan->chain->K;
    slt_symbol_view view = slt_symbol_view_at(plan->chain, two, 1, K);
    double next[SLT_MOST_LAWS];
    slt_symbol_best_step(&plan->logs, view, 1, 0, K, state->value, next, back);
    memcpy(state->value, next, sizeof *next * (size_t)K);
    keep_small(state->value, K);
    return advance_alpha(plan, view, state->alpha);
}
