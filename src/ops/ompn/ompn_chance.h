// Stick-breaking over the levels of OMPN, from leaf to root, and the shares of the update:
//     p̂_n = β_{n-1},  p̂_j = β_{j-1} Π_{i≥j}(1-β_i),  p̂_0 = Π_i(1-β_i) (the end)
//     p_i = p̂_{i+1}/Σ_j p̂_{j+1},  cp_i = Σ_{j≤i} p_j,  rcp_i = Σ_{j≥i} p_j
// A record holds β (n) and p̂ (n+1).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_OMPN_CHANCE_H
#define SLT_OPS_OMPN_CHANCE_H

#include <string.h>
#include "ops/ompn/ompn_layout.h"
#include "engine/real.h"

SLT_HOST_DEVICE int slt_ompn_chances(int n) { return 2 * n + 1; }

// the shares of one row, and the guarded sum
typedef struct {
    slt_real p[SLT_OMPN_DEPTH], cp[SLT_OMPN_DEPTH], rcp[SLT_OMPN_DEPTH], sum;
} slt_ompn_shares;

// p̂ of a record whose β are known
SLT_HOST_DEVICE void slt_ompn_stick(slt_real *record, int n) {
    const slt_real *beta = record;
    slt_real *p = record + n, rest = 1;
    for (int j = n; j > 0; j--) {
        p[j] = beta[j - 1] * rest;
        rest *= 1 - beta[j - 1];
    }
    p[0] = rest;
}

// at the first step everything starts at the root
SLT_HOST_DEVICE void slt_ompn_stick_start(slt_real *record, int n) {
    memset(record, 0, (size_t)slt_ompn_chances(n) * sizeof *record);
    record[n + 1] = 1;
}

SLT_HOST_DEVICE slt_ompn_shares slt_ompn_share(const slt_real *record, int n) {
    slt_ompn_shares s;
    slt_real run = 0;
    s.sum = (slt_real)1e-12;
    for (int i = 0; i < n; i++) s.sum += record[n + 1 + i];
    for (int i = 0; i < n; i++) s.cp[i] = run += s.p[i] = record[n + 1 + i] / s.sum;
    run = 0;
    for (int i = n - 1; i >= 0; i--) s.rcp[i] = run += s.p[i];
    return s;
}

// dβ from dp (direct), dcp, drcp and dp̂ from outside (may be NULL)
SLT_HOST_DEVICE void slt_ompn_stick_gradient(const slt_real *record, const slt_ompn_shares *s,
                                             int n, const slt_real *dp, const slt_real *dcp,
                                             const slt_real *drcp, const slt_real *outside,
                                             slt_real *dbeta) {
    slt_real total[SLT_OMPN_DEPTH], run = 0, mean = 0, left = 1;
    slt_real q[SLT_OMPN_DEPTH + 1]; // q_j = Π_{i≥j}(1-β_i)
    for (int i = n - 1; i >= 0; i--) total[i] = dp[i] + (run += dcp[i]);
    run = 0;
    for (int i = 0; i < n; i++) total[i] += run += drcp[i];
    for (int i = 0; i < n; i++) mean += s->p[i] * total[i];
    for (int j = n; j >= 0; j--) {
        q[j] = left;
        if (j > 0) left *= 1 - record[j - 1];
    }
    slt_real t = outside ? outside[0] : 0;
    for (int j = 1; j <= n; j++) {
        slt_real dhat = (total[j - 1] - mean) / s->sum + (outside ? outside[j] : 0);
        dbeta[j - 1] = q[j] * (dhat - t);
        t = record[j - 1] * dhat + (1 - record[j - 1]) * t;
    }
}

#endif
