// Continuous behaviour as the switching chains read it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "switching/motion.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- standardisation

typedef struct {
    double *sum, *square;
    int64_t rows;
} moments;

static void add_row(moments *m, const float *row, int size) {
    for (int i = 0; i < size; i++) {
        m->sum[i] += row[i];
        m->square[i] += (double)row[i] * row[i];
    }
    m->rows++;
}

static slt_status settle(slt_arena *arena, const moments *m, int size, slt_standard *out) {
    out->size = size;
    SLT_TRY(SLT_NEW(arena, &out->channel, (size_t)size + 1));
    SLT_TRY(SLT_NEW(arena, &out->mean, (size_t)size + 1));
    SLT_TRY(SLT_NEW(arena, &out->scale, (size_t)size + 1));
    for (int i = 0; i < size; i++) {
        double mean = m->sum[i] / (double)m->rows;
        double deviation = sqrt(fmax(0, m->square[i] / (double)m->rows - mean * mean));
        if (deviation <= 1e-6 * fmax(1, fabs(mean))) continue; // constant
        out->channel[out->kept] = i;
        out->mean[out->kept] = (float)mean;
        out->scale[out->kept++] = (float)(1 / deviation);
    }
    return SLT_OK;
}

static slt_status new_moments(slt_arena *arena, int size, moments *out) {
    *out = (moments){0};
    SLT_TRY(SLT_NEW(arena, &out->sum, (size_t)size + 1));
    return SLT_NEW(arena, &out->square, (size_t)size + 1);
}

// ---- too many observations

typedef struct {
    double score;
    int place;
} ranked;

static int by_score(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    if (x->score != y->score) return x->score < y->score ? 1 : -1;
    return x->place - y->place;
}

static int by_place(const void *a, const void *b) {
    return ((const ranked *)a)->place - ((const ranked *)b)->place;
}

// products [actions kept][observations kept] of all steps, in standard deviations
static slt_status multiply(slt_dataset *data, const int64_t *episodes, int64_t count,
                           const slt_motion_scale *scale, float *row, double *products) {
    const slt_dataset_info *info = slt_dataset_about(data);
    const slt_standard *a = &scale->actions, *o = &scale->observations;
    for (int64_t e = 0; e < count; e++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(data, episodes[e], &episode));
        for (int64_t t = 0; t < episode.length; t++) {
            const float *action = episode.actions_f32 + t * info->action_size;
            SLT_TRY(slt_episode_observe(info, &episode, t, row));
            for (int i = 0; i < a->kept; i++) {
                double x = (action[a->channel[i]] - a->mean[i]) * a->scale[i];
                double *out = products + (size_t)i * (size_t)o->kept;
                for (int j = 0; j < o->kept; j++)
                    out[j] += x * (row[o->channel[j]] - o->mean[j]) * o->scale[j];
            }
        }
    }
    return SLT_OK;
}

static void keep_ranked(slt_standard *s, ranked *list) {
    qsort(list, (size_t)s->kept, sizeof *list, by_score);
    s->kept = SLT_MOST_FEATURES;
    qsort(list, SLT_MOST_FEATURES, sizeof *list, by_place);
    for (int i = 0; i < s->kept; i++) {
        s->channel[i] = s->channel[list[i].place];
        s->mean[i] = s->mean[list[i].place];
        s->scale[i] = s->scale[list[i].place];
    }
}

// the observations with the greatest sum of squared correlations with the actions
static slt_status choose_features(slt_arena *arena, slt_dataset *data, const int64_t *episodes,
                                  int64_t count, slt_motion_scale *scale) {
    size_t A = (size_t)scale->actions.kept, O = (size_t)scale->observations.kept;
    double *products;
    ranked *list;
    float *row;
    SLT_TRY(SLT_NEW(arena, &products, A * O + 1));
    SLT_TRY(SLT_NEW(arena, &list, O));
    SLT_TRY(SLT_NEW(arena, &row, (size_t)scale->observations.size));
    SLT_TRY(multiply(data, episodes, count, scale, row, products));
    for (size_t j = 0; j < O; j++) {
        list[j].place = (int)j;
        for (size_t i = 0; i < A; i++) list[j].score += products[i * O + j] * products[i * O + j];
    }
    keep_ranked(&scale->observations, list);
    return SLT_OK;
}

static slt_status measure(slt_arena *arena, slt_dataset *data, const int64_t *episodes,
                          int64_t count, slt_motion_scale *out) {
    const slt_dataset_info *info = slt_dataset_about(data);
    int A = info->action_size, O = (int)info->observation_size;
    moments a, o;
    float *row;
    *out = (slt_motion_scale){0};
    SLT_TRY(new_moments(arena, A, &a));
    SLT_TRY(new_moments(arena, O, &o));
    SLT_TRY(SLT_NEW(arena, &row, (size_t)O + 1));
    for (int64_t e = 0; e < count; e++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(data, episodes[e], &episode));
        for (int64_t t = 0; t < episode.length; t++) {
            add_row(&a, episode.actions_f32 + t * A, A);
            if (!O) continue;
            SLT_TRY(slt_episode_observe(info, &episode, t, row));
            add_row(&o, row, O);
        }
    }
    SLT_TRY(settle(arena, &a, A, &out->actions));
    return settle(arena, &o, O, &out->observations);
}

slt_status slt_motion_measure(slt_arena *arena, slt_dataset *data, const int64_t *episodes,
                              int64_t count, slt_motion_scale *out) {
    SLT_TRY(measure(arena, data, episodes, count, out));
    if (out->actions.kept > SLT_MOST_MOTION_ACTIONS)
        SLT_FAIL(SLT_UNSUPPORTED,
                 "%s: %d numbers per action vary, at most %d are possible; name them "
                 "with --actions",
                 slt_dataset_path(data), out->actions.kept, SLT_MOST_MOTION_ACTIONS);
    if (out->observations.kept <= SLT_MOST_FEATURES) return SLT_OK;
    return choose_features(arena, data, episodes, count, out);
}

void slt_standard_apply(const slt_standard *s, const float *row, float *out) {
    for (int i = 0; i < s->kept; i++) out[i] = (row[s->channel[i]] - s->mean[i]) * s->scale[i];
}

// ---- reading

static slt_status reserve(slt_arena *arena, slt_dataset *data, const int64_t *episodes,
                          slt_motion *out) {
    int64_t *offsets;
    SLT_TRY(SLT_NEW(arena, &offsets, (size_t)out->episodes + 1));
    const int64_t *from = slt_dataset_offsets(data);
    for (int64_t e = 0; e < out->episodes; e++)
        offsets[e + 1] = offsets[e] + from[episodes[e] + 1] - from[episodes[e]];
    out->offsets = offsets;
    out->steps = offsets[out->episodes];
    size_t actions, features;
    if (!slt_size_mul((size_t)out->steps, (size_t)out->A, &actions) ||
        !slt_size_mul((size_t)out->steps, (size_t)out->D, &features))
        SLT_FAIL(SLT_RANGE, "%lld steps are too many", (long long)out->steps);
    SLT_TRY(SLT_NEW(arena, &out->actions, actions + 1));
    return SLT_NEW(arena, &out->features, features + 1);
}

slt_status slt_motion_read(slt_arena *arena, slt_dataset *data, const slt_motion_scale *scale,
                           const int64_t *episodes, int64_t count, slt_motion *out) {
    const slt_dataset_info *info = slt_dataset_about(data);
    float *row;
    *out = (slt_motion){
        .episodes = count, .A = scale->actions.kept, .D = 1 + scale->observations.kept};
    SLT_TRY(reserve(arena, data, episodes, out));
    SLT_TRY(SLT_NEW(arena, &row, (size_t)info->observation_size + 1));
    for (int64_t e = 0; e < count; e++) {
        slt_episode episode;
        SLT_TRY(slt_dataset_episode(data, episodes[e], &episode));
        for (int64_t t = 0; t < episode.length; t++) {
            int64_t at = out->offsets[e] + t;
            slt_standard_apply(&scale->actions, episode.actions_f32 + t * info->action_size,
                               out->actions + at * out->A);
            out->features[at * out->D] = 1;
            if (!scale->observations.kept) continue;
            SLT_TRY(slt_episode_observe(info, &episode, t, row));
            slt_standard_apply(&scale->observations, row, out->features + at * out->D + 1);
        }
    }
    return SLT_OK;
}

// ---- noise

static int by_value(const void *a, const void *b) {
    float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static float median(float *values, int64_t count) {
    if (!count) return 0;
    qsort(values, (size_t)count, sizeof *values, by_value);
    return values[count / 2];
}

slt_status slt_motion_noise(slt_arena *arena, const slt_motion *motion, double *out) {
    int64_t episodes = motion->episodes < 200 ? motion->episodes : 200;
    int A = motion->A;
    float *values, *channels;
    SLT_TRY(SLT_NEW(arena, &values, (size_t)motion->offsets[episodes] + 1));
    SLT_TRY(SLT_NEW(arena, &channels, (size_t)A + 1));
    for (int i = 0; i < A; i++) {
        int64_t count = 0;
        for (int64_t e = 0; e < episodes; e++)
            for (int64_t t = motion->offsets[e] + 1; t + 1 < motion->offsets[e + 1]; t++) {
                const float *a = motion->actions + t * A + i;
                values[count++] = fabsf(a[A] - 2 * a[0] + a[-A]);
            }
        channels[i] = 1.4826f * median(values, count) / sqrtf(6);
    }
    *out = median(channels, A);
    return SLT_OK;
}
