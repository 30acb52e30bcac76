// Weighted least squares.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "switching/solve.h"
#include <math.h>
#include <string.h>
#include "engine/wide.h"

static void add_rows(slt_gram *g) {
    int n = g->n, m = g->m;
    const double *a = g->rows, *b = a + n + m, *c = b + n + m, *d = c + n + m, *w = g->weight;
    for (int i = 0; i < n; i++) {
        double wa = w[0] * a[i], wb = w[1] * b[i], wc = w[2] * c[i], wd = w[3] * d[i];
        double *row = g->gram + i * n, *out = g->moment + i * m;
        for (int j = 0; j <= i; j++) row[j] += wa * a[j] + wb * b[j] + wc * c[j] + wd * d[j];
        for (int j = 0; j < m; j++)
            out[j] += wa * a[n + j] + wb * b[n + j] + wc * c[n + j] + wd * d[n + j];
    }
    g->waiting = 0;
}
SLT_WIDE(add_rows, (slt_gram * g), (g));

void slt_gram_begin(slt_gram *g, int n, int m) {
    g->n = n;
    g->m = m;
    g->waiting = 0;
    memset(g->gram, 0, sizeof *g->gram * (size_t)(n * n));
    memset(g->moment, 0, sizeof *g->moment * (size_t)(n * m));
}

void slt_gram_add(slt_gram *g, const float *x, const float *y, double weight) {
    double *row = g->rows + g->waiting * (g->n + g->m);
    for (int i = 0; i < g->n; i++) row[i] = x[i];
    for (int i = 0; i < g->m; i++) row[g->n + i] = y[i];
    g->weight[g->waiting++] = weight;
    if (g->waiting == SLT_GRAM_ROWS) SLT_WIDEST(add_rows)(g);
}

// adds the rows that wait
static void flush(slt_gram *g) {
    if (!g->waiting) return;
    size_t width = (size_t)(g->n + g->m);
    memset(g->rows + (size_t)g->waiting * width, 0,
           sizeof *g->rows * (size_t)(SLT_GRAM_ROWS - g->waiting) * width);
    for (int i = g->waiting; i < SLT_GRAM_ROWS; i++) g->weight[i] = 0;
    SLT_WIDEST(add_rows)(g);
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

void slt_gram_solve(slt_gram *g, double ridge) {
    flush(g);
    slt_solve_ridge(g->gram, g->n, g->moment, g->m, ridge);
}

void slt_solve_ridge(double *gram, int n, double *moment, int m, double ridge) {
    for (int i = 0; i < n; i++) gram[i * n + i] += ridge;
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
