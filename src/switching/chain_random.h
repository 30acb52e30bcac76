// Random numbers of a chain's beginning: a stream of its own per seed.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_SWITCHING_CHAIN_RANDOM_H
#define SLT_SWITCHING_CHAIN_RANDOM_H

#include <math.h>
#include "core/philox.h"

typedef struct {
    uint64_t seed, next;
} slt_chain_random;

static inline void slt_chain_random_init(slt_chain_random *r, uint64_t seed) {
    *r = (slt_chain_random){.seed = seed};
}

// [0,1)
static inline double slt_chain_unit(slt_chain_random *r) {
    slt_words w = slt_random_words(r->seed, SLT_RANDOM_CHAIN, r->next++, 0);
    return ((double)w.word[0] + w.word[1] * 0x1p-32) * 0x1p-32;
}

// 0 .. count-1
static inline int64_t slt_chain_draw(slt_chain_random *r, int64_t count) {
    int64_t i = (int64_t)(slt_chain_unit(r) * (double)count);
    return i < count ? i : count - 1;
}

// a place, with chances in proportion to the weights
static inline int64_t slt_chain_draw_weighted(slt_chain_random *r, const double *weight,
                                              int64_t count) {
    double sum = 0;
    for (int64_t i = 0; i < count; i++) sum += weight[i];
    double at = slt_chain_unit(r) * sum;
    for (int64_t i = 0; i < count; i++)
        if ((at -= weight[i]) < 0) return i;
    return count - 1;
}

// Gamma(shape, 1) for shapes of 1 and above (Marsaglia and Tsang)
static inline double slt_chain_gamma(slt_chain_random *r, double shape) {
    double d = shape - 1. / 3, c = 1 / sqrt(9 * d);
    for (;;) {
        double u = slt_chain_unit(r), w = slt_chain_unit(r);
        double x = sqrt(-2 * log(u + 1e-300)) * cos(6.283185307179586 * w);
        double v = 1 + c * x;
        if (v <= 0) continue;
        v = v * v * v;
        if (log(slt_chain_unit(r) + 1e-300) < .5 * x * x + d - d * v + d * log(v)) return d * v;
    }
}

static inline void slt_chain_dirichlet(slt_chain_random *r, double shape, double *out, int count) {
    double sum = 0;
    for (int i = 0; i < count; i++) sum += out[i] = slt_chain_gamma(r, shape);
    for (int i = 0; i < count; i++) out[i] /= sum;
}

// shuffles numbers in place
static inline void slt_chain_shuffle(slt_chain_random *r, int64_t *values, int64_t count) {
    for (int64_t i = count - 1; i > 0; i--) {
        int64_t j = slt_chain_draw(r, i + 1), x = values[i];
        values[i] = values[j];
        values[j] = x;
    }
}

#endif
