// The closed-form steps of a linear chain: what its sums over all steps make of it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "switching/linear_impl.h"

static const double RIDGE = .3, HALF_LOG_2PI = 0.91893853320467274;

static double mean_of(const double *values, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    return sum / count;
}

slt_linear_regression slt_linear_regression_of(const slt_linear_chain *c, slt_linear_rows rows,
                                               int k) {
    int A = c->A;
    slt_linear_regression r = {.rows = rows,
                               .inputs = rows == SLT_ROWS_STAY ? c->D + A : c->D,
                               .rho = mean_of(c->rho, A),
                               .v = mean_of(c->v + k * A, A),
                               .u = mean_of(c->u + k * A, A)};
    r.ridge = rows == SLT_ROWS_BOTH ? RIDGE / r.v : RIDGE;
    return r;
}

void slt_linear_take_law(slt_linear_chain *c, slt_linear_rows rows, int k, const double *law) {
    int A = c->A, X = rows == SLT_ROWS_STAY ? c->D + A : c->D, KA = c->K * A;
    float *to = rows == SLT_ROWS_FRESH ? c->V : c->W;
    for (int d = 0; d < X; d++)
        for (int i = 0; i < A; i++) to[d * KA + k * A + i] = (float)law[d * A + i];
}

void slt_linear_take_memory(slt_linear_chain *c, int i, double both, double square) {
    c->rho[i] = fmin(.999, fmax(0, both / (square + 1e-9)));
}

// The noise of an action is the actuator's more than a law's: the variance inside segments is the
// geometric mean of a law's own and that of all laws. (A law of actions at their limits would
// otherwise be sharp, and win steps that a law with limits explains as well.)
void slt_linear_take_spread(slt_linear_chain *c, const double *v, const double *u, const double *wv,
                            const double *wu) {
    double least = c->floor * c->floor, all = 1e-9;
    for (int k = 0; k < c->K; k++) all += wv[k];
    for (int i = 0; i < c->A; i++) {
        double shared = 0;
        for (int k = 0; k < c->K; k++) shared += v[k * c->A + i];
        for (int k = 0; k < c->K; k++) {
            int at = k * c->A + i;
            c->v[at] = fmax(least, sqrt(shared / all * v[at] / (wv[k] + 1e-9)));
            c->u[at] = fmax(least, u[at] / (wu[k] + 1e-9));
        }
    }
}

void slt_linear_normal(const double *variance, int A, double *half_precision, double *constant) {
    *constant = -HALF_LOG_2PI * A;
    for (int i = 0; i < A; i++) {
        half_precision[i] = .5 / variance[i];
        *constant -= .5 * log(variance[i]);
    }
}

static void normalise(double *row, int K) {
    double sum = 0;
    for (int k = 0; k < K; k++) sum += row[k];
    for (int k = 0; k < K; k++) row[k] = sum > 0 ? row[k] / sum : 0;
}

void slt_linear_take_moves(slt_linear_chain *c, const slt_linear_sums *s) {
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

slt_linear_moves slt_linear_moves_of(const slt_linear_chain *c) {
    slt_linear_moves m = {0};
    double fresh = c->family == SLT_LAW_SMOOTH ? 1 : c->family == SLT_LAW_INERTIA ? 0 : c->mix;
    for (int j = 0; j < c->K; j++) {
        m.stay[j] = 1 - c->q[j];
        for (int k = 0; k < c->K; k++) {
            m.change[j][k] = c->q[j] * (1 - fresh) * c->change[j][k];
            m.fresh[j][k] = c->q[j] * fresh * c->fresh[j][k];
        }
    }
    return m;
}

slt_linear_moves slt_linear_log_moves(const slt_linear_chain *c) {
    slt_linear_moves m = slt_linear_moves_of(c);
    for (int j = 0; j < c->K; j++) {
        m.stay[j] = log(m.stay[j] + 1e-300);
        for (int k = 0; k < c->K; k++) {
            m.change[j][k] = log(m.change[j][k] + 1e-300);
            m.fresh[j][k] = log(m.fresh[j][k] + 1e-300);
        }
    }
    return m;
}

void slt_linear_weigh(const slt_linear_chain *c, slt_linear_sums *sums) {
    slt_linear_moves m = slt_linear_moves_of(c);
    for (int j = 0; j < c->K; j++) {
        sums->stays[j] = m.stay[j] * sums->change[j][j];
        for (int k = 0; k < c->K; k++) {
            sums->change[j][k] *= m.change[j][k];
            sums->fresh[j][k] *= m.fresh[j][k];
        }
    }
}

bool slt_linear_settled(slt_linear_chain *c, double nats, double last) {
    c->nats = -nats;
    return c->sweeps > SLT_LINEAR_SWEEPS && nats - last < SLT_LINEAR_ENOUGH;
}
