// Streams against offline segments, and how long a push takes (docs/streaming.md;
// lab/stream-table).
//     stream_table RUN DATA [PUSHES]
// Over the test episodes (all of them where there are no splits): how many have the same boundaries
// streamed with a lag of the longest segment, found or labelled, and F1 within one step, one to
// one, against the labels with lags of 0, 2, 5 and offline. Then microseconds of a push with a lag
// of 5, median and 99.9th percentile; with PUSHES also the growth of the process over so many.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "slottar/slottar.h"

enum { LAGS = 3 };
static const int lags[LAGS] = {0, 2, 5};

typedef struct {
    slt_context *context;
    slt_model *model;
    slt_dataset *data;
    int64_t count, longest_segment;
    int64_t *episodes; // those that are scored
    int32_t **offline; // [count] ids
    int32_t *length;   // [count]
    float *observation;
} table;

static void fail(slt_status status) {
    if (status == SLT_OK) return;
    fprintf(stderr, "stream_table: %s\n", slt_last_error());
    exit(1);
}

static void *room(size_t count, size_t size) {
    void *memory = calloc(count + 1, size);
    if (!memory) exit(1);
    return memory;
}

// ---- offline

static void find_longest(table *t, const int32_t *ids, int32_t length) {
    for (int32_t from = 0, at = 1; at <= length; at++)
        if (at == length || ids[at] != ids[from]) {
            if (at - from > t->longest_segment) t->longest_segment = at - from;
            from = at;
        }
}

static slt_status keep(void *user, const slt_segments *s) {
    table *t = user;
    slt_episode e;
    int64_t i = t->count++;
    t->episodes[i] = s->episode;
    t->length[i] = s->length;
    t->offline[i] = room((size_t)s->length, sizeof(int32_t));
    memcpy(t->offline[i], s->ids, sizeof(int32_t) * (size_t)s->length);
    fail(slt_dataset_episode(t->data, s->episode, &e));
    find_longest(t, s->ids, s->length);
    if (e.segments) find_longest(t, e.segments, s->length);
    return SLT_OK;
}

static void segment(table *t) {
    const slt_dataset_info *info = slt_dataset_about(t->data);
    slt_segment_options options = {.one_split = info->has_splits, .split = SLT_SPLIT_TEST};
    size_t all = (size_t)info->episodes;
    t->episodes = room(all, sizeof *t->episodes);
    t->length = room(all, sizeof *t->length);
    t->offline = room(all, sizeof *t->offline);
    t->observation = room((size_t)info->observation_size, sizeof *t->observation);
    fail(slt_model_segment(t->model, t->data, &options, keep, t));
}

// ---- streamed

static void push(table *t, slt_stream *stream, const slt_episode *e, int64_t step,
                 slt_stream_event *event) {
    const slt_dataset_info *info = slt_dataset_about(t->data);
    if (info->observation_size) fail(slt_episode_observe(info, e, step, t->observation));
    if (e->actions_f32)
        fail(slt_stream_push_vector(stream, t->observation,
                                    e->actions_f32 + step * info->action_size, event));
    else
        fail(slt_stream_push(stream, t->observation, slt_episode_action(e, step), event));
}

static void mark(int32_t *ids, int64_t boundary) { ids[boundary + 1] = 1; }

// ids from the boundaries that became final
static void follow(table *t, slt_stream *stream, int64_t index, int32_t *ids) {
    slt_episode e;
    slt_stream_event event;
    slt_stream_end end;
    fail(slt_dataset_episode(t->data, t->episodes[index], &e));
    memset(ids, 0, sizeof *ids * (size_t)e.length);
    for (int64_t step = 0; step < e.length; step++) {
        push(t, stream, &e, step, &event);
        if (event.boundary.step >= 0) mark(ids, event.boundary.step);
    }
    fail(slt_stream_finish(stream, &end));
    for (int i = 0; i < end.boundary_count; i++) mark(ids, end.boundaries[i].step);
    for (int64_t step = 1; step < e.length; step++) ids[step] += ids[step - 1];
}

static bool same(const int32_t *a, const int32_t *b, int32_t length) {
    for (int32_t i = 1; i < length; i++)
        if ((a[i] != a[i - 1]) != (b[i] != b[i - 1])) return false;
    return true;
}

// F1 of a lag (-1: offline) against the labels; `equal` counts episodes like those offline
static double score(table *t, int lag, int64_t *equal) {
    slt_stream_options options = {.lag = lag};
    slt_stream *stream = NULL;
    double sum = 0;
    int32_t *ids = room((size_t)slt_dataset_about(t->data)->longest, sizeof *ids);
    if (lag >= 0) fail(slt_stream_open(t->model, &options, &stream));
    *equal = 0;
    for (int64_t i = 0; i < t->count; i++) {
        slt_episode e;
        slt_scores scores = {0};
        if (stream) follow(t, stream, i, ids);
        const int32_t *found = stream ? ids : t->offline[i];
        *equal += same(found, t->offline[i], t->length[i]);
        fail(slt_dataset_episode(t->data, t->episodes[i], &e));
        if (e.segments)
            fail(slt_score_pair(t->context, e.segments, found, t->length[i], SLT_TOLERANCE,
                                &scores));
        sum += scores.f1_one;
    }
    slt_stream_close(stream);
    free(ids);
    return 100 * sum / (double)t->count;
}

// ---- time and memory

static double now(void) {
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    return (double)at.tv_sec * 1e6 + (double)at.tv_nsec * 1e-3;
}

static int by_size(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static void measure(table *t) {
    enum { PUSHES = 100000 };
    double *took = room(PUSHES, sizeof *took);
    slt_stream_options options = {.lag = 5};
    slt_stream *stream;
    slt_stream_event event;
    const slt_dataset_info *info = slt_dataset_about(t->data);
    int done = 0;
    fail(slt_stream_open(t->model, &options, &stream));
    for (int64_t i = 0; done < PUSHES; i = (i + 1) % t->count) {
        slt_episode e;
        fail(slt_dataset_episode(t->data, t->episodes[i], &e));
        for (int64_t step = 0; step < e.length && done < PUSHES; step++) {
            const float *vector = e.actions_f32 ? e.actions_f32 + step * info->action_size : NULL;
            if (info->observation_size) fail(slt_episode_observe(info, &e, step, t->observation));
            double start = now();
            if (vector)
                fail(slt_stream_push_vector(stream, t->observation, vector, &event));
            else
                fail(slt_stream_push(stream, t->observation, slt_episode_action(&e, step), &event));
            took[done++] = now() - start;
        }
        fail(slt_stream_finish(stream, NULL));
    }
    qsort(took, PUSHES, sizeof *took, by_size);
    printf("  push %.1f us, 99.9 %% %.1f us", took[PUSHES / 2], took[PUSHES * 999 / 1000]);
    slt_stream_close(stream);
    free(took);
}

static long resident(void) {
    long size = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file) return 0;
    if (fscanf(file, "%ld %ld", &size, &pages) != 2) pages = 0;
    fclose(file);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// one episode that never ends
static void endure(table *t, int64_t pushes) {
    slt_stream_options options = {.lag = 5, .endless = true};
    slt_stream *stream;
    slt_stream_event event = {0};
    slt_episode e;
    long before = 0;
    double start = 0;
    fail(slt_stream_open(t->model, &options, &stream));
    for (int64_t i = 0, done = 0; done < pushes; i = (i + 1) % t->count) {
        fail(slt_dataset_episode(t->data, t->episodes[i], &e));
        for (int64_t step = 0; step < e.length && done < pushes; step++, done++) {
            if (done == pushes / 100) before = resident(), start = now();
            push(t, stream, &e, step, &event);
        }
    }
    printf("  %lld pushes: %ld KiB more, segment %lld, %.0f s", (long long)pushes,
           resident() - before, (long long)event.segment, (now() - start) * 1e-6);
    slt_stream_close(stream);
}

int main(int argc, char **argv) {
    slt_context_options one = {.threads = 1};
    static table t;
    int64_t equal;
    if (argc < 3) return fprintf(stderr, "stream_table RUN DATA [PUSHES]\n"), 2;
    fail(slt_context_create(&one, &t.context));
    fail(slt_model_open(t.context, argv[1], &t.model));
    fail(slt_dataset_open(t.context, argv[2], &t.data));
    segment(&t);
    printf("%-24s lag %3lld", argv[1], (long long)t.longest_segment);
    score(&t, (int)t.longest_segment, &equal);
    printf("  equal %lld of %lld", (long long)equal, (long long)t.count);
    for (int i = 0; i < LAGS; i++) printf("  lag %d: %.1f", lags[i], score(&t, lags[i], &equal));
    printf("  offline %.1f", score(&t, -1, &equal));
    measure(&t);
    if (argc > 3) endure(&t, atoll(argv[3]));
    putchar('\n');
    slt_dataset_close(t.data);
    slt_model_close(t.model);
    slt_context_destroy(t.context);
    return 0;
}
