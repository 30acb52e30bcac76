// What a run said about its test split, from its segments.safetensors. The file is not trusted: it
// must tell of the very trajectories that the report shows.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "report/report_segments.h"

enum { PATH = 4096, SLOTS = 65535 }; // and segments of a model that has none

typedef struct {
    const char *path;
    const slt_safetensors *file;
    int64_t episodes, steps, boundaries;
    int64_t slots; // 0: the model has none; `slot` is then the number of the segment
    const int64_t *episode, *steps_from, *boundaries_from;
    const int32_t *slot;
    const float *confidence, *counts, *masks, *attention;
} segments;

bool slt_report_has_segments(const char *run) {
    char path[PATH];
    int length = snprintf(path, sizeof path, "%s/segments.safetensors", run);
    return length > 0 && length < PATH && access(path, F_OK) == 0;
}

// ---- structure

// one tensor; -1 in *rows: any number, told back
static slt_status get(const segments *s, const char *name, slt_dtype dtype, int64_t *rows,
                      int64_t columns, const void *out) {
    const slt_array *array;
    int64_t shape[] = {*rows, columns};
    SLT_TRY(slt_safetensors_get(s->file, name, dtype, columns ? 2 : 1, shape, &array));
    *rows = array->shape[0];
    memcpy((void *)out, &array->data, sizeof array->data);
    return SLT_OK;
}

// offsets rise from 0 to the end
static slt_status check_offsets(const segments *s, const char *name, const int64_t *offsets,
                                int64_t end) {
    bool good = offsets[0] == 0 && offsets[s->episodes] == end;
    for (int64_t i = 0; good && i < s->episodes; i++) good = offsets[i] <= offsets[i + 1];
    if (!good)
        SLT_FAIL(SLT_FORMAT, "%s: '%s' does not rise from 0 to %lld", s->path, name,
                 (long long)end);
    return SLT_OK;
}

// sums round: a mask may lie a little outside of [0, 1]
static slt_status check_shares(const segments *s, const char *name, const float *values,
                               int64_t count) {
    static const float SLACK = 1e-3f;
    for (int64_t i = 0; values && i < count; i++)
        if (!(values[i] >= -SLACK && values[i] <= 1 + SLACK))
            SLT_FAIL(SLT_FORMAT, "%s: '%s' holds something else than probabilities", s->path, name);
    return SLT_OK;
}

static slt_status check_slots(const segments *s) {
    int64_t most = s->slots ? s->slots : SLOTS;
    for (int64_t t = 0; t < s->steps; t++)
        if (s->slot[t] < 0 || s->slot[t] >= most)
            SLT_FAIL(SLT_FORMAT, "%s: 'slot' says %d, there are %lld", s->path, (int)s->slot[t],
                     (long long)most);
    return SLT_OK;
}

// what models with slots say: a row of `rows` for each slot; NULL where they do not
static slt_status get_slots(const segments *s, const char *name, int64_t rows, const float **out) {
    const slt_array *array = slt_safetensors_find(s->file, name);
    if (!s->slots || !array) return SLT_OK;
    return get(s, name, SLT_DTYPE_F32, &rows, s->slots, out);
}

static slt_status read_structure(segments *s) {
    const slt_array *counts = slt_safetensors_find(s->file, "counts");
    const char *format = slt_safetensors_metadata(s->file, "format");
    if (!format || strcmp(format, "slottar-segments-1") != 0)
        SLT_FAIL(SLT_FORMAT, "%s: its format is not slottar-segments-1", s->path);
    if (counts && (counts->rank != 2 || counts->shape[1] < 1 || counts->shape[1] > SLOTS))
        SLT_FAIL(SLT_FORMAT, "%s: 'counts' does not tell the number of slots", s->path);
    s->slots = counts ? counts->shape[1] : 0;
    s->episodes = s->steps = s->boundaries = -1;
    SLT_TRY(get(s, "episode", SLT_DTYPE_I64, &s->episodes, 0, &s->episode));
    SLT_TRY(get(s, "slot", SLT_DTYPE_I32, &s->steps, 0, &s->slot));
    SLT_TRY(get(s, "confidence", SLT_DTYPE_F32, &s->boundaries, 0, &s->confidence));
    int64_t offsets = s->episodes + 1;
    SLT_TRY(get(s, "episode_offsets", SLT_DTYPE_I64, &offsets, 0, &s->steps_from));
    SLT_TRY(get(s, "boundary_offsets", SLT_DTYPE_I64, &offsets, 0, &s->boundaries_from));
    SLT_TRY(get_slots(s, "counts", s->episodes, &s->counts));
    SLT_TRY(get_slots(s, "masks", s->steps, &s->masks));
    SLT_TRY(get_slots(s, "attention", s->steps, &s->attention));
    SLT_TRY(check_offsets(s, "episode_offsets", s->steps_from, s->steps));
    SLT_TRY(check_offsets(s, "boundary_offsets", s->boundaries_from, s->boundaries));
    SLT_TRY(check_slots(s));
    SLT_TRY(check_shares(s, "confidence", s->confidence, s->boundaries));
    SLT_TRY(check_shares(s, "counts", s->counts, s->episodes * s->slots));
    SLT_TRY(check_shares(s, "masks", s->masks, s->steps * s->slots));
    return check_shares(s, "attention", s->attention, s->steps * s->slots);
}

// ---- answers

static float share(float value) { return fminf(fmaxf(value, 0), 1); }

// [T][K] becomes [K][T]
static slt_status turn(slt_arena *arena, const float *from, size_t T, size_t K, const float **out) {
    float *to;
    SLT_TRY(SLT_NEW(arena, &to, T * K));
    for (size_t t = 0; t < T; t++)
        for (size_t k = 0; k < K; k++) to[k * T + t] = share(from[t * K + k]);
    *out = to;
    return SLT_OK;
}

static slt_status copy_shares(slt_arena *arena, const float *from, size_t count,
                              const float **out) {
    float *to;
    SLT_TRY(SLT_NEW(arena, &to, count));
    for (size_t i = 0; i < count; i++) to[i] = share(from[i]);
    *out = to;
    return SLT_OK;
}

static slt_status keep_counts(slt_arena *arena, const segments *s, int64_t i, const double **out) {
    size_t K = (size_t)s->slots;
    double *counts;
    if (!s->counts) return SLT_OK;
    SLT_TRY(SLT_NEW(arena, &counts, K));
    for (size_t k = 0; k < K; k++) counts[k] = (double)share(s->counts[(size_t)i * K + k]);
    *out = counts;
    return SLT_OK;
}

static slt_status keep(slt_arena *arena, const segments *s, int64_t i, slt_report_answer *a) {
    int64_t first = s->steps_from[i];
    size_t T = (size_t)(s->steps_from[i + 1] - first), K = (size_t)s->slots;
    size_t boundaries = (size_t)(s->boundaries_from[i + 1] - s->boundaries_from[i]);
    int32_t *ids;
    SLT_TRY(SLT_NEW(arena, &ids, T));
    memcpy(ids, s->slot + first, T * sizeof *ids);
    SLT_TRY(keep_counts(arena, s, i, &a->counts));
    a->length = (int32_t)T;
    a->segments = 1;
    for (size_t t = 1; t < T; t++) a->segments += ids[t] != ids[t - 1];
    if (boundaries != (size_t)a->segments - 1)
        SLT_FAIL(SLT_FORMAT, "%s: episode %lld has %d segments and %zu confidences", s->path,
                 (long long)s->episode[i], (int)a->segments, boundaries);
    a->ids = ids;
    SLT_TRY(copy_shares(arena, s->confidence + s->boundaries_from[i], boundaries, &a->confidence));
    if (s->masks) SLT_TRY(turn(arena, s->masks + (size_t)first * K, T, K, &a->masks));
    if (!s->attention) return SLT_OK; // not every model has slots to look with
    return copy_shares(arena, s->attention + (size_t)first * K, T * K, &a->attention);
}

// the trajectories must be the wanted ones, in their order
static slt_status check_trajectories(const segments *s, const slt_report_wanted *wanted) {
    bool same = s->episodes == wanted->all;
    for (int64_t i = 0; same && i < wanted->count; i++)
        same = s->episode[i] == wanted->episodes[i] &&
               s->steps_from[i + 1] - s->steps_from[i] == wanted->lengths[i];
    if (!same)
        SLT_FAIL(SLT_FORMAT, "%s: it tells of other trajectories than those of %s", s->path,
                 wanted->data);
    return SLT_OK;
}

slt_status slt_report_take_segments(slt_arena *arena, const slt_safetensors *file,
                                    const slt_report_wanted *wanted, slt_report_answers *out) {
    segments s = {.path = slt_safetensors_path(file), .file = file};
    SLT_TRY(read_structure(&s));
    SLT_TRY(check_trajectories(&s, wanted));
    out->slots = (int)s.slots;
    for (int64_t i = 0; i < wanted->count; i++) SLT_TRY(keep(arena, &s, i, &out->list[i]));
    return SLT_OK;
}

static slt_status list_lengths(slt_arena *arena, const slt_report_set *set, const int64_t **out) {
    int64_t *lengths;
    SLT_TRY(SLT_NEW(arena, &lengths, (size_t)set->count));
    for (int64_t i = 0; i < set->count; i++) {
        slt_episode episode;
        SLT_TRY(slt_report_episode(set, i, &episode));
        lengths[i] = episode.length;
    }
    *out = lengths;
    return SLT_OK;
}

slt_status slt_report_read_segments(slt_report_book *book, const char *run,
                                    const slt_report_set *set, slt_report_answers *out) {
    char path[PATH];
    slt_safetensors *file;
    slt_report_wanted wanted = {set->path, set->count, set->count + set->left_out, set->episodes,
                                NULL};
    SLT_TRY(list_lengths(&book->arena, set, &wanted.lengths));
    snprintf(path, sizeof path, "%s/segments.safetensors", run);
    SLT_TRY(slt_safetensors_open(&book->context->allocator, path, &file));
    slt_status status = slt_report_take_segments(&book->arena, file, &wanted, out);
    slt_safetensors_close(file);
    return status;
}
