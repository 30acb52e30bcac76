// The values in a data set: what is small is checked at opening, what is large when its episode is
// looked at for the first time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data/dataset_impl.h"

#include <inttypes.h>
#include <math.h>
#include "data/names.h"

// ---- at opening

static slt_status check_bytes(const slt_dataset *data, const slt_array *array, int most) {
    if (!array) return SLT_OK;
    const uint8_t *values = array->data;
    for (size_t i = 0; i < array->count; i++)
        if (values[i] > most)
            SLT_FAIL(SLT_FORMAT, "%s: %s: %d of row %zu is outside of 0 to %d", data->path,
                     array->name, values[i], i, most);
    return SLT_OK;
}

static slt_status check_words(const slt_dataset *data, const slt_array *array, int32_t least,
                              int32_t most) {
    if (!array) return SLT_OK;
    const int32_t *values = array->data;
    for (size_t i = 0; i < array->count; i++)
        if (values[i] < least || values[i] > most)
            SLT_FAIL(SLT_FORMAT,
                     "%s: %s: %" PRId32 " of row %zu is outside of %" PRId32 " to %" PRId32,
                     data->path, array->name, values[i], i, least, most);
    return SLT_OK;
}

slt_status slt_dataset_check_values(const slt_dataset *data) {
    int last = data->info.action_count - 1;
    if (data->actions->dtype == SLT_DTYPE_U8) SLT_TRY(check_bytes(data, data->actions, last));
    if (data->actions->dtype == SLT_DTYPE_I32) SLT_TRY(check_words(data, data->actions, 0, last));
    SLT_TRY(check_bytes(data, data->split, SLT_SPLITS - 1));
    SLT_TRY(check_bytes(data, data->terminated, 1));
    SLT_TRY(check_bytes(data, data->truncated, 1));
    SLT_TRY(check_words(data, data->segment, -1, INT32_MAX));
    SLT_TRY(check_words(data, data->subtask, -1, data->info.subtask_count - 1));
    return check_words(data, data->task, -1, INT32_MAX);
}

// ---- at the first look

// rows [first, last) of a float array are finite; names: of its columns, or NULL
static slt_status check_finite(const slt_dataset *data, const slt_array *array,
                               const char *const *names, int64_t first, int64_t last) {
    if (!array || array->dtype != SLT_DTYPE_F32) return SLT_OK;
    size_t width = array->count / (size_t)array->shape[0];
    const float *values = array->data;
    char name[SLT_NAME_TEXT];
    for (size_t i = (size_t)first * width; i < (size_t)last * width; i++)
        if (!isfinite(values[i]))
            SLT_FAIL(SLT_FORMAT, "%s: %s: row %zu, column %zu%s holds %f", data->path, array->name,
                     i / width, i % width, slt_name_quote(names, (int64_t)(i % width), name),
                     (double)values[i]);
    return SLT_OK;
}

// the ones of rows [first, last) lie in the array, rise, and are below the width
static slt_status check_ones(const slt_dataset *data, const slt_array *bits,
                             const slt_array *offsets, int64_t first, int64_t last) {
    if (!bits) return SLT_OK;
    const int64_t *starts = offsets->data;
    const uint16_t *places = bits->data;
    for (int64_t row = first; row < last; row++) {
        if (starts[row] < 0 || starts[row + 1] < starts[row] ||
            starts[row + 1] > (int64_t)bits->count)
            SLT_FAIL(SLT_FORMAT,
                     "%s: %s: row %" PRId64 " goes from %" PRId64 " to %" PRId64 " of %zu",
                     data->path, offsets->name, row, starts[row], starts[row + 1], bits->count);
        for (int64_t i = starts[row]; i < starts[row + 1]; i++)
            if (places[i] >= data->info.observation_size ||
                (i > starts[row] && places[i] <= places[i - 1]))
                SLT_FAIL(SLT_FORMAT,
                         "%s: %s: row %" PRId64 ": place %d is not below %" PRId64
                         " or does not rise",
                         data->path, bits->name, row, places[i], data->info.observation_size);
    }
    return SLT_OK;
}

slt_status slt_dataset_check_episode(const slt_dataset *data, int64_t index) {
    int64_t first = data->offsets[index], last = data->offsets[index + 1];
    SLT_TRY(check_finite(data, data->actions, data->info.action_names, first, last));
    SLT_TRY(check_finite(data, data->observations, data->info.observation_names, first, last));
    SLT_TRY(check_finite(data, data->rewards, NULL, first, last));
    SLT_TRY(check_finite(data, data->finals, data->info.observation_names, index, index + 1));
    SLT_TRY(check_ones(data, data->bits, data->bits_offsets, first, last));
    return check_ones(data, data->final_bits, data->final_bits_offsets, index, index + 1);
}
