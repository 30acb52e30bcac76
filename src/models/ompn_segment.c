// From OMPN's levels to segments, at test time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "models/ompn_model.h"

#include <math.h>

double slt_ompn_level(const slt_real *p_hat, int depth, int t) {
    double level = 0;
    if (t == 0) return depth;
    p_hat += (size_t)t * (size_t)(depth + 1);
    for (int j = 1; j <= depth; j++) level += j * (double)p_hat[j];
    return level;
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

void slt_ompn_ids_counted(const slt_real *p_hat, int depth, int T, int count, int32_t *ids) {
    ranked last = last_chosen(p_hat, depth, T, count);
    for (int t = 0, id = 0; t < T; t++) {
        ranked step = {slt_ompn_level(p_hat, depth, t), t};
        ids[t] = id;
        id += !comes_before(last, step);
    }
}

void slt_ompn_ids_free(const slt_real *p_hat, int depth, int T, double threshold, int32_t *ids) {
    for (int t = 0, id = 0; t < T; t++) {
        ids[t] = id;
        id +=
            t > 0 && 1 - (double)p_hat[(size_t)t * (size_t)(depth + 1) + (size_t)depth] > threshold;
    }
}
