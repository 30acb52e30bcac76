// OMPN: the same bits whatever the threads, the memory plan and the population; the same gradients
// but for rounding, packed or padded and in any order; learning; segments with and without the true
// number; profiles.
#include <math.h>
#include "ompn_rig.h"

enum { STEPS = 3 };

// ---- training steps

static void open_fresh(ompn_rig *r, int threads) {
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = threads}, &r->context));
    rig_open(r, r->context);
}

static void close_fresh(ompn_rig *r) {
    slt_context *context = r->context;
    rig_close(r);
    slt_context_destroy(context);
}

static void trained(ompn_rig *r, int threads, int members, bool separate) {
    rig_defaults(r, "depth=3");
    r->members = members;
    r->separate = separate;
    open_fresh(r, threads);
    for (int i = 0; i < STEPS; i++) rig_step(r);
}

static void same_member(const ompn_rig *a, int member_a, const ompn_rig *b, int member_b) {
    for (int i = 0; i < a->store->count; i++) {
        const slt_parameter *p = &a->store->parameters[i];
        const slt_real *x = slt_store_at(a->store, a->store->value, i, member_a);
        const slt_real *y = slt_store_at(b->store, b->store->value, i, member_b);
        if (memcmp(x, y, (size_t)p->rows * (size_t)p->columns * sizeof *x) != 0)
            fail_msg("'%s' differs", p->part[0].name);
    }
}

static void threads_and_memory_change_no_bit(void **state) {
    (void)state;
    ompn_rig one, other;
    trained(&one, 1, 1, false);
    assert_true(isfinite(rig_loss(&one)));
    for (int threads = 2; threads <= 3; threads++) {
        trained(&other, threads, 1, threads == 3);
        same_member(&one, 0, &other, 0);
        close_fresh(&other);
    }
    trained(&other, 2, RIG_MOST, false);
    same_member(&one, 0, &other, 0);
    close_fresh(&other);
    close_fresh(&one);
}

static void compare_gradients(ompn_rig *a, ompn_rig *b) {
    double most = 0;
    rig_gradients(a);
    rig_gradients(b);
    for (size_t i = 0; i < a->store->size; i++)
        if (fabs((double)a->store->gradient[i]) > most) most = fabs((double)a->store->gradient[i]);
    assert_true(most > 0);
    for (size_t i = 0; i < a->store->size; i++)
        if (fabs((double)(a->store->gradient[i] - b->store->gradient[i])) > 1e-5 * most)
            fail_msg("gradient %zu: %g and %g", i, (double)a->store->gradient[i],
                     (double)b->store->gradient[i]);
    assert_true(fabs(rig_loss(a) - rig_loss(b)) < 1e-5);
}

static void padding_and_order_change_nothing(void **state) {
    (void)state;
    ompn_rig plain, other;
    rig_defaults(&plain, "depth=3");
    open_fresh(&plain, 2);
    for (int way = 0; way < 2; way++) {
        rig_defaults(&other, "depth=3");
        other.padded = way == 0;
        other.turned = way == 1;
        open_fresh(&other, 2);
        compare_gradients(&plain, &other);
        close_fresh(&other);
    }
    close_fresh(&plain);
}

static void the_loss_falls(void **state) {
    (void)state;
    ompn_rig r;
    rig_defaults(&r, "depth=2 hidden=16");
    open_fresh(&r, 2);
    rig_step(&r);
    double first = rig_loss(&r);
    for (int i = 0; i < 60; i++) rig_step(&r);
    assert_true(rig_loss(&r) < 0.8 * first);
    close_fresh(&r);
}

static void observations_are_needed(void **state) {
    (void)state;
    slt_context *context;
    slt_store *store;
    slt_tape *tape;
    ompn_rig r;
    rig_defaults(&r, "");
    CHECK_OK(slt_context_create(NULL, &context));
    CHECK_OK(slt_store_create(context, 1, &store));
    CHECK_OK(slt_tape_create(store, (slt_limits){2, 6, 1, 3}, &tape));
    slt_ompn_model model =
        slt_ompn_build(tape, &r.options, &(slt_model_data){.symbols = 3, .length = 3});
    CHECK_OK(slt_store_finish(store));
    CHECK_FAILS(SLT_UNSUPPORTED, "observations alone", slt_tape_finish(tape, model.loss, false));
    slt_tape_destroy(tape);
    slt_store_destroy(store);
    slt_context_destroy(context);
}

// ---- segments

// levels of five steps: 2 (the first), 0.2, 1.9, 0.2, 1
static const slt_real P_HAT[] = {0, 1, 0, 0.9f, 0, 0.1f, 0, 0.1f, 0.9f, 0.9f, 0, 0.1f, 0, 1, 0};

static void ids_are(const int32_t *ids, const char *want) {
    for (int t = 0; want[t]; t++) assert_int_equal(ids[t], want[t] - '0');
}

static void segments_end_at_the_smallest_levels(void **state) {
    (void)state;
    int32_t ids[5];
    // three chosen are as good as two: the last step ends a segment anyway
    const char *const want[] = {"00000", "00111", "00112", "00112", "00123", "01234", "01234"};
    for (int count = 0; count < 7; count++) {
        slt_ompn_ids_counted(P_HAT, 2, 5, count, ids);
        ids_are(ids, want[count]);
    }
    slt_ompn_ids_counted(P_HAT, 2, 1, 3, ids);
    assert_int_equal(ids[0], 0);
}

static void segments_end_above_the_threshold(void **state) {
    (void)state;
    int32_t ids[5];
    slt_ompn_ids_free(P_HAT, 2, 5, 0.5, ids);
    ids_are(ids, "00112");
    slt_ompn_ids_free(P_HAT, 2, 5, 0.95, ids);
    ids_are(ids, "00000");
    slt_ompn_ids_free(P_HAT, 2, 5, 0.05, ids);
    ids_are(ids, "00123");
}

// the levels 0.2, 1.9, 0.2, 1 after the first step: parted between 0.2 and 1
static void segments_end_below_the_best_cut(void **state) {
    (void)state;
    int32_t ids[5];
    slt_ompn_ids_parted(P_HAT, 2, 5, ids);
    ids_are(ids, "00112");
    const slt_real flat[] = {0, 1, 0, 0, 0.5f, 0.5f, 0, 0.5f, 0.5f};
    slt_ompn_ids_parted(flat, 2, 3, ids);
    ids_are(ids, "000");
    slt_ompn_ids_parted(flat, 2, 1, ids);
    assert_int_equal(ids[0], 0);
}

static void profiles_are_columns(void **state) {
    (void)state;
    ompn_rig r;
    rig_defaults(&r, "");
    CHECK_OK(slt_ompn_profile(&r.options, "paper"));
    assert_true(r.options.leaky_slope == 0.01 && r.options.bptt == 30 && r.options.ompn_alias == 1);
    CHECK_OK(slt_ompn_profile(&r.options, "reference"));
    assert_true(r.options.leaky_slope == 0.3 && r.options.bptt == 0 && r.options.ompn_alias == 0);
    assert_int_equal(r.options.baseline_scoring, SLT_SCORE_REFERENCE);
    CHECK_OK(slt_ompn_profile(&r.options, "default"));
    assert_int_equal(r.options.baseline_scoring, SLT_SCORE_FAIR);
    CHECK_FAILS(SLT_INVALID, "no profile", slt_ompn_profile(&r.options, "papers"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_and_memory_change_no_bit),
        cmocka_unit_test(padding_and_order_change_nothing),
        cmocka_unit_test(the_loss_falls),
        cmocka_unit_test(observations_are_needed),
        cmocka_unit_test(segments_end_at_the_smallest_levels),
        cmocka_unit_test(segments_end_above_the_threshold),
        cmocka_unit_test(segments_end_below_the_best_cut),
        cmocka_unit_test(profiles_are_columns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
