// Fixed companions: choosing, writing, reading.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "train/learner/companions.h"

#include <math.h>
#include <string.h>

bool slt_companions_needed(const slt_setup *setup) {
    const slt_model_kind *kind = setup->kind;
    return kind->companions(setup->model) == SLT_COMPANION_OTHERS && kind->fixed_companions &&
           kind->fixed_companions(setup->model);
}

slt_status slt_companions_choose(slt_arena *arena, slt_dataset *data, const int64_t *episodes,
                                 int64_t count, slt_learner *learner) {
    if (!slt_companions_needed(&learner->setup)) return SLT_OK;
    int K = learner->setup.kind->slots(learner->setup.model);
    slt_episode *chosen;
    SLT_TRY(SLT_NEW(arena, &chosen, (size_t)K));
    for (int k = 0; k < K; k++) {
        int64_t place = (int64_t)((k + 0.5) * (double)count / K);
        SLT_TRY(slt_dataset_episode(data, episodes[place], &chosen[k]));
    }
    learner->companions = chosen;
    return SLT_OK;
}

// ---- writing

static int64_t steps_of(const slt_episode *episodes, int K) {
    int64_t steps = 0;
    for (int k = 0; k < K; k++) steps += episodes[k].length;
    return steps;
}

// floats stay floats; bytes and ones are bytes
static slt_dtype type_of(const slt_episode *episode) {
    return episode->observations_f32 ? SLT_DTYPE_F32 : SLT_DTYPE_U8;
}

void slt_companions_declare(slt_safetensors_writer *writer, const slt_learner *learner) {
    int K = learner->setup.kind->slots(learner->setup.model);
    const int64_t one[] = {K}, two[] = {steps_of(learner->companions, K)};
    const int64_t three[] = {two[0], learner->data.observation};
    const int64_t vectors[] = {two[0], learner->data.columns};
    slt_safetensors_declare(writer, "companions.length", SLT_DTYPE_I32, 1, one);
    if (learner->data.columns)
        slt_safetensors_declare(writer, "companions.actions", SLT_DTYPE_F32, 2, vectors);
    else
        slt_safetensors_declare(writer, "companions.actions", SLT_DTYPE_I32, 1, two);
    if (learner->data.observation)
        slt_safetensors_declare(writer, "companions.observations", type_of(learner->companions), 2,
                                three);
}

static void put_ones(slt_safetensors_writer *writer, const slt_episode *episode, int width) {
    uint8_t row[1 << 16]; // places of ones are u16
    for (int64_t t = 0; t < episode->length; t++) {
        memset(row, 0, (size_t)width);
        for (int64_t i = episode->ones_offsets[t]; i < episode->ones_offsets[t + 1]; i++)
            row[episode->ones[i]] = 1;
        slt_safetensors_put(writer, row, (size_t)width);
    }
}

static void put_observations(slt_safetensors_writer *writer, const slt_episode *episode,
                             int width) {
    size_t count = (size_t)episode->length * (size_t)width;
    if (episode->observations_f32)
        slt_safetensors_put(writer, episode->observations_f32, count * sizeof(float));
    else if (episode->observations_u8)
        slt_safetensors_put(writer, episode->observations_u8, count);
    else
        put_ones(writer, episode, width);
}

static void put_actions(slt_safetensors_writer *writer, const slt_episode *episode, int columns) {
    size_t count = (size_t)episode->length * (size_t)columns;
    if (columns) slt_safetensors_put(writer, episode->actions_f32, count * sizeof(float));
    for (int64_t t = 0; !columns && t < episode->length; t++) {
        int32_t action = slt_episode_action(episode, t);
        slt_safetensors_put(writer, &action, sizeof action);
    }
}

void slt_companions_put(slt_safetensors_writer *writer, const slt_learner *learner) {
    int K = learner->setup.kind->slots(learner->setup.model);
    const slt_episode *episodes = learner->companions;
    for (int k = 0; k < K; k++) {
        int32_t length = (int32_t)episodes[k].length;
        slt_safetensors_put(writer, &length, sizeof length);
    }
    for (int k = 0; k < K; k++) put_actions(writer, &episodes[k], learner->data.columns);
    for (int k = 0; k < K && learner->data.observation; k++)
        put_observations(writer, &episodes[k], learner->data.observation);
}

// ---- reading

typedef struct {
    slt_arena *arena;
    const slt_safetensors *file;
    const slt_model_data *data;
    int K;
    int64_t steps;
    slt_episode *episodes;
} reader;

static slt_status read_lengths(reader *r) {
    const slt_array *array;
    const int64_t shape[] = {r->K};
    SLT_TRY(slt_safetensors_get(r->file, "companions.length", SLT_DTYPE_I32, 1, shape, &array));
    for (int k = 0; k < r->K; k++) {
        int32_t length = ((const int32_t *)array->data)[k];
        if (length < 1 || length > r->data->length)
            SLT_FAIL(SLT_FORMAT, "%s: companions.length: %d is outside of 1 to %d",
                     slt_safetensors_path(r->file), length, r->data->length);
        r->episodes[k] = (slt_episode){.index = k, .length = length};
        r->steps += length;
    }
    return SLT_OK;
}

static slt_status read_actions(reader *r) {
    const slt_array *array;
    int32_t *copy;
    const int64_t shape[] = {r->steps};
    SLT_TRY(slt_safetensors_get(r->file, "companions.actions", SLT_DTYPE_I32, 1, shape, &array));
    SLT_TRY(SLT_NEW(r->arena, &copy, array->count));
    memcpy(copy, array->data, array->bytes);
    for (int64_t i = 0; i < r->steps; i++)
        if (copy[i] < 0 || copy[i] >= r->data->symbols - 1)
            SLT_FAIL(SLT_FORMAT, "%s: companions.actions: %d is outside of 0 to %d",
                     slt_safetensors_path(r->file), copy[i], r->data->symbols - 2);
    for (int k = 0; k < r->K; copy += r->episodes[k++].length) r->episodes[k].actions_i32 = copy;
    return SLT_OK;
}

static slt_status check_finite(const reader *r, const char *name, const slt_array *array) {
    const float *values = array->data;
    for (size_t i = 0; array->dtype == SLT_DTYPE_F32 && i < array->count; i++)
        if (!isfinite(values[i]))
            SLT_FAIL(SLT_FORMAT, "%s: %s: holds %f", slt_safetensors_path(r->file), name,
                     (double)values[i]);
    return SLT_OK;
}

static slt_status read_vectors(reader *r) {
    const slt_array *array;
    float *copy;
    const int64_t shape[] = {r->steps, r->data->columns};
    SLT_TRY(slt_safetensors_get(r->file, "companions.actions", SLT_DTYPE_F32, 2, shape, &array));
    SLT_TRY(check_finite(r, "companions.actions", array));
    SLT_TRY(SLT_NEW(r->arena, &copy, array->count));
    memcpy(copy, array->data, array->bytes);
    for (int k = 0; k < r->K; copy += r->episodes[k++].length * r->data->columns)
        r->episodes[k].actions_f32 = copy;
    return SLT_OK;
}

// bytes of zeros and ones become lists of places
static slt_status read_ones(reader *r, const slt_array *array) {
    const uint8_t *bytes = array->data;
    size_t width = (size_t)r->data->observation, count = 0, row = 0;
    int64_t *offsets;
    uint16_t *ones;
    for (size_t i = 0; i < array->count; i++) {
        if (bytes[i] > 1)
            SLT_FAIL(SLT_FORMAT, "%s: companions.observations: %d where bits are wanted",
                     slt_safetensors_path(r->file), bytes[i]);
        count += bytes[i];
    }
    SLT_TRY(SLT_NEW(r->arena, &ones, count));
    SLT_TRY(SLT_NEW(r->arena, &offsets, (size_t)r->steps + 1));
    for (count = 0; row < (size_t)r->steps; offsets[++row] = (int64_t)count)
        for (size_t i = 0; i < width; i++)
            if (bytes[row * width + i]) ones[count++] = (uint16_t)i;
    for (int k = 0; k < r->K; offsets += r->episodes[k++].length) {
        r->episodes[k].ones = ones;
        r->episodes[k].ones_offsets = offsets;
    }
    return SLT_OK;
}

static slt_status read_numbers(reader *r, const slt_array *array) {
    SLT_TRY(check_finite(r, "companions.observations", array));
    size_t size = slt_dtype_size(array->dtype), at = 0;
    unsigned char *copy;
    SLT_TRY(SLT_NEW(r->arena, &copy, array->bytes));
    memcpy(copy, array->data, array->bytes);
    for (int k = 0; k < r->K; k++) {
        slt_episode *episode = &r->episodes[k];
        if (array->dtype == SLT_DTYPE_F32)
            episode->observations_f32 = (const float *)(const void *)(copy + at);
        else
            episode->observations_u8 = copy + at;
        at += (size_t)episode->length * (size_t)r->data->observation * size;
    }
    return SLT_OK;
}

static slt_status read_observations(reader *r) {
    const slt_array *array = slt_safetensors_find(r->file, "companions.observations");
    bool bits = r->data->observation_type == SLT_BITS;
    bool floats = !bits && array && array->dtype == SLT_DTYPE_F32;
    const int64_t shape[] = {r->steps, r->data->observation};
    SLT_TRY(slt_safetensors_get(r->file, "companions.observations",
                                floats ? SLT_DTYPE_F32 : SLT_DTYPE_U8, 2, shape, &array));
    return bits ? read_ones(r, array) : read_numbers(r, array);
}

slt_status slt_companions_read(slt_arena *arena, const slt_safetensors *file,
                               const slt_model_data *data, int K, const slt_episode **out) {
    reader r = {.arena = arena, .file = file, .data = data, .K = K};
    SLT_TRY(SLT_NEW(arena, &r.episodes, (size_t)K));
    SLT_TRY(read_lengths(&r));
    SLT_TRY((data->columns ? read_vectors : read_actions)(&r));
    if (data->observation) SLT_TRY(read_observations(&r));
    *out = r.episodes;
    return SLT_OK;
}
