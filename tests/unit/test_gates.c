// The gates' tanh and logistic function: close to the truth, odd, and no number stays none.
#include <math.h>
#include "check.h"
#include "ops/compile/gates.h"

// x86 builds are for any x86, and round a product before it is added
#ifdef __FP_FAST_FMAF
static const double CLOSE = 3e-7;
#else
static const double CLOSE = 3.5e-7;
#endif

static void they_are_close_to_the_truth(void **state) {
    (void)state;
    double tanh_error = 0, sigmoid_error = 0;
    for (int i = -400000; i <= 400000; i++) {
        float x = (float)i * 5e-5f;
        tanh_error = fmax(tanh_error, fabs((double)slt_gate_tanh(x) - tanh((double)x)));
        double truth = 1 / (1 + exp(-(double)x));
        sigmoid_error = fmax(sigmoid_error, fabs((double)slt_gate_sigmoid(x) - truth));
    }
    if (!(tanh_error < CLOSE && sigmoid_error < CLOSE))
        fail_msg("tanh off by %.3g, the logistic function by %.3g", tanh_error, sigmoid_error);
}

// small numbers keep their digits
static void small_numbers_keep_their_digits(void **state) {
    (void)state;
    for (float x = 1e-20f; x < 0.1f; x *= 1.37f) {
        double error = fabs((double)slt_gate_tanh(x) / tanh((double)x) - 1);
        if (!(error < CLOSE)) fail_msg("tanh(%g) is off by %.3g of it", (double)x, error);
        assert_true(slt_gate_tanh(-x) == -slt_gate_tanh(x));
    }
}

static void no_number_stays_none(void **state) {
    (void)state;
    assert_true(isnan(slt_gate_tanh(NAN)) && isnan(slt_gate_sigmoid(NAN)));
    assert_true(isnan(slt_gate_tanh(INFINITY)) && isnan(slt_gate_sigmoid(-INFINITY)));
    assert_true(fabsf(slt_gate_tanh(1e30f) - 1) < 3e-7f && fabsf(slt_gate_sigmoid(-1e30f)) < 3e-7f);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(they_are_close_to_the_truth),
        cmocka_unit_test(small_numbers_keep_their_digits),
        cmocka_unit_test(no_number_stays_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
