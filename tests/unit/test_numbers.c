// Numbers at their limits: whatever data and options a training is given, it ends in a result or
// in a clear stop, and no checkpoint, no answer and no file of a run holds NaN or infinity.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <float.h>
#include <ftw.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "core/file.h"
#include "core/json.h"
#include "core/safetensors.h"
#include "small_run.h"

// ---- data

enum { STEPS = 6, TRAJECTORIES = 24 };

typedef float (*painter)(int episode, int step, int place);

static float constant(int e, int t, int i) { return (void)e, (void)t, (void)i, 1; }
static float nothing(int e, int t, int i) { return (void)e, (void)t, (void)i, 0; }
static float largest(int e, int t, int i) { return (e + t + i) % 2 ? FLT_MAX : -FLT_MAX; }
static float large(int e, int t, int i) { return (float)((e * 7 + t * 3 + i) % 5 - 2) * 1e15f; }
static float tiny(int e, int t, int i) { return (float)((e + t + i) % 3) * FLT_TRUE_MIN; }
static float mixed(int e, int t, int i) { return i ? (float)(t % 2) : e % 2 ? 1e30f : -1e-30f; }

// `alike`: all trajectories are the same
static void paint(const char *path, painter at, bool alike) {
    slt_dataset_info info = {.action_count = ACTIONS,
                             .observation_kind = SLT_OBSERVATIONS_F32,
                             .observation_rank = 1,
                             .observation_shape = {WIDTH},
                             .observation_size = WIDTH,
                             .has_segments = true};
    slt_dataset_builder *builder;
    CHECK_OK(slt_dataset_builder_create(context, path, true, &info, &builder));
    for (int e = 0; e < TRAJECTORIES; e++) {
        uint8_t actions[STEPS];
        int32_t segments[STEPS];
        float seen[STEPS * WIDTH];
        for (int t = 0; t < STEPS; t++) {
            actions[t] = (uint8_t)((alike ? t : e * 5 + t * t) % ACTIONS);
            segments[t] = t / 3;
            for (int i = 0; i < WIDTH; i++) seen[t * WIDTH + i] = at(alike ? 0 : e, t, i);
        }
        slt_episode episode = {
            .length = STEPS, .actions_u8 = actions, .observations_f32 = seen, .segments = segments};
        CHECK_OK(slt_dataset_builder_add(builder, &episode));
    }
    CHECK_OK(slt_dataset_builder_commit(builder));
}

// ---- what a run left

static void check_weights(const char *path) {
    slt_safetensors *file;
    if (access(path, F_OK) != 0) return;
    CHECK_OK(slt_safetensors_open(&slt_system_allocator, path, &file));
    for (size_t i = 0; i < slt_safetensors_count(file); i++) {
        const slt_array *array = slt_safetensors_at(file, i);
        if (array->dtype != SLT_DTYPE_F32) continue;
        const float *values = array->data;
        for (size_t k = 0; k < array->bytes / sizeof *values; k++)
            if (!isfinite(values[k]))
                fail_msg("%s: %s[%zu] is %g", path, array->name, k, (double)values[k]);
    }
    slt_safetensors_close(file);
}

// every line is JSON: that has no NaN
static void check_lines(const char *path) {
    slt_map map;
    if (access(path, F_OK) != 0) return;
    CHECK_OK(slt_map_open(path, &map));
    const char *at = (const char *)map.data, *end = at + map.size;
    while (at < end) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        json_t *line;
        assert_non_null(stop);
        CHECK_OK(slt_json_parse(path, at, (size_t)(stop - at), 6, &line));
        json_decref(line);
        at = stop + 1;
    }
    slt_map_close(&map);
}

static void check_run(void) {
    check_weights("run/last.safetensors");
    check_weights("run/best.safetensors");
    check_weights("run/segments.safetensors");
    check_lines("run/metrics.jsonl");
    check_lines("run/result.json");
}

static int remove_one(const char *path, const struct stat *info, int kind, struct FTW *place) {
    (void)info, (void)kind, (void)place;
    return remove(path);
}

// ---- the table

static const struct {
    const char *name;
    painter observations;
    bool alike;
    const char *setting;
    bool refused; // may be refused before the first step: no such option, out of its bounds
} cases[] = {
    {"constant", constant, false, NULL, false},
    {"zeros", nothing, false, NULL, false},
    {"identical", constant, true, NULL, false},
    {"identical, large", large, true, NULL, false},
    {"large", large, false, NULL, false},
    {"largest", largest, false, NULL, false},
    {"tiny", tiny, false, NULL, false},
    {"mixed", mixed, false, NULL, false},
    {"lr=1", constant, false, "lr=1", false},
    {"lr=1000", mixed, false, "lr=1000", true},
    {"lr=1e30", constant, false, "lr=1e30", true},
    {"lr=10", constant, false, "lr=10", false},
    {"large, lr=10", large, false, "lr=10", false},
    {"prior with zeros", constant, false, "prior=0,1,0", true},
    {"a single slot", constant, false, "slots=1", true},
    {"beta=0", constant, false, "beta=0", true},
    {"beta=1000", constant, false, "beta=1000", true},
    {"large, beta=1000", large, false, "beta=1000", true},
    {"zeros, bounded", nothing, false, "max_grad_norm=1", false},
    {"mixed, bounded", mixed, false, "max_grad_norm=1", false},
};

static slt_status run_case(const char *model, const char *setting, int restarts) {
    const char *settings[] = {SANITIZED ? "epochs=1" : "epochs=2", "batch=8", "hidden=8", setting};
    slt_train_request request = {.model = model,
                                 .data = "data.safetensors",
                                 .run = "run",
                                 .settings = settings,
                                 .setting_count = setting ? 4 : 3,
                                 .restarts = restarts};
    slt_train_result result;
    nftw("run", remove_one, 8, FTW_DEPTH | FTW_PHYS);
    return slt_train(context, &request, &result);
}

static void every_case_of(const char *model, int restarts) {
    int results = 0, stops = 0;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        paint("data.safetensors", cases[i].observations, cases[i].alike);
        slt_status status = run_case(model, cases[i].setting, restarts);
        bool refused = cases[i].refused && (status == SLT_INVALID || status == SLT_RANGE);
        if (status != SLT_OK && status != SLT_DIVERGED && !refused)
            fail_msg("%s, %s: %s (%s)", model, cases[i].name, slt_last_error(),
                     slt_status_name(status));
        check_run();
        results += status == SLT_OK;
        stops += status != SLT_OK;
        if (status != SLT_OK)
            print_message("# %s, %s: %s\n", model, cases[i].name, slt_last_error());
    }
    print_message("# %s: %d results, %d stops\n", model, results, stops);
    assert_true(results >= 5 && stops >= 2);
}

static void slottar(void **state) { (void)state, every_case_of("slottar", 0); }
static void mdl(void **state) { (void)state, every_case_of("slottar-mdl", SANITIZED ? 1 : 2); }
static void compile(void **state) { (void)state, every_case_of("compile", 0); }
static void ompn(void **state) { (void)state, every_case_of("ompn", 0); }

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slottar),
        cmocka_unit_test(mdl),
        cmocka_unit_test(compile),
        cmocka_unit_test(ompn),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
