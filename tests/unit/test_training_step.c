// A training step of SloTTAr: the same bits whatever the memory plan, the number of threads and the
// size of the population; no allocation; members that stop or break leave the others alone.
#include <math.h>
#include "slottar_rig.h"

enum { STEPS = 5 };

// a fresh model of seed 3, on its own threads
static void open_rig(rig *r, int threads, bool separate) {
    slt_context *context;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = threads}, &context));
    rig_defaults(r, rig_small());
    r->separate = separate;
    rig_build(r, context);
    rig_start(r, 0, 3);
}

static void close_rig(rig *r) {
    slt_context *context = r->context;
    rig_destroy(r);
    slt_context_destroy(context);
}

static void planned_memory_changes_no_bit(void **state) {
    (void)state;
    rig planned, apart;
    open_rig(&planned, 2, false);
    open_rig(&apart, 2, true);
    assert_true(slt_tape_bytes(planned.tape) < slt_tape_bytes(apart.tape) / 2);
    for (uint64_t i = 0; i < STEPS; i++) {
        rig_feed(&planned, 0, i);
        rig_feed(&apart, 0, i);
        rig_poison(&planned);
        rig_step(&planned);
        rig_step(&apart);
        assert_true(isfinite(rig_loss(&planned, 0)));
        assert_memory_equal(slt_tape_value(planned.tape, 0, planned.model.loss),
                            slt_tape_value(apart.tape, 0, apart.model.loss), sizeof(slt_real));
        rig_same_bits(&planned, planned.store->gradient, 0, &apart, apart.store->gradient, 0);
    }
    rig_same_weights(&planned, 0, &apart, 0);
    close_rig(&planned);
    close_rig(&apart);
}

static void threads_change_no_bit(void **state) {
    (void)state;
    rig alone, many;
    open_rig(&alone, 1, false);
    for (uint64_t i = 0; i < STEPS; i++) {
        rig_feed(&alone, 0, i);
        rig_step(&alone);
    }
    for (int threads = 2; threads <= 3; threads++) {
        open_rig(&many, threads, false);
        for (uint64_t i = 0; i < STEPS; i++) {
            rig_feed(&many, 0, i);
            rig_step(&many);
        }
        rig_same_weights(&alone, 0, &many, 0);
        close_rig(&many);
    }
    close_rig(&alone);
}

// ---- allocations

static void *counted_alloc(void *user, size_t bytes) {
    ++*(int *)user;
    return slt_system_allocator.alloc(NULL, bytes);
}

static void counted_free(void *user, void *memory) {
    (void)user;
    slt_system_allocator.free(NULL, memory);
}

static void a_step_allocates_nothing(void **state) {
    (void)state;
    int count = 0;
    slt_context *context;
    CHECK_OK(slt_context_create(
        &(slt_context_options){
            .threads = 2, .alloc = counted_alloc, .free = counted_free, .user = &count},
        &context));
    rig r;
    rig_defaults(&r, rig_small());
    rig_build(&r, context);
    assert_true(count > 0);
    rig_start(&r, 0, 3);
    rig_feed(&r, 0, 1);
    count = 0;
    for (int i = 0; i < STEPS; i++) rig_step(&r);
    assert_int_equal(count, 0);
    close_rig(&r);
}

// ---- populations

static void open_population(rig *r) {
    slt_context *context;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 2}, &context));
    rig_defaults(r, rig_small());
    r->members = RIG_MEMBERS;
    rig_build(r, context);
    for (int m = 0; m < RIG_MEMBERS; m++) rig_start(r, m, (uint64_t)m + 3);
}

static void feed_population(rig *r, uint64_t step) {
    for (int m = 0; m < RIG_MEMBERS; m++) rig_feed(r, m, 100 * (uint64_t)m + step);
}

static void a_member_equals_the_same_seed_alone(void **state) {
    (void)state;
    rig all, alone;
    open_population(&all);
    for (uint64_t i = 0; i < STEPS; i++) {
        feed_population(&all, i);
        rig_step(&all);
    }
    for (int m = 0; m < RIG_MEMBERS; m++) {
        open_rig(&alone, 2, false);
        rig_start(&alone, 0, (uint64_t)m + 3);
        for (uint64_t i = 0; i < STEPS; i++) {
            rig_feed(&alone, 0, 100 * (uint64_t)m + i);
            rig_step(&alone);
        }
        rig_same_weights(&all, m, &alone, 0);
        close_rig(&alone);
    }
    close_rig(&all);
}

// ---- trouble

static void stop(rig *r) { slt_tape_frame(r->tape, 1)->step.active = false; }

static void break_observation(rig *r) {
    slt_real *observations = (slt_real *)slt_tape_frame(r->tape, 1)->feed[r->model.observations];
    observations[0] = (slt_real)NAN;
}

// a population that takes `steps` steps; from step 2 on something happens to member 1
static void run_population(rig *r, uint64_t steps, void (*happens)(rig *r)) {
    open_population(r);
    for (uint64_t i = 0; i < steps; i++) {
        feed_population(r, i);
        if (i >= 2 && happens) happens(r);
        rig_step(r);
    }
}

// member 1 stays as it was after two steps, the others continue as if nothing had happened
static void check_trouble(void (*happens)(rig *r)) {
    rig early, calm, troubled;
    run_population(&early, 2, NULL);
    run_population(&calm, STEPS, NULL);
    run_population(&troubled, STEPS, happens);
    rig_same_weights(&troubled, 0, &calm, 0);
    rig_same_weights(&troubled, 1, &early, 1);
    rig_same_weights(&troubled, 2, &calm, 2);
    for (int m = 0; m < RIG_MEMBERS; m++)
        assert_true(isfinite(troubled.store->norm[m]) == (m != 1 || happens == stop));
    close_rig(&early);
    close_rig(&calm);
    close_rig(&troubled);
}

static void an_inactive_member_stays_as_it_is(void **state) {
    (void)state;
    check_trouble(stop);
}

static void a_gradient_that_is_no_number_ends_its_member_alone(void **state) {
    (void)state;
    check_trouble(break_observation);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planned_memory_changes_no_bit),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(a_member_equals_the_same_seed_alone),
        cmocka_unit_test(an_inactive_member_stays_as_it_is),
        cmocka_unit_test(a_gradient_that_is_no_number_ends_its_member_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
