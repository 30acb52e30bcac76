// The parts of a linear chain that learning and answering share.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_LINEAR_IMPL_H
#define SLT_SWITCHING_LINEAR_IMPL_H

#include "switching/linear_chain.h"

// expected numbers of transitions
typedef struct {
    double stays[SLT_MOST_LAWS], start[SLT_MOST_LAWS];
    double change[SLT_MOST_LAWS][SLT_MOST_LAWS], fresh[SLT_MOST_LAWS][SLT_MOST_LAWS];
} slt_linear_sums;

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
// makes them expected numbers, once all episodes are added
void slt_linear_weigh(const slt_linear_chain *chain, slt_linear_sums *sums);

#endif
