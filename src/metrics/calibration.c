// Calibration: isotonic regression (pool adjacent violators), and the error of what came of it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/calibration.h"

#include <math.h>
#include <stdlib.h>

// ---- fitting

static int by_raw(const void *a, const void *b) {
    const slt_calibration_pair *x = a, *y = b;
    if (x->raw != y->raw) return x->raw < y->raw ? -1 : 1;
    return (x->confirmed > y->confirmed) - (x->confirmed < y->confirmed);
}

// sums over pairs that share a point
typedef struct {
    double count, raw, confirmed;
} group;

static double share_of(const group *g) { return (g->confirmed + 1) / (g->count + 2); }

static void join(group *to, const group *from) {
    to->count += from->count;
    to->raw += from->raw;
    to->confirmed += from->confirmed;
}

// groups of about the same size; pairs with the same raw value stay together
static int make_groups(const slt_calibration_pair *pairs, size_t count, group *out) {
    size_t size = (count + SLT_CALIBRATION_POINTS - 1) / SLT_CALIBRATION_POINTS;
    int groups = 0;
    for (size_t i = 0; i < count;) {
        group g = {0};
        size_t first = i;
        for (; i < count && (i - first < size || pairs[i].raw == pairs[i - 1].raw); i++)
            join(&g, &(group){1, pairs[i].raw, pairs[i].confirmed});
        out[groups++] = g;
    }
    return groups;
}

void slt_calibration_fit(slt_calibration_pair *pairs, size_t count, slt_calibration *out) {
    group groups[SLT_CALIBRATION_POINTS], pooled[SLT_CALIBRATION_POINTS];
    int points = 0;
    if (count) qsort(pairs, count, sizeof *pairs, by_raw);
    int all = make_groups(pairs, count, groups);
    for (int i = 0; i < all; i++) {
        pooled[points++] = groups[i];
        for (; points > 1 && share_of(&pooled[points - 2]) >= share_of(&pooled[points - 1]);
             points--)
            join(&pooled[points - 2], &pooled[points - 1]);
    }
    *out = (slt_calibration){.count = points};
    for (int i = 0; i < points; i++) {
        out->raw[i] = fmin(fmax(pooled[i].raw / pooled[i].count, 0), 1);
        out->share[i] = share_of(&pooled[i]);
    }
    if (!points) *out = (slt_calibration){1, {0.5}, {0.5}};
}

double slt_calibrate(const slt_calibration *c, double raw) {
    if (!c->count) return raw;
    if (raw <= c->raw[0]) return c->share[0];
    for (int i = 1; i < c->count; i++) {
        if (raw > c->raw[i]) continue;
        double part = (raw - c->raw[i - 1]) / (c->raw[i] - c->raw[i - 1]);
        return c->share[i - 1] + part * (c->share[i] - c->share[i - 1]);
    }
    return c->share[c->count - 1];
}

// ---- the error

void slt_reliability_add(slt_reliability *r, double confidence, bool right) {
    int bin = (int)(confidence * SLT_RELIABILITY_BINS);
    if (bin < 0) bin = 0;
    if (bin >= SLT_RELIABILITY_BINS) bin = SLT_RELIABILITY_BINS - 1;
    r->count[bin]++;
    r->confidence[bin] += confidence;
    r->right[bin] += right;
}

void slt_reliability_merge(slt_reliability *to, const slt_reliability *from) {
    for (int i = 0; i < SLT_RELIABILITY_BINS; i++) {
        to->count[i] += from->count[i];
        to->confidence[i] += from->confidence[i];
        to->right[i] += from->right[i];
    }
}

double slt_reliability_error(const slt_reliability *r) {
    double off = 0, count = 0;
    for (int i = 0; i < SLT_RELIABILITY_BINS; i++) {
        off += fabs(r->confidence[i] - r->right[i]);
        count += r->count[i];
    }
    return count > 0 ? off / count : (double)NAN;
}
