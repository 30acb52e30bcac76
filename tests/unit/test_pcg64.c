// PCG64: published NumPy values, and what golden files do not reach.
#include "check.h"
#include "core/pcg64.h"

static slt_pcg64 seeded(uint32_t word) {
    slt_pcg64 rng;
    slt_pcg64_seed(&rng, &word, 1);
    return rng;
}

static void known_values_of_seed_42(void **state) {
    (void)state;
    slt_pcg64 rng = seeded(42);
    assert_true(slt_pcg64_next64(&rng) == 0xc621fbcd16d92688);
    assert_true(slt_pcg64_next64(&rng) == 0x705a5661a791ffc1);
    rng = seeded(42);
    assert_true(slt_pcg64_double(&rng) == 0.7739560485559633);
}

static void halves_are_kept_across_other_draws(void **state) {
    (void)state;
    slt_pcg64 rng = seeded(42);
    assert_true(slt_pcg64_next32(&rng) == 0x16d92688);
    assert_true(slt_pcg64_next64(&rng) == 0x705a5661a791ffc1);
    assert_true(slt_pcg64_next32(&rng) == 0xc621fbcd);
    assert_false(rng.has_kept);
}

static void one_value_draws_nothing(void **state) {
    (void)state;
    slt_pcg64 rng = seeded(1), before = rng;
    assert_int_equal(slt_pcg64_between(&rng, -7, -6), -7);
    assert_memory_equal(&rng, &before, sizeof rng);
}

static void bounds_are_kept_at_all_widths(void **state) {
    (void)state;
    const int64_t highs[] = {2,
                             3,
                             7,
                             1000,
                             INT64_C(1) << 31,
                             INT64_C(3) << 30,
                             INT64_C(1) << 32,
                             (INT64_C(1) << 32) + 1,
                             INT64_MAX};
    slt_pcg64 rng = seeded(5);
    for (size_t i = 0; i < sizeof highs / sizeof *highs; i++)
        for (int k = 0; k < 1000; k++) {
            int64_t value = slt_pcg64_between(&rng, -1, highs[i]);
            assert_true(value >= -1 && value < highs[i]);
        }
    slt_pcg64_between(&rng, INT64_MIN, INT64_MAX);
}

static void leading_zero_words_change_nothing_up_to_four(void **state) {
    (void)state;
    const uint32_t words[5] = {9, 0, 0, 0, 0};
    slt_pcg64 one, four, five;
    slt_pcg64_seed(&one, words, 1);
    slt_pcg64_seed(&four, words, 4);
    slt_pcg64_seed(&five, words, 5);
    assert_memory_equal(&one, &four, sizeof one);
    assert_memory_not_equal(&one, &five, sizeof one);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values_of_seed_42),
        cmocka_unit_test(halves_are_kept_across_other_draws),
        cmocka_unit_test(one_value_draws_nothing),
        cmocka_unit_test(bounds_are_kept_at_all_widths),
        cmocka_unit_test(leading_zero_words_change_nothing_up_to_four),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
