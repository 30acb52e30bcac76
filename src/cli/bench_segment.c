// slottar bench segment: a vote from data in memory to segments, on planted segments of continuous
// and of discrete actions.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "bench_run.h"
#include "slottar/segmenter.h"

enum { A = 4, O = 21, LAWS = 5, LEAST = 12, MORE = 28 }; // segments have 12 to 39 steps
enum { MOVES = 4, ENDS = 2 };                            // discrete actions

static const struct {
    const char *name;
    int64_t episodes, length;
    int runs;
    bool discrete;
} cases[] = {
    {"segment/episodes", 420, 90, 24, false},
    {"segment/recording", 1, 10000, 60, false},
    {"segment/million", 10000, 100, 60, false},
    {"segment/discrete", 40000, 25, 60, true},
};

typedef struct {
    int64_t *offsets;
    float *actions, *observations;
    uint8_t *moves; // discrete actions
    uint32_t random;
} planted;

// -1 .. 1; the same on every machine
static float draw(planted *p) {
    p->random = p->random * 1664525u + 1013904223u;
    return (float)(p->random >> 8) / (1 << 23) - 1;
}

static int draw_below(planted *p, int count) {
    return (int)((draw(p) + 1) * .499999f * (float)count);
}

// every law drives the first observations to a place of its own
static void plant_episode(planted *p, const float target[LAWS][A], int64_t first, int64_t length) {
    float x[O];
    int law = draw_below(p, LAWS), left = LEAST + draw_below(p, MORE);
    for (int i = 0; i < O; i++) x[i] = draw(p);
    for (int64_t t = first; t < first + length; t++) {
        memcpy(p->observations + t * O, x, sizeof x);
        for (int i = 0; i < A; i++) {
            float a = .6f * (2 * target[law][i] - x[i]);
            a = (a > 1 ? 1 : a < -1 ? -1 : a) + .05f * draw(p);
            p->actions[t * A + i] = a;
            x[i] += .2f * a;
        }
        for (int i = A; i < O; i++) x[i] = .95f * x[i] + .3f * draw(p);
        if (--left) continue;
        law = (law + 1 + draw_below(p, LAWS - 1)) % LAWS;
        left = LEAST + draw_below(p, MORE);
    }
}

// Moves, most of them in one direction; one of two other actions ends a segment, and an episode.
static void plant_moves(planted *p, int64_t first, int64_t length) {
    int64_t end = first + length, left = 0;
    int favourite = 0;
    for (int64_t t = first; t < end; t++, left--) {
        if (!left) {
            favourite = draw_below(p, MOVES);
            left = 3 + draw_below(p, 6);
            if (end - t - left < 3) left = end - t;
        }
        int move = draw_below(p, 2 * MOVES);
        if (left == 1) move = MOVES + draw_below(p, ENDS);
        p->moves[t] = (uint8_t)(left == 1 || move < MOVES ? move : favourite);
    }
}

static void clear(planted *p) {
    free(p->offsets);
    free(p->moves);
    free(p->actions);
    free(p->observations);
}

static bool plant(planted *p, int64_t episodes, int64_t length, bool discrete) {
    float target[LAWS][A];
    size_t steps = (size_t)(episodes * length);
    *p = (planted){.offsets = calloc((size_t)episodes + 1, sizeof *p->offsets), .random = 1};
    if (discrete) {
        p->moves = calloc(steps, sizeof *p->moves);
    } else {
        p->actions = calloc(steps * A, sizeof *p->actions);
        p->observations = calloc(steps * O, sizeof *p->observations);
    }
    if (!p->offsets || !(discrete ? p->moves != NULL : p->actions && p->observations)) return false;
    for (int i = 0; i < LAWS * A; i++) target[i / A][i % A] = draw(p);
    for (int64_t e = 0; e < episodes; e++) {
        p->offsets[e + 1] = p->offsets[e] + length;
        if (discrete)
            plant_moves(p, p->offsets[e], length);
        else
            plant_episode(p, (const float(*)[A])target, p->offsets[e], length);
    }
    return true;
}

static slt_dataset_arrays arrays_of(const planted *p, int64_t episodes, bool discrete) {
    if (discrete)
        return (slt_dataset_arrays){
            .info = {.action_kind = SLT_ACTIONS_DISCRETE, .action_count = MOVES + ENDS},
            .episodes = episodes,
            .offsets = p->offsets,
            .actions_u8 = p->moves};
    return (slt_dataset_arrays){.info = {.action_kind = SLT_ACTIONS_CONTINUOUS,
                                         .action_size = A,
                                         .observation_kind = SLT_OBSERVATIONS_F32,
                                         .observation_size = O,
                                         .observation_rank = 1,
                                         .observation_shape = {O}},
                                .episodes = episodes,
                                .offsets = p->offsets,
                                .actions_f32 = p->actions,
                                .observations_f32 = p->observations};
}

static slt_status count_segments(void *user, const slt_segments *segments) {
    *(int64_t *)user += segments->segments;
    return SLT_OK;
}

static double seconds_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static slt_status learn_and_segment(slt_context *context, slt_dataset *data, int runs) {
    slt_segmenter_options options = {.runs = runs};
    slt_segmenter *segmenter;
    int64_t segments = 0;
    slt_status status = slt_segmenter_fit(context, data, &options, &segmenter);
    if (status != SLT_OK) return status;
    status = slt_segmenter_segment(segmenter, data, NULL, count_segments, &segments);
    slt_segmenter_close(segmenter);
    return status;
}

// again while there is time; the best counts, so the start of a device does not
static slt_status measure(cli_bench_run *b, slt_dataset *data, int runs, slt_bench_result *out) {
    double begun = seconds_of(CLOCK_MONOTONIC), limit = b->seconds > 0 ? b->seconds : 5;
    slt_status status = SLT_OK;
    do {
        double from = seconds_of(CLOCK_MONOTONIC), used = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
        status = learn_and_segment(b->call->context, data, runs);
        double ms = 1e3 * (seconds_of(CLOCK_MONOTONIC) - from);
        if (out->ms == 0 || ms < out->ms) {
            out->ms = ms;
            out->cpu_ms = 1e3 * (seconds_of(CLOCK_PROCESS_CPUTIME_ID) - used);
        }
    } while (status == SLT_OK && seconds_of(CLOCK_MONOTONIC) - begun < limit);
    out->steps_per_s = 1e3 * (double)slt_dataset_about(data)->steps / out->ms;
    return status;
}

static slt_status measure_case(cli_bench_run *b, size_t i) {
    planted p;
    slt_dataset *data;
    slt_bench_result result = {0};
    slt_status status = SLT_NOMEM;
    snprintf(result.name, sizeof result.name, "%s", cases[i].name);
    bool discrete = cases[i].discrete;
    if (plant(&p, cases[i].episodes, cases[i].length, discrete)) {
        slt_dataset_arrays arrays = arrays_of(&p, cases[i].episodes, discrete);
        status = slt_dataset_view_arrays(b->call->context, &arrays, &data);
        if (status == SLT_OK) {
            status = measure(b, data, cases[i].runs, &result);
            slt_dataset_close(data);
        }
    }
    clear(&p);
    if (status == SLT_OK) cli_bench_print(b, &result);
    return status;
}

slt_status cli_bench_segment(cli_bench_run *b) {
    slt_status status = SLT_OK;
    for (size_t i = 0; i < sizeof cases / sizeof *cases && status == SLT_OK; i++)
        if (cli_bench_wants(b, cases[i].name)) status = measure_case(b, i);
    return status;
}
