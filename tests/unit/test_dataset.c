// Data sets: what is built is read back; what is damaged is refused with file and field.
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "core/file.h"
#include "core/safetensors.h"
#include "slottar/dataset.h"
#include "group_context.h"

// ---- episodes made from their index, so that a reader can make them again

enum { WIDTH = 40, LONGEST = 50 };

static struct {
    uint8_t actions[LONGEST], bytes[LONGEST * WIDTH], final[WIDTH];
    float reals[LONGEST * WIDTH], final_reals[WIDTH], rewards[LONGEST], forces[LONGEST * 3];
    int32_t segments[LONGEST];
} made;

static slt_episode make_episode(int64_t index) {
    unsigned state = 12345u + 999u * (unsigned)index;
    int64_t length = 1 + index * 7 % LONGEST;
#define DRAW() (state = state * 1664525u + 1013904223u, state >> 16)
    for (int64_t t = 0; t < length; t++) {
        made.actions[t] = DRAW() % 6;
        made.rewards[t] = (float)(DRAW() % 100) / 8;
        made.segments[t] = (int32_t)(t / 5);
        for (int i = 0; i < 3; i++) made.forces[3 * t + i] = (float)(DRAW() % 100) / 4 - 10;
    }
    for (int64_t i = 0; i < length * WIDTH; i++) made.bytes[i] = DRAW() % 5 == 0;
    for (int64_t i = 0; i < length * WIDTH; i++) made.reals[i] = (float)(DRAW() % 100) / 16;
    for (int64_t i = 0; i < WIDTH; i++) {
        made.final[i] = DRAW() % 5 == 0;
        made.final_reals[i] = (float)(DRAW() % 100);
    }
#undef DRAW
    return (slt_episode){.index = index,
                         .length = length,
                         .actions_u8 = made.actions,
                         .actions_f32 = made.forces,
                         .observations_u8 = made.bytes,
                         .observations_f32 = made.reals,
                         .final_u8 = made.final,
                         .final_f32 = made.final_reals,
                         .rewards = made.rewards,
                         .segments = made.segments,
                         .split = (slt_split)(index % 3),
                         .terminated = index % 2,
                         .truncated = index % 2 == 0,
                         .task = (int32_t)(index % 4),
                         .seed = 1000000 + index};
}

static const char *const names[] = {"left", "right", "up", "down", "use", "done"};

static slt_dataset_info describe(slt_observation_kind kind) {
    return (slt_dataset_info){.action_count = 6,
                              .observation_kind = kind,
                              .observation_rank = 1,
                              .observation_shape = {WIDTH},
                              .observation_size = WIDTH,
                              .has_rewards = true,
                              .has_segments = true,
                              .has_finals = true,
                              .has_splits = true,
                              .has_terminated = true,
                              .has_truncated = true,
                              .has_seeds = true,
                              .has_tasks = true,
                              .action_names = names,
                              .environment = "test-v0",
                              .expert = "nobody"};
}

static void build(const char *path, const slt_dataset_info *info, int64_t episodes) {
    slt_dataset_builder *builder;
    CHECK_OK(slt_dataset_builder_create(context, path, true, info, &builder));
    CHECK_OK(slt_dataset_builder_describe(builder, "colour", "green"));
    for (int64_t i = 0; i < episodes; i++) {
        slt_episode episode = make_episode(i);
        CHECK_OK(slt_dataset_builder_add(builder, &episode));
    }
    CHECK_OK(slt_dataset_builder_commit(builder));
}

static void compare_observations(const slt_dataset_info *info, const slt_episode *want,
                                 const slt_episode *got) {
    float values[WIDTH];
    bool reals = info->observation_kind == SLT_OBSERVATIONS_F32;
    for (int64_t t = 0; t <= want->length; t++) {
        bool last = t == want->length;
        CHECK_OK(slt_episode_observe(info, got, t, values));
        const uint8_t *bytes = last ? want->final_u8 : want->observations_u8 + t * WIDTH;
        const float *floats = last ? want->final_f32 : want->observations_f32 + t * WIDTH;
        for (int i = 0; i < WIDTH; i++)
            assert_true(values[i] == (reals ? floats[i] : (float)bytes[i]));
    }
}

static void compare(slt_dataset *data, int64_t index) {
    slt_episode want = make_episode(index), got;
    CHECK_OK(slt_dataset_episode(data, index, &got));
    assert_int_equal(got.length, want.length);
    for (int64_t t = 0; t < got.length; t++)
        assert_int_equal(slt_episode_action(&got, t), want.actions_u8[t]);
    compare_observations(slt_dataset_about(data), &want, &got);
    assert_memory_equal(got.rewards, want.rewards, (size_t)want.length * sizeof(float));
    assert_memory_equal(got.segments, want.segments, (size_t)want.length * sizeof(int32_t));
    assert_int_equal(got.split, want.split);
    assert_int_equal(got.terminated, want.terminated);
    assert_int_equal(got.truncated, want.truncated);
    assert_int_equal(got.task, want.task);
    assert_int_equal(got.seed, want.seed);
    assert_int_equal(slt_episode_segment_count(&got), (want.length + 4) / 5);
}

static void what_is_built_is_read_back(void **state) {
    (void)state;
    static const slt_observation_kind kinds[] = {SLT_OBSERVATIONS_U8, SLT_OBSERVATIONS_F32,
                                                 SLT_OBSERVATIONS_BITS};
    for (int k = 0; k < 3; k++) {
        slt_dataset_info info = describe(kinds[k]);
        build("a.safetensors", &info, 300); // F32: 1.2 MB, more than a spool keeps in memory
        slt_dataset *data;
        CHECK_OK(slt_dataset_open(context, "a.safetensors", &data));
        const slt_dataset_info *about = slt_dataset_about(data);
        assert_int_equal(about->episodes, 300);
        assert_int_equal(about->longest, 50);
        assert_int_equal(about->observation_kind, kinds[k]);
        for (int64_t i = 0; i < 300; i++)
            assert_int_equal(slt_dataset_offsets(data)[i + 1] - slt_dataset_offsets(data)[i],
                             make_episode(i).length);
        assert_int_equal(about->action_count, 6);
        assert_string_equal(about->action_names[4], "use");
        assert_string_equal(about->environment, "test-v0");
        assert_null(about->observation_meaning);
        assert_string_equal(slt_dataset_metadata(data, "colour"), "green");
        for (int64_t i = 0; i < 300; i++) compare(data, i);
        const int64_t *members;
        assert_int_equal(slt_dataset_split(data, SLT_SPLIT_VALID, &members), 100);
        assert_int_equal(members[7], 22);
        slt_episode episode;
        CHECK_FAILS(SLT_RANGE, "no episode 300", slt_dataset_episode(data, 300, &episode));
        CHECK_FAILS(SLT_RANGE, "no episode -1", slt_dataset_episode(data, -1, &episode));
        slt_dataset_close(data);
    }
}

static void the_same_input_gives_the_same_bytes(void **state) {
    (void)state;
    slt_dataset_info info = describe(SLT_OBSERVATIONS_BITS);
    build("a.safetensors", &info, 100);
    // a copy made from the views, with places instead of bytes
    slt_dataset *data;
    CHECK_OK(slt_dataset_open(context, "a.safetensors", &data));
    slt_dataset_builder *builder;
    CHECK_OK(slt_dataset_builder_create(context, "b.safetensors", true, slt_dataset_about(data),
                                        &builder));
    CHECK_OK(slt_dataset_builder_describe(builder, "colour", "green"));
    for (int64_t i = 0; i < 100; i++) {
        slt_episode episode;
        CHECK_OK(slt_dataset_episode(data, i, &episode));
        CHECK_OK(slt_dataset_builder_add(builder, &episode));
    }
    CHECK_OK(slt_dataset_builder_commit(builder));
    slt_dataset_close(data);
    slt_map a, b;
    CHECK_OK(slt_map_open("a.safetensors", &a));
    CHECK_OK(slt_map_open("b.safetensors", &b));
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    slt_map_close(&a);
    slt_map_close(&b);
}

static void forces_and_nothing_to_see(void **state) {
    (void)state;
    slt_dataset_info info = {.action_kind = SLT_ACTIONS_CONTINUOUS, .action_size = 3};
    slt_dataset_builder *builder;
    CHECK_OK(slt_dataset_builder_create(context, "f.safetensors", true, &info, &builder));
    slt_episode episode = make_episode(3);
    CHECK_OK(slt_dataset_builder_add(builder, &episode));
    CHECK_OK(slt_dataset_builder_commit(builder));
    slt_dataset *data;
    CHECK_OK(slt_dataset_open(context, "f.safetensors", &data));
    assert_int_equal(slt_dataset_about(data)->action_size, 3);
    assert_int_equal(slt_dataset_about(data)->observation_kind, SLT_OBSERVATIONS_NONE);
    slt_episode got;
    CHECK_OK(slt_dataset_episode(data, 0, &got));
    assert_memory_equal(got.actions_f32, episode.actions_f32, (size_t)episode.length * 12);
    float none;
    CHECK_FAILS(SLT_INVALID, "has no observation",
                slt_episode_observe(slt_dataset_about(data), &got, 0, &none));
    slt_histogram histogram;
    CHECK_FAILS(SLT_INVALID, "no labels",
                slt_dataset_histogram(data, SLT_COUNT_SEGMENTS, &histogram));
    slt_dataset_close(data);
}

static void histograms_count(void **state) {
    (void)state;
    slt_dataset_info info = describe(SLT_OBSERVATIONS_BITS);
    build("a.safetensors", &info, 50); // lengths 1 ... 50, once each
    slt_dataset *data;
    CHECK_OK(slt_dataset_open(context, "a.safetensors", &data));
    slt_histogram histogram;
    CHECK_OK(slt_dataset_histogram(data, SLT_COUNT_LENGTHS, &histogram));
    assert_int_equal(histogram.least, 1);
    assert_int_equal(histogram.most, 50);
    assert_true(histogram.mean == 25.5);
    assert_true(fabs(histogram.deviation - sqrt(2499.0 / 12)) < 1e-12);
    assert_int_equal(histogram.width, 3);
    assert_int_equal(histogram.bin_count, 17);
    for (int i = 0; i < 16; i++) assert_int_equal(histogram.bins[i], 3);
    assert_int_equal(histogram.bins[16], 2);
    CHECK_OK(slt_dataset_histogram(data, SLT_COUNT_SEGMENTS, &histogram));
    assert_int_equal(histogram.bin_count, 10);
    for (int i = 0; i < 10; i++) assert_int_equal(histogram.bins[i], 5);
    slt_dataset_close(data);
}

// ---- the builder's refusals

static void the_builder_refuses(void **state) {
    (void)state;
    slt_dataset_info info = describe(SLT_OBSERVATIONS_F32);
    slt_dataset_builder *builder;
    CHECK_OK(slt_dataset_builder_create(context, "n.safetensors", true, &info, &builder));
    slt_episode fine = make_episode(2), episode = fine;
    made.actions[1] = 6;
    CHECK_FAILS(SLT_RANGE, "actions: 6 at step 1", slt_dataset_builder_add(builder, &episode));
    fine = episode = make_episode(2);
    episode.rewards = NULL;
    CHECK_FAILS(SLT_INVALID, "no rewards", slt_dataset_builder_add(builder, &episode));
    episode = fine, episode.length = 0;
    CHECK_FAILS(SLT_INVALID, "of 0 steps", slt_dataset_builder_add(builder, &episode));
    episode = fine, episode.final_f32 = NULL;
    CHECK_FAILS(SLT_INVALID, "no final", slt_dataset_builder_add(builder, &episode));
    episode = fine, episode.split = (slt_split)7;
    CHECK_FAILS(SLT_RANGE, "split: 7", slt_dataset_builder_add(builder, &episode));
    made.reals[3] = NAN;
    CHECK_FAILS(SLT_RANGE, "observations: step 0, column 3 is nan",
                slt_dataset_builder_add(builder, &fine));
    CHECK_FAILS(SLT_INVALID, "'format' is written by the library",
                slt_dataset_builder_describe(builder, "format", "x"));
    CHECK_FAILS(SLT_INVALID, "needs an episode", slt_dataset_builder_commit(builder));
    assert_int_not_equal(access("n.safetensors", F_OK), 0);

    info.observation_size = 41;
    CHECK_FAILS(SLT_INVALID, "does not make 41",
                slt_dataset_builder_create(context, "n.safetensors", true, &info, &builder));
    info = describe(SLT_OBSERVATIONS_NONE);
    info.action_count = 0;
    CHECK_FAILS(SLT_INVALID, "action_count is 0",
                slt_dataset_builder_create(context, "n.safetensors", true, &info, &builder));
}

// ---- damaged files: a fine one with one array or text changed

static const int64_t offsets[] = {0, 2, 3}, ones_offsets[] = {0, 1, 3, 3};
static const uint8_t actions[] = {0, 1, 2}, splits[] = {0, 2};
static const uint16_t ones[] = {3, 0, 9};
static const int32_t segments[] = {0, 0, 1};
static const float rewards[] = {0, 1, 2};

enum { FIELDS = 7, TEXTS = 3 };

static slt_status open_with(slt_array changed, slt_metadata text) {
    slt_array arrays[FIELDS + 1] = {
        {.name = "episode_offsets",
         .dtype = SLT_DTYPE_I64,
         .rank = 1,
         .shape = {3},
         .data = offsets},
        {.name = "actions", .dtype = SLT_DTYPE_U8, .rank = 1, .shape = {3}, .data = actions},
        {.name = "observations_bits",
         .dtype = SLT_DTYPE_U16,
         .rank = 1,
         .shape = {3},
         .data = ones},
        {.name = "observations_bits_offsets",
         .dtype = SLT_DTYPE_I64,
         .rank = 1,
         .shape = {4},
         .data = ones_offsets},
        {.name = "split", .dtype = SLT_DTYPE_U8, .rank = 1, .shape = {2}, .data = splits},
        {.name = "segment", .dtype = SLT_DTYPE_I32, .rank = 1, .shape = {3}, .data = segments},
        {.name = "rewards", .dtype = SLT_DTYPE_F32, .rank = 1, .shape = {3}, .data = rewards},
    };
    slt_metadata texts[TEXTS] = {
        {"format", "slottar-data-1"}, {"action_count", "3"}, {"observations_bits_width", "10"}};
    size_t count = FIELDS;
    int at = 0;
    while (changed.name && at < FIELDS && strcmp(arrays[at].name, changed.name) != 0) at++;
    if (changed.name) arrays[at] = changed;
    if (at == FIELDS) count++;
    for (int i = 0; i < TEXTS; i++)
        if (text.key && strcmp(texts[i].key, text.key) == 0) texts[i] = text;
    CHECK_OK(
        slt_safetensors_save(&slt_system_allocator, "d.safetensors", arrays, count, texts, TEXTS));
    slt_dataset *data;
    SLT_TRY(slt_dataset_open(context, "d.safetensors", &data));
    slt_status status = slt_dataset_check(data);
    slt_dataset_close(data);
    return status;
}

#define ARRAY(field, type, size, ...)                                                              \
    (slt_array) {                                                                                  \
        .name = field, .dtype = SLT_DTYPE_##type, .rank = 1, .shape = {size}, .data = __VA_ARGS__  \
    }
#define NO_ARRAY                                                                                   \
    (slt_array) { 0 }
#define NO_TEXT                                                                                    \
    (slt_metadata) { 0 }

static void damage_is_refused_with_file_and_field(void **state) {
    (void)state;
    CHECK_OK(open_with(NO_ARRAY, NO_TEXT));
    const struct {
        const char *words;
        slt_array array;
        slt_metadata text;
    } cases[] = {
        // clang-format off
        {"format 'x' is no data set", NO_ARRAY, {"format", "x"}},
        {"action_count '0'", NO_ARRAY, {"action_count", "0"}},
        {"action_count '99999999999'", NO_ARRAY, {"action_count", "99999999999"}},
        {"actions: 2 of row 2 is outside of 0 to 1", NO_ARRAY, {"action_count", "2"}},
        {"observations_bits_width 'many'", NO_ARRAY, {"observations_bits_width", "many"}},
        {"observations_bits_width '65537'", NO_ARRAY, {"observations_bits_width", "65537"}},
        {"observations_bits: row 1: place 9 is not below 9", NO_ARRAY, {"observations_bits_width", "9"}},
        {"'episode_offsets': is I32 [3], but I64 [-1] is wanted", ARRAY("episode_offsets", I32, 3, (int32_t[]){0, 2, 3}), NO_TEXT},
        {"episode_offsets: there is no episode", ARRAY("episode_offsets", I64, 1, (int64_t[]){0}), NO_TEXT},
        {"episode_offsets: starts with 1", ARRAY("episode_offsets", I64, 3, (int64_t[]){1, 2, 3}), NO_TEXT},
        {"episode 1 goes from 2 to 2", ARRAY("episode_offsets", I64, 3, (int64_t[]){0, 2, 2}), NO_TEXT},
        {"episode 0 goes from 0 to -5", ARRAY("episode_offsets", I64, 3, (int64_t[]){0, -5, 3}), NO_TEXT},
        {"tensor 'actions': is U8 [3], but U8 [4] is wanted", ARRAY("episode_offsets", I64, 3, (int64_t[]){0, 2, 4}), NO_TEXT},
        {"tensor 'actions': is F64 [3]", ARRAY("actions", F64, 3, (double[]){0, 1, 2}), NO_TEXT},
        {"actions: -1 of row 1 is outside of 0 to 2", ARRAY("actions", I32, 3, (int32_t[]){0, -1, 2}), NO_TEXT},
        {"observations_bits_offsets: go from 0 to 2", ARRAY("observations_bits_offsets", I64, 4, (int64_t[]){0, 1, 1, 2}), NO_TEXT},
        {"observations_bits_offsets: row 0 goes from 0 to 9", ARRAY("observations_bits_offsets", I64, 4, (int64_t[]){0, 9, 1, 3}), NO_TEXT},
        {"observations_bits_offsets: row 1 goes from 1 to -1", ARRAY("observations_bits_offsets", I64, 4, (int64_t[]){0, 1, -1, 3}), NO_TEXT},
        {"row 1: place 4 is not below 10 or does not rise", ARRAY("observations_bits", U16, 3, (uint16_t[]){3, 4, 4}), NO_TEXT},
        {"split: 3 of row 1 is outside of 0 to 2", ARRAY("split", U8, 2, (uint8_t[]){0, 3}), NO_TEXT},
        {"tensor 'segment': is I32 [2], but I32 [3] is wanted", ARRAY("segment", I32, 2, segments), NO_TEXT},
        {"segment: -2 of row 0", ARRAY("segment", I32, 3, (int32_t[]){-2, 0, 0}), NO_TEXT},
        {"rewards: row 1, column 0 holds nan", ARRAY("rewards", F32, 3, (float[]){0, NAN, 0}), NO_TEXT},
        {"rewards: row 2, column 0 holds inf", ARRAY("rewards", F32, 3, (float[]){0, 0, INFINITY}), NO_TEXT},
        {"observations and observations_bits: one is wanted", ARRAY("observations", U8, 3, actions), NO_TEXT},
        {"tensor 'task': is I32 [3], but I32 [2] is wanted", ARRAY("task", I32, 3, segments), NO_TEXT},
        // clang-format on
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        CHECK_FAILS(SLT_FORMAT, cases[i].words, open_with(cases[i].array, cases[i].text));
        assert_int_equal(strncmp(slt_last_error(), "d.safetensors: ", 15), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_built_is_read_back),
        cmocka_unit_test(the_same_input_gives_the_same_bytes),
        cmocka_unit_test(forces_and_nothing_to_see),
        cmocka_unit_test(histograms_count),
        cmocka_unit_test(the_builder_refuses),
        cmocka_unit_test(damage_is_refused_with_file_and_field),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
