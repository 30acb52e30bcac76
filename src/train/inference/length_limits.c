// The most probable segmentation within bounds:
//     maximise Σ_ends log b_t + Σ_others log(1 - b_t),  least <= length of every segment <= most
// by best[t] = log b_t + max over starts s of (best[s-1] + Σ_{i=s}^{t-1} log(1 - b_i)).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/inference/length_limits.h"

#include <math.h>
#include "core/error.h"

typedef struct {
    int T, least, most;
    double *end;    // [T] log-probability of an end
    double *inside; // [T+1] sums of log-probabilities of no end, before step t
    double *best;   // [T+1] of what ends before step t
    int *from;      // [T+1] where the last segment of it starts
} search;

// a model that does not say its ends: as sure as its boundaries are
static double end_at(const slt_segmentation *answer, int t) {
    static const double SELDOM = 0.01;
    double p = (double)answer->ends[t];
    if (p < 0) {
        bool cut = t + 1 < answer->length && answer->ids[t] != answer->ids[t + 1];
        p = cut ? (double)answer->confidence[t] : SELDOM;
    }
    return fmin(fmax(p, 1e-6), 1 - 1e-6);
}

static slt_status prepare(slt_arena *arena, const slt_segmentation *answer, search *s) {
    size_t T = (size_t)s->T;
    SLT_TRY(SLT_NEW(arena, &s->end, T));
    SLT_TRY(SLT_NEW(arena, &s->inside, T + 1));
    SLT_TRY(SLT_NEW(arena, &s->best, T + 1));
    SLT_TRY(SLT_NEW(arena, &s->from, T + 1));
    for (int t = 0; t < s->T; t++) {
        double p = end_at(answer, t);
        s->end[t] = t + 1 < s->T ? log(p) : 0; // the last step ends its segment anyway
        s->inside[t + 1] = s->inside[t] + log(1 - p);
    }
    return SLT_OK;
}

// the best way to end a segment with step t, of at least `least` steps
static void extend(search *s, int t, int least) {
    int lowest = t + 1 - s->most < 0 ? 0 : t + 1 - s->most;
    s->best[t + 1] = -INFINITY;
    for (int start = lowest; start <= t + 1 - least; start++) {
        double score = s->best[start] + s->inside[t] - s->inside[start] + s->end[t];
        if (score <= s->best[t + 1]) continue;
        s->best[t + 1] = score;
        s->from[t + 1] = start;
    }
}

// probability of an end within one step of t
static float near_end(const search *s, int t) {
    double none = 0;
    for (int i = t - 1; i <= t + 1; i++)
        if (i >= 0 && i + 1 < s->T) none += s->inside[i + 1] - s->inside[i];
    return (float)(1 - exp(none));
}

static void write_ids(const search *s, slt_segmentation *answer) {
    int segments = 0, id = 0;
    for (int end = s->T; end > 0; end = s->from[end]) segments++;
    for (int end = s->T; end > 0; end = s->from[end]) {
        id = --segments;
        for (int t = s->from[end]; t < end; t++) {
            answer->ids[t] = id;
            answer->confidence[t] = t + 1 == end && end < s->T ? near_end(s, t) : 0;
        }
    }
}

slt_status slt_bound_lengths(slt_arena *arena, int least, int most, slt_segmentation *answer) {
    search s = {.T = answer->length, .least = least < 1 ? 1 : least, .most = most};
    if (s.most < 1 || s.most > s.T) s.most = s.T;
    SLT_TRY(prepare(arena, answer, &s));
    for (int t = 0; t < s.T; t++) extend(&s, t, s.least);
    if (!isfinite(s.best[s.T])) extend(&s, s.T - 1, 1);
    write_ids(&s, answer);
    answer->codes = NULL; // they are about other segments
    return SLT_OK;
}
