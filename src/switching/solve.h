// Weighted ridge regression: sums of products, and their system by Cholesky.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_SOLVE_H
#define SLT_SWITCHING_SOLVE_H

// Sums of weighted rows: gram [n][n] += weight x xT (its lower triangle), moment [n][m] += weight x
// yT. Rows wait until there are SLT_GRAM_ROWS, so that sums are read and written less often.
enum { SLT_GRAM_ROWS = 4 };
typedef struct {
    int n, m, waiting;
    double *gram, *moment;
    double *rows;                 // [SLT_GRAM_ROWS][n+m]
    double weight[SLT_GRAM_ROWS]; // of the rows that wait
} slt_gram;

// all sums zero; gram, moment and rows have room
void slt_gram_begin(slt_gram *g, int n, int m);
void slt_gram_add(slt_gram *g, const float *x, const float *y, double weight);
// Solves (gram + ridge) out = moment in place; the gram is destroyed.
void slt_gram_solve(slt_gram *g, double ridge);
// the same for sums that are complete: gram [n][n] (lower triangle), moment [n][m]
void slt_solve_ridge(double *gram, int n, double *moment, int m, double ridge);

#endif
