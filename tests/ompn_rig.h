// A small OMPN on made-up data, for tests of the engine. What a trajectory holds is a function of
// its place alone, so the same batch can be packed, padded or turned round.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_OMPN_RIG_H
#define SLT_TESTS_OMPN_RIG_H

#include "check.h"
#include "core/philox.h"
#include "engine/adam.h"
#include "engine/tape_impl.h"
#include "models/ompn_model.h"
#include "vector_rig.h"

enum { RIG_B = 41, RIG_L = 9, RIG_D = 6, RIG_A = 5, RIG_MOST = 3 }; // more than one group

typedef struct {
    slt_ompn_options options;
    bool padded, turned, separate, bits;
    bool vectors; // actions are vectors
    int B, members;
    slt_context *context;
    slt_store *store;
    slt_tape *tape;
    slt_ompn_model model;
    int32_t offset[RIG_B + 1], length[RIG_B], index[RIG_B], actions[RIG_B * RIG_L];
    slt_real observations[RIG_B * RIG_L * RIG_D], rows[RIG_B * RIG_L * VECTOR_WIDTH];
    int64_t ones_offset[RIG_B * RIG_L + 1];
    uint16_t ones[RIG_B * RIG_L * RIG_D];
    slt_bits listed;
} ompn_rig;

static inline double rig_unit(int place, int t, int c) {
    uint64_t index = ((uint64_t)place << 40) + ((uint64_t)t << 20) + (uint64_t)c;
    return ((double)slt_random_words(4, SLT_RANDOM_TEST, index, 0).word[0] + 0.5) * 0x1p-32;
}

// true steps, DONE among them
static inline int rig_length(int place) { return 2 + (int)(rig_unit(place, 99, 0) * (RIG_L - 1)); }

static inline void rig_defaults(ompn_rig *r, const char *settings) {
    char text[128], *rest = text;
    memset(r, 0, sizeof *r);
    const slt_options tables[] = {{slt_ompn_rows(), &r->options}, {NULL, NULL}};
    CHECK_OK(slt_options_defaults(tables));
    snprintf(text, sizeof text, "hidden=5 %s", settings);
    for (char *one; (one = strsep(&rest, " "));)
        if (*one) CHECK_OK(slt_options_set(tables, one));
    r->B = RIG_B;
    r->members = 1;
}

static inline void rig_fill(ompn_rig *r) {
    size_t ones = 0;
    for (int b = 0; b < r->B; b++) {
        int place = r->turned ? r->B - 1 - b : b, computed;
        r->index[b] = place;
        r->length[b] = rig_length(place);
        computed = r->padded ? RIG_L : r->length[b];
        r->offset[b + 1] = r->offset[b] + computed;
        for (int t = 0; t < computed; t++) {
            int row = r->offset[b] + t;
            bool truth = t < r->length[b];
            r->actions[row] = !truth                  ? RIG_A
                              : t + 1 == r->length[b] ? RIG_A - 1
                                                      : (int)(rig_unit(place, t, 50) * (RIG_A - 1));
            for (int c = 0; c < RIG_D; c++) {
                double u = rig_unit(place, t, c);
                r->observations[row * RIG_D + c] = truth ? (slt_real)(2 * u - 1) : 0;
                if (truth && u < 0.4) r->ones[ones++] = (uint16_t)c;
            }
            r->ones_offset[row + 1] = (int64_t)ones;
        }
    }
    r->listed = (slt_bits){r->ones_offset, r->ones};
}

static inline void rig_open(ompn_rig *r, slt_context *context) {
    slt_limits limits = {r->B, r->B * RIG_L, 1, RIG_L};
    slt_model_data data = {.symbols = RIG_A,
                           .observation = RIG_D,
                           .observation_type = r->bits ? SLT_BITS : SLT_NUMBERS,
                           .length = RIG_L};
    if (r->vectors) vector_data(&data);
    r->context = context;
    rig_fill(r);
    vector_rows(r->actions, r->offset[r->B], RIG_A - 1, 5, r->rows);
    CHECK_OK(slt_store_create(context, r->members, &r->store));
    CHECK_OK(slt_tape_create(r->store, limits, &r->tape));
    r->model = slt_ompn_build(r->tape, &r->options, &data);
    CHECK_OK(slt_store_finish(r->store));
    CHECK_OK(slt_tape_finish(r->tape, r->model.loss, r->separate));
    for (int m = 0; m < r->members; m++) {
        slt_frame *frame = slt_tape_frame(r->tape, m);
        frame->batch = (slt_batch){r->B, r->offset, r->length, r->index, NULL, 0};
        for (int b = 0; b < r->B; b++) frame->batch.true_tokens += r->length[b];
        frame->step = (slt_step){.learning_rate = (slt_real)1e-3,
                                 .adam_epsilon = (slt_real)1e-7,
                                 .max_norm = 1,
                                 .active = true};
        CHECK_OK(slt_store_init(r->store, m, (uint64_t)m + 3));
        slt_tape_feed(r->tape, m, r->model.actions,
                      r->vectors ? (const void *)r->rows : r->actions);
        slt_tape_feed(r->tape, m, r->model.observations,
                      r->bits ? (const void *)&r->listed : r->observations);
    }
    memset(r->tape->block, 0xff, slt_tape_bytes(r->tape));
}

static inline void rig_close(ompn_rig *r) {
    slt_tape_destroy(r->tape);
    slt_store_destroy(r->store);
}

static inline void rig_gradients(ompn_rig *r) {
    CHECK_OK(slt_tape_forward(r->tape));
    CHECK_OK(slt_tape_backward(r->tape));
}

static inline void rig_step(ompn_rig *r) {
    for (int m = 0; m < r->members; m++) slt_tape_frame(r->tape, m)->step.adam_count++;
    rig_gradients(r);
    slt_adam_step(r->tape);
}

static inline double rig_loss(const ompn_rig *r) {
    return (double)*slt_tape_value(r->tape, 0, r->model.loss);
}

#endif
