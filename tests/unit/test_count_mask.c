// A sequence operation on ragged rows: the recurrence of count masks against a sum over all ways in
// which a trajectory can end its segments, forward and backward.
#include <math.h>
#include "check.h"
#include "ops/common/ops.h"
#include "ops/common/probe.h"
#include "group_context.h"

static slt_var make(slt_probe *probe) {
    return slt_count_mask(slt_probe_tape(probe), slt_probe_numbers(probe, SLT_TOKENS, 0, 1, 0, 1));
}

// P(exactly k of the steps before t are ends), and its derivative by ends[by]; by -1: itself
static double brute(const slt_real *ends, int t, int k, int by) {
    double sum = 0;
    for (unsigned set = 0; set < 1u << t; set++) {
        if (__builtin_popcount(set) != k) continue;
        double product = by >= t ? 0 : 1;
        for (int s = 0; s < t; s++) {
            bool in = set >> s & 1;
            double b = (double)ends[s];
            product *= s == by ? (in ? 1 : -1) : (in ? b : 1 - b);
        }
        sum += product;
    }
    return sum;
}

static void check_masks(const slt_real *ends, const slt_real *masks, int length, int K) {
    for (int t = 0; t < length; t++) {
        double sum = 0;
        for (int k = 0; k < K; k++) {
            double got = (double)masks[t * K + k];
            sum += got;
            assert_true(fabs(got - brute(ends, t, k, -1)) < 1e-6);
        }
        assert_true(t < K ? fabs(sum - 1) < 1e-6 : sum < 1);
    }
}

static void check_gradient(const slt_real *ends, const slt_real *gradient, const slt_real *weights,
                           int length, int K) {
    for (int by = 0; by < length; by++) {
        double want = 0;
        for (int t = 0; t < length; t++)
            for (int k = 0; k < K; k++) want += (double)weights[t * K + k] * brute(ends, t, k, by);
        assert_true(fabs((double)gradient[by] - want) < 1e-5);
    }
}

static void check_batch(slt_probe_batch shape) {
    slt_probe probe;
    CHECK_OK(slt_probe_init(&probe, context, shape, make));
    CHECK_OK(slt_tape_forward(probe.tape));
    CHECK_OK(slt_tape_backward(probe.tape));
    const slt_batch *batch = &slt_tape_frame(probe.tape, 0)->batch;
    const slt_real *masks = slt_tape_value(probe.tape, 0, probe.result);
    const slt_real *gradient = slt_probe_gradient(&probe, 0);
    size_t count;
    const slt_real *ends = slt_probe_values(&probe, 0, &count);
    const slt_real *weights = slt_probe_values(&probe, 1, &count);
    for (int b = 0; b < batch->count; b++) {
        int first = batch->offset[b], length = slt_batch_computed(batch, b), K = shape.slots;
        check_masks(ends + first, masks + first * K, length, K);
        check_gradient(ends + first, gradient + first, weights + first * K, length, K);
    }
    slt_probe_deinit(&probe);
}

static void the_recurrence_counts_all_ways(void **state) {
    (void)state;
    slt_probe_batch shape = {
        .trajectories = 5, .slots = 3, .length = 9, .mean = 6, .sd = 3, .seed = 4};
    check_batch(shape);
    shape.padded = true;
    check_batch(shape);
    check_batch(
        (slt_probe_batch){.trajectories = 1, .slots = 1, .length = 1, .mean = 1, .seed = 5});
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_recurrence_counts_all_ways)};
    return cmocka_run_group_tests(tests, two_threads, no_context);
}
