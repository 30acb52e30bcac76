// A whole model's gradients against central differences of its own loss, in double. Some entries of
// every part are tried; an error is relative to the part's largest gradient.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_MODEL_DIFFERENCES_H
#define SLT_TESTS_MODEL_DIFFERENCES_H

#include <math.h>
#include "check.h"
#include "core/philox.h"
#include "engine/tape_impl.h"

static inline double differences_loss(slt_tape *tape, slt_real *entry, double value) {
    *entry = value;
    CHECK_OK(slt_tape_forward(tape));
    return (double)*slt_tape_value(tape, 0, tape->loss);
}

// the worst of 16 among `count` entries from the first one on
static inline double differences_error(slt_tape *tape, size_t first, size_t count,
                                       const slt_real *gradients) {
    const double h = 2e-6;
    double scale = 1e-3, worst = 0;
    for (size_t i = 0; i < count; i++) scale = fmax(scale, fabs(gradients[first + i]));
    for (uint64_t i = 0; i < 16; i++) {
        uint32_t word = slt_random_words(2, SLT_RANDOM_TEST, i, (uint32_t)first).word[0];
        size_t k = first + word % count;
        slt_real *entry = tape->store->value + k, before = *entry;
        double above = differences_loss(tape, entry, before + h);
        double below = differences_loss(tape, entry, before - h);
        *entry = before;
        double error = fabs((above - below) / (2 * h) - gradients[k]) / scale;
        if (!(error <= worst)) worst = error;
    }
    return worst;
}

static inline slt_real *differences_gradients(const slt_store *store) {
    slt_real *copy = test_malloc(store->size * sizeof *copy);
    memcpy(copy, store->gradient, store->size * sizeof *copy);
    return copy;
}

// parts lie one after the other in a single row only; of other parameters the whole is one
static inline size_t differences_count(const slt_parameter *p, int part) {
    return p->rows == 1 ? (size_t)p->part[part].columns : (size_t)p->rows * (size_t)p->columns;
}

// a tape that ran both ways: how many parts were compared
static inline int differences_agree(slt_tape *tape, const char *settings) {
    const slt_store *store = tape->store;
    slt_real *gradients = differences_gradients(store);
    int compared = 0;
    for (int i = 0; i < store->count; i++) {
        const slt_parameter *p = &store->parameters[i];
        size_t first = p->offset;
        for (int k = 0; k < (p->rows == 1 ? p->parts : 1); k++, compared++) {
            double error = differences_error(tape, first, differences_count(p, k), gradients);
            if (!(error < 1e-6)) fail_msg("%s: '%s': error %.3g", settings, p->part[k].name, error);
            first += differences_count(p, k);
        }
    }
    test_free(gradients);
    return compared;
}

// the check itself must be able to fail: a thousandth is found
static inline void differences_fail(slt_tape *tape, const char *parameter) {
    slt_real *gradients = differences_gradients(tape->store);
    const slt_parameter *p = &tape->store->parameters[slt_store_find(tape->store, parameter)];
    size_t count = differences_count(p, 0);
    assert_true(differences_error(tape, p->offset, count, gradients) < 1e-6);
    for (size_t i = 0; i < count; i++) gradients[p->offset + i] *= 1.001;
    assert_true(differences_error(tape, p->offset, count, gradients) > 1e-6);
    test_free(gradients);
}

#endif
