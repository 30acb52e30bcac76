// Covering: how well the predicted segments cover the true ones.
//
//     Covering = sum over true segments S of |S|/T * max over predicted segments R of
//                |S n R| / |S u R|
//
// A segment is a run of equal ids; an id that returns opens a new segment. (The measure of
// Arbelaez et al. 2011, doi:10.1109/TPAMI.2010.161, on a line.)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/label_scores.h"

// the first step after segment i
static int end_of(const int32_t *boundaries, int count, int T, int i) {
    return i < count ? boundaries[i] + 1 : T;
}

double slt_covering(const int32_t *truth, int G, const int32_t *predicted, int P, int T) {
    double sum = 0, best = 0;
    int start = 0, other = 0; // where the true segment i and the predicted segment j begin
    for (int at = 0, i = 0, j = 0; at < T;) {
        // from here to the nearer end: the whole overlap of segments i and j
        int end = end_of(truth, G, T, i), other_end = end_of(predicted, P, T, j);
        int stop = end < other_end ? end : other_end;
        double inside = stop - at;
        double together = (double)(end - start) + (other_end - other) - inside;
        if (inside / together > best) best = inside / together;

        if (stop == other_end) other = other_end, j++;
        if (stop == end) {
            sum += best * (end - start);
            best = 0;
            start = end, i++;
        }
        at = stop;
    }
    return sum / T;
}
