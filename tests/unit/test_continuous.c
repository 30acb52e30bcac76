// Continuous actions in data sets: names and kinds of their numbers, what is refused and how, one
// step, one episode, two thousand columns; models and rules that do not take them say so.
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "core/file.h"
#include "group_context.h"
#include "slottar/dataset.h"
#include "slottar/metrics.h"
#include "slottar/train.h"

static const char *const names[] = {"dx", "gripper", "unused"};
static const char *const seen_names[] = {"q0", "q1"};
static float forces[] = {0.5f, 1, 7, -0.25f, -1, 7, 0.125f, 1, 7, 2, 1, 7};
static float seen[] = {0, 1, 2, 3, 4, 5, 6, 7};
static const int32_t labels[] = {0, 0, 1, 1};

static slt_dataset_info describe(void) {
    return (slt_dataset_info){.action_kind = SLT_ACTIONS_CONTINUOUS,
                              .action_size = 3,
                              .action_names = names,
                              .observation_kind = SLT_OBSERVATIONS_F32,
                              .observation_rank = 1,
                              .observation_shape = {2},
                              .observation_size = 2,
                              .observation_names = seen_names,
                              .has_segments = true};
}

static slt_status add(slt_dataset_builder *builder, int64_t first, int64_t length) {
    slt_episode episode = {.length = length,
                           .actions_f32 = forces + 3 * first,
                           .observations_f32 = seen + 2 * first,
                           .segments = labels + first};
    return slt_dataset_builder_add(builder, &episode);
}

// two episodes, the second of one step
static slt_status build(const char *path) {
    slt_dataset_info info = describe();
    slt_dataset_builder *builder;
    SLT_TRY(slt_dataset_builder_create(context, path, true, &info, &builder));
    slt_status status = add(builder, 0, 3);
    if (status == SLT_OK) status = add(builder, 3, 1);
    if (status == SLT_OK) return slt_dataset_builder_commit(builder);
    slt_dataset_builder_destroy(builder);
    return status;
}

static void names_and_values_survive_every_format(void **state) {
    (void)state;
    static const char *const paths[] = {"a.safetensors", "a.npz", "b.safetensors"};
    CHECK_OK(build(paths[0]));
    for (int i = 1; i < 3; i++)
        CHECK_OK(slt_dataset_convert(context, paths[i - 1], paths[i], true));
    for (int i = 0; i < 3; i++) {
        slt_dataset *data;
        slt_episode episode;
        CHECK_OK(slt_dataset_open(context, paths[i], &data));
        const slt_dataset_info *about = slt_dataset_about(data);
        assert_int_equal(about->action_size, 3);
        assert_string_equal(about->action_names[1], "gripper");
        assert_string_equal(about->observation_names[1], "q1");
        CHECK_OK(slt_dataset_episode(data, 1, &episode));
        assert_int_equal(episode.length, 1);
        assert_memory_equal(episode.actions_f32, forces + 9, 12);
        assert_memory_equal(episode.observations_f32, seen + 6, 8);
        slt_dataset_close(data);
    }
}

static void channels_have_kinds(void **state) {
    (void)state;
    slt_dataset *data;
    slt_channel channels[3];
    CHECK_OK(build("a.safetensors"));
    CHECK_OK(slt_dataset_open(context, "a.safetensors", &data));
    CHECK_OK(slt_dataset_channels(data, channels));
    assert_int_equal(channels[0].kind, SLT_CHANNEL_CONTINUOUS);
    assert_int_equal(channels[1].kind, SLT_CHANNEL_BINARY);
    assert_int_equal(channels[2].kind, SLT_CHANNEL_CONSTANT);
    assert_string_equal(channels[0].name, "dx");
    assert_true(channels[0].least == -0.25f && channels[0].most == 2);
    double mean = (0.5 - 0.25 + 0.125 + 2) / 4, sum = 0;
    for (int t = 0; t < 4; t++) sum += pow((double)forces[3 * t] - mean, 2);
    assert_true(fabs(channels[0].mean - mean) < 1e-12);
    assert_true(fabs(channels[0].deviation - sqrt(sum / 4)) < 1e-12);
    assert_true(channels[2].deviation == 0);
    slt_dataset_close(data);
}

static void what_is_not_finite_is_refused_by_name(void **state) {
    (void)state;
    static const float bad[] = {NAN, INFINITY, -INFINITY};
    static const char *const words[] = {"'gripper') is nan", "'gripper') is inf",
                                        "'gripper') is -inf"};
    for (int i = 0; i < 3; i++) {
        forces[4] = bad[i];
        CHECK_FAILS(SLT_RANGE, words[i], build("n.safetensors"));
        CHECK_FAILS(SLT_RANGE, "actions: step 1, column 1", build("n.safetensors"));
    }
    forces[4] = -1;
    seen[3] = NAN;
    CHECK_FAILS(SLT_RANGE, "observations: step 1, column 1 ('q1') is nan", build("n.safetensors"));
    seen[3] = 3;
    // a file that somebody else wrote: the bytes of -0.25 become those of a NaN
    slt_map map;
    CHECK_OK(build("n.safetensors"));
    CHECK_OK(slt_map_open("n.safetensors", &map));
    unsigned char *bytes = malloc(map.size);
    size_t size = map.size, at = 0;
    memcpy(bytes, map.data, size);
    slt_map_close(&map);
    while (at + 12 < size && memcmp(bytes + at, forces + 3, 12) != 0) at++;
    assert_true(at + 12 < size);
    memcpy(bytes + at, &(float){NAN}, 4);
    CHECK_OK(slt_file_write("n.safetensors", bytes, size));
    free(bytes);
    slt_dataset *data;
    slt_channel channels[3];
    CHECK_OK(slt_dataset_open(context, "n.safetensors", &data));
    CHECK_FAILS(SLT_FORMAT, "n.safetensors: actions: row 1, column 0 ('dx') holds",
                slt_dataset_channels(data, channels));
    slt_dataset_close(data);
}

static void senseless_descriptions_are_refused(void **state) {
    (void)state;
    slt_dataset_builder *builder;
    slt_dataset_info info = describe();
    info.action_size = 0;
    CHECK_FAILS(SLT_INVALID, "action_size is 0",
                slt_dataset_builder_create(context, "n.safetensors", true, &info, &builder));
    info = describe();
    info.observation_names = (const char *const[]){"a", "b,c"};
    CHECK_FAILS(SLT_INVALID, "observation name 'b,c' holds a comma",
                slt_dataset_builder_create(context, "n.safetensors", true, &info, &builder));
}

static void two_thousand_columns_in_one_episode_of_one_step(void **state) {
    (void)state;
    enum { WIDE = 2000 };
    static float row[WIDE];
    static char text[WIDE][8];
    static const char *wide[WIDE];
    for (int i = 0; i < WIDE; i++) {
        row[i] = (float)i;
        snprintf(text[i], sizeof text[i], "c%d", i);
        wide[i] = text[i];
    }
    slt_dataset_info info = {
        .action_kind = SLT_ACTIONS_CONTINUOUS, .action_size = WIDE, .action_names = wide};
    slt_dataset_builder *builder;
    CHECK_OK(slt_dataset_builder_create(context, "w.safetensors", true, &info, &builder));
    CHECK_OK(slt_dataset_builder_add(builder, &(slt_episode){.length = 1, .actions_f32 = row}));
    CHECK_OK(slt_dataset_builder_commit(builder));
    slt_dataset *data;
    static slt_channel channels[WIDE];
    CHECK_OK(slt_dataset_open(context, "w.safetensors", &data));
    CHECK_OK(slt_dataset_channels(data, channels));
    assert_string_equal(channels[1999].name, "c1999");
    assert_true(channels[1999].kind == SLT_CHANNEL_CONSTANT && channels[1999].least == 1999);
    slt_dataset_close(data);
}

static void who_does_not_take_them_says_so(void **state) {
    (void)state;
    CHECK_OK(build("a.safetensors"));
    slt_train_result *result = calloc(1, sizeof *result);
    slt_train_request request = {.model = "slottar-mdl", .data = "a.safetensors", .run = "run"};
    CHECK_FAILS(SLT_UNSUPPORTED,
                "slottar-mdl takes discrete actions; slottar, compile and ompn take both",
                slt_train(context, &request, result));
    free(result);
    slt_dataset *data;
    slt_score_summary summary;
    CHECK_OK(slt_dataset_open(context, "a.safetensors", &data));
    CHECK_FAILS(
        SLT_UNSUPPORTED, "the rule surprise takes discrete ones",
        slt_baseline_score(context, data, SLT_SPLIT_TRAIN, NULL, "surprise", 0, &summary, NULL));
    CHECK_OK(
        slt_baseline_score(context, data, SLT_SPLIT_TRAIN, NULL, "uniform", 0, &summary, NULL));
    slt_dataset_close(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_and_values_survive_every_format),
        cmocka_unit_test(channels_have_kinds),
        cmocka_unit_test(what_is_not_finite_is_refused_by_name),
        cmocka_unit_test(senseless_descriptions_are_refused),
        cmocka_unit_test(two_thousand_columns_in_one_episode_of_one_step),
        cmocka_unit_test(who_does_not_take_them_says_so),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
