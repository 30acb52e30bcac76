// Weighted least squares.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "switching/solve.h"
#include <math.h>

void slt_gram_add(double *gram, double *moment, const float *x, const float *y, double weight,
                  int n, int m) {
    for (int i = 0; i < n; i++) {
        double w = weight * x[i];
        double *row = gram + i * n, *out = moment + i * m;
        for (int j = 0; j <= i; j++) row[j] += w * x[j];
        for (int j = 0; j < m; j++) out[j] += w * y[j];
    }
}

// gram = L LT, L in the lower triangle
static void factor(double *gram, int n) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++) {
            double sum = gram[i * n + j];
            for (int k = 0; k < j; k++) sum -= gram[i * n + k] * gram[j * n + k];
            gram[i * n + j] = i == j ? sqrt(fmax(sum, 1e-12)) : sum / gram[j * n + j];
        }
}

void slt_solve_spd(double *gram, int n, double *moment, int m) {
    factor(gram, n);
    for (int c = 0; c < m; c++) {
        for (int i = 0; i < n; i++) {
            double sum = moment[i * m + c];
            for (int k = 0; k < i; k++) sum -= gram[i * n + k] * moment[k * m + c];
            moment[i * m + c] = sum / gram[i * n + i];
        }
        for (int i = n - 1; i >= 0; i--) {
            double sum = moment[i * m + c];
            for (int k = i + 1; k < n; k++) sum -= gram[k * n + i] * moment[k * m + c];
            moment[i * m + c] = sum / gram[i * n + i];
        }
    }
}
