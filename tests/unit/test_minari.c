// HDF5 through the helper program: Minari, robomimic and D4RL files that their packages (or h5py)
// wrote, there and back, hostile files, and helpers that crash.
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "check.h"
#include "core/file.h"
#include "slottar/dataset.h"
#include "same_bytes.h"

static slt_context *context;

static int set_up(void **state) {
    (void)state;
    setenv("ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0",
           1); // of the helper: a search costs seconds
    return slt_context_create(&(slt_context_options){.threads = 1}, &context);
}

static int tear_down(void **state) {
    (void)state;
    slt_context_destroy(context);
    return 0;
}

static slt_dataset *open_golden(const char *name) {
    char path[4096];
    slt_dataset *data;
    snprintf(path, sizeof path, GOLDEN "/formats/%s", name);
    CHECK_OK(slt_dataset_open(context, path, &data));
    return data;
}

static void minari_is_read(void **state) {
    (void)state;
    slt_dataset *data = open_golden("minari");
    const slt_dataset_info *about = slt_dataset_about(data);
    assert_int_equal(about->episodes, 2);
    assert_int_equal(about->action_count, 4);
    assert_int_equal(about->observation_size, 11); // 3x3 picture, 2 coordinates
    assert_string_equal(about->expert, "hand");
    for (int64_t e = 0; e < 2; e++) {
        slt_episode episode;
        CHECK_OK(slt_dataset_episode(data, e, &episode));
        int64_t n = 3 - e, seed = 11 + e;
        assert_int_equal(episode.length, n);
        assert_int_equal(episode.seed, seed);
        assert_true(episode.terminated == (e == 0) && episode.truncated == (e == 1));
        float seen[11];
        for (int64_t t = 0; t <= n; t++) {
            CHECK_OK(slt_episode_observe(about, &episode, t, seen));
            for (int i = 0; i < 9; i++) assert_true(seen[i] == (float)(seed + t));
            assert_true(seen[9] == (float)t && seen[10] == -(float)seed / 4);
        }
        for (int64_t t = 0; t < n; t++) {
            assert_int_equal(slt_episode_action(&episode, t), (t + seed) % 4);
            assert_int_equal(episode.segments[t], t / 2);
            assert_true(episode.rewards[t] == 0.25f * (float)t);
        }
    }
    slt_dataset_close(data);
}

static void robomimic_is_read(void **state) {
    (void)state;
    slt_dataset *data = open_golden("robomimic.hdf5");
    const slt_dataset_info *about = slt_dataset_about(data);
    assert_int_equal(about->action_kind, SLT_ACTIONS_CONTINUOUS);
    assert_int_equal(about->action_size, 2);
    assert_int_equal(about->observation_size, 4);
    slt_episode episode;
    CHECK_OK(slt_dataset_episode(data, 1, &episode));
    assert_int_equal(episode.length, 2);
    assert_true(episode.actions_f32[3] == 1.375f);
    assert_memory_equal(episode.observations_f32, ((float[]){100, 101, 102, -7, 103, 104, 105, -6}),
                        32);
    assert_memory_equal(episode.final_f32, ((float[]){106, 107, 108, -5}), 16);
    assert_true(episode.terminated);
    assert_int_equal(episode.split, SLT_SPLIT_VALID);
    CHECK_OK(slt_dataset_episode(data, 0, &episode));
    assert_int_equal(episode.split, SLT_SPLIT_TRAIN);
    slt_dataset_close(data);
}

static void d4rl_is_read(void **state) {
    (void)state;
    slt_dataset *data = open_golden("d4rl.hdf5");
    assert_int_equal(slt_dataset_about(data)->episodes, 3);
    slt_episode episode;
    CHECK_OK(slt_dataset_episode(data, 1, &episode));
    assert_memory_equal(episode.observations_f32, ((float[]){4, 5, 6, 7}), 16);
    assert_memory_equal(episode.actions_f32, ((float[]){0.5f, 0.75f}), 8);
    assert_memory_equal(episode.rewards, ((float[]){2, 3}), 8);
    slt_dataset_close(data);
}

static void there_and_back_is_the_same_file(void **state) {
    (void)state;
    CHECK_OK(slt_dataset_convert(context, GOLDEN "/formats/minari", "a.safetensors", true));
    CHECK_OK(slt_dataset_convert(context, "a.safetensors", "my set/", true));
    CHECK_OK(slt_dataset_convert(context, "my set", "b.safetensors", true));
    check_same_bytes("a.safetensors", "b.safetensors");
    // writing is the same each time
    CHECK_OK(slt_dataset_convert(context, "b.safetensors", "c.hdf5", true));
    check_same_bytes("my set/data/main_data.hdf5", "c.hdf5");
    // a table without observations is nothing for Minari
    CHECK_OK(slt_file_write("n.csv", "episode,action\n1,1\n", 19));
    CHECK_FAILS(SLT_FORMAT, "n.hdf5: Minari expects observations",
                slt_dataset_convert(context, "n.csv", "n.hdf5", true));
    assert_int_not_equal(access("n.hdf5", F_OK), 0);
}

static void hostile_files_are_refused(void **state) {
    (void)state;
    slt_dataset *data;
    CHECK_FAILS(SLT_FORMAT, "huge.hdf5: observations: promises more than",
                slt_dataset_open(context, GOLDEN "/formats/huge.hdf5", &data));
    CHECK_FAILS(SLT_FORMAT, "linked.hdf5: observations: is a link",
                slt_dataset_open(context, GOLDEN "/formats/linked.hdf5", &data));
    CHECK_FAILS(SLT_FORMAT, "outside.hdf5: observations: no data set inside of the file",
                slt_dataset_open(context, GOLDEN "/formats/outside.hdf5", &data));
    // libhdf5 1.10.8 dies of this one with signal 11; others may say something
    CHECK_FAILS(SLT_FORMAT,
                "crash.hdf5: ", slt_dataset_open(context, GOLDEN "/formats/crash.hdf5", &data));
}

// cut and flipped files: accepted or refused with the file's name, whatever libhdf5 does
static void damaged_files_are_refused(void **state) {
    (void)state;
    static unsigned char bytes[65536];
    slt_map map;
    CHECK_OK(slt_map_open(GOLDEN "/formats/robomimic.hdf5", &map));
    size_t size = map.size;
    assert_true(size < sizeof bytes);
    memcpy(bytes, map.data, size);
    slt_map_close(&map);
    int refused = 0;
    unsigned random = 1;
    for (int i = 0; i < 40; i++) {
        slt_dataset *data;
        random = random * 1664525u + 1013904223u;
        size_t at = 8 + (random >> 8) % (size - 8);
        unsigned char kept = bytes[at];
        bytes[at] ^= (unsigned char)(1u << i % 8);
        CHECK_OK(slt_file_write("bad.hdf5", bytes, i % 4 ? size : at));
        bytes[at] = kept;
        slt_status status = slt_dataset_open(context, "bad.hdf5", &data);
        if (status == SLT_OK) {
            slt_dataset_close(data);
            continue;
        }
        refused++;
        assert_int_equal(status, SLT_FORMAT);
        assert_int_equal(strncmp(slt_last_error(), "bad.hdf5: ", 10), 0);
    }
    assert_true(refused >= 10); // all cut ones at least
}

static void use_helper(const char *script) {
    CHECK_OK(slt_file_write("helper", script, strlen(script)));
    assert_int_equal(chmod("helper", 0755), 0);
    assert_int_equal(setenv("SLOTTAR_HDF5", "./helper", 1), 0);
}

static void a_crash_is_a_bad_file(void **state) {
    (void)state;
    slt_dataset *data;
    const char *golden = GOLDEN "/formats/d4rl.hdf5";
    char before[4096];
    snprintf(before, sizeof before, "%s", getenv("SLOTTAR_HDF5") ? getenv("SLOTTAR_HDF5") : "");
    use_helper("#!/bin/sh\nkill -SEGV $$\n");
    CHECK_FAILS(SLT_FORMAT, "d4rl.hdf5: bad HDF5 file: libhdf5 crashed on it (signal 11)",
                slt_dataset_open(context, golden, &data));
    use_helper("#!/bin/sh\nkill -XCPU $$\n");
    CHECK_FAILS(SLT_FORMAT, "took too long", slt_dataset_open(context, golden, &data));
    use_helper("#!/bin/sh\nexit 3\n");
    CHECK_FAILS(SLT_FORMAT, "d4rl.hdf5: bad HDF5 file", slt_dataset_open(context, golden, &data));
    // says it is done, but has written nonsense or nothing
    use_helper("#!/bin/sh\necho nonsense >\"$3\"\n");
    CHECK_FAILS(SLT_FORMAT, "looks like text", slt_dataset_open(context, golden, &data));
    use_helper("#!/bin/sh\nexit 0\n");
    CHECK_FAILS(SLT_FORMAT, "is empty", slt_dataset_open(context, golden, &data));
    setenv("SLOTTAR_HDF5", "./none", 1);
    CHECK_FAILS(SLT_IO, "SLOTTAR_HDF5=./none is no program",
                slt_dataset_open(context, golden, &data));
    // a helper that hangs is ended when we are asked to stop
    use_helper("#!/bin/sh\nexec sleep 100\n");
    slt_context_cancel(context);
    CHECK_FAILS(SLT_CANCELLED, "stopped on request", slt_dataset_open(context, golden, &data));
    slt_context_resume(context);
    setenv("SLOTTAR_HDF5", before, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(minari_is_read),
        cmocka_unit_test(robomimic_is_read),
        cmocka_unit_test(d4rl_is_read),
        cmocka_unit_test(there_and_back_is_the_same_file),
        cmocka_unit_test(hostile_files_are_refused),
        cmocka_unit_test(damaged_files_are_refused),
        cmocka_unit_test(a_crash_is_a_bad_file),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
