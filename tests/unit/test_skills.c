// Sub-policies: learned from a small set, merged by behaviour, kept in a file that is not trusted.
// sanitizers: too long
#include <math.h>
#include <unistd.h>
#include "check.h"
#include "core/safetensors.h"
#include "group_context.h"
#include "slottar/expert.h"
#include "slottar/skills.h"

static slt_dataset *data;
static slt_types *types;

static int make(void **state) {
    static const char *const ids[] = {"makebedfull-v0", "makeaxefull-v0", "makeshearsfull-v0"};
    slt_collect_request request = {.environments = ids,
                                   .environment_count = 3,
                                   .path = "data.safetensors",
                                   .overwrite = true,
                                   .episodes = {300, 60, 0}};
    if (two_threads(state)) return 1;
    CHECK_OK(slt_collect(context, &request, NULL));
    CHECK_OK(slt_dataset_open(context, "data.safetensors", &data));
    CHECK_OK(slt_types_learn(context, data, NULL, NULL, &types));
    return 0;
}

static int drop(void **state) {
    slt_types_close(types);
    slt_dataset_close(data);
    return no_context(state);
}

// the sub-task of each type, by what it does: wood, workbench, iron, toolshed, grass
static void types_of_like_behaviour_are_one_skill(void **state) {
    (void)state;
    slt_skills *skills, *read;
    slt_skill_info info, again;
    int types_in_all = 0, largest = 0;
    CHECK_OK(
        slt_skills_learn(context, data, NULL, types, &(slt_skills_options){.epochs = 12}, &skills));
    assert_int_equal(slt_types_count(types), 8);
    assert_int_equal(slt_skills_count(skills), 5);
    assert_true(slt_skills_choice(skills) > 0.95);
    CHECK_OK(slt_skills_save(skills, "skills.safetensors", true));
    CHECK_FAILS(SLT_EXISTS, "skills.safetensors",
                slt_skills_save(skills, "skills.safetensors", false));
    CHECK_OK(slt_skills_open(context, "skills.safetensors", &read));
    for (int k = 0; k < 5; k++) {
        CHECK_OK(slt_skills_describe(skills, k, &info));
        CHECK_OK(slt_skills_describe(read, k, &again));
        assert_memory_equal(&info, &again, sizeof info);
        // guessing gives one action in five, and never ending is right in 83 % of the steps
        assert_true(info.steps > 50 && info.action > 0.5 && info.end > 0.9);
        types_in_all += info.type_count;
        if (info.type_count > largest) largest = info.type_count;
    }
    assert_true(types_in_all == 8 && largest == 3);
    CHECK_FAILS(SLT_RANGE, "no skill 5", slt_skills_describe(skills, 5, &info));
    slt_skills_close(read);
    slt_skills_close(skills);
}

static void unmerged_and_refused(void **state) {
    (void)state;
    slt_skills *skills = NULL;
    slt_skills_options options = {.epochs = 1, .hidden = 8, .unmerged = true};
    CHECK_OK(slt_skills_learn(context, data, NULL, types, &options, &skills));
    assert_int_equal(slt_skills_count(skills), 8);
    slt_skills_close(skills);
    options.hidden = 257;
    CHECK_FAILS(SLT_RANGE, "257 units",
                slt_skills_learn(context, data, NULL, types, &options, &skills));
    float moves[6] = {0, 1, 0, 1, 0, 1};
    int64_t offsets[] = {0, 6};
    int32_t segments[6] = {0, 0, 0, 1, 1, 1};
    slt_dataset_arrays arrays = {
        .info = {.action_kind = SLT_ACTIONS_CONTINUOUS, .action_size = 1, .has_segments = true},
        .episodes = 1,
        .offsets = offsets,
        .actions_f32 = moves,
        .segments = segments};
    slt_dataset *robot;
    slt_types *clusters;
    CHECK_OK(slt_dataset_from_arrays(context, &arrays, &robot));
    CHECK_OK(slt_types_learn(context, robot, NULL, NULL, &clusters));
    CHECK_FAILS(SLT_SHAPE, "the types know",
                slt_skills_learn(context, robot, NULL, types, NULL, &skills));
    CHECK_FAILS(SLT_UNSUPPORTED, "discrete actions",
                slt_skills_learn(context, robot, NULL, clusters, NULL, &skills));
    slt_types_close(clusters);
    slt_dataset_close(robot);
}

// ---- damaged files

typedef struct {
    const char *tensor;
    size_t at; // element; of a number of up to eight bytes
    int64_t value;
    bool cut; // its last row is missing instead
    const char *words;
} damage;

static void write_damaged(const char *to, const damage *d, const char *format_name) {
    static unsigned char bytes[1 << 20];
    slt_safetensors *file;
    slt_array arrays[32];
    const slt_metadata texts[] = {{"environment", "a,b,c"}, {"format", format_name}};
    CHECK_OK(slt_safetensors_open(&slt_system_allocator, "skills.safetensors", &file));
    size_t count = slt_safetensors_count(file);
    assert_true(count <= 32);
    for (size_t i = 0; i < count; i++) {
        arrays[i] = *slt_safetensors_at(file, i);
        if (strcmp(arrays[i].name, d->tensor) != 0) continue;
        size_t size = slt_dtype_size(arrays[i].dtype);
        assert_true(arrays[i].bytes <= sizeof bytes);
        memcpy(bytes, arrays[i].data, arrays[i].bytes);
        if (d->cut)
            arrays[i].shape[0]--;
        else
            memcpy(bytes + d->at * size, &d->value, size); // little-endian
        arrays[i].data = bytes;
    }
    CHECK_OK(slt_safetensors_save(&slt_system_allocator, to, arrays, count, texts, 2));
    slt_safetensors_close(file);
}

static void damaged_files(void **state) {
    (void)state;
    const float nan = NAN;
    int32_t nan_bits;
    memcpy(&nan_bits, &nan, sizeof nan_bits);
    const damage damages[] = {
        {"about", 0, 1, false, "about"},
        {"about", 1, 1 << 20, false, "are too many"},
        {"effects", 0, 77, false, "effects"},
        {"skill_of_type", 0, 1, false, "skill_of_type"},
        {"skill_of_type", 1, -1, false, "skill_of_type"},
        {"skill_of_type", 7, 1000, false, "skill_of_type"},
        {"skill_of_type", 0, 0, true, "skill_of_type"},
        {"levels", 3, 0, false, "levels"},
        {"levels", 3, 257, false, "levels"},
        {"levels", 0, 0, true, "levels"},
        {"levels", 3, 200, false, "policy.see.kernel"},
        {"longest", 0, 0, false, "longest"},
        {"longest", 1, 1000001, false, "longest"},
        {"longest", 0, 0, true, "longest"},
        {"held_out", 1, (int64_t)0xfff8000000000000, false, "held_out"},
        {"choice", 0, (int64_t)0x4008000000000000, false, "choice"},
        {"policy.see.kernel", 0, 0, true, "policy.see.kernel"},
        {"policy.think.kernel", 5, nan_bits, false, "policy.think.kernel"},
        {"chooser.choose.bias", 0, nan_bits, false, "chooser.choose.bias"},
        {"chooser.think.kernel", 0, 0, true, "chooser.think.kernel"},
    };
    slt_skills *skills;
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        write_damaged("bad.safetensors", &damages[i], "slottar-skills-1");
        slt_status status = slt_skills_open(context, "bad.safetensors", &skills);
        if ((status != SLT_FORMAT && status != SLT_RANGE) ||
            !strstr(slt_last_error(), damages[i].words))
            fail_msg("damage %zu: %s: %s", i, slt_status_name(status), slt_last_error());
    }
    write_damaged("bad.safetensors", &(damage){.tensor = ""}, "slottar-types-1");
    CHECK_FAILS(SLT_FORMAT, "no skills", slt_skills_open(context, "bad.safetensors", &skills));
    write_damaged("bad.safetensors", &(damage){.tensor = ""}, "slottar-skills-1");
    CHECK_OK(slt_skills_open(context, "bad.safetensors", &skills));
    slt_skills_close(skills);
}

// ---- a map of what has left the view

static void learn_with_memory(const char *const *ids, int count, slt_status wanted) {
    slt_collect_request request = {.environments = ids,
                                   .environment_count = count,
                                   .path = "partial.safetensors",
                                   .overwrite = true,
                                   .episodes = {150, 10, 0}};
    slt_skills_options options = {.hidden = 8, .epochs = 1, .unmerged = true, .memory = true};
    slt_dataset *partial;
    slt_types *of;
    slt_skills *skills;
    CHECK_OK(slt_collect(context, &request, NULL));
    CHECK_OK(slt_dataset_open(context, "partial.safetensors", &partial));
    CHECK_OK(slt_types_learn(context, partial, NULL, NULL, &of));
    slt_status status = slt_skills_learn(context, partial, NULL, of, &options, &skills);
    assert_int_equal(status, wanted);
    if (status == SLT_OK) {
        CHECK_OK(slt_skills_save(skills, "skills.safetensors", true));
        slt_skills_close(skills);
    }
    slt_types_close(of);
    slt_dataset_close(partial);
    unlink("partial.safetensors");
}

// moves of Craft shift its view; MiniGrid's turns with the agent, so that there is no map
static void memory_of_a_view(void **state) {
    (void)state;
    static const char *const craft[] = {"makebed-v0", "makeaxe-v0"};
    static const char *const grid[] = {"MiniGrid-DoorKey-5x5-v0"};
    static const damage damages[] = {
        {"map_moves", 0, 2, false, "map_moves"},    {"map_moves", 0, 0, true, "map_moves"},
        {"map_places", 0, -2, false, "map_places"}, {"map_places", 0, 100, false, "map_places"},
        {"map_places", 1, 64, false, "map_places"}, {"map_places", 2, -1, false, "map_places"},
        {"map_places", 0, 0, true, "map_places"},
    };
    slt_skills *skills = NULL;
    learn_with_memory(grid, 1, SLT_UNSUPPORTED);
    assert_non_null(strstr(slt_last_error(), "nothing to remember"));
    learn_with_memory(craft, 2, SLT_OK);
    CHECK_OK(slt_skills_open(context, "skills.safetensors", &skills));
    slt_skills_close(skills);
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        write_damaged("bad.safetensors", &damages[i], "slottar-skills-1");
        slt_status status = slt_skills_open(context, "bad.safetensors", &skills);
        if (status != SLT_FORMAT || !strstr(slt_last_error(), damages[i].words))
            fail_msg("damage %zu: %s: %s", i, slt_status_name(status), slt_last_error());
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_of_like_behaviour_are_one_skill),
        cmocka_unit_test(unmerged_and_refused),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test(memory_of_a_view),
    };
    return cmocka_run_group_tests(tests, make, drop);
}
