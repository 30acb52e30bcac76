// Histograms of a data set: lengths of episodes, numbers of segments.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "data/dataset_impl.h"

static int64_t count_of(const slt_dataset *data, slt_count_kind kind, int64_t index) {
    int64_t first = data->offsets[index], length = data->offsets[index + 1] - first;
    if (kind == SLT_COUNT_LENGTHS) return length;
    const int32_t *segments = (const int32_t *)data->segment->data + first;
    return slt_episode_segment_count(&(slt_episode){.length = length, .segments = segments});
}

slt_status slt_dataset_histogram(slt_dataset *data, slt_count_kind kind, slt_histogram *out) {
    if (kind == SLT_COUNT_SEGMENTS && !data->segment)
        SLT_FAIL(SLT_INVALID, "%s: segment: the data set has no labels", data->path);
    slt_histogram found = {.values = data->info.episodes, .least = INT64_MAX};
    double sum = 0, squares = 0;
    for (int64_t i = 0; i < found.values; i++) {
        int64_t value = count_of(data, kind, i);
        if (value < found.least) found.least = value;
        if (value > found.most) found.most = value;
        sum += (double)value;
    }
    found.mean = sum / (double)found.values;
    found.low = found.least;
    found.width = (found.most - found.least) / SLT_HISTOGRAM_BINS + 1;
    found.bin_count = (int)((found.most - found.least) / found.width) + 1;
    for (int64_t i = 0; i < found.values; i++) {
        int64_t value = count_of(data, kind, i);
        found.bins[(value - found.low) / found.width]++;
        squares += ((double)value - found.mean) * ((double)value - found.mean);
    }
    found.deviation = sqrt(squares / (double)found.values);
    *out = found;
    return SLT_OK;
}
