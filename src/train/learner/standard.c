// Means and deviations of columns.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/learner/standard.h"

#include <math.h>

// ---- measuring

typedef struct {
    float least, most;
    double sum, squares; // squares: of distances to the mean
    bool two;            // no value but least and most
} column;

typedef struct {
    slt_arena *arena;
    const slt_dataset_spec *task;
    bool actions; // or observations
    int width;
    float *row;
    column *columns;
    int64_t steps;
} survey;

typedef void (*take_row)(survey *s, const float *row);

static slt_status row_of(survey *s, const slt_episode *episode, int64_t t, const float **out) {
    *out = s->row;
    if (!s->actions)
        return slt_episode_observe(slt_dataset_about(s->task->data), episode, t, s->row);
    *out = episode->actions_f32 + (size_t)t * (size_t)s->width;
    return SLT_OK;
}

// all steps of the training split
static slt_status walk(survey *s, take_row take) {
    const slt_dataset_spec *task = s->task;
    for (int64_t i = 0; i < task->count[SLT_SPLIT_TRAIN]; i++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(task->data, task->episodes[SLT_SPLIT_TRAIN][i], &episode));
        for (int64_t t = 0; t < episode.length; t++) {
            const float *row;
            SLT_TRY(row_of(s, &episode, t, &row));
            take(s, row);
        }
    }
    return SLT_OK;
}

static void take_range(survey *s, const float *row) {
    for (int c = 0; c < s->width; c++) {
        column *at = &s->columns[c];
        at->least = s->steps == 0 || row[c] < at->least ? row[c] : at->least;
        at->most = s->steps == 0 || row[c] > at->most ? row[c] : at->most;
        at->sum += (double)row[c];
        at->two = true;
    }
    s->steps++;
}

static void take_squares(survey *s, const float *row) {
    for (int c = 0; c < s->width; c++) {
        column *at = &s->columns[c];
        double distance = (double)row[c] - at->sum / (double)s->steps;
        at->squares += distance * distance;
        if (row[c] != at->least && row[c] != at->most) at->two = false;
    }
}

static slt_status look(survey *s) {
    SLT_TRY(SLT_NEW(s->arena, &s->row, (size_t)s->width));
    SLT_TRY(SLT_NEW(s->arena, &s->columns, (size_t)s->width));
    SLT_TRY(walk(s, take_range));
    return walk(s, take_squares);
}

// scale 0: the column does not vary, but for the last digits of its numbers
static slt_channel_scale standard_of(const survey *s, int c) {
    const column *at = &s->columns[c];
    double size = fmax(fabs((double)at->least), fabs((double)at->most));
    double deviation = sqrt(at->squares / (double)s->steps);
    slt_channel_scale out = {.column = c};
    if (!(deviation > 1e-6 * size)) return out;
    out.bit = s->actions && at->two;
    out.mean = out.bit ? at->least : (float)(at->sum / (double)s->steps);
    out.scale = out.bit ? at->most - at->least : (float)deviation;
    return out;
}

static slt_status measure_actions(slt_arena *arena, slt_dataset_spec *task) {
    slt_model_data *model = &task->model;
    survey s = {.arena = arena, .task = task, .actions = true};
    slt_channel_scale *channel;
    s.width = model->columns = slt_dataset_about(task->data)->action_size;
    SLT_TRY(look(&s));
    SLT_TRY(SLT_NEW(arena, &channel, (size_t)s.width));
    for (int c = 0; c < s.width; c++) {
        channel[model->channels] = standard_of(&s, c);
        if (channel[model->channels].scale > 0) model->channels++;
    }
    model->channel = channel;
    if (!model->channels)
        SLT_FAIL(SLT_INVALID,
                 "%s: all %d columns of the actions are constant over the training episodes: "
                 "there is nothing to predict",
                 slt_dataset_path(task->data), s.width);
    return SLT_OK;
}

slt_status slt_standard_measure(slt_arena *arena, slt_dataset_spec *task) {
    slt_model_data *model = &task->model;
    slt_channel_scale *observed;
    SLT_TRY(measure_actions(arena, task));
    if (!model->observation || model->observation_type != SLT_NUMBERS) return SLT_OK;
    survey s = {.arena = arena, .task = task, .width = model->observation};
    SLT_TRY(look(&s));
    SLT_TRY(SLT_NEW(arena, &observed, (size_t)s.width));
    for (int c = 0; c < s.width; c++) observed[c] = standard_of(&s, c);
    model->observed = observed;
    return SLT_OK;
}

// ---- checkpoints: rows of column, bit, mean, scale

enum { COLUMN, BIT, MEAN, SCALE, NUMBERS };

void slt_standard_declare(slt_safetensors_writer *writer, const slt_model_data *data) {
    const int64_t actions[] = {data->channels, NUMBERS}, seen[] = {data->observation, NUMBERS};
    if (data->columns)
        slt_safetensors_declare(writer, "standard.actions", SLT_DTYPE_F32, 2, actions);
    if (data->observed)
        slt_safetensors_declare(writer, "standard.observations", SLT_DTYPE_F32, 2, seen);
}

static void put_rows(slt_safetensors_writer *writer, const slt_channel_scale *standard, int count) {
    for (int i = 0; i < count; i++) {
        float row[NUMBERS] = {(float)standard[i].column, standard[i].bit, standard[i].mean,
                              standard[i].scale};
        slt_safetensors_put(writer, row, sizeof row);
    }
}

void slt_standard_put(slt_safetensors_writer *writer, const slt_model_data *data) {
    if (data->columns) put_rows(writer, data->channel, data->channels);
    if (data->observed) put_rows(writer, data->observed, data->observation);
}

// constant: a scale of 0 may be there
static slt_status read_rows(slt_arena *arena, const slt_safetensors *file, const char *name,
                            int count, int columns, bool constant, const slt_channel_scale **out) {
    const int64_t shape[] = {count, NUMBERS};
    const slt_array *array;
    slt_channel_scale *rows;
    SLT_TRY(slt_safetensors_get(file, name, SLT_DTYPE_F32, 2, shape, &array));
    SLT_TRY(SLT_NEW(arena, &rows, (size_t)count));
    const float *from = array->data;
    for (int i = 0; i < count; i++, from += NUMBERS) {
        bool place = from[COLUMN] >= 0 && from[COLUMN] < (float)columns;
        bool scale = isfinite(from[SCALE]) && (constant ? from[SCALE] >= 0 : from[SCALE] > 0);
        if (!place || !scale || !isfinite(from[MEAN]))
            SLT_FAIL(SLT_FORMAT, "%s: %s: row %d holds column %g, mean %g, scale %g",
                     slt_safetensors_path(file), name, i, (double)from[COLUMN], (double)from[MEAN],
                     (double)from[SCALE]);
        rows[i] = (slt_channel_scale){(int)from[COLUMN], from[BIT] > 0, from[MEAN], from[SCALE]};
    }
    *out = rows;
    return SLT_OK;
}

slt_status slt_standard_read(slt_arena *arena, const slt_safetensors *file, slt_model_data *data) {
    if (!data->columns) return SLT_OK;
    SLT_TRY(read_rows(arena, file, "standard.actions", data->channels, data->columns, false,
                      &data->channel));
    if (!data->observation || data->observation_type != SLT_NUMBERS) return SLT_OK;
    return read_rows(arena, file, "standard.observations", data->observation, data->observation,
                     true, &data->observed);
}
