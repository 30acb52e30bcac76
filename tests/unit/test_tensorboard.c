// TensorBoard files: known check sums, known bytes, decoding, resuming.
#include <stdlib.h>
#include <unistd.h>
#include "check.h"
#include "core/crc32c.h"
#include "core/file.h"
#include "core/tensorboard.h"

// RFC 3720, B.4, and the usual "123456789"
static void check_sums_are_those_of_the_standard(void **state) {
    (void)state;
    unsigned char bytes[32] = {0};
    assert_int_equal(slt_crc32c("123456789", 9), 0xe3069283);
    assert_int_equal(slt_crc32c(bytes, 32), 0x8a9136aa);
    memset(bytes, 0xff, 32);
    assert_int_equal(slt_crc32c(bytes, 32), 0x62a8ab43);
    for (int i = 0; i < 32; i++) bytes[i] = (unsigned char)i;
    assert_int_equal(slt_crc32c(bytes, 32), 0x46dd794e);
    assert_int_equal(slt_crc32c("", 0), 0);
}

static void write_steps(const char *path, int64_t keep, int64_t first, int64_t last) {
    slt_tensorboard *file;
    CHECK_OK(slt_tensorboard_open(&slt_system_allocator, path, keep, 1.5, &file));
    for (int64_t step = first; step <= last; step++)
        slt_tensorboard_scalar(file, "train/loss", step, 0.25f * (float)step,
                               1000.0 + (double)step);
    CHECK_OK(slt_tensorboard_close(file));
}

// the test's own reader: steps and values of all scalar records; the check sums must fit
static int decode(const char *path, int64_t *steps, float *values) {
    slt_map map;
    CHECK_OK(slt_map_open(path, &map));
    int count = -1; // the version record comes first
    for (size_t at = 0; at < map.size; count++) {
        uint64_t length;
        uint32_t sum[2];
        memcpy(&length, map.data + at, 8);
        memcpy(&sum[0], map.data + at + 8, 4);
        const unsigned char *event = map.data + at + 12;
        memcpy(&sum[1], event + length, 4);
        uint32_t want[2] = {slt_crc32c(map.data + at, 8), slt_crc32c(event, length)};
        for (int i = 0; i < 2; i++)
            assert_int_equal(sum[i], (want[i] >> 15 | want[i] << 17) + 0xa282ead8u);
        assert_int_equal(event[0], 0x09);
        if (count < 0) {
            assert_memory_equal(event + 9,
                                "\x1a\x0d"
                                "brain.Event:2",
                                15);
        } else {
            // step < 128 is one byte: 10 ss 2a .. 0a .. 0a 0a "train/loss" 15 value
            assert_int_equal(event[9], 0x10);
            steps[count] = event[10];
            assert_memory_equal(event + 11,
                                "\x2a\x13\x0a\x11\x0a\x0a"
                                "train/loss\x15",
                                17);
            memcpy(&values[count], event + 28, 4);
            assert_int_equal(length, 32);
        }
        at += 12 + length + 4;
    }
    slt_map_close(&map);
    return count;
}

static void what_was_written_can_be_decoded(void **state) {
    (void)state;
    int64_t steps[200];
    float values[200];
    write_steps("events.tfevents", INT64_MAX, 1, 100);
    assert_int_equal(decode("events.tfevents", steps, values), 100);
    for (int i = 0; i < 100; i++) {
        assert_int_equal(steps[i], i + 1);
        assert_true(values[i] == 0.25f * (float)(i + 1));
    }
}

static void resuming_cuts_back_to_the_step(void **state) {
    (void)state;
    int64_t steps[200];
    float values[200];
    write_steps("a.tfevents", INT64_MAX, 1, 50);
    write_steps("a.tfevents", 30, 31, 60);
    assert_int_equal(decode("a.tfevents", steps, values), 60);
    for (int i = 0; i < 60; i++) assert_int_equal(steps[i], i + 1);
    // and the bytes are those of a run that was never stopped
    write_steps("b.tfevents", INT64_MAX, 1, 60);
    slt_map a, b;
    CHECK_OK(slt_map_open("a.tfevents", &a));
    CHECK_OK(slt_map_open("b.tfevents", &b));
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.data, b.data, a.size);
    slt_map_close(&a);
    slt_map_close(&b);
}

static void damage_is_cut_off(void **state) {
    (void)state;
    int64_t steps[200];
    float values[200];
    write_steps("c.tfevents", INT64_MAX, 1, 10);
    slt_map map;
    CHECK_OK(slt_map_open("c.tfevents", &map));
    size_t whole = map.size;
    slt_map_close(&map);
    // a torn last record
    assert_int_equal(truncate("c.tfevents", (off_t)whole - 7), 0);
    write_steps("c.tfevents", INT64_MAX, 11, 11);
    assert_int_equal(decode("c.tfevents", steps, values), 10);
    assert_int_equal(steps[8], 9);
    assert_int_equal(steps[9], 11);
    // no event file at all
    CHECK_OK(slt_file_write("d.tfevents", "nonsense that is longer than a record", 37));
    write_steps("d.tfevents", INT64_MAX, 1, 3);
    assert_int_equal(decode("d.tfevents", steps, values), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(check_sums_are_those_of_the_standard),
        cmocka_unit_test(what_was_written_can_be_decoded),
        cmocka_unit_test(resuming_cuts_back_to_the_step),
        cmocka_unit_test(damage_is_cut_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
