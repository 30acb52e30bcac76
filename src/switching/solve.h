// Weighted least squares: sums of products, and a symmetric positive system by Cholesky.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_SOLVE_H
#define SLT_SWITCHING_SOLVE_H

// adds weight * x xT to the lower triangle of gram [n][n], and weight * x yT to moment [n][m]
void slt_gram_add(double *gram, double *moment, const float *x, const float *y, double weight,
                  int n, int m);
// solves gram * out = moment in place; reads and destroys the lower triangle of gram
void slt_solve_spd(double *gram, int n, double *moment, int m);

#endif
