// Philox4x32-10 against the known answers of its authors (Random123, kat_vectors), and its streams.
#include "check.h"
#include "core/philox.h"

static const struct {
    slt_words counter;
    uint32_t key[2];
    slt_words want;
} KNOWN[] = {
    {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
    {{{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}},
     {0xffffffff, 0xffffffff},
     {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
    {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
     {0xa4093822, 0x299f31d0},
     {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
};

static void known_answers(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof KNOWN / sizeof *KNOWN; i++) {
        slt_words got = slt_philox(KNOWN[i].key[0], KNOWN[i].key[1], KNOWN[i].counter);
        for (int k = 0; k < 4; k++) assert_int_equal(got.word[k], KNOWN[i].want.word[k]);
    }
}

// each argument of a stream matters, high halves too
static void streams_differ(void **state) {
    (void)state;
    const uint64_t high = (uint64_t)1 << 40;
    const slt_words words[] = {
        slt_random_words(1, SLT_RANDOM_INIT, 2, 3),
        slt_random_words(1 + high, SLT_RANDOM_INIT, 2, 3),
        slt_random_words(2, SLT_RANDOM_INIT, 2, 3),
        slt_random_words(1, SLT_RANDOM_SHUFFLE, 2, 3),
        slt_random_words(1, SLT_RANDOM_INIT, 2 + high, 3),
        slt_random_words(1, SLT_RANDOM_INIT, 3, 2),
        slt_random_words(1, SLT_RANDOM_INIT, 2, 4),
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t k = 0; k < i; k++)
            assert_memory_not_equal(&words[i], &words[k], sizeof words[i]);
}

static void units_are_below_one(void **state) {
    (void)state;
    assert_true(slt_random_unit(0) == 0);
    assert_true(slt_random_unit(0x80000000u) == 0.5f);
    assert_true(slt_random_unit(0xffffffffu) == 1 - 0x1p-24f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_answers),
        cmocka_unit_test(streams_differ),
        cmocka_unit_test(units_are_below_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
