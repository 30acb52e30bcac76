// Skills that act: a small set of demonstrations is enough to do better than chance; files that do
// not fit are refused.
#include "check.h"
#include "group_context.h"
#include "slottar/expert.h"
#include "slottar/skills.h"

static const char *const IDS[] = {"getwoodfull-v0", "makeplankfull-v0"};

static void learn(const char *path) {
    slt_collect_request request = {.environments = IDS,
                                   .environment_count = 2,
                                   .path = "data.safetensors",
                                   .overwrite = true,
                                   .episodes = {600, 60, 0}};
    slt_dataset *data;
    slt_types *types;
    slt_skills *skills;
    CHECK_OK(slt_collect(context, &request, NULL));
    CHECK_OK(slt_dataset_open(context, "data.safetensors", &data));
    CHECK_OK(slt_types_learn(context, data, NULL, NULL, &types));
    CHECK_OK(slt_skills_learn(context, data, NULL, types,
                              &(slt_skills_options){.hidden = 64, .epochs = 10}, &skills));
    CHECK_OK(slt_skills_save(skills, path, true));
    slt_skills_close(skills);
    slt_types_close(types);
    slt_dataset_close(data);
}

// share of the candidates that do the task
static double solved(const char *id, const char *expert, double noise, const char *path) {
    slt_collect_summary summary;
    slt_collect_request request = {.environments = &id,
                                   .environment_count = 1,
                                   .path = path,
                                   .overwrite = true,
                                   .expert = expert,
                                   .noise = noise,
                                   .episodes = {60},
                                   .seed = 9};
    CHECK_OK(slt_collect(context, &request, &summary));
    return 60.0 / (double)summary.candidates;
}

static void they_act(void **state) {
    (void)state;
    slt_dataset *data;
    slt_episode first, again;
    learn("skills.safetensors");
    double wood = solved(IDS[0], "skills.safetensors", 0, "played.safetensors");
    double plank = solved(IDS[1], "skills.safetensors", 0, "played.safetensors");
    // the same skills with three actions in four at random
    double chance = solved(IDS[1], "skills.safetensors", 0.75, "other.safetensors");
    if (wood < 0.7 || plank < 0.5 || chance > 0.6 * plank)
        fail_msg("wood %.2f, plank %.2f, mostly random %.2f", wood, plank, chance);
    CHECK_OK(slt_dataset_open(context, "played.safetensors", &data));
    assert_string_equal(slt_dataset_about(data)->expert, "skills");
    CHECK_OK(slt_dataset_episode(data, 3, &first));
    slt_dataset *same;
    solved(IDS[1], "skills.safetensors", 0, "same.safetensors");
    CHECK_OK(slt_dataset_open(context, "same.safetensors", &same));
    CHECK_OK(slt_dataset_episode(same, 3, &again));
    assert_int_equal(first.length, again.length);
    assert_memory_equal(first.actions_u8, again.actions_u8, (size_t)first.length);
    slt_dataset_close(same);
    slt_dataset_close(data);
}

static void what_does_not_fit(void **state) {
    (void)state;
    static const char *const other = "makestickfull-v0", *const grid = "MiniGrid-DoorKey-8x8-v0";
    slt_collect_request request = {.environments = &other,
                                   .environment_count = 1,
                                   .path = "never.safetensors",
                                   .expert = "skills.safetensors",
                                   .episodes = {5}};
    CHECK_FAILS(SLT_SHAPE, "does not know makestickfull-v0", slt_collect(context, &request, NULL));
    request.environments = &grid;
    CHECK_FAILS(SLT_SHAPE, "the skills know 6 actions", slt_collect(context, &request, NULL));
    request.expert = "data.safetensors";
    CHECK_FAILS(SLT_FORMAT, "data.safetensors", slt_collect(context, &request, NULL));
    request.expert = "none.safetensors";
    CHECK_FAILS(SLT_IO, "none.safetensors", slt_collect(context, &request, NULL));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_act),
        cmocka_unit_test(what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, two_threads, no_context);
}
