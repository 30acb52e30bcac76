// MT19937: numbers that numpy, Python and the C++ standard give.
#include "check.h"
#include "core/mt19937.h"

static void numpy_seeds(void **state) {
    (void)state;
    static const uint32_t raw[3] = {2357136044u, 2546248239u, 3071714933u};
    static const uint32_t below10[10] = {5, 0, 3, 3, 7, 9, 3, 5, 2, 4};
    slt_mt19937 random;
    slt_mt19937_seed(&random, 0);
    for (int i = 0; i < 3; i++) assert_int_equal(slt_mt19937_next(&random), raw[i]);
    slt_mt19937_seed(&random, 0);
    for (int i = 0; i < 10; i++) assert_int_equal(slt_mt19937_below(&random, 10), below10[i]);
}

static void python_seeds(void **state) {
    (void)state;
    static const uint32_t raw[3] = {3626764237u, 1654615998u, 3255389356u};
    static const uint32_t below2[6] = {1, 1, 0, 1, 1, 1}, below4[6] = {3, 3, 0, 2, 3, 3};
    uint32_t zero = 0;
    slt_mt19937 random;
    slt_mt19937_seed_words(&random, &zero, 1);
    for (int i = 0; i < 3; i++) assert_int_equal(slt_mt19937_next(&random), raw[i]);
    slt_mt19937_seed_words(&random, &zero, 1);
    for (int i = 0; i < 6; i++) assert_int_equal(slt_mt19937_pybelow(&random, 2), below2[i]);
    slt_mt19937_seed_words(&random, &zero, 1);
    for (int i = 0; i < 6; i++) assert_int_equal(slt_mt19937_pybelow(&random, 4), below4[i]);
}

// random.seed(2**40 + 5) of Python 3.11
static void seeds_of_two_words(void **state) {
    (void)state;
    static const uint32_t words[2] = {5, 256};
    static const uint32_t raw[3] = {2166296868u, 2220160828u, 1153647273u};
    static const uint32_t below7[8] = {4, 4, 2, 5, 0, 4, 6, 6};
    slt_mt19937 random;
    slt_mt19937_seed_words(&random, words, 2);
    for (int i = 0; i < 3; i++) assert_int_equal(slt_mt19937_next(&random), raw[i]);
    slt_mt19937_seed_words(&random, words, 2);
    for (int i = 0; i < 8; i++) assert_int_equal(slt_mt19937_pybelow(&random, 7), below7[i]);
}

// ISO C++ [rand.predef]: the 10000th number of a default mt19937
static void many_blocks(void **state) {
    (void)state;
    slt_mt19937 random;
    slt_mt19937_seed(&random, 5489);
    for (int i = 1; i < 10000; i++) slt_mt19937_next(&random);
    assert_int_equal(slt_mt19937_next(&random), 4123659995u);
}

// numpy draws nothing for a bound of 1, Python does
static void a_bound_of_one(void **state) {
    (void)state;
    slt_mt19937 random;
    slt_mt19937_seed(&random, 0);
    assert_int_equal(slt_mt19937_below(&random, 1), 0);
    assert_int_equal(slt_mt19937_next(&random), 2357136044u);
    uint32_t zero = 0;
    slt_mt19937_seed_words(&random, &zero, 1); // the first word's top bit is set, the second's not
    assert_int_equal(slt_mt19937_pybelow(&random, 1), 0);
    assert_int_equal(slt_mt19937_next(&random), 3255389356u);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numpy_seeds),        cmocka_unit_test(python_seeds),
        cmocka_unit_test(seeds_of_two_words), cmocka_unit_test(many_blocks),
        cmocka_unit_test(a_bound_of_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
