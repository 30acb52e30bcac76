// The numbers of a continuous action, one by one: constant, one of two values, or continuous.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "data/dataset_impl.h"

const char *slt_channel_kind_name(slt_channel_kind kind) {
    static const char *const names[] = {"constant", "binary", "continuous"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : "unknown";
}

// least and most come first: a value that is neither makes the channel continuous
static void extend(slt_channel *channel, const float *row, int64_t step) {
    float value = row[0];
    if (step == 0 || value < channel->least) channel->least = value;
    if (step == 0 || value > channel->most) channel->most = value;
    double gap = (double)value - channel->mean;
    channel->mean += gap / (double)(step + 1);
    channel->deviation += gap * ((double)value - channel->mean);
}

static slt_channel_kind kind_of(const slt_channel *channel, const float *values, int64_t steps,
                                int64_t stride) {
    if (channel->least == channel->most) return SLT_CHANNEL_CONSTANT;
    for (int64_t t = 0; t < steps; t++)
        if (values[t * stride] != channel->least && values[t * stride] != channel->most)
            return SLT_CHANNEL_CONTINUOUS;
    return SLT_CHANNEL_BINARY;
}

slt_status slt_dataset_channels(slt_dataset *data, slt_channel *out) {
    const slt_dataset_info *info = &data->info;
    int64_t size = info->action_size;
    if (info->action_kind != SLT_ACTIONS_CONTINUOUS)
        SLT_FAIL(SLT_INVALID, "%s: its actions are discrete: they have no channels", data->path);
    SLT_TRY(slt_dataset_check(data)); // no NaN below
    const float *values = data->actions->data;
    for (int64_t i = 0; i < size; i++)
        out[i] = (slt_channel){.name = info->action_names ? info->action_names[i] : NULL};
    for (int64_t t = 0; t < info->steps; t++)
        for (int64_t i = 0; i < size; i++) extend(&out[i], values + t * size + i, t);
    for (int64_t i = 0; i < size; i++) {
        out[i].kind = kind_of(&out[i], values + i, info->steps, size);
        out[i].deviation = sqrt(out[i].deviation / (double)info->steps);
    }
    return SLT_OK;
}
