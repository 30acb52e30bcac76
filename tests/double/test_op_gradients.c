// Every operation's backward against central differences, in double: all cases of the table, on a
// packed and on a padded batch, with all memory poisoned beforehand.
// sanitizers: too long
#include <math.h>
#include "check.h"
#include "engine/tape_impl.h"
#include "ops/common/op_table.h"
#include "ops/common/ops.h"
#include "ops/common/probe.h"
#include "group_context.h"

static const slt_probe_batch BATCHES[] = {
    {.trajectories = 3, .slots = 3, .length = 6, .padded = false, .mean = 3, .sd = 2, .seed = 1},
    {.trajectories = 3, .slots = 2, .length = 5, .padded = true, .mean = 3, .sd = 2, .seed = 2},
    {.trajectories = 1, .slots = 4, .length = 3, .padded = false, .mean = 3, .sd = 0, .seed = 3},
    // one trajectory that fills more than one block of rows and more than one chunk of queries
    {.trajectories = 1, .slots = 4, .length = 70, .padded = false, .mean = 70, .sd = 0, .seed = 4},
};

static double loss_of(slt_probe *probe) {
    CHECK_OK(slt_tape_forward(probe->tape));
    return *slt_tape_value(probe->tape, 0, probe->loss);
}

// every value read must have been written in this step
static void poison(slt_probe *probe) {
    memset(probe->tape->block, 0xff, slt_tape_bytes(probe->tape));
}

// largest difference to central differences, relative to the leaf's largest gradient
static double leaf_error(slt_probe *probe, int leaf, const double *gradient) {
    size_t count;
    slt_real *values = slt_probe_values(probe, leaf, &count);
    double most = 1e-3, worst = 0;
    for (size_t i = 0; i < count; i++) most = fmax(most, fabs(gradient[i]));
    for (size_t i = 0; i < count; i++) {
        const double h = 1e-5, value = values[i];
        values[i] = value + h;
        double up = loss_of(probe);
        values[i] = value - h;
        double down = loss_of(probe);
        values[i] = value;
        double error = fabs((up - down) / (2 * h) - gradient[i]) / most;
        if (!(error <= worst)) worst = error; // NaN counts as worst
    }
    return worst;
}

static double case_error(slt_probe_batch batch, slt_var (*make)(slt_probe *)) {
    slt_probe probe;
    CHECK_OK(slt_probe_init(&probe, context, batch, make));
    poison(&probe);
    loss_of(&probe);
    CHECK_OK(slt_tape_backward(probe.tape));
    double *kept[SLT_PROBE_LEAVES] = {NULL}, worst = 0;
    for (int i = 0; i < probe.leaves; i++) {
        const slt_real *gradient = slt_probe_gradient(&probe, i);
        if (!gradient) continue;
        size_t bytes = probe.leaf[i].count * sizeof(double);
        kept[i] = test_malloc(bytes);
        memcpy(kept[i], gradient, bytes);
    }
    for (int i = 0; i < probe.leaves; i++) {
        if (!kept[i]) continue;
        double error = leaf_error(&probe, i, kept[i]);
        if (!(error <= worst)) worst = error;
        test_free(kept[i]);
    }
    slt_probe_deinit(&probe);
    return worst;
}

static void every_backward_agrees_with_differences(void **state) {
    (void)state;
    for (int i = 0; slt_op_table[i]; i++) {
        const slt_op *op = slt_op_table[i];
        bool differentiable = !(op->no_gradient_out & 1);
        assert_true(op->cases[0] || !differentiable);
        for (int c = 0; c < SLT_OP_CASES && op->cases[c]; c++)
            for (size_t b = 0; b < sizeof BATCHES / sizeof *BATCHES; b++) {
                double error = case_error(BATCHES[b], op->cases[c]);
                if (!(error < 1e-6))
                    fail_msg("%s, case %d, batch %zu: error %.3g", op->name, c, b, error);
            }
    }
}

// ---- the check itself must be able to fail

static slt_op wrong_op;

static void wrong_backward(const slt_args *args) {
    slt_op_add.backward(args);
    args->in_grad[0][0] *= 1.0001;
}

static slt_var wrong_case(slt_probe *probe) {
    slt_var inputs[2];
    for (int i = 0; i < 2; i++) inputs[i] = slt_probe_numbers(probe, SLT_TOKENS, 0, 2, -1, 1);
    return slt_tape_apply(slt_probe_tape(probe), &wrong_op, inputs, 2, NULL);
}

static void a_wrong_backward_is_found(void **state) {
    (void)state;
    wrong_op = slt_op_add;
    assert_true(case_error(BATCHES[0], wrong_case) < 1e-6);
    wrong_op.backward = wrong_backward;
    assert_true(case_error(BATCHES[0], wrong_case) > 1e-6);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_backward_agrees_with_differences),
        cmocka_unit_test(a_wrong_backward_is_found),
    };
    return cmocka_run_group_tests(tests, two_threads, no_context);
}
