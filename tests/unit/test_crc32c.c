// CRC-32C: the examples of RFC 3720, and long stretches as bit by bit.
#include <stdlib.h>
#include "check.h"
#include "core/crc32c.h"

static uint32_t bit_by_bit(const unsigned char *at, size_t count) {
    uint32_t sum = 0xffffffff;
    for (size_t i = 0; i < count; i++) {
        sum ^= at[i];
        for (int b = 0; b < 8; b++) sum = sum >> 1 ^ (sum & 1 ? 0x82f63b78 : 0);
    }
    return ~sum;
}

static void examples(void **state) {
    (void)state;
    unsigned char bytes[32] = {0};
    assert_int_equal(slt_crc32c(bytes, 32), 0x8a9136aa);
    memset(bytes, 0xff, 32);
    assert_int_equal(slt_crc32c(bytes, 32), 0x62a8ab43);
    for (int i = 0; i < 32; i++) bytes[i] = (unsigned char)i;
    assert_int_equal(slt_crc32c(bytes, 32), 0x46dd794e);
    assert_int_equal(slt_crc32c("123456789", 9), 0xe3069283);
    assert_int_equal(slt_crc32c("", 0), 0);
}

static void long_stretches(void **state) {
    (void)state;
    enum { SIZE = 200000 };
    unsigned char *bytes = malloc(SIZE);
    uint32_t word = 7;
    assert_non_null(bytes);
    for (int i = 0; i < SIZE; i++) bytes[i] = (unsigned char)((word = word * 1664525u + 1) >> 24);
    const size_t counts[] = {65535, 65536, 65537, 65543, 199991, SIZE - 1};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++)
        for (size_t first = 0; first < 2; first++)
            assert_int_equal(slt_crc32c(bytes + first, counts[i] - first),
                             bit_by_bit(bytes + first, counts[i] - first));
    free(bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(examples),
                                       cmocka_unit_test(long_stretches)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
