// The code length of a set of delimiters: one pass over the trajectories counts, one over the table
// adds up.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/delimiter.h"

#include <string.h>

#define SMOOTH 0.05
enum { LAST_SEGMENT = SLT_SEGMENT_STATES / 2 - 1 }; // later segments share its counts

static size_t cells(const slt_delimiter_data *data) {
    return (size_t)data->history.contexts * SLT_SEGMENT_STATES * (size_t)data->used;
}

slt_status slt_set_coder_init(slt_arena *arena, const slt_delimiter_data *data,
                              slt_set_coder *coder) {
    SLT_TRY(SLT_NEW(arena, &coder->is_member, (size_t)data->used));
    SLT_TRY(SLT_NEW(arena, &coder->fitted, cells(data)));
    SLT_TRY(SLT_NEW(arena, &coder->met, cells(data)));
    return SLT_OK;
}

static void choose(const slt_delimiter_data *data, slt_set_coder *coder, const slt_cut_set *set) {
    memset(coder->is_member, 0, (size_t)data->used);
    for (int i = 0; i < set->count; i++) coder->is_member[set->members[i]] = 1;
}

double slt_set_count_nats(const slt_delimiter_data *data, slt_set_coder *coder,
                          const slt_cut_set *set) {
    const slt_packed *valid = &data->valid;
    choose(data, coder, set);
    double nats = 0;
    for (size_t i = 0; i < valid->count; i++) {
        // the last step is an end whatever its action
        size_t segments = 1;
        for (size_t t = valid->offsets[i]; t + 1 < valid->offsets[i + 1]; t++)
            segments += coder->is_member[valid->actions[t]];
        size_t most = (size_t)data->prior_size;
        nats += data->prior_nats[segments < most ? segments : most];
    }
    return nats / (double)valid->count;
}

// counts of (context, action) in one trajectory
static void count_one(const slt_delimiter_data *data, const uint8_t *is_member,
                      const uint16_t *actions, size_t T, uint32_t *table) {
    const slt_history history = data->history;
    int none = data->used, last = none, before = none, segment = 0;
    for (size_t t = 0; t < T; t++) {
        int action = actions[t];
        int end = is_member[action] | (t + 1 == T);
        int row = slt_history_context(&history, last, before) * SLT_SEGMENT_STATES;
        table[(size_t)(row + 2 * segment + end) * (size_t)none + (size_t)action]++;

        // a cut forgets the actions before it
        segment += end & (segment < LAST_SEGMENT);
        before = end ? none : last;
        last = end ? none : action;
    }
}

static void count_all(const slt_delimiter_data *data, const uint8_t *is_member,
                      const slt_packed *packed, uint32_t *table) {
    memset(table, 0, cells(data) * sizeof *table);
    for (size_t i = 0; i < packed->count; i++)
        count_one(data, is_member, packed->actions + packed->offsets[i],
                  packed->offsets[i + 1] - packed->offsets[i], table);
}

static double row_nats(const slt_delimiter_data *data, const uint32_t *fitted,
                       const uint32_t *met) {
    double total = 0, nats = 0;
    for (int a = 0; a < data->used; a++) total += fitted[a];
    for (int a = 0; a < data->used; a++)
        if (met[a]) nats += slt_code_nats(met[a], fitted[a], total, SMOOTH, data->actions);
    return nats;
}

double slt_set_action_nats(const slt_delimiter_data *data, slt_set_coder *coder,
                           const slt_cut_set *set) {
    choose(data, coder, set);
    count_all(data, coder->is_member, &data->train, coder->fitted);
    count_all(data, coder->is_member, &data->valid, coder->met);
    double nats = 0;
    for (size_t row = 0; row < cells(data); row += (size_t)data->used)
        nats += row_nats(data, coder->fitted + row, coder->met + row);
    return nats / (double)data->valid.count;
}
