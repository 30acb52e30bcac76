// The parts of a linear chain that learning and answering share.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_LINEAR_IMPL_H
#define SLT_SWITCHING_LINEAR_IMPL_H

#include "switching/linear_chain.h"

enum { SLT_LINEAR_SWEEPS = 11 }; // at least
#define SLT_LINEAR_ENOUGH 1e-3   // nats per step that a sweep must gain

// expected numbers of transitions
typedef struct {
    double stays[SLT_MOST_LAWS], start[SLT_MOST_LAWS];
    double change[SLT_MOST_LAWS][SLT_MOST_LAWS], fresh[SLT_MOST_LAWS][SLT_MOST_LAWS];
} slt_linear_sums;

// chances of moves: staying, and leaving without and with a fresh start; or their logs
typedef struct {
    double stay[SLT_MOST_LAWS];
    double change[SLT_MOST_LAWS][SLT_MOST_LAWS], fresh[SLT_MOST_LAWS][SLT_MOST_LAWS];
} slt_linear_moves;

// one episode's tables
typedef struct {
    int64_t length;           // at most
    float *inputs;            // [length][D+A]
    float *stay, *fresh;      // [length][K*A] residuals
    double *p_stay, *p_fresh; // [length][K] log densities, then densities over their greatest
    double *alpha, *scale;    // [length][K], [length]
    double *half;             // [2][A] half precisions of a law: stay, fresh
    double *offset;           // [length] logs that were taken out of the densities
} slt_linear_tables;

static inline int slt_linear_inputs(const slt_linear_chain *c) {
    return c->family == SLT_LAW_SMOOTH ? c->D : c->D + c->A;
}

slt_status slt_linear_tables_init(slt_linear_tables *t, slt_arena *arena,
                                  const slt_linear_chain *chain, int64_t longest);

// inputs of the stay regression: features, and the action before (at the first step: its own)
void slt_linear_fill(const slt_linear_chain *chain, const slt_motion *motion, int64_t first,
                     int64_t length, float *inputs);
// residuals a - clip(prediction) of every law
void slt_linear_residuals(const slt_linear_chain *chain, const slt_motion *motion, int64_t first,
                          int64_t length, slt_linear_tables *t);
void slt_linear_densities(const slt_linear_chain *chain, int64_t length, slt_linear_tables *t);

// Forward and backward over the densities: posteriors of staying in and freshly starting law k
// ([length][K], may be NULL) and the chance of a boundary before each step ([length], may be NULL).
// Adds to `sums`, where moves are not yet weighted with their chances; gives the log likelihood.
double slt_linear_smooth(const slt_linear_chain *chain, int64_t length, slt_linear_tables *t,
                         float *stay, float *fresh, float *chance, slt_linear_sums *sums);

// One step of the likeliest path: log densities of the step [K] into the values of the laws [K];
// back: [K] the law before, plus SLT_CHAIN_CUT where a segment begins.
void slt_linear_best_step(const slt_linear_moves *logs, int K, const double *stay,
                          const double *fresh, double *value, uint8_t *back);

// ---- closed-form steps (linear_update.c)

// Rows of a regression: inside a segment (features and the action before); at its start (features);
// S: both in one, differences inside and plain rows at the start.
typedef enum { SLT_ROWS_STAY, SLT_ROWS_FRESH, SLT_ROWS_BOTH } slt_linear_rows;
typedef struct {
    slt_linear_rows rows;
    int inputs;
    double ridge;
    double rho, v, u; // means over the numbers of an action
} slt_linear_regression;

#define SLT_LEAST_WEIGHT 1e-4f // posteriors below are left out of sums
slt_linear_regression slt_linear_regression_of(const slt_linear_chain *chain, slt_linear_rows rows,
                                               int k);
// law [inputs][A]
void slt_linear_take_law(slt_linear_chain *chain, slt_linear_rows rows, int k, const double *law);
// S: sums of products of neighbouring residuals, number i of the action
void slt_linear_take_memory(slt_linear_chain *chain, int i, double both, double square);
// weighted squares [K*A] and weights [K]: stay, fresh
void slt_linear_take_spread(slt_linear_chain *chain, const double *v, const double *u,
                            const double *wv, const double *wu);
void slt_linear_take_moves(slt_linear_chain *chain, const slt_linear_sums *sums);
// half the precisions of a law's normal density [A], and the log of the density at 0
void slt_linear_normal(const double *variance, int A, double *half_precision, double *constant);
slt_linear_moves slt_linear_moves_of(const slt_linear_chain *chain);
slt_linear_moves slt_linear_log_moves(const slt_linear_chain *chain);
// makes sums of moves expected numbers, once all episodes are added
void slt_linear_weigh(const slt_linear_chain *chain, slt_linear_sums *sums);
// whether a sweep gained too little for another one
bool slt_linear_settled(slt_linear_chain *chain, double nats, double last);

// ---- learning

// checks options, gives the chain its shape
slt_status slt_linear_prepare(slt_arena *arena, const slt_motion *motion, int64_t count,
                              const slt_linear_options *options, slt_linear_chain *out);
// limits, and laws from random windows of the given episodes
slt_status slt_linear_begin(slt_linear_chain *chain, const slt_motion *motion,
                            const int64_t *episodes, int64_t count, uint64_t seed,
                            slt_arena *arena);

#endif
