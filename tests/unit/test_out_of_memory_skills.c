// Every request for memory fails once, in types, plans and skills: learning, files, playing.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <unistd.h>
#include "failing_memory.h"
#include "slottar/expert.h"
#include "slottar/skills.h"

typedef slt_status (*user_of)(slt_context *with, slt_dataset *data, slt_types *types);

static slt_status open_and(slt_context *with, const char *path, user_of use) {
    slt_dataset *data;
    slt_types *types = NULL;
    SLT_TRY(slt_dataset_open(with, path, &data));
    slt_status status = slt_types_learn(with, data, NULL, NULL, &types);
    if (status == SLT_OK && use) status = use(with, data, types);
    slt_types_close(types);
    slt_dataset_close(data);
    return status;
}

// ---- types

static slt_status use_types(slt_context *with, slt_dataset *data, slt_types *types) {
    int32_t out[1000];
    float missing[1000];
    slt_type_scores scores;
    slt_episode episode;
    slt_types *read;
    SLT_TRY(slt_dataset_episode(data, 0, &episode));
    SLT_TRY(slt_types_of(types, data, 0, episode.segments, out));
    SLT_TRY(slt_types_missing(types, data, 0, episode.segments, missing));
    SLT_TRY(slt_types_score(types, data, SLT_SPLIT_TRAIN, &scores));
    SLT_TRY(slt_types_save(types, "types.safetensors", true));
    SLT_TRY(slt_types_open(with, "types.safetensors", &read));
    slt_types_close(read);
    return SLT_OK;
}

static slt_status types(slt_context *with) { return open_and(with, "door.safetensors", use_types); }
static slt_status clusters(slt_context *with) { return open_and(with, "arm.safetensors", NULL); }

static slt_status plans(slt_context *with) {
    int32_t sequence[400];
    int64_t offsets[101];
    slt_plans *found;
    for (int i = 0; i < 400; i++) sequence[i] = i % 4 == 3 ? i % 3 : i % 4;
    for (int i = 0; i <= 100; i++) offsets[i] = 4 * i;
    SLT_TRY(slt_plans_learn(with, sequence, offsets, 100, &found));
    slt_plans_close(found);
    return SLT_OK;
}

// ---- skills

static slt_status use_skills(slt_context *with, slt_dataset *data, slt_types *types) {
    slt_skills_options options = {.hidden = 8, .epochs = 1, .unmerged = true};
    slt_skills *skills, *read;
    SLT_TRY(slt_skills_learn(with, data, NULL, types, &options, &skills));
    slt_status status = slt_skills_save(skills, "skills.safetensors", true);
    slt_skills_close(skills);
    SLT_TRY(status);
    SLT_TRY(slt_skills_open(with, "skills.safetensors", &read));
    slt_skills_close(read);
    return SLT_OK;
}

static slt_status skills(slt_context *with) {
    return open_and(with, "door.safetensors", use_skills);
}

// ---- the table

static void make_arm(slt_context *context) {
    static float moves[200];
    static int32_t segments[100];
    static int64_t offsets[11];
    slt_dataset *data;
    for (int i = 0; i < 100; i++) {
        segments[i] = i % 10 > 4;
        moves[2 * i + segments[i]] = 1;
        offsets[i / 10 + 1] = (i / 10 + 1) * 10;
    }
    slt_dataset_arrays arrays = {
        .info = {.action_kind = SLT_ACTIONS_CONTINUOUS, .action_size = 2, .has_segments = true},
        .episodes = 10,
        .offsets = offsets,
        .actions_f32 = moves,
        .segments = segments};
    CHECK_OK(slt_dataset_from_arrays(context, &arrays, &data));
    CHECK_OK(slt_dataset_save(data, "arm.safetensors", true));
    slt_dataset_close(data);
}

static void nothing_is_lost(void **state) {
    static const char *const id = "MiniGrid-DoorKey-5x5-v0";
    slt_context *context;
    slt_collect_request request = {.environments = &id,
                                   .environment_count = 1,
                                   .path = "door.safetensors",
                                   .overwrite = true,
                                   .episodes = {12, 3, 0}};
    (void)state;
    CHECK_OK(slt_context_create(NULL, &context));
    CHECK_OK(slt_collect(context, &request, NULL));
    make_arm(context);
    slt_context_destroy(context);
    every_failure("types", types);
    every_failure("clusters", clusters);
    every_failure("plans", plans);
    every_failure("skills", skills);
    static const char *const files[] = {"door.safetensors", "arm.safetensors", "types.safetensors",
                                        "skills.safetensors"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) unlink(files[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
