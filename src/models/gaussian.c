// The likelihood of vectors: every channel by itself, numbers by a Gaussian whose standard
// deviation is learned, one for all steps, bits by a sigmoid (ops/common/channel.h).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "models/likelihood.h"
#include "ops/common/channel.h"

static slt_var input(slt_tape *tape, const slt_model_data *data) {
    return slt_tape_input(tape, SLT_NUMBERS, (slt_shape){SLT_TOKENS, 0, data->channels + 1},
                          "actions");
}

static int width(const slt_model_data *data, int silent) { return (void)silent, data->channels; }

static slt_var codes(slt_tape *tape, const slt_model_data *data, const char *name, int silent,
                     int d, slt_init init, slt_var actions) {
    (void)data, (void)silent, (void)init;
    return slt_nn_linear(tape, name, actions, d);
}

static slt_var join(slt_tape *tape, slt_var features, slt_var actions, slt_var rows) {
    (void)actions;
    return slt_activate(tape, features ? slt_add(tape, features, rows) : rows, SLT_RELU);
}

// one row of ρ; the kinds are those of the data
static slt_vector_law law_of(slt_tape *tape, const slt_model_data *data) {
    slt_vector_law law;
    slt_real *kinds = slt_tape_constant(tape, 1, data->channels, "kinds", &law.kinds);
    for (int c = 0; kinds && c < data->channels; c++)
        kinds[c] = data->channel[c].bit ? SLT_CHANNEL_BIT : SLT_CHANNEL_NUMBER;
    law.spread = slt_weights(tape, "out.log_sd", 1, data->channels, slt_constant(0));
    return law;
}

static slt_var prefix(slt_tape *tape, const slt_model_data *data, slt_var head, slt_var masks,
                      slt_var h, slt_var actions) {
    return slt_prefix_gaussian(tape, head, masks, h, actions, law_of(tape, data));
}

static slt_var segment(slt_tape *tape, const slt_model_data *data, slt_var head, slt_var share,
                       slt_var actions, slt_var counts, bool include) {
    return slt_segment_gaussian(tape, head, share, actions, counts, law_of(tape, data), include);
}

static slt_var done(slt_tape *tape, const slt_model_data *data, slt_var head, slt_var ends,
                    slt_var actions, slt_var *prediction) {
    *prediction = head;
    return slt_done_gaussian(tape, head, ends, actions, law_of(tape, data));
}

static bool given_back(const slt_channel_scale *channel, const slt_real *head, int width,
                       const void *actions, size_t row) {
    const slt_real *target = (const slt_real *)actions + row * (size_t)(width + 1);
    for (int c = 0; c < width; c++) {
        double y = (double)head[c], t = (double)target[c];
        if (channel[c].bit ? (y > 0) != (t > 0.5) : fabs(y - t) > 0.5) return false;
    }
    return true;
}

// a standard normal number (Box and Muller)
static double normal(const float *uniform) {
    return sqrt(-2 * log(1 - (double)uniform[0])) * cos(6.283185307179586 * (double)uniform[1]);
}

static void sample(const slt_model_data *data, const slt_real *head, const slt_real *spread,
                   const float *uniform, float *out) {
    for (int c = 0; c < data->channels; c++, uniform += 2) {
        const slt_channel_scale *channel = &data->channel[c];
        double y = (double)head[c], drawn;
        if (channel->bit)
            drawn = (double)uniform[0] < 1 / (1 + exp(-y));
        else
            drawn = y + sqrt((double)slt_channel_variance(spread[c])) * normal(uniform);
        out[channel->column] = (float)((double)channel->mean + (double)channel->scale * drawn);
    }
}

const slt_likelihood slt_gaussian = {.name = "gaussian",
                                     .input = input,
                                     .width = width,
                                     .codes = codes,
                                     .join = join,
                                     .prefix = prefix,
                                     .segment = segment,
                                     .done = done,
                                     .given_back = given_back,
                                     .sample = sample};
