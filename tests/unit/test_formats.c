// Foreign formats: what NumPy wrote is read, damage is refused, csv is read as documented.
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "core/file.h"
#include "slottar/dataset.h"
#include "group_context.h"

static void check_numpy(slt_dataset *data) {
    const slt_dataset_info *about = slt_dataset_about(data);
    assert_int_equal(about->episodes, 2);
    assert_int_equal(about->action_count, 3);
    assert_string_equal(about->action_names[1], "b");
    assert_string_equal(about->environment, "npz-v0");
    assert_string_equal(slt_dataset_metadata(data, "colour"), "red");
    slt_episode episode;
    CHECK_OK(slt_dataset_episode(data, 0, &episode));
    assert_int_equal(episode.length, 3);
    assert_memory_equal(episode.actions_u8, ((uint8_t[]){0, 2, 1}), 3);
    assert_memory_equal(episode.segments, ((int32_t[]){0, 0, 1}), 12);
    for (int i = 0; i < 6; i++) assert_true(episode.observations_f32[i] == (float)i / 4);
    assert_true(episode.rewards[1] == 0.5f && episode.final_f32[1] == 1);
    assert_true(episode.terminated && !episode.truncated);
    assert_int_equal(episode.seed, 11);
    CHECK_OK(slt_dataset_episode(data, 1, &episode));
    assert_true(!episode.terminated && episode.truncated);
    assert_int_equal(episode.task, 1);
    assert_int_equal(episode.split, SLT_SPLIT_TEST);
}

static void what_numpy_wrote_is_read(void **state) {
    (void)state;
    static const char *const files[] = {GOLDEN "/formats/numpy.npz",
                                        GOLDEN "/formats/numpy_compressed.npz"};
    for (int i = 0; i < 2; i++) {
        slt_dataset *data;
        CHECK_OK(slt_dataset_open(context, files[i], &data));
        check_numpy(data);
        slt_dataset_close(data);
    }
}

static void native_to_npz_and_back_is_the_same_file(void **state) {
    (void)state;
    CHECK_OK(slt_dataset_convert(context, GOLDEN "/formats/numpy.npz", "a.safetensors", true));
    CHECK_OK(slt_dataset_convert(context, "a.safetensors", "a.npz", true));
    CHECK_OK(slt_dataset_convert(context, "a.npz", "b.safetensors", true));
    CHECK_OK(slt_dataset_convert(context, "b.safetensors", "c.safetensors", true));
    slt_map map[3];
    static const char *const names[] = {"a.safetensors", "b.safetensors", "c.safetensors"};
    for (int i = 0; i < 3; i++) {
        CHECK_OK(slt_map_open(names[i], &map[i]));
        assert_int_equal(map[i].size, map[0].size);
        assert_memory_equal(map[i].data, map[0].data, map[0].size);
    }
    for (int i = 0; i < 3; i++) slt_map_close(&map[i]);
    CHECK_FAILS(SLT_UNSUPPORTED, "a.txt: cannot be written",
                slt_dataset_convert(context, "a.npz", "a.txt", true));
    CHECK_FAILS(SLT_UNSUPPORTED, "a.csv: cannot be written",
                slt_dataset_convert(context, "a.npz", "a.csv", true));
}

static slt_status open_bytes(const unsigned char *bytes, size_t size) {
    slt_dataset *data;
    CHECK_OK(slt_file_write("bad.npz", bytes, size));
    slt_status status = slt_dataset_open(context, "bad.npz", &data);
    if (status == SLT_OK) slt_dataset_close(data);
    return status;
}

// flips bytes inside of the packed data of each member that is read; gives their number
static int flip_members(unsigned char *bytes, size_t size) {
    int flipped = 0;
    for (size_t at = 0; at + 30 < size; at++) {
        if (memcmp(bytes + at, "PK\3\4", 4) != 0 || memcmp(bytes + at + 30, "unknown", 7) == 0)
            continue;
        unsigned char *data = bytes + at + 30 + bytes[at + 26] + bytes[at + 28];
        for (int i = 3; i < 60; i += 19, flipped++) {
            data[i] ^= 0x55;
            CHECK_FAILS(SLT_FORMAT, "bad.npz: ", open_bytes(bytes, size));
            data[i] ^= 0x55;
        }
    }
    return flipped;
}

static void damaged_npz_is_refused(void **state) {
    (void)state;
    static unsigned char bytes[8192];
    slt_map map;
    CHECK_OK(slt_map_open(GOLDEN "/formats/numpy_compressed.npz", &map));
    size_t size = map.size;
    assert_true(size < sizeof bytes);
    memcpy(bytes, map.data, size);
    slt_map_close(&map);
    CHECK_OK(open_bytes(bytes, size));
    for (size_t cut = 4; cut < size; cut += 61)
        CHECK_FAILS(SLT_FORMAT, "bad.npz: ", open_bytes(bytes, cut));
    assert_int_equal(flip_members(bytes, size), 12 * 3);
}

static slt_status open_csv(const char *text, slt_dataset **data) {
    CHECK_OK(slt_file_write("t.csv", text, strlen(text)));
    return slt_dataset_open(context, "t.csv", data);
}

static void csv_is_read(void **state) {
    (void)state;
    slt_dataset *data;
    CHECK_OK(open_csv("\xef\xbb\xbfx,episode,action,seed,\"y, too\",reward,segment,split\r\n"
                      "1,3,2,77,0.5,1,0,1\r\n\r\n-2e1,3,0,99,.25,0,1,1\r\n"
                      "\"3\",8,1,78,4,0,0,2",
                      &data));
    const slt_dataset_info *about = slt_dataset_about(data);
    assert_int_equal(about->episodes, 2);
    assert_int_equal(about->action_count, 3);
    assert_int_equal(about->observation_size, 2);
    slt_episode episode;
    CHECK_OK(slt_dataset_episode(data, 0, &episode));
    assert_memory_equal(episode.observations_f32, ((float[]){1, 0.5f, -20, 0.25f}), 16);
    assert_memory_equal(episode.actions_u8, ((uint8_t[]){2, 0}), 2);
    assert_memory_equal(episode.rewards, ((float[]){1, 0}), 8);
    assert_memory_equal(episode.segments, ((int32_t[]){0, 1}), 8);
    assert_int_equal(episode.seed, 77);
    assert_int_equal(episode.split, SLT_SPLIT_VALID);
    slt_dataset_close(data);

    CHECK_OK(open_csv("episode,action\n0,go\n0,\"stop \"\"now\"\"\"\n0,go\n", &data));
    assert_int_equal(slt_dataset_about(data)->action_count, 2);
    assert_string_equal(slt_dataset_about(data)->action_names[1], "stop \"now\"");
    assert_int_equal(slt_dataset_about(data)->observation_kind, SLT_OBSERVATIONS_NONE);
    slt_dataset_close(data);
}

static void bad_csv_is_refused_with_its_line(void **state) {
    (void)state;
    static const struct {
        const char *words, *text;
    } cases[] = {
        {"t.csv:1: column 'episode' is missing", "action\n1\n"},
        {"t.csv:1: column 'action' is missing", "episode\n1\n"},
        {"t.csv:1: column 'action' is there twice", "action,action,episode\n"},
        {"t.csv:1: there is no step", "action,episode\n"},
        {"t.csv:2: 1 fields instead of 2", "action,episode\n1\n"},
        {"t.csv:2: more than 2 fields", "action,episode\n1,1,1\n"},
        {"t.csv:3: episode 1 comes after 2", "action,episode\n1,2\n1,1\n"},
        {"t.csv:2: column 'x': 'abc' is no number", "action,episode,x\n1,1,abc\n"},
        {"t.csv:2: column 'x': 'nan' is no number", "action,episode,x\n1,1,nan\n"},
        {"t.csv:2: column 'x': '' is no number", "action,episode,x\n1,1,\n"},
        {"t.csv:3: column 'action': 'left' is no number", "action,episode\n1,1\nleft,1\n"},
        {"t.csv:2: action: a number below 0 is no class", "action,episode\n-1,1\n"},
        {"t.csv:2: split: '3' is no whole number from 0 to 2", "action,episode,split\n1,1,3\n"},
        {"t.csv:2: a quote is not closed", "action,episode\n\"1,1\n"},
        {"t.csv:2: unexpected text after a field", "action,episode\n\"1\"x,1\n"},
        {"t.csv: actions: 2000000 at step 0 is out of range", "action,episode\n2000000,1\n"},
        {"t.csv: episode 0: observations: step 0, column 0 ('x') is inf",
         "action,episode,x\n1,1,1e300\n"},
    };
    slt_dataset *data;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_FAILS(SLT_FORMAT, cases[i].words, open_csv(cases[i].text, &data));
}

// ---- memory runs out at the n-th call: NOMEM, nothing is lost, nothing is left behind

static int calls_left;

static void *alloc_some(void *user, size_t bytes) {
    (void)user;
    return calls_left-- > 0 ? malloc(bytes) : NULL;
}

static void free_some(void *user, void *memory) {
    (void)user;
    free(memory);
}

static slt_status convert_with(int calls, const char *in, const char *out) {
    calls_left = calls;
    slt_context *poor;
    SLT_TRY(slt_context_create(
        &(slt_context_options){.threads = 1, .alloc = alloc_some, .free = free_some}, &poor));
    slt_status status = slt_dataset_convert(poor, in, out, true);
    slt_context_destroy(poor);
    return status;
}

static void running_out_of_memory_is_survived(void **state) {
    (void)state;
    static const char *const pairs[][2] = {
        {GOLDEN "/formats/numpy_compressed.npz", "m.safetensors"},
        {"m.safetensors", "m.npz"},
        {"m.csv", "n.safetensors"}};
    const char *csv = "episode,action,x,segment\n1,go,2,0\n1,stop,3,1\n2,go,4,0\n";
    CHECK_OK(slt_file_write("m.csv", csv, strlen(csv)));
    for (int i = 0; i < 3; i++) {
        int calls = 0;
        while (convert_with(calls, pairs[i][0], pairs[i][1]) != SLT_OK) {
            if (!strstr(slt_last_error(), "out of memory"))
                fail_msg("call %d: %s", calls, slt_last_error());
            assert_int_not_equal(access(pairs[i][1], F_OK), 0);
            assert_true(++calls < 1000);
        }
        assert_true(calls > 10);
        assert_int_equal(access(pairs[i][1], F_OK), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_numpy_wrote_is_read),
        cmocka_unit_test(native_to_npz_and_back_is_the_same_file),
        cmocka_unit_test(damaged_npz_is_refused),
        cmocka_unit_test(csv_is_read),
        cmocka_unit_test(bad_csv_is_refused_with_its_line),
        cmocka_unit_test(running_out_of_memory_is_survived),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
