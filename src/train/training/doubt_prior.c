// Numbers of segments against what the user said of them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "core/number.h"
#include "train/training/doubt.h"
#include "train/learner/prior.h"

static double mean_of(const int32_t *numbers, int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += numbers[i];
    return sum / (double)count;
}

// a mean: a third of the boundaries, and a quarter of one, may be off
static bool far_from_mean(double told, const int32_t *numbers, int64_t count, char *sentence) {
    double found = mean_of(numbers, count);
    slt_format(sentence, SLT_WARNING_TEXT,
               "the number of segments does not fit the prior: %.1f on average, told %.1f", found,
               told);
    return fabs(found - told) > (told - 1) / 3 + 0.25;
}

// bounds: one episode in four may be outside
static bool outside(int low, int high, const int32_t *numbers, int64_t count, char *sentence) {
    int64_t beyond = 0;
    for (int64_t i = 0; i < count; i++) beyond += numbers[i] < low || numbers[i] > high;
    slt_format(sentence, SLT_WARNING_TEXT,
               "the number of segments does not fit the prior: outside %d..%d in %lld of %lld "
               "held-out episodes",
               low, high, (long long)beyond, (long long)count);
    return 4 * beyond > count;
}

// a number or a histogram: half a nat between what was found and what was told
static bool other_histogram(const double *prior, int K, const int32_t *numbers, int64_t count,
                            char *sentence) {
    static const double MOST = 0.5;
    double nats = 0, sum = 0;
    for (int k = 0; k < K; k++) sum += prior[k];
    for (int k = 0; k < K; k++) {
        double share = 0;
        for (int64_t i = 0; i < count; i++) share += numbers[i] == k + 1;
        share /= (double)count;
        if (share > 0) nats += share * log(share * sum / prior[k]);
    }
    slt_format(sentence, SLT_WARNING_TEXT,
               "the number of segments does not fit the prior: %.1f on average, %.1f nats away",
               mean_of(numbers, count), nats);
    return nats > MOST;
}

bool slt_prior_contradicted(const slt_setup *setup, const double *prior, int K,
                            const int32_t *numbers, int64_t count,
                            char sentence[SLT_WARNING_TEXT]) {
    slt_prior told;
    if (setup->kind->no_prior || count < 1) return false;
    if (slt_prior_read(setup->train.prior, setup->train.prior_spread, &told) != SLT_OK)
        return false;
    switch (told.kind) {
    case SLT_PRIOR_MEAN:
        return far_from_mean(told.mean, numbers, count, sentence);
    case SLT_PRIOR_RANGE:
        return outside(told.low, told.high, numbers, count, sentence);
    case SLT_PRIOR_NUMBER:
    case SLT_PRIOR_LIST:
    case SLT_PRIOR_LABELS:
        return other_histogram(prior, K, numbers, count, sentence);
    default: // who says nothing wants two segments at least
        return setup->kind->label_free && K > 1 && told.kind == SLT_PRIOR_AUTO &&
               outside(2, K, numbers, count, sentence);
    }
}
