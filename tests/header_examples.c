// The examples of the public headers, run by their header's name
// (tests/cli/test_header_examples.sh): what they take for granted, and the calls. examples.inc is
// made of the comments.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <slottar/slottar.h>

static slt_context *context;
static slt_dataset *data;
static slt_model *model;
static slt_env_batch *batch;
static slt_episode episode;
static const int32_t *ids; // labels of episode 0
static int32_t found[4096];
static const float *observation;
static int32_t action;
static int rank = 0, size = 1;

static void use(int32_t number) { (void)number; }
static void show(const slt_sweep_row *row) { printf("score %f\n", row->score); }
static void warn(const char *text) { fprintf(stderr, "%s\n", text); }
static void react(const slt_stream_boundary *b) { printf("boundary %lld\n", (long long)b->step); }

static slt_status print(void *user, const slt_segments *segments) {
    (void)user;
    return printf("%d segments\n", segments->segments) < 0 ? SLT_IO : SLT_OK;
}

// the steps of episode 0
static bool act(const float **next, int32_t *taken) {
    static int64_t t;
    static float room[65536];
    if (t == episode.length) return false;
    slt_episode_observe(slt_dataset_about(data), &episode, t, room);
    *next = room;
    *taken = slt_episode_action(&episode, t++);
    return true;
}

// a group of one
static slt_status sum(void *user, void *numbers, size_t count, size_t width) {
    return (void)user, (void)numbers, (void)count, (void)width, SLT_OK;
}
static slt_status broadcast(void *user, void *bytes, size_t count, int from) {
    return (void)user, (void)bytes, (void)count, (void)from, SLT_OK;
}
static slt_status gather(void *user, const void *mine, size_t count, void *all,
                         const size_t *counts) {
    return (void)user, (void)counts, memcpy(all, mine, count), SLT_OK;
}

// trainings end with their first report
static void stop(void *user, const slt_progress *progress) {
    (void)user;
    printf("%s %s\n", progress->stage, progress->news);
    if (progress->done > 0) slt_context_cancel(context);
}

#include "examples.inc"

static void prepare(const char *name) {
    bool is_long = !strcmp(name, "train") || !strcmp(name, "sweep") || !strcmp(name, "policy");
    slt_context_options options = {.threads = 2, .progress = is_long ? stop : NULL};
    uint64_t seed = 7;
    if (slt_context_create(&options, &context) != SLT_OK ||
        slt_dataset_open(context, "demos.safetensors", &data) != SLT_OK ||
        slt_dataset_episode(data, 0, &episode) != SLT_OK ||
        slt_model_open(context, "runs/mdl", &model) != SLT_OK ||
        slt_env_batch_create(context, "makebedfull-v0", 1, SLT_AUTORESET_DISABLED, &batch) ||
        slt_env_batch_reset(batch, &seed, NULL, NULL) != SLT_OK)
        exit((fprintf(stderr, "not prepared: %s\n", slt_last_error()), 3));
    ids = episode.segments;
}

int main(int argc, char **argv) {
    if (argc != 2) return 2;
    prepare(argv[1]);
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++)
        if (strcmp(examples[i].name, argv[1]) == 0) {
            examples[i].run();
            return slt_last_error()[0] ? fprintf(stderr, "left: %s\n", slt_last_error()), 1 : 0;
        }
    return 2;
}
