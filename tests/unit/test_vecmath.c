// exp, tanh and sigmoid against the C library in double, over the whole range of float.
#include <math.h>
#include "check.h"
#include "ops/common/vecmath.h"

static float from_bits(uint32_t bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

// distance in units in the last place of the true value, as a normal float
static double ulps(float got, double want) {
    int exponent;
    frexp(want, &exponent);
    if (exponent < -125) exponent = -125;
    return fabs((double)got - want) / ldexp(1, exponent - 24);
}

static double true_sigmoid(double x) { return x < 0 ? exp(x) / (1 + exp(x)) : 1 / (1 + exp(-x)); }
static float sigmoid(float x) { return slt_sigmoid(x); }

static double worst(float (*function)(float), double (*truth)(double), float low, float high) {
    double most = 0;
    float at = 0;
    for (uint64_t bits = 0; bits <= 0xffffffffu; bits += 1009) {
        float x = from_bits((uint32_t)bits);
        if (!(x >= low && x <= high)) continue;
        double error = ulps(function(x), truth((double)x));
        if (!(error <= most)) most = error, at = x;
    }
    printf("# %.2f ulp at %.9g\n", most, (double)at);
    return most;
}

static void exp_is_good_to_two_units(void **state) {
    (void)state;
    assert_true(worst(slt_exp, exp, -87.3f, 88.37f) < 2);
}

static void exp_beyond_its_range_stays_finite(void **state) {
    (void)state;
    assert_true(slt_exp(-1000) > 0 && slt_exp(-1000) < 2e-38f);
    assert_true(slt_exp(-INFINITY) == slt_exp(-1000));
    for (float x = 88; x < 120; x += 0.01f) assert_true(isfinite(slt_exp(x)) && slt_exp(x) > 1e38f);
    assert_true(isfinite(slt_exp(INFINITY)));
    assert_true(isnan(slt_exp(NAN)));
    assert_true(slt_exp(0) == 1);
}

static void tanh_is_good_to_two_units(void **state) {
    (void)state;
    assert_true(worst(slt_tanh, tanh, -INFINITY, INFINITY) < 2);
    assert_true(slt_tanh(INFINITY) == 1 && slt_tanh(-INFINITY) == -1 && isnan(slt_tanh(NAN)));
}

static void sigmoid_is_good_to_three_units(void **state) {
    (void)state;
    assert_true(worst(sigmoid, true_sigmoid, -87.3f, INFINITY) < 3);
    assert_true(slt_sigmoid(-INFINITY) >= 0 && slt_sigmoid(-INFINITY) < 2e-38f);
    assert_true(isnan(slt_sigmoid(NAN)));
}

// sums of any length, against double
static void sums_lose_nothing(void **state) {
    (void)state;
    float x[100], y[100];
    for (int i = 0; i < 100; i++) {
        x[i] = (float)(i * 37 % 101) - 50;
        y[i] = (float)(i * 53 % 89) - 44;
    }
    for (int count = 0; count <= 100; count++) {
        double sum = 0, dot = 0;
        for (int i = 0; i < count; i++) {
            sum += (double)x[i];
            dot += (double)x[i] * (double)y[i];
        }
        assert_true((double)slt_sum(x, count) == sum);
        assert_true((double)slt_dot(x, y, count) == dot);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exp_is_good_to_two_units),
        cmocka_unit_test(exp_beyond_its_range_stays_finite),
        cmocka_unit_test(tanh_is_good_to_two_units),
        cmocka_unit_test(sigmoid_is_good_to_three_units),
        cmocka_unit_test(sums_lose_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
