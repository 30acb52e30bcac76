// Types by cluster, where observations are no symbols or actions are continuous: k-means over how
// the observation moved during a segment and what its mean action was, in standard deviations. The
// number of clusters has the least Bayesian information criterion under one spherical variance.
// (Lloyd 1982, doi:10.1109/TIT.1982.1056489; Arthur & Vassilvitskii 2007, k-means++)
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "core/philox.h"
#include "skills/types_impl.h"

enum { MOST_CLUSTERS = 24, RESTARTS = 8, ROUNDS = 100 };

typedef struct {
    int64_t rows;
    int D;
    double *values; // [rows][D]
    int32_t *nearest;
    double *distance; // [rows] squared, to the nearest centre
    uint32_t drawn;
} table;

int slt_cluster_features(const slt_dataset_info *info) {
    bool continuous = info->action_kind == SLT_ACTIONS_CONTINUOUS;
    int64_t actions = continuous ? info->action_size : info->action_count;
    return (int)(info->observation_size + actions);
}

slt_status slt_cluster_read(const slt_dataset_info *info, const slt_episode *episode, int64_t first,
                            int64_t last, float *room, double *out) {
    int64_t O = info->observation_size, after = last;
    bool continuous = info->action_kind == SLT_ACTIONS_CONTINUOUS;
    int actions = continuous ? info->action_size : info->action_count;
    double steps = (double)(last - first + 1);
    memset(out, 0, (size_t)(O + actions) * sizeof *out);
    if (O) {
        if (last + 1 < episode->length || info->has_finals) after = last + 1;
        SLT_TRY(slt_episode_observe(info, episode, first, room));
        SLT_TRY(slt_episode_observe(info, episode, after, room + O));
        for (int64_t i = 0; i < O; i++) out[i] = (double)room[O + i] - (double)room[i];
    }
    for (int64_t t = first; t <= last; t++) {
        if (!continuous) out[O + slt_episode_action(episode, t)] += 1 / steps;
        for (int i = 0; continuous && i < actions; i++)
            out[O + i] += (double)episode->actions_f32[t * actions + i] / steps;
    }
    return SLT_OK;
}

static double squared(const double *a, const double *b, int D) {
    double sum = 0;
    for (int i = 0; i < D; i++) sum += (a[i] - b[i]) * (a[i] - b[i]);
    return sum;
}

int slt_cluster_nearest(const slt_types *types, const double *features) {
    int best = 0;
    double least = INFINITY;
    for (int k = 0; k < types->count; k++) {
        double sum = 0;
        for (int i = 0; i < types->features; i++) {
            double z = (features[i] - types->means[i]) / types->scales[i] -
                       types->centres[k * types->features + i];
            sum += z * z;
        }
        if (sum < least) least = sum, best = k;
    }
    return best;
}

// ---- k-means

static double uniform(table *t) {
    slt_words words = slt_random_words(0, SLT_RANDOM_TYPES, t->drawn++, 0);
    return ((double)words.word[0] + 0.5) / 4294967296.0;
}

static double assign(table *t, const double *centres, int K) {
    double sum = 0;
    for (int64_t r = 0; r < t->rows; r++) {
        t->distance[r] = INFINITY;
        for (int k = 0; k < K; k++) {
            double d = squared(t->values + r * t->D, centres + k * t->D, t->D);
            if (d < t->distance[r]) t->distance[r] = d, t->nearest[r] = k;
        }
        sum += t->distance[r];
    }
    return sum;
}

// each centre is a row, drawn with a probability that grows with its distance from those before it
static void seed(table *t, double *centres, int K) {
    for (int k = 0; k < K; k++) {
        double sum = k ? assign(t, centres, k) : (double)t->rows, at = uniform(t) * sum;
        int64_t r = 0;
        for (; r + 1 < t->rows; r++)
            if ((at -= k ? t->distance[r] : 1) < 0) break;
        memcpy(centres + k * t->D, t->values + r * t->D, (size_t)t->D * sizeof *centres);
    }
}

static void move_centres(const table *t, double *centres, int64_t *counts, int K) {
    memset(counts, 0, (size_t)K * sizeof *counts);
    for (int64_t r = 0; r < t->rows; r++) counts[t->nearest[r]]++;
    for (int k = 0; k < K; k++)
        if (counts[k]) memset(centres + k * t->D, 0, (size_t)t->D * sizeof *centres);
    for (int64_t r = 0; r < t->rows; r++) {
        int k = t->nearest[r];
        for (int i = 0; i < t->D; i++)
            centres[k * t->D + i] += t->values[r * t->D + i] / (double)counts[k];
    }
}

static double descend(table *t, double *centres, int64_t *counts, int K) {
    double last = INFINITY, sum;
    seed(t, centres, K);
    for (int round = 0; round < ROUNDS; round++) {
        sum = assign(t, centres, K);
        if (!(sum < last)) break;
        last = sum;
        move_centres(t, centres, counts, K);
    }
    return assign(t, centres, K);
}

// nats: rows given their cluster, clusters, and the centres
static double criterion(const table *t, const int64_t *counts, int K, double sum) {
    double n = (double)t->rows, variance = sum / (n * t->D) + 1e-6;
    double nats = 0.5 * n * t->D * log(variance) + 0.5 * (double)K * (t->D + 1) * log(n);
    for (int k = 0; k < K; k++)
        if (counts[k]) nats -= (double)counts[k] * log((double)counts[k] / n);
    return nats;
}

// ---- the table

static slt_status read_rows(slt_types *types, const slt_segment_source *s, table *t) {
    float *room;
    int64_t steps = 0;
    t->D = types->features;
    SLT_TRY(SLT_NEW(s->arena, &room, 2 * (size_t)s->info->observation_size + 1));
    for (int pass = 0; pass < 2; pass++) {
        if (pass) SLT_TRY(SLT_NEW(s->arena, &t->values, (size_t)steps * (size_t)t->D + 1));
        for (int64_t i = 0; i < s->count; i++) {
            slt_episode episode;
            const int32_t *ids;
            bool segmented;
            SLT_TRY(slt_source_episode(s, i, &episode, &ids, &segmented));
            for (int64_t at = 0, first = 0; segmented && at < episode.length; at++) {
                if (!slt_ends_at(ids, episode.length, at)) continue;
                steps += !pass;
                if (pass)
                    SLT_TRY(slt_cluster_read(s->info, &episode, first, at, room,
                                             t->values + t->rows++ * t->D));
                first = at + 1;
            }
        }
    }
    SLT_TRY(SLT_NEW(s->arena, &t->nearest, (size_t)t->rows + 1));
    return SLT_NEW(s->arena, &t->distance, (size_t)t->rows + 1);
}

static void standardise(slt_types *types, table *t) {
    for (int i = 0; i < t->D; i++) {
        double mean = 0, square = 0;
        for (int64_t r = 0; r < t->rows; r++) mean += t->values[r * t->D + i] / (double)t->rows;
        for (int64_t r = 0; r < t->rows; r++) {
            double d = t->values[r * t->D + i] - mean;
            square += d * d / (double)t->rows;
        }
        types->means[i] = mean;
        types->scales[i] = square > 1e-12 ? sqrt(square) : 1;
        for (int64_t r = 0; r < t->rows; r++)
            t->values[r * t->D + i] = (t->values[r * t->D + i] - mean) / types->scales[i];
    }
}

// the best of several starts becomes the types' centres if it beats `best`
static slt_status try_clusters(slt_types *types, const slt_segment_source *s, table *t, int K,
                               double *best) {
    double *centres;
    int64_t *counts;
    slt_arena_mark mark = slt_arena_now(s->arena);
    SLT_TRY(SLT_NEW(s->arena, &centres, (size_t)K * (size_t)t->D));
    SLT_TRY(SLT_NEW(s->arena, &counts, (size_t)K));
    for (int i = 0; i < RESTARTS; i++) {
        SLT_TRY(slt_context_check(types->context));
        double sum = descend(t, centres, counts, K), nats = criterion(t, counts, K, sum);
        if (nats >= *best) continue;
        *best = nats;
        types->count = K;
        memcpy(types->centres, centres, (size_t)K * (size_t)t->D * sizeof *centres);
    }
    slt_arena_reset(s->arena, mark);
    return SLT_OK;
}

// the most frequent first
static void sort_by_times(slt_types *types, table *t) {
    assign(t, types->centres, types->count);
    for (int64_t r = 0; r < t->rows; r++) types->times[t->nearest[r]]++;
    for (int i = 0; i < types->count; i++)
        for (int k = i; k > 0 && types->times[k] > types->times[k - 1]; k--) {
            int64_t kept = types->times[k];
            types->times[k] = types->times[k - 1];
            types->times[k - 1] = kept;
            for (int d = 0; d < t->D; d++) {
                double *a = types->centres + k * t->D + d, *b = a - t->D, value = *a;
                *a = *b;
                *b = value;
            }
        }
    while (types->count && !types->times[types->count - 1]) types->count--;
}

slt_status slt_clusters_learn(slt_types *types, const slt_segment_source *s, int clusters) {
    table t = {0};
    double best = INFINITY;
    types->features = slt_cluster_features(s->info);
    size_t D = (size_t)types->features, most = (size_t)(clusters ? clusters : MOST_CLUSTERS);
    SLT_TRY(SLT_NEW(&types->arena, &types->means, D));
    SLT_TRY(SLT_NEW(&types->arena, &types->scales, D));
    SLT_TRY(SLT_NEW(&types->arena, &types->centres, most * D));
    SLT_TRY(SLT_NEW(&types->arena, &types->times, most));
    SLT_TRY(read_rows(types, s, &t));
    if (!t.rows) return SLT_OK;
    standardise(types, &t);
    for (int K = clusters ? clusters : 1; K <= (int)most && K <= t.rows; K++)
        SLT_TRY(try_clusters(types, s, &t, K, &best));
    sort_by_times(types, &t);
    types->occurrences = types->times;
    return SLT_OK;
}
