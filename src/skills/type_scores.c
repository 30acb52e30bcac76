// Types against names: purity, accuracy under the best one-to-one matching, mutual information.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <string.h>
#include "skills/types_impl.h"

// dense numbers of the values that occur
static slt_status number(slt_arena *arena, const int32_t *values, const int32_t *names,
                         int64_t count, slt_key_map *map) {
    SLT_TRY(slt_key_map_init(map, arena, sizeof *values));
    for (int64_t i = 0; i < count; i++) {
        int32_t unused;
        if (names[i] >= 0) SLT_TRY(slt_key_map_add(map, &values[i], &unused));
    }
    if (map->count > SLT_MOST_TYPES) SLT_FAIL(SLT_RANGE, "more than %d types", SLT_MOST_TYPES);
    return SLT_OK;
}

typedef struct {
    int n;          // rows and columns; those that do not occur are empty
    double *counts; // [n][n] of types and names; unknown types count nothing
    double *u, *v, *least;
    int *row_of, *way;
    bool *used;
} matching;

// adds row i to the matching along the cheapest alternating path; rows and columns count from 1
static void add_row(matching *m, int i) {
    int n = m->n, column = 0;
    m->row_of[0] = i;
    for (int j = 0; j <= n; j++) m->least[j] = INFINITY, m->used[j] = false;
    do {
        m->used[column] = true;
        int row = m->row_of[column], next = 0;
        double delta = INFINITY;
        for (int j = 1; j <= n; j++) {
            if (m->used[j]) continue;
            double cost = -m->counts[(row - 1) * n + j - 1] - m->u[row] - m->v[j];
            if (cost < m->least[j]) m->least[j] = cost, m->way[j] = column;
            if (m->least[j] < delta) delta = m->least[j], next = j;
        }
        for (int j = 0; j <= n; j++) {
            if (m->used[j])
                m->u[m->row_of[j]] += delta, m->v[j] -= delta;
            else
                m->least[j] -= delta;
        }
        column = next;
    } while (m->row_of[column]);
    for (int from; column; column = from) {
        from = m->way[column];
        m->row_of[column] = m->row_of[from];
    }
}

// the greatest sum of counts, one of each row and column (Kuhn's Hungarian method)
static slt_status best_matching(slt_arena *arena, double *counts, int n, double *out) {
    matching m = {.n = n, .counts = counts};
    size_t size = (size_t)n + 1;
    SLT_TRY(SLT_NEW(arena, &m.u, size));
    SLT_TRY(SLT_NEW(arena, &m.v, size));
    SLT_TRY(SLT_NEW(arena, &m.least, size));
    SLT_TRY(SLT_NEW(arena, &m.row_of, size));
    SLT_TRY(SLT_NEW(arena, &m.way, size));
    SLT_TRY(SLT_NEW(arena, &m.used, size));
    for (int i = 1; i <= n; i++) add_row(&m, i);
    *out = 0;
    for (int j = 1; j <= n; j++) *out += counts[(m.row_of[j] - 1) * n + j - 1];
    return SLT_OK;
}

static double entropy_of(const double *counts, int n, double total) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        if (counts[i] > 0) sum -= counts[i] / total * log(counts[i] / total);
    return sum;
}

static slt_status score(slt_arena *arena, const int32_t *types, const int32_t *names, int64_t count,
                        slt_type_scores *out) {
    slt_key_map rows, columns;
    double *all, *known, *by_type, *by_name, right;
    slt_type_scores s = {0};
    SLT_TRY(number(arena, types, names, count, &rows));
    SLT_TRY(number(arena, names, names, count, &columns));
    int n = rows.count > columns.count ? rows.count : columns.count;
    SLT_TRY(SLT_NEW(arena, &all, (size_t)n * (size_t)n + 1));
    SLT_TRY(SLT_NEW(arena, &known, (size_t)n * (size_t)n + 1));
    SLT_TRY(SLT_NEW(arena, &by_type, (size_t)n + 1));
    SLT_TRY(SLT_NEW(arena, &by_name, (size_t)n + 1));
    for (int64_t i = 0; i < count; i++) {
        if (names[i] < 0) continue;
        int r = slt_key_map_find(&rows, &types[i]), c = slt_key_map_find(&columns, &names[i]);
        all[r * n + c]++;
        known[r * n + c] += types[i] >= 0;
        by_type[r]++;
        by_name[c]++;
        s.segments++;
    }
    if (!s.segments) SLT_FAIL(SLT_INVALID, "no segment has the name of a sub-task");
    double total = (double)s.segments, pure = 0;
    for (int r = 0; r < n; r++) {
        double most = 0;
        for (int c = 0; c < n; c++) most = fmax(most, known[r * n + c]);
        pure += most;
    }
    SLT_TRY(best_matching(arena, known, n, &right));
    double h = entropy_of(by_type, n, total) + entropy_of(by_name, n, total);
    int32_t unknown = SLT_UNKNOWN_TYPE;
    s.types = rows.count - (slt_key_map_find(&rows, &unknown) >= 0);
    s.names = columns.count;
    s.accuracy = right / total;
    s.purity = pure / total;
    s.nmi = h > 0 ? 2 * (h - entropy_of(all, n * n, total)) / h : 1;
    *out = s;
    return SLT_OK;
}

slt_status slt_type_score(slt_context *context, const int32_t *types, const int32_t *names,
                          int64_t count, slt_type_scores *out) {
    slt_arena arena;
    slt_arena_init(&arena, &context->allocator, 0);
    slt_status status = score(&arena, types, names, count, out);
    slt_arena_deinit(&arena);
    return status;
}

// ---- labelled segments

static slt_status add_episode(const slt_types *types, slt_dataset *data, int64_t index,
                              int32_t *out_types, int32_t *names, int64_t *count) {
    slt_episode episode;
    SLT_TRY(slt_dataset_episode(data, index, &episode));
    SLT_TRY(slt_types_of(types, data, index, episode.segments, out_types + *count));
    for (int64_t t = 0; t < episode.length; t++)
        if (slt_ends_at(episode.segments, episode.length, t))
            names[(*count)++] = episode.subtasks[t];
    return SLT_OK;
}

static slt_status score_split(const slt_types *types, slt_dataset *data, slt_split split,
                              slt_arena *arena, slt_type_scores *out) {
    const int64_t *episodes;
    int32_t *found, *names;
    int64_t count = 0, episode_count = slt_dataset_split(data, split, &episodes);
    SLT_TRY(SLT_NEW(arena, &found, (size_t)slt_dataset_about(data)->steps));
    SLT_TRY(SLT_NEW(arena, &names, (size_t)slt_dataset_about(data)->steps));
    for (int64_t i = 0; i < episode_count; i++)
        SLT_TRY(add_episode(types, data, episodes[i], found, names, &count));
    return slt_type_score(types->context, found, names, count, out);
}

slt_status slt_types_score(const slt_types *types, slt_dataset *data, slt_split split,
                           slt_type_scores *out) {
    const slt_dataset_info *info = slt_dataset_about(data);
    slt_arena arena;
    if (!info->has_segments || !info->has_subtasks)
        SLT_FAIL(SLT_INVALID, "%s has no %s", slt_dataset_path(data),
                 info->has_segments ? "names of sub-tasks" : "labels");
    slt_arena_init(&arena, &types->context->allocator, 0);
    slt_status status = score_split(types, data, split, &arena, out);
    slt_arena_deinit(&arena);
    return status;
}
