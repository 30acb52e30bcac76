// A data set of any size, for tools/load: make_load OUT EPISODES STEPS WIDTH ACTIONS
// Segments have a length of their own and an action that is frequent in them; observations are
// noise around the segment's place. Each tenth episode is for validation, the next one for testing.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include "slottar/dataset.h"

enum { SEGMENTS = 3 };

typedef struct {
    int64_t episodes;
    int steps, width, actions_count;
    int32_t *actions, *segments;
    float *seen;
    uint64_t state;
} maker;

// splitmix64
static uint64_t draw(maker *m) {
    uint64_t z = m->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static slt_status add(maker *m, slt_dataset_builder *builder, int64_t number) {
    for (int t = 0; t < m->steps; t++) {
        int segment = (int)((int64_t)t * SEGMENTS / m->steps);
        bool usual = draw(m) % 4 != 0;
        m->segments[t] = segment;
        m->actions[t] =
            usual ? segment % m->actions_count : (int32_t)(draw(m) % (uint64_t)m->actions_count);
        for (int i = 0; i < m->width; i++)
            m->seen[t * m->width + i] =
                (float)(draw(m) >> 40) * 0x1p-24f + (float)(i % SEGMENTS == segment);
    }
    slt_episode episode = {.length = m->steps,
                           .actions_i32 = m->actions,
                           .observations_f32 = m->width ? m->seen : NULL,
                           .segments = m->segments,
                           .split = number % 10 == 8   ? SLT_SPLIT_VALID
                                    : number % 10 == 9 ? SLT_SPLIT_TEST
                                                       : SLT_SPLIT_TRAIN};
    return slt_dataset_builder_add(builder, &episode);
}

static slt_status make(maker *m, slt_context *context, const char *path) {
    slt_dataset_info info = {.action_count = m->actions_count,
                             .observation_kind =
                                 m->width ? SLT_OBSERVATIONS_F32 : SLT_OBSERVATIONS_NONE,
                             .observation_rank = m->width ? 1 : 0,
                             .observation_shape = {m->width},
                             .observation_size = m->width,
                             .has_segments = true,
                             .has_splits = true};
    slt_dataset_builder *builder;
    slt_status status = slt_dataset_builder_create(context, path, true, &info, &builder);
    if (status != SLT_OK) return status;
    for (int64_t i = 0; i < m->episodes && status == SLT_OK; i++) status = add(m, builder, i);
    if (status == SLT_OK) return slt_dataset_builder_commit(builder);
    slt_dataset_builder_destroy(builder);
    return status;
}

int main(int argc, char **argv) {
    if (argc != 6) return fprintf(stderr, "usage: make_load OUT EPISODES STEPS WIDTH ACTIONS\n"), 2;
    maker m = {.episodes = atoll(argv[2]),
               .steps = atoi(argv[3]),
               .width = atoi(argv[4]),
               .actions_count = atoi(argv[5])};
    m.actions = calloc((size_t)m.steps, sizeof *m.actions);
    m.segments = calloc((size_t)m.steps, sizeof *m.segments);
    m.seen = calloc((size_t)m.steps * (size_t)(m.width + 1), sizeof *m.seen);
    slt_context *context;
    if (!m.actions || !m.segments || !m.seen || slt_context_create(NULL, &context) != SLT_OK)
        return 1;
    slt_status status = make(&m, context, argv[1]);
    if (status != SLT_OK) fprintf(stderr, "%s\n", slt_last_error());
    slt_context_destroy(context);
    free(m.actions), free(m.segments), free(m.seen);
    return status != SLT_OK;
}
