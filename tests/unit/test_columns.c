// Columns that are chosen by pattern: sources with a choice, csv files of vectors, what a column
// alone is, names of episodes, and what is refused in which words.
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "core/file.h"
#include "data/source.h"
#include "group_context.h"

static slt_status open_csv(const char *text, slt_dataset_columns columns, slt_dataset **data) {
    char source[4096];
    CHECK_OK(slt_file_write("t.csv", text, strlen(text)));
    CHECK_OK(slt_dataset_source("t.csv", &columns, source, sizeof source));
    return slt_dataset_open(context, source, data);
}

// ---- sources

static void a_choice_survives_its_text(void **state) {
    (void)state;
    slt_dataset_columns columns = {"a*,b&c", "obs/q%?", "de=mo"};
    char text[200], small[24];
    slt_data_source source;
    CHECK_OK(slt_dataset_source("x/y.csv", &columns, text, sizeof text));
    CHECK_OK(slt_data_source_read(text, &source));
    assert_string_equal(source.path, "x/y.csv");
    assert_string_equal(source.actions, columns.actions);
    assert_string_equal(source.observations, columns.observations);
    assert_string_equal(source.episode, columns.episode);
    CHECK_OK(slt_data_source_read("y.csv", &source));
    assert_false(slt_data_source_chooses(&source));
    CHECK_OK(slt_data_source_read("y.csv?observations=", &source));
    assert_true(source.observations && !source.observations[0] && !source.actions);
    CHECK_FAILS(SLT_INVALID, "too long", slt_dataset_source("x/y.csv", &columns, small, 24));
    CHECK_FAILS(SLT_INVALID, "'colour' chooses nothing",
                slt_data_source_read("y.csv?colour=red", &source));
    // a file that is called so is a file
    CHECK_OK(slt_file_write("odd?actions=x.csv", "", 0));
    CHECK_OK(slt_data_source_read("odd?actions=x.csv", &source));
    assert_string_equal(source.path, "odd?actions=x.csv");
}

static void patterns_match_as_in_the_shell(void **state) {
    (void)state;
    assert_true(slt_pattern_matches("a*,gripper", "a12"));
    assert_true(slt_pattern_matches("a*,gripper", "gripper"));
    assert_true(slt_pattern_matches("q[0-2]", "q2") && slt_pattern_matches(",x,", "x"));
    assert_false(slt_pattern_matches("a*,gripper", "ba"));
    assert_false(slt_pattern_matches("", "") || slt_pattern_matches("a", "aa"));
}

// ---- csv

static void vectors_are_read(void **state) {
    (void)state;
    slt_dataset *data;
    slt_episode episode;
    CHECK_OK(
        open_csv(",demo,a0,a1,gripper,q0,q1,note\n"
                 "0,first, 0.5 ,1,0,10,11,x\n1,first,0.25,2,1,12,13,y\n2,second,0,3,1,14,15,z\n",
                 (slt_dataset_columns){"a*,gripper", "q*", "demo"}, &data));
    const slt_dataset_info *about = slt_dataset_about(data);
    assert_int_equal(about->episodes, 2);
    assert_int_equal(about->action_size, 3);
    assert_string_equal(about->action_names[2], "gripper");
    assert_int_equal(about->observation_size, 2);
    assert_string_equal(about->observation_names[0], "q0");
    CHECK_OK(slt_dataset_episode(data, 0, &episode));
    assert_memory_equal(episode.actions_f32, ((float[]){0.5f, 1, 0, 0.25f, 2, 1}), 24);
    assert_memory_equal(episode.observations_f32, ((float[]){10, 11, 12, 13}), 16);
    slt_dataset_close(data);
    // without observations, in one episode
    CHECK_OK(open_csv("a,b\n1,2\n3,4\n", (slt_dataset_columns){"a,b", "", ""}, &data));
    assert_int_equal(slt_dataset_about(data)->episodes, 1);
    assert_int_equal(slt_dataset_about(data)->observation_kind, SLT_OBSERVATIONS_NONE);
    slt_dataset_close(data);
}

static void a_column_alone_is_what_its_numbers_are(void **state) {
    (void)state;
    static const struct {
        const char *text;
        int size, count; // continuous numbers or classes
    } cases[] = {
        {"episode,action\n0,0.691\n0,-0.425\n0,1\n", 1, 0},
        {"episode,action\n0,-1\n0,2\n0,0.5\n", 1, 0}, // the last one tells
        {"episode,action\n0,1e-3\n", 1, 0},
        {"episode,action\n0,-1.0\n0,1.0\n", 1, 0},
        {"episode,action\n0,0\n0,2\n", 0, 3},
        {"episode,action\n0,0.0\n0,2.0\n", 0, 3}, // classes as pandas writes them
        {"episode,action\n0,none\n0,left\n0,none\n", 0, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slt_dataset *data;
        CHECK_OK(open_csv(cases[i].text, (slt_dataset_columns){0}, &data));
        assert_int_equal(slt_dataset_about(data)->action_size, cases[i].size);
        assert_int_equal(slt_dataset_about(data)->action_count, cases[i].count);
        if (cases[i].size) assert_string_equal(slt_dataset_about(data)->action_names[0], "action");
        slt_dataset_close(data);
    }
}

static void refusals_name_the_column(void **state) {
    (void)state;
    static const struct {
        const char *words, *text;
        slt_dataset_columns columns;
    } cases[] = {
        // clang-format off
        {"t.csv:1: no column matches --actions 'z*'; there are a, b", "a,b\n", {"z*", NULL, ""}},
        {"t.csv:1: no column matches --observations 'z*'", "a,b\n", {"a", "z*", ""}},
        {"t.csv:1: no column matches --episode 'demo'", "a,b\n", {"a", NULL, "demo"}},
        {"t.csv:1: no column matches --actions ''", "a,b\n", {"", NULL, ""}},
        {"t.csv:1: column 'episode' is missing; choose with --episode among a, b (--episode '': the file is one episode)", "a,b\n", {"a", NULL, NULL}},
        {"t.csv:1: column 'action' is missing; choose with --actions among episode, x", "episode,x\n", {0}},
        {"t.csv:1: no column names: the first line must name the columns", "", {"a", NULL, ""}},
        {"t.csv:1: no column names", ",\n1,2\n", {0}},
        {"t.csv:1: column 'b' is there twice", "a,b,b\n", {"a", NULL, "b"}},
        {"t.csv:3: column 'b': 'nan' is no number", "a,b\n1,2\n3,nan\n", {"a,b", NULL, ""}},
        {"t.csv:2: column 'b': '' is no number", "a,b\n1,\n", {"a,b", NULL, ""}},
        {"t.csv:2: column 'a': 'NaN' is no number", "a,b\nNaN,2\n", {"a", NULL, ""}},
        {"t.csv:2: column 'b': 'inf' is no number", "a,b\n1,inf\n", {"a", NULL, ""}},
        {"t.csv:3: column 'a': '0.5' is no name of an action", "a\ngo\n0.5\n", {"a", NULL, ""}},
        {"t.csv:2: column 'note': 'hello' is no number", "a,note\n1,hello\n", {"a", NULL, ""}},
        {"t.csv: episode 0: actions: step 0, column 1 ('b') is inf", "a,b\n1,1e200\n", {"a,b", NULL, ""}},
        {"t.csv:4: an episode begins twice", "e,a\nx,1\ny,1\nx,1\n", {"a", NULL, "e"}},
        // clang-format on
    };
    slt_dataset *data;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(SLT_FORMAT, cases[i].words, open_csv(cases[i].text, cases[i].columns, &data));
    CHECK_FAILS(SLT_INVALID, "columns are chosen in csv and HDF5 files, this one is npz",
                slt_dataset_open(context, GOLDEN "/formats/numpy.npz?actions=a", &data));
    CHECK_FAILS(SLT_IO, "none.csv", slt_dataset_open(context, "none.csv?actions=a", &data));
}

static void names_that_no_header_can_hold(void **state) {
    (void)state;
    slt_dataset *data;
    CHECK_OK(
        open_csv("a,\"x, y\",\xff\xfe\n0.5,1,2\n", (slt_dataset_columns){"a", NULL, ""}, &data));
    assert_string_equal(slt_dataset_about(data)->observation_names[0], "x; y");
    assert_string_equal(slt_dataset_about(data)->observation_names[1], "?");
    slt_dataset_close(data);
}

// ---- HDF5

static slt_status open_hdf5(const char *name, slt_dataset_columns columns, slt_dataset **data) {
    char path[4096], source[8192];
    snprintf(path, sizeof path, GOLDEN "/formats/%s", name);
    // of the helper: a search for leaks costs seconds
    setenv("ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0", 1);
    CHECK_OK(slt_dataset_source(path, &columns, source, sizeof source));
    return slt_dataset_open(context, source, data);
}

static void a_camera_is_left_out(void **state) {
    (void)state;
    slt_dataset *data;
    slt_episode episode;
    CHECK_OK(open_hdf5("camera.hdf5", (slt_dataset_columns){0}, &data));
    const slt_dataset_info *about = slt_dataset_about(data);
    assert_int_equal(about->action_size, 7);
    assert_int_equal(about->observation_size, 3);
    assert_string_equal(about->observation_names[0], "gripper");
    assert_string_equal(about->observation_names[2], "joint[1]");
    assert_string_equal(slt_dataset_metadata(data, "left_out"), "obs/agentview_image");
    CHECK_OK(slt_dataset_episode(data, 1, &episode));
    assert_memory_equal(episode.observations_f32, ((float[]){0, 10, 11}), 12);
    assert_memory_equal(episode.final_f32, ((float[]){3, 15, 16}), 12);
    slt_dataset_close(data);
}

static void keys_are_chosen(void **state) {
    (void)state;
    slt_dataset *data;
    slt_episode episode;
    // below obs/ or with it
    static const char *const joints[] = {"joint", "obs/j*"};
    for (int i = 0; i < 2; i++) {
        CHECK_OK(open_hdf5("camera.hdf5", (slt_dataset_columns){"action_dict/*", joints[i], NULL},
                           &data));
        const slt_dataset_info *about = slt_dataset_about(data);
        assert_int_equal(about->action_size, 4);
        assert_string_equal(about->action_names[0], "action_dict/gripper");
        assert_int_equal(about->observation_size, 2);
        assert_null(slt_dataset_metadata(data, "left_out"));
        CHECK_OK(slt_dataset_episode(data, 0, &episode));
        assert_memory_equal(episode.actions_f32 + 4, ((float[]){1, 3, 4, 5}), 16);
        slt_dataset_close(data);
    }
    CHECK_OK(open_hdf5("camera.hdf5", (slt_dataset_columns){NULL, "agentview_image", NULL}, &data));
    assert_int_equal(slt_dataset_about(data)->observation_rank, 3);
    assert_int_equal(slt_dataset_about(data)->observation_size, 84 * 84 * 3);
    slt_dataset_close(data);
    CHECK_OK(open_hdf5("camera.hdf5", (slt_dataset_columns){NULL, "", NULL}, &data));
    assert_int_equal(slt_dataset_about(data)->observation_kind, SLT_OBSERVATIONS_NONE);
    slt_dataset_close(data);
    CHECK_OK(open_hdf5("minari", (slt_dataset_columns){NULL, "pos", NULL}, &data));
    assert_int_equal(slt_dataset_about(data)->observation_size, 2);
    slt_dataset_close(data);
    CHECK_OK(open_hdf5("d4rl.hdf5", (slt_dataset_columns){"obs*", "act*", NULL}, &data));
    assert_int_equal(slt_dataset_about(data)->action_size, 2);
    slt_dataset_close(data);
}

static void bad_choices_of_keys_are_refused(void **state) {
    (void)state;
    slt_dataset *data;
    CHECK_FAILS(SLT_FORMAT,
                "camera.hdf5: no key with numbers matches --actions 'x*'; there are "
                "action_dict/gripper,action_dict/pos,actions",
                open_hdf5("camera.hdf5", (slt_dataset_columns){"x*", NULL, NULL}, &data));
    CHECK_FAILS(SLT_FORMAT, "actions: missing",
                open_hdf5("camera.hdf5", (slt_dataset_columns){"", NULL, NULL}, &data));
    CHECK_FAILS(SLT_INVALID, "--episode is for csv",
                open_hdf5("camera.hdf5", (slt_dataset_columns){NULL, NULL, "demo"}, &data));
    // links are not followed when they are asked for by name, either
    CHECK_FAILS(SLT_FORMAT, "observations: no data set inside of the file",
                open_hdf5("linked.hdf5", (slt_dataset_columns){NULL, "obs*", NULL}, &data));
    CHECK_FAILS(SLT_FORMAT, "observations: no data set inside of the file",
                open_hdf5("outside.hdf5", (slt_dataset_columns){NULL, "*", NULL}, &data));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_choice_survives_its_text),
        cmocka_unit_test(patterns_match_as_in_the_shell),
        cmocka_unit_test(vectors_are_read),
        cmocka_unit_test(a_column_alone_is_what_its_numbers_are),
        cmocka_unit_test(refusals_name_the_column),
        cmocka_unit_test(names_that_no_header_can_hold),
        cmocka_unit_test(a_camera_is_left_out),
        cmocka_unit_test(keys_are_chosen),
        cmocka_unit_test(bad_choices_of_keys_are_refused),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
