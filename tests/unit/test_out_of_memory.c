// Every request for memory fails once, in all public calls on data, environments, metrics and
// files; training and what comes after it: test_out_of_memory_models.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <unistd.h>
#include "core/error.h"
#include "failing_memory.h"
#include "slottar/bench.h"
#include "slottar/draw.h"
#include "slottar/expert.h"
#include "slottar/inspect.h"
#include "verify/verify.h"
#include "small_run.h"

// ---- data sets

static slt_status fill(slt_dataset_builder *builder, slt_observation_kind kind) {
    SLT_TRY(slt_dataset_builder_describe(builder, "author", "a test"));
    for (uint32_t i = 0; i < 5; i++) SLT_TRY(add_episode(builder, kind, true, i));
    return SLT_OK;
}

static slt_status build_kind(slt_context *with, slt_observation_kind kind) {
    bool seen = kind != SLT_OBSERVATIONS_NONE;
    slt_dataset_info info = {.action_count = ACTIONS + 1,
                             .observation_kind = kind,
                             .observation_rank = seen,
                             .observation_shape = {seen ? WIDTH : 0},
                             .observation_size = seen ? WIDTH : 0,
                             .has_segments = true};
    slt_dataset_builder *builder;
    SLT_TRY(slt_dataset_builder_create(with, "built.safetensors", true, &info, &builder));
    slt_status status = fill(builder, kind);
    if (status == SLT_OK) return slt_dataset_builder_commit(builder);
    slt_dataset_builder_destroy(builder);
    return status;
}

static slt_status build(slt_context *with) {
    for (int kind = 0; kind <= SLT_OBSERVATIONS_BITS; kind++)
        SLT_TRY(build_kind(with, (slt_observation_kind)kind));
    return SLT_OK;
}

static slt_status read_all(slt_context *with, slt_dataset *data) {
    slt_histogram histogram;
    (void)with;
    SLT_TRY(slt_dataset_check(data));
    SLT_TRY(slt_dataset_histogram(data, SLT_COUNT_LENGTHS, &histogram));
    return slt_dataset_histogram(data, SLT_COUNT_SEGMENTS, &histogram);
}

static slt_status run_rules(slt_context *with, slt_dataset *data) {
    slt_score_summary summary;
    const char *name;
    for (int i = 0; (name = slt_baseline_name(i)); i++)
        if (slt_rule_takes(name, true))
            SLT_TRY(slt_baseline_score(with, data, SLT_SPLIT_TEST, NULL, name, 1, &summary, NULL));
    return SLT_OK;
}

typedef slt_status (*reader)(slt_context *with, slt_dataset *data);

static slt_status open_and(slt_context *with, const char *path, reader read) {
    slt_file_kind kind;
    slt_dataset *data;
    SLT_TRY(slt_file_look(with, path, &kind));
    SLT_TRY(slt_dataset_open(with, path, &data));
    slt_status status = read(with, data);
    slt_dataset_close(data);
    return status;
}

static slt_status look_native(slt_context *with) {
    return open_and(with, "bits.safetensors", read_all);
}
static slt_status look_csv(slt_context *with) { return open_and(with, "table.csv", read_all); }
static slt_status look_npz(slt_context *with) { return open_and(with, "bytes.npz", read_all); }

static slt_status rules(slt_context *with) {
    return open_and(with, "small.safetensors", run_rules);
}

static slt_status convert(slt_context *with) {
    SLT_TRY(slt_dataset_convert(with, "bytes.npz", "copy.safetensors", true));
    SLT_TRY(slt_dataset_convert(with, "bits.safetensors", "copy.npz", true));
    return slt_dataset_convert(with, "table.csv", "copy.safetensors", true);
}

static slt_status minari(slt_context *with) {
    SLT_TRY(slt_dataset_convert(with, "bytes.npz", "minari/", true));
    return slt_dataset_convert(with, "minari/", "copy.npz", true);
}

static slt_status tensors(slt_context *with) {
    slt_tensor_list *list;
    SLT_TRY(slt_tensor_list_open(with, "bits.safetensors", &list));
    slt_tensor_list_close(list);
    return SLT_OK;
}

// ---- worlds

static slt_status play(slt_env_batch *batch) {
    static uint8_t snapshot[1 << 16];
    slt_canvas canvas;
    const uint64_t seeds[2] = {1, 2};
    const int64_t actions[2] = {0, 1};
    size_t size = slt_env_batch_snapshot_size(batch);
    assert_true(size <= sizeof snapshot);
    SLT_TRY(slt_env_batch_reset(batch, seeds, NULL, NULL));
    for (int i = 0; i < 5; i++) SLT_TRY(slt_env_batch_step(batch, actions, &(slt_env_outputs){0}));
    slt_env_batch_snapshot(batch, snapshot);
    SLT_TRY(slt_env_batch_restore(batch, snapshot, size));
    return slt_draw_env(batch, 1, &canvas);
}

static slt_status worlds(slt_context *with) {
    slt_env_info info;
    for (int i = 0; i < slt_env_count(); i += 7) {
        slt_env_batch *batch;
        SLT_TRY(slt_env_describe(i, &info));
        SLT_TRY(slt_env_batch_create(with, info.id, 2, SLT_AUTORESET_SAME_STEP, &batch));
        slt_status status = play(batch);
        slt_env_batch_destroy(batch);
        SLT_TRY(status);
    }
    return SLT_OK;
}

static slt_status collect_set(slt_context *with, const char *set, const char *path) {
    slt_collect_request request = {.environments = &set,
                                   .environment_count = 1,
                                   .path = path,
                                   .overwrite = true,
                                   .episodes = {3, 1, 1}};
    return slt_collect(with, &request, NULL);
}

static slt_status collect(slt_context *with) {
    SLT_TRY(collect_set(with, "craft-full", "craft.safetensors"));
    return collect_set(with, "doorkey", "doorkey.safetensors");
}

// ---- numbers

static slt_status metrics(slt_context *with) {
    const int32_t truth[] = {0, 0, 0, 1, 1, 2}, other[] = {0, 0, 1, 1, 1, 1};
    const slt_sequence a[] = {{truth, 6}, {truth, 4}}, b[] = {{other, 6}, {other, 4}};
    slt_scores scores, each[2];
    slt_score_summary summary;
    SLT_TRY(slt_score_pair(with, truth, other, 6, SLT_TOLERANCE, &scores));
    return slt_score_many(with, a, b, 2, SLT_TOLERANCE, &summary, each);
}

static slt_status verify(slt_context *with) {
    static const char *const files[] = {
        "/craft/rng.json",
        "/craft/metrics.jsonl",
        "/craft/paths.jsonl",
        "/models/metrics.json",
        "/minigrid/rng_vectors.json",
        "/models/ompn_tiny_depth2.safetensors",
    };
    slt_verify_result result;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[1024];
        snprintf(path, sizeof path, GOLDEN "%s", files[i]);
        SLT_TRY(slt_verify_file(with, path, &result));
    }
    return SLT_OK;
}

static slt_status bench(slt_context *with) {
    slt_bench_result results[8];
    slt_bench_peaks peaks = {1, 1};
    int count;
    SLT_TRY(slt_bench_env(with, "MiniGrid-DoorKey-5x5-v0", 1e-6, results));
    SLT_TRY(slt_bench_op(with, 0, 1e-6, &peaks, results, &count));
    return SLT_OK;
}

// ---- the table

static void nothing_is_lost(void **state) {
    static const struct {
        const char *name;
        failing_scenario run;
    } scenarios[] = {
        {"build", build},     {"native", look_native}, {"csv", look_csv},    {"npz", look_npz},
        {"convert", convert}, {"minari", minari},      {"tensors", tensors}, {"worlds", worlds},
        {"collect", collect}, {"metrics", metrics},    {"verify", verify},   {"bench", bench},
        {"rules", rules},
    };
    (void)state;
    setenv("ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0",
           1); // of the HDF5 helper: it takes seconds of each
    make_data("bits.safetensors", SLT_OBSERVATIONS_BITS, true, 0, 6);
    make_data("bytes.safetensors", SLT_OBSERVATIONS_U8, true, 0, 6);
    CHECK_OK(slt_dataset_convert(context, "bytes.safetensors", "bytes.npz", true));
    CHECK_OK(collect_set(context, "craft-full", "small.safetensors"));
    FILE *table = fopen("table.csv", "w");
    assert_non_null(table);
    fputs("episode,action,segment,x,y\n1,0,0,1,2\n1,1,0,2,3\n2,2,0,5,6\n2,1,1,7,8\n", table);
    assert_int_equal(fclose(table), 0);
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        every_failure(scenarios[i].name, scenarios[i].run);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_lost)};
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
