// The likelihood of symbols: a softmax over logits.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "models/likelihood.h"

static slt_var input(slt_tape *tape, const slt_model_data *data) {
    (void)data;
    return slt_tape_input(tape, SLT_INTEGERS, (slt_shape){SLT_TOKENS, 0, 1}, "actions");
}

// the padding is one of the symbols
static int width(const slt_model_data *data, int silent) { return data->symbols - 1 + silent; }

static slt_var codes(slt_tape *tape, const slt_model_data *data, const char *name, int silent,
                     int d, slt_init init, slt_var actions) {
    char text[SLT_NAME];
    (void)actions;
    return slt_weights(tape, slt_name(text, name, "embedding"), width(data, silent), d, init);
}

static slt_var join(slt_tape *tape, slt_var features, slt_var actions, slt_var table) {
    return slt_join_tokens(tape, features, actions, table);
}

static slt_var prefix(slt_tape *tape, const slt_model_data *data, slt_var head, slt_var masks,
                      slt_var h, slt_var actions) {
    (void)data;
    return slt_prefix_xent(tape, head, masks, h, actions);
}

static slt_var segment(slt_tape *tape, const slt_model_data *data, slt_var head, slt_var share,
                       slt_var actions, slt_var counts, bool include) {
    (void)data;
    return slt_segment_xent(tape, head, share, actions, counts, include);
}

static slt_var done(slt_tape *tape, const slt_model_data *data, slt_var head, slt_var ends,
                    slt_var actions, slt_var *prediction) {
    (void)data;
    slt_var loss = slt_done_xent(tape, head, ends, actions);
    *prediction = loss ? loss + 1 : 0;
    return loss;
}

// the lowest symbol on ties
static bool given_back(const slt_channel_scale *channel, const slt_real *head, int width,
                       const void *actions, size_t row) {
    (void)channel;
    int best = 0;
    for (int s = 1; s < width; s++)
        if (head[s] > head[best]) best = s;
    return best == ((const int32_t *)actions)[row];
}

static void sample(const slt_model_data *data, const slt_real *head, const slt_real *spread,
                   const float *uniform, float *out) {
    (void)spread;
    int actions = width(data, 0), best = 0, drawn = 0;
    double sum = 0, run = 0;
    for (int s = 1; s < actions; s++)
        if (head[s] > head[best]) best = s;
    for (int s = 0; s < actions; s++) sum += exp((double)(head[s] - head[best]));
    for (; drawn < actions - 1; drawn++)
        if ((run += exp((double)(head[drawn] - head[best]))) > (double)uniform[0] * sum) break;
    *out = (float)drawn;
}

const slt_likelihood slt_categorical = {.name = "categorical",
                                        .input = input,
                                        .width = width,
                                        .codes = codes,
                                        .join = join,
                                        .prefix = prefix,
                                        .segment = segment,
                                        .done = done,
                                        .given_back = given_back,
                                        .sample = sample};
