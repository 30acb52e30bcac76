// From OMPN's levels to segments, at test time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/ompn_model.h"

#include <math.h>

static double level_of(const slt_real *p_hat, int depth) {
    double level = 0;
    for (int j = 1; j <= depth; j++) level += j * (double)p_hat[j];
    return level;
}

double slt_ompn_level(const slt_real *p_hat, int depth, int t) {
    return t == 0 ? depth : level_of(p_hat + (size_t)t * (size_t)(depth + 1), depth);
}

// steps in the order of their levels, the lower step first on ties
typedef struct {
    double level;
    int t;
} ranked;

static bool comes_before(ranked a, ranked b) {
    return a.level < b.level || (a.level == b.level && a.t < b.t);
}

// the step that `count` - 1 others come before
static ranked last_chosen(const slt_real *p_hat, int depth, int T, int count) {
    ranked last = {-1, -1};
    for (int chosen = 0; chosen < count && chosen < T; chosen++) {
        ranked next = {INFINITY, T};
        for (int t = 0; t < T; t++) {
            ranked step = {slt_ompn_level(p_hat, depth, t), t};
            if (comes_before(last, step) && comes_before(step, next)) next = step;
        }
        last = next;
    }
    return last;
}

static bool is_chosen(ranked last, const slt_real *p_hat, int depth, int t) {
    return !comes_before(last, (ranked){slt_ompn_level(p_hat, depth, t), t});
}

int slt_ompn_ends(const slt_real *p_hat, int depth, int T, int count, int32_t *ends) {
    ranked last = last_chosen(p_hat, depth, T, count);
    int found = 0;
    for (int t = 0; t < T; t++)
        if (is_chosen(last, p_hat, depth, t)) ends[found++] = t;
    return found;
}

void slt_ompn_ids_counted(const slt_real *p_hat, int depth, int T, int count, int32_t *ids) {
    ranked last = last_chosen(p_hat, depth, T, count);
    for (int t = 0, id = 0; t < T; t++) {
        ids[t] = id;
        id += is_chosen(last, p_hat, depth, t);
    }
}

// ---- without the number of segments

enum { BINS = SLT_OMPN_BINS };

int slt_ompn_bin(const slt_real *p_hat, int depth) {
    int bin = (int)(level_of(p_hat, depth) / depth * BINS);
    return bin < 0 ? 0 : bin < BINS ? bin : BINS - 1;
}

static int bin_of(const slt_real *p_hat, int depth, int t) {
    return slt_ompn_bin(p_hat + (size_t)t * (size_t)(depth + 1), depth);
}

// the largest variance between both sides (Otsu 1979, doi:10.1109/TSMC.1979.4310076)
int slt_ompn_best_cut(const int *bins, int count) {
    double all = 0, low = 0, most = 0;
    int below = 0, cut = -1;
    for (int i = 0; i < BINS; i++) all += (double)i * bins[i];
    for (int i = 0; i + 1 < BINS; i++) {
        below += bins[i];
        low += (double)i * bins[i];
        if (below == 0 || below == count) continue;
        double apart = low / below - (all - low) / (count - below);
        double between = (double)below * (count - below) * apart * apart;
        if (between > most) {
            most = between;
            cut = i;
        }
    }
    return cut;
}

void slt_ompn_ids_parted(const slt_real *p_hat, int depth, int T, int32_t *ids) {
    int bins[BINS] = {0};
    for (int t = 1; t < T; t++) bins[bin_of(p_hat, depth, t)]++;
    int cut = slt_ompn_best_cut(bins, T - 1);
    for (int t = 0, id = 0; t < T; t++) {
        ids[t] = id;
        id += t > 0 && bin_of(p_hat, depth, t) <= cut;
    }
}

void slt_ompn_ids_free(const slt_real *p_hat, int depth, int T, double threshold, int32_t *ids) {
    for (int t = 0, id = 0; t < T; t++) {
        ids[t] = id;
        id +=
            t > 0 && 1 - (double)p_hat[(size_t)t * (size_t)(depth + 1) + (size_t)depth] > threshold;
    }
}
