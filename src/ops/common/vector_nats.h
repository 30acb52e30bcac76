// What losses over action vectors share: the law of every channel, and the nats of a row. A row of
// targets has a column more than there are channels: above 0 there is no action, at DONE and in
// the padding.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_VECTOR_NATS_H
#define SLT_OPS_VECTOR_NATS_H

#include "ops/common/channel.h"
#include "ops/common/op_tools.h"

enum { SLT_LAW_SIZE = sizeof(slt_channel_law) / sizeof(slt_real) };

// targets of C numbers and a mark, ρ and kinds of C channels
static inline void slt_rule_vectors(slt_shape_check *rule, int channels, int targets, int spread,
                                    int kinds) {
    slt_shape_want(rule, targets, SLT_TOKENS, 0, channels + 1);
    slt_shape_type(rule, targets, SLT_NUMBERS);
    slt_shape_want(rule, spread, SLT_FIXED, 1, channels);
    slt_shape_want(rule, kinds, SLT_FIXED, 1, channels);
}

// the laws of all channels, in scratch
static inline const slt_channel_law *slt_laws_of(const slt_args *args, int spread, int kinds,
                                                 slt_real *scratch) {
    slt_channel_law *laws = (slt_channel_law *)(void *)scratch;
    const slt_real *rho = args->in[spread], *kind = args->in[kinds];
    for (int c = 0; c < args->in_width[spread]; c++) laws[c] = slt_channel_law_of(kind[c], rho[c]);
    return laws;
}

static inline slt_real slt_row_nats(const slt_channel_law *laws, int channels, const slt_real *y,
                                    const slt_real *target) {
    slt_real sum = 0;
    for (int c = 0; c < channels; c++) sum += slt_channel_nats(laws[c], y[c], target[c]);
    return sum;
}

// is there an action in this row of targets?
static inline bool slt_row_acts(const slt_real *target, int channels) {
    return target[channels] <= 0;
}

// the gradient of ρ: the parts of all tasks, which are in `shared`
static inline void slt_put_spread(const slt_args *args, int spread, int tasks) {
    int channels = args->in_width[spread];
    if (args->in_grad[spread])
        slt_add_partials(args->in_grad[spread], args->add[spread], args->shared, tasks, channels,
                         channels);
}

#endif
