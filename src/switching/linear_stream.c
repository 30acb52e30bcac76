// A linear chain, step by step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "switching/linear_stream.h"
#include <math.h>
#include <string.h>
#include "engine/wide.h"

static const double HALF_LOG_2PI = 0.91893853320467274;

slt_status slt_linear_plan_init(slt_linear_plan *plan, slt_arena *arena,
                                const slt_linear_chain *c) {
    size_t K = (size_t)c->K, A = (size_t)c->A;
    plan->chain = c;
    plan->moves = slt_linear_moves_of(c);
    plan->logs = slt_linear_log_moves(c);
    SLT_TRY(SLT_NEW(arena, &plan->low, K * A));
    SLT_TRY(SLT_NEW(arena, &plan->high, K * A));
    SLT_TRY(SLT_NEW(arena, &plan->half_v, K * A));
    SLT_TRY(SLT_NEW(arena, &plan->half_u, K * A));
    SLT_TRY(SLT_NEW(arena, &plan->constant_v, K));
    SLT_TRY(SLT_NEW(arena, &plan->constant_u, K));
    for (size_t k = 0; k < K; k++) {
        plan->constant_v[k] = plan->constant_u[k] = -HALF_LOG_2PI * c->A;
        for (size_t i = 0; i < A; i++) {
            size_t at = k * A + i;
            plan->low[at] = (float)c->low[i];
            plan->high[at] = (float)c->high[i];
            plan->half_v[at] = .5 / c->v[at];
            plan->half_u[at] = .5 / c->u[at];
            plan->constant_v[k] -= .5 * log(c->v[at]);
            plan->constant_u[k] -= .5 * log(c->u[at]);
        }
    }
    return SLT_OK;
}

slt_status slt_linear_state_init(slt_linear_state *state, slt_arena *arena,
                                 const slt_linear_plan *plan) {
    size_t KA = (size_t)plan->chain->K * (size_t)plan->chain->A;
    SLT_TRY(SLT_NEW(arena, &state->residual, KA));
    SLT_TRY(SLT_NEW(arena, &state->before, KA));
    return SLT_NEW(arena, &state->fresh, KA);
}

// ---- densities

// action - clip(inputs * weights) of every law
static void residuals(const slt_linear_plan *plan, const float *inputs, int count,
                      const float *weights, const float *action, float *restrict out) {
    int K = plan->chain->K, A = plan->chain->A, KA = K * A;
    const float *restrict low = plan->low, *restrict high = plan->high;
    memset(out, 0, sizeof *out * (size_t)KA);
    for (int i = 0; i < count; i++) {
        const float *restrict row = weights + (size_t)i * (size_t)KA;
        float x = inputs[i];
        for (int at = 0; at < KA; at++) out[at] += x * row[at];
    }
    for (int at = 0; at < KA; at++) {
        float x = out[at];
        out[at] = x > high[at]  ? high[at] + .05f * (x - high[at])
                  : x < low[at] ? low[at] + .05f * (x - low[at])
                                : x;
    }
    for (int k = 0; k < K; k++)
        for (int i = 0; i < A; i++) out[k * A + i] = action[i] - out[k * A + i];
}

static double log_normal(const float *x, const double *half, double constant, int A) {
    double sum = constant;
    for (int i = 0; i < A; i++) sum -= (double)x[i] * x[i] * half[i];
    return sum;
}

static double log_smooth(const float *x, const float *before, const double *rho, const double *half,
                         double constant, int A) {
    double sum = constant;
    for (int i = 0; i < A; i++) {
        double rest = x[i] - rho[i] * before[i];
        sum -= rest * rest * half[i];
    }
    return sum;
}

static void densities(const slt_linear_plan *plan, const slt_linear_state *state, bool first,
                      double *stay, double *fresh) {
    const slt_linear_chain *c = plan->chain;
    int A = c->A;
    for (int k = 0; k < c->K; k++) {
        const float *x = state->residual + k * A, *before = state->before + k * A;
        const float *start = c->family == SLT_LAW_BOTH ? state->fresh + k * A : x;
        const double *v = plan->half_v + k * A, *u = plan->half_u + k * A;
        bool smooth = c->family == SLT_LAW_SMOOTH && !first;
        stay[k] = smooth ? log_smooth(x, before, c->rho, v, plan->constant_v[k], A)
                         : log_normal(x, v, plan->constant_v[k], A);
        fresh[k] =
            c->family == SLT_LAW_INERTIA ? stay[k] : log_normal(start, u, plan->constant_u[k], A);
    }
}

// ---- the two recursions

static double advance_alpha(const slt_linear_plan *plan, bool first, const double *stay,
                            const double *fresh, double *alpha) {
    const slt_linear_chain *c = plan->chain;
    const slt_linear_moves *m = &plan->moves;
    int K = c->K;
    double most = -INFINITY, change[SLT_MOST_LAWS] = {0}, new[SLT_MOST_LAWS] = {0};
    double total = 0, cut = 0;
    for (int k = 0; k < K; k++) most = fmax(most, fmax(stay[k], fresh[k]));
    for (int j = 0; j < K && !first; j++)
        for (int k = 0; k < K; k++) {
            change[k] += alpha[j] * m->change[j][k];
            new[k] += alpha[j] * m->fresh[j][k];
        }
    for (int k = 0; k < K; k++) {
        double f = exp(fresh[k] - most);
        double p = c->family == SLT_LAW_INERTIA ? f : exp(stay[k] - most);
        double enters = change[k] * p + new[k] * f;
        alpha[k] = 1e-300 + (first ? c->start[k] * f : alpha[k] * m->stay[k] * p + enters);
        total += alpha[k];
        cut += enters;
    }
    for (int k = 0; k < K; k++) alpha[k] /= total;
    return cut / total;
}

// values fall without end: taken back to 0 long before a double loses what tells them apart
static void keep_small(double *value, int K) {
    static const double FAR = -1e7;
    double best = -INFINITY;
    for (int k = 0; k < K; k++) best = fmax(best, value[k]);
    if (best > FAR) return;
    for (int k = 0; k < K; k++) value[k] -= best;
}

typedef struct {
    const slt_linear_plan *plan;
    slt_linear_state *state;
    bool first;
    const float *inputs, *action;
    uint8_t *back;
    double cut; // what it gives
} one_step;

static void advance(one_step *s) {
    const slt_linear_plan *plan = s->plan;
    const slt_linear_chain *c = plan->chain;
    slt_linear_state *state = s->state;
    double stay[SLT_MOST_LAWS], fresh[SLT_MOST_LAWS];
    float *swap = state->before;
    state->before = state->residual;
    state->residual = swap;
    residuals(plan, s->inputs, slt_linear_inputs(c), c->W, s->action, state->residual);
    if (c->family == SLT_LAW_BOTH) residuals(plan, s->inputs, c->D, c->V, s->action, state->fresh);
    densities(plan, state, s->first, stay, fresh);
    s->cut = advance_alpha(plan, s->first, stay, fresh, state->alpha);
    if (s->first)
        for (int k = 0; k < c->K; k++) state->value[k] = log(c->start[k] + 1e-300) + fresh[k];
    else
        slt_linear_best_step(&plan->logs, c->K, stay, fresh, state->value, s->back);
    keep_small(state->value, c->K);
}
SLT_WIDE(advance, (one_step * s), (s));

double slt_linear_advance(const slt_linear_plan *plan, slt_linear_state *state, bool first,
                          const float *inputs, const float *action, uint8_t *back) {
    one_step s = {plan, state, first, inputs, action, back, 0};
    SLT_WIDEST(advance)(&s);
    return s.cut;
}
