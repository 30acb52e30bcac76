// Data, models and votes for tests of streams, and what a stream says of an episode.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_STREAM_RIG_H
#define SLT_TESTS_STREAM_RIG_H

#include "slottar/stream.h"
#include "small_run.h"
#include "switching/chain_random.h"

enum { MOST = 40 * 64, TALL = 64 };

static float vectors[MOST * 2], seen[MOST * 2];
static uint8_t symbols[MOST];
static int64_t offsets[TALL + 1];

// ---- data

// three phases with means of their own, some of them brief; what is observed follows the action
static inline slt_dataset *motion(slt_context *owner, int episodes) {
    static const float means[3][2] = {{1, 0}, {-1, 1}, {0, -1}};
    slt_chain_random r;
    int64_t at = 0;
    slt_chain_random_init(&r, 3);
    for (int e = 0; e < episodes; e++) {
        for (int phase = 0; phase < 3; phase++)
            for (int64_t n = 3 + slt_chain_draw(&r, 14); n > 0; n--, at++)
                for (int i = 0; i < 2; i++) {
                    vectors[at * 2 + i] = means[phase][i] + (float)(slt_chain_unit(&r) - .5);
                    seen[at * 2 + i] = (float)slt_chain_unit(&r);
                }
        offsets[e + 1] = at;
    }
    slt_dataset_arrays arrays = {.info = {.action_kind = SLT_ACTIONS_CONTINUOUS,
                                          .action_size = 2,
                                          .observation_kind = SLT_OBSERVATIONS_F32,
                                          .observation_rank = 1,
                                          .observation_shape = {2},
                                          .observation_size = 2},
                                 .episodes = episodes,
                                 .offsets = offsets,
                                 .actions_f32 = vectors,
                                 .observations_f32 = seen};
    slt_dataset *data;
    CHECK_OK(slt_dataset_view_arrays(owner, &arrays, &data));
    return data;
}

// wander, then action 3, which changes what is observed or does not: three times
static inline slt_dataset *errands(slt_context *owner, int episodes) {
    slt_chain_random r;
    int64_t at = 0;
    slt_chain_random_init(&r, 4);
    for (int e = 0; e < episodes; e++) {
        for (int errand = 0; errand < 3; errand++) {
            int64_t way = slt_chain_draw(&r, 3), n = 3 + slt_chain_draw(&r, 9);
            for (int64_t i = 0; i <= n; i++, at++) {
                bool tries = i == n || slt_chain_unit(&r) < .1;
                symbols[at] = (uint8_t)(tries                     ? 3
                                        : slt_chain_unit(&r) < .8 ? way
                                                                  : slt_chain_draw(&r, 3));
                seen[2 * at] = (float)errand;
                seen[2 * at + 1] = (float)(symbols[at] < 3 && i % 2);
            }
        }
        offsets[e + 1] = at;
    }
    slt_dataset_arrays arrays = {.info = {.action_kind = SLT_ACTIONS_DISCRETE,
                                          .action_count = 4,
                                          .observation_kind = SLT_OBSERVATIONS_F32,
                                          .observation_rank = 1,
                                          .observation_shape = {2},
                                          .observation_size = 2},
                                 .episodes = episodes,
                                 .offsets = offsets,
                                 .actions_u8 = symbols,
                                 .observations_f32 = seen};
    slt_dataset *data;
    CHECK_OK(slt_dataset_view_arrays(owner, &arrays, &data));
    return data;
}

// ---- what a stream says of an episode

enum { ROOM = 4096 };

typedef struct {
    int64_t length, segments;
    int count;
    slt_stream_boundary boundaries[ROOM];
    int32_t last_type;
} said;

static inline void push(slt_stream *stream, slt_dataset *data, const slt_episode *e, int64_t t,
                        slt_stream_event *event) {
    const slt_dataset_info *info = slt_dataset_about(data);
    float observation[64] = {0};
    if (info->observation_size) CHECK_OK(slt_episode_observe(info, e, t, observation));
    if (e->actions_f32)
        CHECK_OK(slt_stream_push_vector(stream, observation, e->actions_f32 + t * info->action_size,
                                        event));
    else
        CHECK_OK(slt_stream_push(stream, observation, slt_episode_action(e, t), event));
    assert_int_equal(event->step, t);
    assert_true(event->probability >= 0 && event->probability <= 1);
    assert_true(event->segment >= 0 && event->segment <= t);
    assert_true(event->boundary.step <= event->decided && event->decided < t);
}

static inline void note(said *out, const slt_stream_event *event) {
    if (event->boundary.step >= 0) out->boundaries[out->count++] = event->boundary;
}

static inline void end(slt_stream *stream, said *out) {
    slt_stream_end last;
    CHECK_OK(slt_stream_finish(stream, &last));
    for (int i = 0; i < last.boundary_count; i++)
        out->boundaries[out->count++] = last.boundaries[i];
    out->length = last.length;
    out->segments = last.segments;
    out->last_type = last.type;
}

static inline void follow(slt_stream *stream, slt_dataset *data, int64_t episode, said *out) {
    slt_episode e;
    slt_stream_event event;
    CHECK_OK(slt_dataset_episode(data, episode, &e));
    out->count = 0;
    for (int64_t t = 0; t < e.length; t++) {
        push(stream, data, &e, t, &event);
        note(out, &event);
    }
    end(stream, out);
}

// ---- what streams

static int runs = 12; // that vote

static inline slt_segmenter *fit(slt_dataset *data, slt_segment_kind kind, const char *prior) {
    slt_segmenter_options options = {.runs = runs, .seed = 1, .kind = kind, .prior = prior};
    slt_segmenter *segmenter;
    CHECK_OK(slt_segmenter_fit(context, data, &options, &segmenter));
    return segmenter;
}

static inline slt_model *learn(const char *name, const char *data, const char *run,
                               const char *setting) {
    const char *settings[] = {"hidden=8", "batch=8", "steps=40", setting};
    slt_train_request request = {.model = name,
                                 .data = data,
                                 .run = run,
                                 .settings = settings,
                                 .setting_count = 3 + (setting != NULL)};
    slt_train_result result;
    slt_model *model;
    CHECK_OK(slt_train(context, &request, &result));
    CHECK_OK(slt_model_open(context, run, &model));
    return model;
}

#endif
