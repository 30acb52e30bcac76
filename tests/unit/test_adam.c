// Adam against values worked by hand, clipping, columns that stay zero.
#include <math.h>
#include "check.h"
#include "engine/adam.h"
#include "ops/common/ops.h"

static const slt_limits LIMITS = {1, 1, 1, 1};
static const int32_t OFFSET[] = {0, 1}, LENGTH[] = {1}, INDEX[] = {0};

// loss = Σ w·c: the gradient of w is c
typedef struct {
    slt_context *context;
    slt_store *store;
    slt_tape *tape;
    slt_var w;
} linear;

static linear open_linear(const slt_real *c, int columns, int zero_columns) {
    linear l;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 2}, &l.context));
    CHECK_OK(slt_store_create(l.context, 1, &l.store));
    CHECK_OK(slt_tape_create(l.store, LIMITS, &l.tape));
    slt_part part = {"w", columns, {SLT_INIT_CONSTANT, 0}, zero_columns};
    slt_var weights;
    l.w = slt_tape_named(l.tape, 1, &part, 1);
    slt_real *constant = slt_tape_constant(l.tape, 1, columns, "c", &weights);
    memcpy(constant, c, (size_t)columns * sizeof *c);
    slt_var loss = slt_weighted_sum(l.tape, l.w, weights);
    CHECK_OK(slt_store_finish(l.store));
    CHECK_OK(slt_tape_finish(l.tape, loss, false));
    slt_frame *frame = slt_tape_frame(l.tape, 0);
    frame->batch = (slt_batch){1, OFFSET, LENGTH, INDEX, NULL, 1};
    frame->step.learning_rate = (slt_real)0.1;
    frame->step.adam_epsilon = (slt_real)0.01;
    return l;
}

static const slt_real *step(linear *l) {
    slt_tape_frame(l->tape, 0)->step.adam_count++;
    CHECK_OK(slt_tape_forward(l->tape));
    CHECK_OK(slt_tape_backward(l->tape));
    slt_adam_step(l->tape);
    return slt_tape_value(l->tape, 0, l->w);
}

static void close_linear(linear *l) {
    slt_tape_destroy(l->tape);
    slt_store_destroy(l->store);
    slt_context_destroy(l->context);
}

static void near(slt_real got, double want) { // to rounding
    if (!(fabs((double)got - want) < 5e-7 * fabs(want)))
        fail_msg("%.9g instead of %.9g", (double)got, want);
}

// m = 0.1 g, v = 0.001 g², rate = 0.1·√0.001/0.1: w = -rate·m/(√v + 0.01)
static void two_steps_as_worked_by_hand(void **state) {
    (void)state;
    linear l = open_linear((slt_real[]){3, -4}, 2, 0);
    const slt_real *w = step(&l);
    near(w[0], -0.03162277660 * 0.3 / (0.09486832981 + 0.01));
    near(w[1], 0.03162277660 * 0.4 / (0.12649110641 + 0.01));
    assert_true(fabs(l.store->norm[0] - 5) < 1e-12);
    // second: m = 0.19 g, v = 0.001999 g², rate = 0.1·√0.001999/0.19
    double first = (double)w[0];
    w = step(&l);
    near(w[0], first - 0.1 * 0.04471017781 / 0.19 * 0.57 / (0.13413053344 + 0.01));
    close_linear(&l);
}

static void a_long_gradient_is_cut(void **state) {
    (void)state;
    linear l = open_linear((slt_real[]){3, -4}, 2, 0);
    slt_tape_frame(l.tape, 0)->step.max_norm = 1;
    const slt_real *w = step(&l); // g = (0.6, -0.8)
    near(w[0], -0.03162277660 * 0.06 / (0.01897366596 + 0.01));
    near(w[1], 0.03162277660 * 0.08 / (0.02529822128 + 0.01));
    close_linear(&l);

    l = open_linear((slt_real[]){3, -4}, 2, 0);
    slt_tape_frame(l.tape, 0)->step.max_norm = 6; // long enough: nothing is cut
    near(step(&l)[0], -0.03162277660 * 0.3 / (0.09486832981 + 0.01));
    close_linear(&l);
}

static void zero_columns_stay_zero(void **state) {
    (void)state;
    linear l = open_linear((slt_real[]){3, 4, (slt_real)1e-9, (slt_real)1e6}, 4, 2);
    const slt_real *w = step(&l);
    assert_true(w[0] != 0 && w[1] != 0 && w[2] == 0 && w[3] == 0);
    assert_true(fabs(l.store->norm[0] - 5) < 1e-12); // they do not count for clipping either
    close_linear(&l);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_steps_as_worked_by_hand),
        cmocka_unit_test(a_long_gradient_is_cut),
        cmocka_unit_test(zero_columns_stay_zero),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
