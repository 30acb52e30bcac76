// Action vectors for tests of models: two joints and a gripper in the place of symbols.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_VECTOR_RIG_H
#define SLT_TESTS_VECTOR_RIG_H

#include "core/philox.h"
#include "models/model_kind.h"

enum { VECTOR_CHANNELS = 3, VECTOR_WIDTH = VECTOR_CHANNELS + 1 };

static const slt_channel_scale VECTOR_CHANNEL[VECTOR_CHANNELS] = {
    {0, false, 0, 1}, {1, false, 0, 1}, {2, true, 0, 1}};

// what a model of them knows
static inline void vector_data(slt_model_data *data) {
    data->symbols = 0;
    data->columns = data->channels = VECTOR_CHANNELS;
    data->channel = VECTOR_CHANNEL;
}

// a vector for every symbol, a mark where it is `silent` or above: DONE and padding
static inline void vector_rows(const int32_t *symbols, int rows, int silent, uint64_t seed,
                               slt_real *out) {
    for (int row = 0; row < rows; row++, out += VECTOR_WIDTH) {
        slt_words words = slt_random_words(seed, SLT_RANDOM_TEST, (uint64_t)row, 31);
        bool acts = symbols[row] < silent;
        out[0] = acts ? (slt_real)(3 * slt_random_unit(words.word[0]) - 1.5) : 0;
        out[1] = acts ? (slt_real)(3 * slt_random_unit(words.word[1]) - 1.5) : 0;
        out[2] = acts ? (slt_real)(words.word[2] % 2) : 0;
        out[3] = !acts;
    }
}

#endif
