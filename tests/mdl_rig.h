// A small slottar-mdl on made-up data: what a trajectory holds is a function of the data's seed and
// of its place in the batch, so the same batch can be packed or padded.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_MDL_RIG_H
#define SLT_TESTS_MDL_RIG_H

#include "check.h"
#include "core/philox.h"
#include "engine/tape_impl.h"
#include "models/slottar_mdl.h"

enum { MDL_B = 4, MDL_L = 9, MDL_K = 3, MDL_SYMBOLS = 5, MDL_D = 4 };

typedef struct {
    slt_mdl_options options;
    slt_store *store;
    slt_tape *tape;
    slt_mdl model;
    int32_t offset[MDL_B + 1], length[MDL_B], index[MDL_B], companion[MDL_B * MDL_K];
    int32_t actions[MDL_B * MDL_L], effects[MDL_B * MDL_L];
    slt_real observations[MDL_B * MDL_L * MDL_D];
    double prior[MDL_K];
} mdl_rig;

static inline uint32_t mdl_word(uint64_t place, uint32_t stream) {
    return slt_random_words(5, SLT_RANDOM_TEST, place, stream).word[0];
}

static inline void mdl_fill(mdl_rig *r, int b, bool padded) {
    int computed = padded ? MDL_L : r->length[b];
    r->offset[b + 1] = r->offset[b] + computed;
    for (int l = 0; l < computed; l++) {
        uint64_t place = (uint64_t)(b * MDL_L + l), at = (uint64_t)(r->offset[b] + l);
        bool truth = l < r->length[b];
        r->actions[at] =
            truth ? (int32_t)(mdl_word(place, 1) % (MDL_SYMBOLS - 1)) : MDL_SYMBOLS - 1;
        bool changes = l + 1 < r->length[b] && mdl_word(place, 3) % 2;
        r->effects[at] = r->actions[at] + (changes ? MDL_SYMBOLS : 0);
        for (uint64_t c = 0; c < MDL_D; c++)
            r->observations[at * MDL_D + c] =
                truth ? (slt_real)(2 * slt_random_unit(mdl_word(place * MDL_D + c, 2)) - 1) : 0;
    }
}

static inline void mdl_feed(mdl_rig *r, bool padded) {
    slt_frame *frame = slt_tape_frame(r->tape, 0);
    frame->batch = (slt_batch){MDL_B, r->offset, r->length, r->index, r->companion, 0};
    for (int b = 0; b < MDL_B; b++) {
        r->length[b] = 4 + (int)(mdl_word((uint64_t)b, 0) % (MDL_L - 3));
        r->index[b] = b;
        frame->batch.true_tokens += r->length[b];
        for (int k = 0; k < MDL_K; k++) r->companion[b * MDL_K + k] = -1;
        mdl_fill(r, b, padded);
    }
    frame->step.weight[SLT_MDL_BETA] = (slt_real)0.7;
    frame->step.weight[SLT_MDL_CODE] = 1;
    frame->step.weight[SLT_MDL_EXCEPTIONS] = 1;
    frame->step.noise = 1;
    slt_tape_feed(r->tape, 0, r->model.actions, r->actions);
    slt_tape_feed(r->tape, 0, r->model.observations, r->observations);
    slt_tape_feed(r->tape, 0, r->model.effects, r->effects);
}

// settings: "key=value ..." after the sizes
static inline void mdl_open(mdl_rig *r, slt_context *context, const char *settings, bool padded) {
    *r = (mdl_rig){.prior = {0.2, 0.5, 0.3}};
    const slt_options tables[] = {{slt_mdl_rows(), &r->options}, {NULL, NULL}};
    char text[256], *rest = text;
    CHECK_OK(slt_options_defaults(tables));
    snprintf(text, sizeof text, "hidden=6 heads=2 window=3 slots=3 gamma=2 boundaries=free %s",
             settings);
    for (char *one; (one = strsep(&rest, " "));)
        if (*one) CHECK_OK(slt_options_set(tables, one));
    slt_model_data data = {.symbols = MDL_SYMBOLS,
                           .observation = MDL_D,
                           .length = MDL_L,
                           .prior = r->prior,
                           .mean_length = 6};
    CHECK_OK(slt_store_create(context, 1, &r->store));
    CHECK_OK(slt_tape_create(r->store, (slt_limits){MDL_B, MDL_B * MDL_L, MDL_K, MDL_L}, &r->tape));
    r->model = slt_mdl_build(r->tape, &r->options, &data, true);
    CHECK_OK(slt_store_finish(r->store));
    CHECK_OK(slt_tape_finish(r->tape, r->model.loss, false));
    CHECK_OK(slt_store_init(r->store, 0, 3));
    // constant initial values would leave parts of the equations out
    for (size_t i = 0; i < r->store->size; i++)
        r->store->value[i] += (slt_real)(0.3 * (2 * slt_random_unit(mdl_word(i, 77)) - 1));
    mdl_feed(r, padded);
    memset(r->tape->block, 0xff, slt_tape_bytes(r->tape));
}

static inline void mdl_close(mdl_rig *r) {
    slt_tape_destroy(r->tape);
    slt_store_destroy(r->store);
}

static inline double mdl_loss(mdl_rig *r) {
    CHECK_OK(slt_tape_forward(r->tape));
    return (double)*slt_tape_value(r->tape, 0, r->model.loss);
}

#endif
