// What the delimiter search looks at, laid out for speed.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/delimiter.h"

#include <math.h>

#define LEAST_PRIOR 1e-4 // of a number of segments, so that no trajectory rules a set out alone
enum { MOST_CELLS = 1 << 18 }; // of a table: it is filled once per set

// number_of[a]: 0, 1, ... for the actions that occur, -1 for others
static slt_status number_actions(slt_arena *arena, const slt_baseline_input *input,
                                 int32_t **number_of, slt_delimiter_data *data) {
    int32_t *numbers, *symbols;
    SLT_TRY(SLT_NEW(arena, &numbers, (size_t)input->actions));
    SLT_TRY(SLT_NEW(arena, &symbols, (size_t)input->actions));
    for (size_t i = 0; i < input->train_count; i++)
        for (int t = 0; t < input->train[i].length; t++) numbers[input->train[i].values[t]] = 1;
    for (size_t i = 0; i < input->valid_count; i++)
        for (int t = 0; t < input->valid[i].length; t++) numbers[input->valid[i].values[t]] = 1;
    for (int a = 0; a < input->actions; a++) {
        if (numbers[a]) symbols[data->used] = a;
        numbers[a] = numbers[a] ? data->used++ : -1;
    }
    data->symbols = symbols;
    *number_of = numbers;
    return SLT_OK;
}

static slt_status pack(slt_arena *arena, const slt_sequence *sequences, size_t count,
                       const int32_t *number_of, slt_packed *out) {
    size_t *offsets;
    uint16_t *actions;
    SLT_TRY(SLT_NEW(arena, &offsets, count + 1));
    for (size_t i = 0; i < count; i++) offsets[i + 1] = offsets[i] + (size_t)sequences[i].length;
    SLT_TRY(SLT_NEW(arena, &actions, offsets[count]));
    for (size_t i = 0; i < count; i++)
        for (int t = 0; t < sequences[i].length; t++)
            actions[offsets[i] + (size_t)t] = (uint16_t)number_of[sequences[i].values[t]];
    *out = (slt_packed){actions, offsets, count};
    return SLT_OK;
}

static slt_status prior_costs(slt_arena *arena, const slt_baseline_input *input, double **out) {
    double *nats;
    SLT_TRY(SLT_NEW(arena, &nats, (size_t)input->prior_size + 1));
    for (int n = 0; n < input->prior_size; n++) nats[n] = -log(fmax(input->prior[n], LEAST_PRIOR));
    nats[input->prior_size] = -log(LEAST_PRIOR);
    *out = nats;
    return SLT_OK;
}

slt_status slt_delimiter_pack(slt_arena *arena, const slt_baseline_input *input,
                              slt_delimiter_data *out) {
    slt_delimiter_data data = {.actions = input->actions, .prior_size = input->prior_size};
    int32_t *number_of;
    double *prior_nats;
    SLT_TRY(number_actions(arena, input, &number_of, &data));
    SLT_TRY(slt_history_init(&data.history, data.used, SLT_SEGMENT_STATES, MOST_CELLS));
    SLT_TRY(pack(arena, input->train, input->train_count, number_of, &data.train));
    SLT_TRY(pack(arena, input->valid, input->valid_count, number_of, &data.valid));
    SLT_TRY(prior_costs(arena, input, &prior_nats));
    data.prior_nats = prior_nats;
    *out = data;
    return SLT_OK;
}
