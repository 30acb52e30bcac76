// Mean, spread and numbers of segments, one trajectory at a time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/score_tally.h"

#include <math.h>

static void spread_add(slt_running *running, uint64_t count, double value) {
    double step = value - running->mean;
    running->mean += step / (double)count;
    running->squares += step * (value - running->mean);
}

static double spread_sd(const slt_running *running, uint64_t count) {
    return count > 1 ? sqrt(running->squares / (double)(count - 1)) : 0;
}

static int bin_of(int segments) {
    return segments < SLT_COUNT_BINS ? segments : SLT_COUNT_BINS - 1;
}

void slt_tally_add(slt_tally *tally, const slt_scored *scored) {
    slt_score_summary *summary = &tally->summary;
    summary->trajectories++;
#define ADD(name, text) spread_add(&tally->name, summary->trajectories, scored->scores.name);
    SLT_SCORE_LIST(ADD)
#undef ADD
    summary->true_counts[bin_of(scored->true_segments)]++;
    summary->predicted_counts[bin_of(scored->predicted_segments)]++;
    summary->equal_counts += scored->true_segments == scored->predicted_segments;
}

// Chan, Golub and LeVeque (1979)
static void spread_merge(slt_running *a, const slt_running *b, uint64_t na, uint64_t nb) {
    double all = (double)(na + nb), step = b->mean - a->mean;
    if (nb == 0) return;
    a->mean += step * (double)nb / all;
    a->squares += b->squares + step * step * (double)na * (double)nb / all;
}

void slt_tally_merge(slt_tally *tally, const slt_tally *other) {
    slt_score_summary *to = &tally->summary;
    const slt_score_summary *from = &other->summary;
#define MERGE(name, text)                                                                          \
    spread_merge(&tally->name, &other->name, to->trajectories, from->trajectories);
    SLT_SCORE_LIST(MERGE)
#undef MERGE
    to->trajectories += from->trajectories;
    to->equal_counts += from->equal_counts;
    for (int i = 0; i < SLT_COUNT_BINS; i++) {
        to->true_counts[i] += from->true_counts[i];
        to->predicted_counts[i] += from->predicted_counts[i];
    }
}

slt_score_summary slt_tally_read(const slt_tally *tally) {
    slt_score_summary summary = tally->summary;
#define READ(name, text)                                                                           \
    summary.mean.name = tally->name.mean;                                                          \
    summary.sd.name = spread_sd(&tally->name, summary.trajectories);
    SLT_SCORE_LIST(READ)
#undef READ
    return summary;
}
