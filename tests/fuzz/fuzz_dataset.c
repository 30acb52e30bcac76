// Fuzz target: the data set reader, through a file in memory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include <unistd.h>
#include "fuzz.h"
#include "slottar/dataset.h"

// reads all that an episode shows
static double read_episode(const slt_dataset_info *info, const slt_episode *episode, float *room) {
    double sum = 0;
    for (int64_t t = 0; t < episode->length; t++) {
        sum += episode->actions_f32 ? (double)episode->actions_f32[t * info->action_size]
                                    : (double)slt_episode_action(episode, t);
        if (episode->rewards) sum += (double)episode->rewards[t];
        if (slt_episode_observe(info, episode, t, room) == SLT_OK)
            sum += (double)room[info->observation_size - 1];
    }
    slt_episode_observe(info, episode, episode->length, room);
    return sum + (double)slt_episode_segment_count(episode);
}

static int read_all(slt_dataset *data) {
    const slt_dataset_info *info = slt_dataset_about(data);
    float *room = malloc(sizeof *room * (size_t)(info->observation_size + 1));
    FUZZ_REQUIRE(room);
    int accepted = 1;
    for (int64_t i = 0; i < info->episodes; i++) {
        slt_episode episode;
        if (slt_dataset_episode(data, i, &episode) != SLT_OK)
            accepted = 0;
        else
            FUZZ_REQUIRE(read_episode(info, &episode, room) < 1e300);
    }
    slt_histogram histogram;
    slt_dataset_histogram(data, SLT_COUNT_LENGTHS, &histogram);
    slt_dataset_histogram(data, SLT_COUNT_SEGMENTS, &histogram);
    free(room);
    return accepted;
}

int fuzz_one(const uint8_t *bytes, size_t size) {
    static slt_context *context;
    if (!context)
        FUZZ_REQUIRE(slt_context_create(&(slt_context_options){.threads = 1}, &context) == 0);
    char path[64];
    int descriptor = fuzz_file(bytes, size, path);
    slt_dataset *data;
    int accepted = slt_dataset_open(context, path, &data) == SLT_OK;
    if (accepted) {
        accepted = read_all(data);
        slt_dataset_close(data);
    }
    close(descriptor);
    return accepted;
}
