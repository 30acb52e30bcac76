// Data sets in memory: copied or borrowed, equal to the same in a file, refused as a builder
// refuses; models take them.
#include <math.h>
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "group_context.h"
#include "slottar/dataset.h"
#include "slottar/model.h"
#include "slottar/train.h"

enum { STEPS = 5, EPISODES = 2 };
static int64_t offsets[] = {0, 3, 5};
static float forces[STEPS * 2] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
static float seen[STEPS * 3], finals[EPISODES * 3], rewards[STEPS];
static int32_t segments[] = {0, 0, 1, 0, 0}, tasks[] = {3, -1};
static uint8_t splits[] = {0, 2}, ends[] = {1, 0};
static int64_t seeds[] = {5, 6};
static const char *names[] = {"x", "y"};

static slt_dataset_arrays describe(void) {
    for (int i = 0; i < STEPS * 3; i++) seen[i] = (float)i / 2;
    for (int i = 0; i < EPISODES * 3; i++) finals[i] = (float)-i;
    static const slt_dataset_text texts[] = {{"colour", "green"}};
    return (slt_dataset_arrays){.info = {.action_kind = SLT_ACTIONS_CONTINUOUS,
                                         .action_size = 2,
                                         .action_names = names,
                                         .observation_kind = SLT_OBSERVATIONS_F32,
                                         .observation_rank = 1,
                                         .observation_shape = {3},
                                         .observation_size = 3,
                                         .has_rewards = true,
                                         .has_segments = true,
                                         .has_finals = true,
                                         .has_splits = true,
                                         .has_terminated = true,
                                         .has_seeds = true,
                                         .has_tasks = true,
                                         .environment = "arm-v0"},
                                .episodes = EPISODES,
                                .offsets = offsets,
                                .actions_f32 = forces,
                                .observations_f32 = seen,
                                .final_f32 = finals,
                                .rewards = rewards,
                                .segments = segments,
                                .splits = splits,
                                .terminated = ends,
                                .seeds = seeds,
                                .tasks = tasks,
                                .texts = texts,
                                .text_count = 1};
}

static void check_content(slt_dataset *data) {
    const slt_dataset_info *about = slt_dataset_about(data);
    const int64_t *members;
    assert_int_equal(about->episodes, 2);
    assert_int_equal(about->steps, 5);
    assert_int_equal(about->longest, 3);
    assert_string_equal(about->action_names[1], "y");
    assert_string_equal(about->environment, "arm-v0");
    assert_string_equal(slt_dataset_metadata(data, "colour"), "green");
    assert_null(slt_dataset_metadata(data, "none"));
    assert_int_equal(slt_dataset_split(data, SLT_SPLIT_TEST, &members), 1);
    assert_int_equal(members[0], 1);
    slt_episode episode;
    CHECK_OK(slt_dataset_episode(data, 1, &episode));
    assert_int_equal(episode.length, 2);
    assert_memory_equal(episode.actions_f32, ((float[]){6, 7, 8, 9}), 16);
    assert_memory_equal(episode.final_f32, ((float[]){-3, -4, -5}), 12);
    assert_true(!episode.terminated && episode.task == -1 && episode.seed == 6);
}

static void memory_and_file_are_the_same(void **state) {
    (void)state;
    slt_dataset_arrays arrays = describe();
    slt_dataset *copied, *borrowed, *read;
    CHECK_OK(slt_dataset_from_arrays(context, &arrays, &copied));
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &borrowed));
    assert_string_equal(slt_dataset_path(copied), "memory");
    check_content(copied);
    check_content(borrowed);
    CHECK_OK(slt_dataset_save(borrowed, "a.safetensors", true));
    CHECK_OK(slt_dataset_save(borrowed, "a.npz", true));
    for (int i = 0; i < 2; i++) {
        CHECK_OK(slt_dataset_open(context, i ? "a.npz" : "a.safetensors", &read));
        check_content(read);
        slt_dataset_close(read);
    }
    CHECK_FAILS(SLT_UNSUPPORTED, "cannot be written", slt_dataset_save(borrowed, "a.txt", true));
    // the verb says whose memory it is
    forces[6] = 100;
    slt_episode episode;
    CHECK_OK(slt_dataset_episode(copied, 1, &episode));
    assert_true(episode.actions_f32[0] == 6);
    CHECK_OK(slt_dataset_episode(borrowed, 1, &episode));
    assert_true(episode.actions_f32 == forces + 6);
    forces[6] = 6;
    slt_dataset_close(copied);
    slt_dataset_close(borrowed);
}

static void what_makes_no_sense_is_refused(void **state) {
    (void)state;
    slt_dataset *data;
    slt_dataset_arrays arrays = describe();
#define REFUSED(status, words)                                                                     \
    do {                                                                                           \
        CHECK_FAILS(status, words, slt_dataset_view_arrays(context, &arrays, &data));              \
        CHECK_FAILS(status, words, slt_dataset_from_arrays(context, &arrays, &data));              \
        arrays = describe();                                                                       \
    } while (0)
    arrays.actions_f32 = NULL;
    REFUSED(SLT_INVALID, "actions: described, but missing");
    arrays.observations_f32 = NULL;
    REFUSED(SLT_INVALID, "observations: described, but missing");
    arrays.info.action_kind = SLT_ACTIONS_DISCRETE, arrays.info.action_count = 4;
    arrays.info.action_names = NULL;
    REFUSED(SLT_INVALID, "actions: missing");
    arrays.episodes = 0;
    REFUSED(SLT_INVALID, "there is no episode");
    arrays.offsets = (int64_t[]){0, 3, 3};
    REFUSED(SLT_INVALID, "offsets: episode 1 goes from 3 to 3");
    arrays.offsets = (int64_t[]){1, 3, 5};
    REFUSED(SLT_INVALID, "offsets: episode 0 goes from 1");
    arrays.splits = (uint8_t[]){0, 3};
    REFUSED(SLT_RANGE, "episode 1: split: 3");
    arrays.segments = (int32_t[]){0, 0, 0, 0, -2};
    REFUSED(SLT_RANGE, "episode 1: segment: -2 at step 1");
    arrays.info.observation_kind = SLT_OBSERVATIONS_BITS;
    REFUSED(SLT_INVALID, "give bits as bytes");
    arrays.texts = &(slt_dataset_text){"format", "x"};
    REFUSED(SLT_INVALID, "'format' is written by the library");
    forces[7] = NAN;
    REFUSED(SLT_RANGE, "episode 1: actions: step 0, column 1 ('y') is nan");
    forces[7] = 7;
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &data));
    slt_dataset_close(data);
}

// ---- a model on steps that are in no file

static slt_status keep(void *user, const slt_segments *found) {
    memcpy(user, found->ids, (size_t)found->length * sizeof *found->ids);
    return SLT_OK;
}

static void a_model_takes_them(void **state) {
    (void)state;
    enum { LONG = 12, COUNT = 20 };
    static uint8_t actions[COUNT * LONG];
    static int64_t starts[COUNT + 1];
    for (int i = 0; i < COUNT * LONG; i++) actions[i] = (uint8_t)(i % 4 == 3 ? 3 : i * 7 % 3);
    for (int i = 0; i <= COUNT; i++) starts[i] = i * LONG;
    slt_dataset_arrays arrays = {
        .info = {.action_count = 4}, .episodes = COUNT, .offsets = starts, .actions_u8 = actions};
    slt_dataset *memory, *file;
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &memory));
    CHECK_OK(slt_dataset_save(memory, "m.safetensors", true));
    static const char *const settings[] = {"epochs=1",    "hidden=8", "heads=1",
                                           "slot_size=8", "slots=3",  "prior=3"};
    slt_train_request request = {.model = "slottar",
                                 .data = "m.safetensors",
                                 .run = "run",
                                 .settings = settings,
                                 .setting_count = 6};
    slt_train_result *result = calloc(1, sizeof *result);
    CHECK_OK(slt_train(context, &request, result));
    free(result);
    slt_model *model;
    int32_t ids[2][LONG];
    slt_segment_options options = {0};
    CHECK_OK(slt_model_open(context, "run", &model));
    CHECK_OK(slt_dataset_open(context, "m.safetensors", &file));
    CHECK_OK(slt_model_segment(model, file, &options, keep, ids[0]));
    CHECK_OK(slt_model_segment(model, memory, &options, keep, ids[1]));
    assert_memory_equal(ids[0], ids[1], sizeof ids[0]);
    slt_dataset_close(file);
    slt_dataset_close(memory);
    slt_model_close(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_and_file_are_the_same),
        cmocka_unit_test(what_makes_no_sense_is_refused),
        cmocka_unit_test(a_model_takes_them),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
