// Small data sets and runs through the library's door, for tests of training and of what a model
// says. An episode is a function of its number alone, so that it can be met again in other company.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_SMALL_RUN_H
#define SLT_TESTS_SMALL_RUN_H

#include "check.h"
#include "slottar/model.h"

enum { WIDTH = 9, LONGEST = 12, ACTIONS = 4, EPISODES = 30, SLOTS = 3 };

static slt_context *context;

static inline uint32_t draw(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static inline slt_status add_episode(slt_dataset_builder *builder, slt_observation_kind kind,
                                     bool labels, uint32_t number) {
    static uint8_t actions[LONGEST], bytes[LONGEST * WIDTH];
    static float reals[LONGEST * WIDTH];
    static int32_t segments[LONGEST];
    uint32_t state = 77 + 1013 * number;
    slt_episode episode = {.length = 1 + draw(&state) % LONGEST, .actions_u8 = actions};
    for (int t = 0; t < episode.length; t++) {
        actions[t] = (uint8_t)(draw(&state) % ACTIONS);
        segments[t] = t / 5;
    }
    for (int i = 0; i < episode.length * WIDTH; i++) {
        bytes[i] = (uint8_t)(draw(&state) % (kind == SLT_OBSERVATIONS_BITS ? 2 : 9));
        reals[i] = (float)(draw(&state) % 1000) / 999 - 0.5f;
    }
    if (labels) episode.segments = segments;
    if (kind == SLT_OBSERVATIONS_F32) episode.observations_f32 = reals;
    if (kind == SLT_OBSERVATIONS_BITS || kind == SLT_OBSERVATIONS_U8)
        episode.observations_u8 = bytes;
    return slt_dataset_builder_add(builder, &episode);
}

// episodes `first` and up
static inline void make_data(const char *path, slt_observation_kind kind, bool labels,
                             uint32_t first, uint32_t count) {
    bool seen = kind != SLT_OBSERVATIONS_NONE;
    static const char *const names[ACTIONS + 1] = {"a", "b", "c", "d", "done"}; // as the six sets
    slt_dataset_info info = {.action_count = ACTIONS + 1,
                             .action_names = names,
                             .observation_kind = kind,
                             .observation_rank = seen,
                             .observation_shape = {seen ? WIDTH : 0},
                             .observation_size = seen ? WIDTH : 0,
                             .has_segments = labels};
    slt_dataset_builder *builder;
    CHECK_OK(slt_dataset_builder_create(context, path, true, &info, &builder));
    for (uint32_t i = 0; i < count; i++) CHECK_OK(add_episode(builder, kind, labels, first + i));
    CHECK_OK(slt_dataset_builder_commit(builder));
}

// two epochs of a tiny SloTTAr, with settings of the test's own (NULL: none)
static inline slt_status try_training(const char *data, const char *run, const char *first,
                                      const char *second, slt_train_result *result) {
    const char *settings[] = {"hidden=8", "slot_size=8", "heads=2",   "slots=3", "batch=8",
                              "epochs=2", "lr=0.01",     "length=13", first,     second};
    int count = 8 + (first != NULL) + (second != NULL);
    slt_train_request request = {
        .model = "slottar", .data = data, .run = run, .settings = settings, .setting_count = count};
    return slt_train(context, &request, result);
}

static inline void train(const char *data, const char *run, const char *first, const char *second) {
    slt_train_result result;
    CHECK_OK(try_training(data, run, first, second, &result));
}

static int set_up(void **state) {
    (void)state;
    return slt_context_create(&(slt_context_options){.threads = 1}, &context);
}

static int tear_down(void **state) {
    (void)state;
    slt_context_destroy(context);
    return 0;
}

#endif
