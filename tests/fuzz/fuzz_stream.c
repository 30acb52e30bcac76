// Fuzz target: the lines of `segment --follow`, steps as JSON texts, to streams of a vote over
// discrete and one over continuous actions. What is accepted counts as one step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "fuzz.h"
#include "slottar/stream.h"

enum { EPISODES = 12, LENGTH = 12, STEPS = EPISODES * LENGTH };

static slt_context *context;
static slt_stream *streams[2];

// episodes of two halves; the observation tells which
static slt_stream *make(bool continuous) {
    static uint8_t actions[STEPS];
    static float vectors[2 * STEPS], observations[2 * STEPS];
    static int64_t offsets[EPISODES + 1];
    for (int t = 0; t < STEPS; t++) {
        bool late = t % LENGTH >= LENGTH / 2;
        actions[t] = (uint8_t)(2 * late + t * 7 % 2);
        vectors[2 * t] = (float)late + (float)(t * 5 % 7) / 20;
        vectors[2 * t + 1] = (float)(t * 3 % 11) / 20;
        observations[2 * t] = late;
        observations[2 * t + 1] = (float)(t % LENGTH);
        offsets[t / LENGTH + 1] = t + 1;
    }
    slt_dataset_arrays arrays = {
        .info = {.action_kind = continuous ? SLT_ACTIONS_CONTINUOUS : SLT_ACTIONS_DISCRETE,
                 .action_count = continuous ? 0 : 4,
                 .action_size = continuous ? 2 : 0,
                 .observation_kind = SLT_OBSERVATIONS_F32,
                 .observation_rank = 1,
                 .observation_shape = {2},
                 .observation_size = 2},
        .episodes = EPISODES,
        .offsets = offsets,
        .actions_u8 = continuous ? NULL : actions,
        .actions_f32 = continuous ? vectors : NULL,
        .observations_f32 = observations};
    slt_segmenter_options options = {.runs = 4};
    slt_stream_options wanted = {.lag = 3};
    slt_dataset *data;
    slt_segmenter *segmenter;
    slt_stream *stream;
    FUZZ_REQUIRE(!slt_dataset_from_arrays(context, &arrays, &data));
    FUZZ_REQUIRE(!slt_segmenter_fit(context, data, &options, &segmenter));
    FUZZ_REQUIRE(!slt_segmenter_stream(segmenter, &wanted, &stream));
    slt_dataset_close(data);
    return stream; // the segmenter lives as long as the program
}

static void check_event(const slt_stream_event *e, int64_t step) {
    FUZZ_REQUIRE(e->step == step && e->segment >= 0 && e->segment <= step);
    FUZZ_REQUIRE(e->probability >= 0 && e->probability <= 1);
    FUZZ_REQUIRE(e->boundary.step <= e->decided && e->decided < step);
}

// gives the number of steps
static int64_t follow(slt_stream *stream, const char *text, size_t size) {
    int64_t all = 0, steps = 0, boundaries = 0;
    slt_stream_end end;
    for (const char *stop = text + size; text < stop;) {
        const char *newline = memchr(text, '\n', (size_t)(stop - text));
        size_t length = newline ? (size_t)(newline - text) : (size_t)(stop - text);
        slt_stream_event event;
        bool pushed = false, over = false;
        if (slt_stream_push_json(stream, text, length, &event, &pushed, &over) == SLT_OK) {
            if (pushed) check_event(&event, steps++), boundaries += event.boundary.step >= 0;
            all += pushed;
        } else {
            FUZZ_REQUIRE(*slt_last_error());
        }
        if (over) {
            FUZZ_REQUIRE(!slt_stream_finish(stream, &end) && end.length == steps);
            FUZZ_REQUIRE(!steps || end.segments == boundaries + end.boundary_count + 1);
            steps = boundaries = 0;
        }
        text += length + 1;
    }
    FUZZ_REQUIRE(!slt_stream_finish(stream, NULL));
    return all;
}

int fuzz_one(const uint8_t *bytes, size_t size) {
    int64_t steps = 0;
    if (!context) {
        FUZZ_REQUIRE(!slt_context_create(&(slt_context_options){.threads = 1}, &context));
        for (int i = 0; i < 2; i++) streams[i] = make(i);
    }
    for (int i = 0; i < 2; i++) steps += follow(streams[i], (const char *)bytes, size);
    return steps > 0;
}
