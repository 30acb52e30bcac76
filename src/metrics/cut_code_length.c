// An adaptive code for actions and cuts together:
//     nats = -sum_t log (n(c_t, s_t) + 0.05) / (N(c_t) + 0.05 * 2A),   s_t = (action, end)
// where n and N count what was written before. Cuts that follow from the actions cost nothing;
// others do. A cut empties the history in c_t, so it pays where the past says little about what
// follows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "metrics/cut_code_length.h"

#include <math.h>
#include "metrics/action_code.h"

static const double SMOOTH = 0.05, RAREST = 1e-4; // of a prior
enum { LAST_SEGMENT = 11, SEGMENTS = LAST_SEGMENT + 1, MOST_CELLS = 1 << 24 };

typedef struct {
    slt_history history;
    uint32_t *counts; // (segments, contexts, 2 symbols)
    uint32_t *totals; // (segments, contexts)
} table;

static slt_status make_table(slt_arena *arena, int symbols, table *out) {
    SLT_TRY(slt_history_init(&out->history, symbols, 2 * SEGMENTS, MOST_CELLS));
    size_t rows = (size_t)out->history.contexts * SEGMENTS;
    SLT_TRY(SLT_NEW(arena, &out->counts, rows * 2 * (size_t)symbols));
    return SLT_NEW(arena, &out->totals, rows);
}

// of one trajectory; *segments: how many it has
static double code_one(table *t, const slt_sequence *actions, const uint8_t *cuts, int *segments) {
    int symbols = t->history.symbols, none = symbols, last = none, before = none, segment = 0;
    double nats = 0;
    for (int i = 0; i < actions->length; i++) {
        int action = actions->values[i];
        bool end = i + 1 == actions->length || cuts[i];
        int state = segment < LAST_SEGMENT ? segment : LAST_SEGMENT;
        size_t row = (size_t)slt_history_context(&t->history, last, before) * SEGMENTS;
        uint32_t *total = &t->totals[row + (size_t)state];
        uint32_t *count =
            t->counts + (row + (size_t)state) * 2 * (size_t)symbols + 2 * action + end;
        nats += slt_code_nats(1, (*count)++, (*total)++, SMOOTH, 2 * symbols);
        segment += end;
        before = end ? none : last;
        last = end ? none : action;
    }
    *segments = segment;
    return nats;
}

slt_status slt_cut_code_length(slt_arena *scratch, const slt_sequence *actions, size_t count,
                               int symbols, const uint8_t *cuts, const double *prior,
                               int prior_size, double *out) {
    slt_arena_mark mark = slt_arena_now(scratch);
    table t;
    double nats = 0, steps = 0;
    slt_status status = make_table(scratch, symbols, &t);
    for (size_t i = 0; status == SLT_OK && i < count; i++) {
        int segments;
        nats += code_one(&t, &actions[i], cuts + (size_t)steps, &segments);
        nats -= log(segments < prior_size ? fmax(prior[segments], RAREST) : RAREST);
        steps += actions[i].length;
    }
    slt_arena_reset(scratch, mark);
    if (status == SLT_OK) *out = steps > 0 ? nats / steps : 0;
    return status;
}
