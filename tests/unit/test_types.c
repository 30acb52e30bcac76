// Types of segments: by effect and by cluster, files, scores; the six sets in small.
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "core/safetensors.h"
#include "group_context.h"
#include "slottar/expert.h"
#include "slottar/skills.h"

// ---- by hand: a place that moves, a lamp and a door, three numbers; actions go, light, open, look

enum { GO, LIGHT, OPEN, LOOK, EPISODES = 20, LENGTH = 8, STEPS = EPISODES * LENGTH };

static int64_t offsets[EPISODES + 1];
static uint8_t actions[STEPS], seen[STEPS * 3], finals[EPISODES * 3];
static int32_t segments[STEPS], subtasks[STEPS];
static const char *subtask_names[] = {"light", "open"};

// light at step 3, open at the last; the place moves always
static slt_dataset *house(void) {
    slt_dataset *data;
    for (int e = 0; e < EPISODES; e++) {
        offsets[e + 1] = (e + 1) * LENGTH;
        for (int t = 0; t <= LENGTH; t++) {
            uint8_t *now = t < LENGTH ? seen + (e * LENGTH + t) * 3 : finals + e * 3;
            now[0] = (uint8_t)((e * 3 + t) % 5);
            now[1] = t > 3;
            now[2] = t > LENGTH - 1;
            if (t == LENGTH) break;
            actions[e * LENGTH + t] = t == 3 ? LIGHT : t == LENGTH - 1 ? OPEN : GO;
            segments[e * LENGTH + t] = subtasks[e * LENGTH + t] = t > 3;
        }
    }
    slt_dataset_arrays arrays = {.info = {.action_count = 4,
                                          .observation_kind = SLT_OBSERVATIONS_U8,
                                          .observation_rank = 1,
                                          .observation_shape = {3},
                                          .observation_size = 3,
                                          .has_segments = true,
                                          .has_finals = true,
                                          .has_subtasks = true,
                                          .subtask_count = 2,
                                          .subtask_names = subtask_names},
                                 .episodes = EPISODES,
                                 .offsets = offsets,
                                 .actions_u8 = actions,
                                 .observations_u8 = seen,
                                 .final_u8 = finals,
                                 .segments = segments,
                                 .subtasks = subtasks};
    CHECK_OK(slt_dataset_from_arrays(context, &arrays, &data));
    return data;
}

static void effects_by_hand(void **state) {
    (void)state;
    slt_dataset *data = house();
    slt_types *types;
    slt_type_scores scores;
    int32_t found[LENGTH], all[LENGTH] = {0, 0, 1, 1, 1, 1, 1, 2};
    char text[200];
    CHECK_OK(slt_types_learn(context, data, NULL, NULL, &types));
    assert_int_equal(slt_types_count(types), 2);
    assert_int_equal(slt_types_times(types, 0), EPISODES);
    CHECK_OK(slt_types_describe(types, data, 0, text, sizeof text));
    assert_string_equal(text, "action 1, cell 1 0->1");
    CHECK_OK(slt_types_score(types, data, SLT_SPLIT_TRAIN, &scores));
    assert_true(scores.accuracy == 1 && scores.purity == 1 && fabs(scores.nmi - 1) < 1e-12);
    assert_true(scores.segments == 2 * EPISODES && scores.types == 2 && scores.names == 2);
    // other segments: what ends with a step to the next place has no type, opening keeps its own
    CHECK_OK(slt_types_of(types, data, 3, all, found));
    assert_int_equal(found[0], SLT_UNKNOWN_TYPE);
    assert_int_equal(found[1], SLT_UNKNOWN_TYPE);
    assert_int_equal(found[2], 1);
    CHECK_FAILS(SLT_RANGE, "no type 2", slt_types_describe(types, data, 2, text, sizeof text));
    slt_types_close(types);
    slt_dataset_close(data);
}

// a segmentation that misses the lamp in one episode: its effect shows it; walking shows nothing
static void missing_boundaries(void **state) {
    (void)state;
    slt_dataset *data = house();
    slt_types *types;
    int32_t found[STEPS];
    float missing[LENGTH];
    memcpy(found, segments, sizeof found);
    for (int t = 0; t < LENGTH; t++) found[7 * LENGTH + t] = 0;
    CHECK_OK(slt_types_learn(context, data, found, NULL, &types));
    CHECK_OK(slt_types_missing(types, data, 7, found + 7 * LENGTH, missing));
    for (int t = 0; t < LENGTH; t++)
        assert_true(missing[t] == (t == 3 ? (float)(EPISODES - 1) / EPISODES : 0));
    CHECK_OK(slt_types_missing(types, data, 6, found + 6 * LENGTH, missing));
    for (int t = 0; t < LENGTH; t++) assert_true(missing[t] == 0);
    // an effect that is seldom an end shows nothing
    for (int e = 0; e < EPISODES; e++)
        for (int t = 0; e % 5 == 0 && t < LENGTH; t++) found[e * LENGTH + t] = 0;
    slt_types_close(types);
    CHECK_OK(slt_types_learn(context, data, found, NULL, &types));
    CHECK_OK(slt_types_missing(types, data, 7, found + 7 * LENGTH, missing));
    for (int t = 0; t < LENGTH; t++) assert_true(missing[t] == 0);
    slt_types_close(types);
    slt_dataset_close(data);
}

static void nothing_to_learn_from(void **state) {
    (void)state;
    slt_dataset *data = house();
    slt_types *types = NULL;
    int32_t none[STEPS];
    for (int i = 0; i < STEPS; i++) none[i] = -1;
    CHECK_FAILS(SLT_INVALID, "is it segmented?",
                slt_types_learn(context, data, none, NULL, &types));
    CHECK_FAILS(SLT_INVALID, "-1 episodes",
                slt_types_learn(context, data, NULL, &(slt_types_options){.episodes = -1}, &types));
    assert_null(types);
    slt_dataset_close(data);
}

// ---- floats

static void clusters_of_motion(void **state) {
    (void)state;
    enum { N = 60, T = 10 };
    static float moves[N * T * 2];
    static int32_t phases[N * T], names[N * 2], found[N * 2];
    static int64_t starts[N + 1];
    slt_dataset *data;
    slt_types *types;
    slt_type_scores scores;
    uint32_t word = 1;
    for (int i = 0; i < N * T; i++) {
        phases[i] = i % T >= 5;
        starts[i / T + 1] = (i / T + 1) * T;
        for (int k = 0; k < 2; k++) {
            word = word * 1664525u + 1013904223u;
            moves[i * 2 + k] = (phases[i] == k ? 1.0f : -0.5f) + (float)(word >> 16) / 655360.0f;
        }
    }
    slt_dataset_arrays arrays = {
        .info = {.action_kind = SLT_ACTIONS_CONTINUOUS, .action_size = 2, .has_segments = true},
        .episodes = N,
        .offsets = starts,
        .actions_f32 = moves,
        .segments = phases};
    CHECK_OK(slt_dataset_from_arrays(context, &arrays, &data));
    CHECK_OK(slt_types_learn(context, data, NULL, NULL, &types));
    assert_int_equal(slt_types_count(types), 2);
    for (int e = 0; e < N; e++) {
        CHECK_OK(slt_types_of(types, data, e, phases + e * T, found + e * 2));
        names[e * 2 + 1] = 1;
    }
    CHECK_OK(slt_type_score(context, found, names, N * 2, &scores));
    assert_true(scores.accuracy == 1);
    CHECK_OK(slt_types_save(types, "clusters.safetensors", true));
    slt_types_close(types);
    CHECK_OK(slt_types_open(context, "clusters.safetensors", &types));
    int32_t again[2];
    CHECK_OK(slt_types_of(types, data, 7, phases + 7 * T, again));
    assert_memory_equal(again, found + 14, sizeof again);
    slt_types_close(types);
    CHECK_OK(slt_types_learn(context, data, NULL, &(slt_types_options){.clusters = 3}, &types));
    assert_int_equal(slt_types_count(types), 3);
    slt_types_close(types);
    slt_dataset_close(data);
    unlink("clusters.safetensors");
}

// ---- scores

static void scores_by_hand(void **state) {
    (void)state;
    // types 0 and 1 share name 4; an unknown one; one without a name
    const int32_t types[] = {0, 0, 0, 1, 1, 2, -1, 5}, names[] = {4, 4, 4, 4, 4, 6, 6, -1};
    slt_type_scores s;
    CHECK_OK(slt_type_score(context, types, names, 8, &s));
    assert_true(s.segments == 7 && s.types == 3 && s.names == 2);
    assert_true(fabs(s.accuracy - 4.0 / 7) < 1e-12);
    assert_true(fabs(s.purity - 6.0 / 7) < 1e-12);
    // H(types) of 3,2,1,1; H(names) of 5,2; the joint one equals H(types)
    double t = -(3 / 7.0 * log(3 / 7.0) + 2 / 7.0 * log(2 / 7.0) + 2 / 7.0 * log(1 / 7.0));
    double n = -(5 / 7.0 * log(5 / 7.0) + 2 / 7.0 * log(2 / 7.0));
    assert_true(fabs(s.nmi - 2 * n / (t + n)) < 1e-12);
    // the greedy choice (0 to 4) is not the best: 0 to 6 and 1 to 4
    const int32_t few[] = {0, 0, 0, 0, 0, 1, 1, 1}, of[] = {4, 4, 4, 6, 6, 4, 4, 4};
    CHECK_OK(slt_type_score(context, few, of, 8, &s));
    assert_true(fabs(s.accuracy - 5.0 / 8) < 1e-12);
    CHECK_FAILS(SLT_INVALID, "no segment has the name", slt_type_score(context, few, of, 0, &s));
}

// ---- sets that the experts make

static void check_set(const char *const *ids, int count, double noise, int names, double least) {
    char path[] = "types-XXXXXX";
    slt_dataset *data;
    slt_types *types;
    slt_type_scores scores;
    close(mkstemp(path));
    slt_collect_request request = {.environments = ids,
                                   .environment_count = count,
                                   .path = path,
                                   .overwrite = true,
                                   .noise = noise,
                                   .episodes = {150, 0, 60}};
    CHECK_OK(slt_collect(context, &request, NULL));
    CHECK_OK(slt_dataset_open(context, path, &data));
    CHECK_OK(slt_types_learn(context, data, NULL, NULL, &types));
    CHECK_OK(slt_types_score(types, data, SLT_SPLIT_TEST, &scores));
    if (scores.accuracy < least || (names && scores.types != names))
        fail_msg("%s: accuracy %.4f, %d types", ids[0], scores.accuracy, scores.types);
    slt_types_close(types);
    slt_dataset_close(data);
    unlink(path);
}

static void sets_of_the_paper(void **state) {
    (void)state;
    static const char *const craft[] = {"makebedfull-v0", "makeaxefull-v0", "makeshearsfull-v0"};
    static const char *const partial[] = {"makebed-v0", "makeaxe-v0", "makeshears-v0"};
    static const struct {
        const char *id;
        int names;
    } grids[] = {{"MiniGrid-DoorKey-8x8-v0", 3},
                 {"MiniGrid-UnlockPickup-v0", 3},
                 {"MiniGrid-BlockedUnlockPickup-v0", 4},
                 {"MiniGrid-KeyCorridorS3R3-v0", 4},
                 {"MiniGrid-Unlock-v0", 2}};
    check_set(craft, 3, 0, 8, 0.99);
    check_set(partial, 3, 0, 8, 0.99);
    check_set(craft, 3, 0.2, 0, 0.97);
    for (size_t i = 0; i < sizeof grids / sizeof *grids; i++)
        check_set(&grids[i].id, 1, 0, grids[i].names, 0.99);
}

// ---- files

typedef struct {
    const char *tensor;
    size_t at; // element
    int64_t value;
    const char *words;
} damage;

// a copy of the file with one number changed
static void write_damaged(const char *from, const char *to, const damage *d) {
    slt_safetensors *file;
    slt_array arrays[8];
    static unsigned char bytes[1 << 16];
    const slt_metadata format = {"format", "slottar-types-1"};
    CHECK_OK(slt_safetensors_open(&slt_system_allocator, from, &file));
    size_t count = slt_safetensors_count(file);
    for (size_t i = 0; i < count; i++) {
        arrays[i] = *slt_safetensors_at(file, i);
        if (strcmp(arrays[i].name, d->tensor) != 0) continue;
        size_t size = slt_dtype_size(arrays[i].dtype);
        memcpy(bytes, arrays[i].data, arrays[i].bytes);
        memcpy(bytes + d->at * size, &d->value, size); // little-endian
        arrays[i].data = bytes;
    }
    CHECK_OK(slt_safetensors_save(&slt_system_allocator, to, arrays, count, &format, 1));
    slt_safetensors_close(file);
}

static void damaged_files(void **state) {
    (void)state;
    static const damage damages[] = {
        {"about", 0, 2, "about"},       {"about", 1, 0, "about"},
        {"about", 1, 1 << 30, "about"}, {"about", 2, -1, "about"},
        {"about", 2, 4, "cells"},       {"about", 3, 5, "about"},
        {"about", 3, 0, "cells"},       {"about", 4, 1000, "symbols"},
        {"about", 4, -3, "about"},      {"cells", 0, 9, "cells"},
        {"symbols", 0, 3, "symbols"},   {"symbols", 0, -1, "symbols"},
        {"symbols", 1, 0, "symbols"},   {"symbols", 1, 2, "symbols"},
        {"symbols", 2, 256, "symbols"}, {"effects", 0, 4, "effects"},
        {"effects", 1, 15, "effects"},  {"effects", 1, -1, "effects"},
        {"effects", 2, 99, "effects"},  {"effects", 2, -1, "effects"},
        {"effects", 2, -9, "effects"},  {"effects", 15, 1, "effects"},
        {"times", 0, 0, "occurrences"}, {"occurrences", 1, 3, "occurrences"},
    };
    slt_dataset *data = house();
    slt_types *types, *other = NULL;
    CHECK_OK(slt_types_learn(context, data, NULL, NULL, &types));
    CHECK_OK(slt_types_save(types, "types.safetensors", false));
    CHECK_FAILS(SLT_EXISTS, "types.safetensors", slt_types_save(types, "types.safetensors", false));
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        write_damaged("types.safetensors", "bad.safetensors", &damages[i]);
        slt_status status = slt_types_open(context, "bad.safetensors", &other);
        if (status != SLT_FORMAT || !strstr(slt_last_error(), damages[i].words))
            fail_msg("damage %zu: %s: %s", i, slt_status_name(status), slt_last_error());
    }
    CHECK_OK(slt_types_open(context, "types.safetensors", &other));
    int32_t a[LENGTH], b[LENGTH];
    CHECK_OK(slt_types_of(types, data, 5, segments, a));
    CHECK_OK(slt_types_of(other, data, 5, segments, b));
    assert_memory_equal(a, b, 2 * sizeof *a);
    slt_types_close(other);
    slt_types_close(types);
    CHECK_OK(slt_dataset_save(data, "data.safetensors", true));
    CHECK_FAILS(SLT_FORMAT, "no types", slt_types_open(context, "data.safetensors", &other));
    slt_dataset_close(data);
    unlink("types.safetensors"), unlink("bad.safetensors"), unlink("data.safetensors");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(effects_by_hand),       cmocka_unit_test(missing_boundaries),
        cmocka_unit_test(nothing_to_learn_from), cmocka_unit_test(clusters_of_motion),
        cmocka_unit_test(scores_by_hand),        cmocka_unit_test(sets_of_the_paper),
        cmocka_unit_test(damaged_files),
    };
    return cmocka_run_group_tests(tests, two_threads, no_context);
}
