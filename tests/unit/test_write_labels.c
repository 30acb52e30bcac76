// Labels back into what the data came from: csv, robomimic, Minari and D4RL keep everything and get
// segments; the source is never touched.
#include <sys/stat.h>
#include <unistd.h>
#include "check.h"
#include "core/file.h"
#include "group_context.h"
#include "same_bytes.h"
#include "slottar/dataset.h"

static int32_t labels[] = {0, 0, 1, 2, 0, 1, 1};

static slt_dataset *open_set(const char *path) {
    slt_dataset *data;
    CHECK_OK(slt_dataset_open(context, path, &data));
    return data;
}

static void check_file(const char *path, const char *wanted) {
    slt_map map;
    CHECK_OK(slt_map_open(path, &map));
    assert_int_equal(map.size, strlen(wanted));
    assert_memory_equal(map.data, wanted, map.size);
    slt_map_close(&map);
}

// the labels of a file, episode by episode, are ours
static void check_labels(const char *path, int64_t steps) {
    slt_dataset *data = open_set(path);
    slt_episode episode;
    assert_true(slt_dataset_about(data)->has_segments);
    assert_int_equal(slt_dataset_about(data)->steps, steps);
    CHECK_OK(slt_dataset_episode(data, 0, &episode));
    assert_memory_equal(episode.segments, labels, (size_t)steps * sizeof *labels);
    slt_dataset_close(data);
}

static void csv_gets_a_column(void **state) {
    (void)state;
    const char *text = "\xef\xbb\xbf"
                       "demo,a,\"note, too\"\r\nx,0.5,\"1\"\r\n\r\nx,1.5,2\r\ny,2,3";
    CHECK_OK(slt_file_write("t.csv", text, strlen(text)));
    slt_dataset *data = open_set("t.csv?actions=a&episode=demo");
    CHECK_OK(slt_dataset_label(data, labels, "out/", true));
    check_file("out/t.csv", "\xef\xbb\xbf"
                            "demo,a,\"note, too\",segment\r\nx,0.5,\"1\",0\r\n"
                            "x,1.5,2,0\r\ny,2,3,1\n");
    check_file("t.csv", text);
    CHECK_FAILS(SLT_INVALID, "would write over the input",
                slt_dataset_label(data, labels, "./", true));
    CHECK_OK(slt_dataset_label(data, labels, "named.csv", true));
    slt_dataset_close(data);
    check_labels("named.csv?actions=a&episode=demo", 3);
    // a column that is there is filled anew
    const char *old = "segment,action,episode\n7,1,0\n8,0,0\n";
    CHECK_OK(slt_file_write("old.csv", old, strlen(old)));
    data = open_set("old.csv");
    CHECK_OK(slt_dataset_label(data, (int32_t[]){-1, 0}, "new.csv", true));
    check_file("new.csv", "segment,action,episode\n-1,1,0\n0,0,0\n");
    CHECK_FAILS(SLT_RANGE, "segment: -2 at step 1",
                slt_dataset_label(data, (int32_t[]){0, -2}, "never.csv", true));
    // a file that was changed since
    CHECK_OK(slt_file_write("old.csv", old, 30));
    CHECK_FAILS(SLT_FORMAT, "old.csv:3: 1 fields instead of 3",
                slt_dataset_label(data, labels, "never.csv", true));
    CHECK_OK(slt_file_write("old.csv", old, 29));
    CHECK_FAILS(SLT_FORMAT, "old.csv:2: the file does not have the 2 steps",
                slt_dataset_label(data, labels, "never.csv", true));
    slt_dataset_close(data);
    assert_int_not_equal(access("never.csv", F_OK), 0);
}

static void hdf5_gets_a_data_set(void **state) {
    (void)state;
    static const struct {
        const char *in, *out, *read;
        int64_t steps;
    } cases[] = {
        {GOLDEN "/formats/robomimic.hdf5", "labelled/", "labelled/robomimic.hdf5", 5},
        {GOLDEN "/formats/camera.hdf5", "c.hdf5", "c.hdf5", 7},
        {GOLDEN "/formats/d4rl.hdf5", "d.h5", "d.h5", 6},
        {GOLDEN "/formats/minari", "minari-v0/", "minari-v0", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slt_dataset *data = open_set(cases[i].in);
        char path[4096];
        CHECK_OK(slt_dataset_label(data, labels, cases[i].out, true));
        CHECK_OK(slt_dataset_label_path(data, cases[i].out, path, sizeof path));
        assert_int_equal(access(path, F_OK), 0);
        check_labels(cases[i].read, cases[i].steps);
        // once more, over labels that are there; everything else is as it was
        slt_dataset *copy = open_set(cases[i].read);
        CHECK_OK(slt_dataset_label(copy, labels, "again/", true));
        slt_episode a, b;
        CHECK_OK(slt_dataset_episode(data, 1, &a));
        CHECK_OK(slt_dataset_episode(copy, 1, &b));
        assert_int_equal(a.length, b.length);
        assert_true(a.seed == b.seed && a.split == b.split && a.terminated == b.terminated);
        slt_dataset_close(copy);
        slt_dataset_close(data);
    }
    assert_int_equal(access("minari-v0/data/metadata.json", F_OK), 0);
    // the camera is still there
    slt_dataset *data = open_set("c.hdf5?observations=agentview_image");
    assert_int_equal(slt_dataset_about(data)->observation_size, 84 * 84 * 3);
    CHECK_FAILS(SLT_INVALID, "would write over the input",
                slt_dataset_label(data, labels, "c.hdf5", true));
    slt_dataset_close(data);
}

static void others_become_a_data_set(void **state) {
    (void)state;
    slt_dataset *data = open_set(GOLDEN "/formats/numpy.npz");
    CHECK_OK(slt_dataset_label(data, (int32_t[]){0, 1, 1, 0}, "n.npz", true));
    slt_dataset_close(data);
    data = open_set("n.npz");
    slt_episode episode;
    CHECK_OK(slt_dataset_episode(data, 0, &episode));
    assert_memory_equal(episode.segments, ((int32_t[]){0, 1, 1}), 12);
    slt_dataset_close(data);
    data = open_set(GOLDEN "/formats/robomimic.hdf5");
    CHECK_OK(slt_dataset_label(data, labels, "r.safetensors", true));
    CHECK_FAILS(SLT_UNSUPPORTED, "cannot be written",
                slt_dataset_label(data, labels, "r.txt", true));
    slt_dataset_close(data);
    check_labels("r.safetensors", 5);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(csv_gets_a_column),
        cmocka_unit_test(hdf5_gets_a_data_set),
        cmocka_unit_test(others_become_a_data_set),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
