// Restarts after their epochs: who is stopped.
#include <math.h>
#include "check.h"
#include "train/training/trainer.h"

enum { MEMBERS = 3 };

typedef struct {
    slt_training_run run;
    slt_setup setup;
    slt_member_state each[MEMBERS];
    slt_restart_report report;
} rig;

static void begin(rig *r) {
    memset(r, 0, sizeof *r);
    r->setup.train.prune_margin = 0.25;
    r->run.setup = &r->setup;
    r->run.members = MEMBERS;
    r->run.each = r->each;
    r->run.state.limit = 300;
    for (int m = 0; m < MEMBERS; m++) r->each[m].least = INFINITY;
}

static void note(rig *r, int64_t steps, double a, double b, double c) {
    const double losses[] = {a, b, c};
    r->run.state.total_steps = steps;
    for (int m = 0; m < MEMBERS; m++) r->report.losses[m] = losses[m];
    slt_restarts_record(&r->run, &r->report);
}

static bool runs(const rig *r, int member) { return r->each[member].health == SLT_MEMBER_RUNS; }

static void who_is_far_behind_stops_from_a_third_on(void **state) {
    static rig r;
    (void)state;
    begin(&r);
    note(&r, 99, 1, 1.2, 2);
    assert_true(runs(&r, 0) && runs(&r, 1) && runs(&r, 2));
    note(&r, 100, 1, 1.2, 1.3);
    assert_true(runs(&r, 0) && runs(&r, 1) && !runs(&r, 2));
    // one that was stopped has no losses any more, and stays
    note(&r, 200, 0.9, 1.2, INFINITY);
    assert_true(runs(&r, 0) && !runs(&r, 1) && !runs(&r, 2));
}

static void a_bad_epoch_stops_nobody(void **state) {
    static rig r;
    (void)state;
    begin(&r);
    note(&r, 150, 0.5, 0.4, 0.6);
    note(&r, 200, 0.5, 1.4, 0.6);
    assert_true(runs(&r, 0) && runs(&r, 1) && runs(&r, 2));
    assert_true(r.each[1].least == 0.4);
}

static void nobody_is_held_against_one_that_broke(void **state) {
    static rig r;
    (void)state;
    begin(&r);
    note(&r, 90, 0.5, 0.1, 0.6);
    r.each[1].health = SLT_MEMBER_BROKEN;
    note(&r, 150, 0.5, INFINITY, 0.6);
    assert_true(runs(&r, 0) && runs(&r, 2));
}

static void without_a_bound_all_run(void **state) {
    static rig r;
    (void)state;
    begin(&r);
    r.setup.train.prune_margin = 0;
    note(&r, 300, 0.5, 9, 0.6);
    assert_true(runs(&r, 1));
}

// infinite or not: 0 times infinity is no number
static void a_part_without_weight_is_left_out(void **state) {
    (void)state;
    static slt_setup setup;
    slt_options tables[3];
    CHECK_OK(slt_setup_init(&setup, "slottar", NULL, NULL));
    slt_setup_tables(&setup, tables);
    CHECK_OK(slt_options_set(tables, "beta=0"));
    assert_true(slt_answer_loss(setup.kind, setup.model, 0.25, INFINITY) == 0.25);
    CHECK_OK(slt_options_set(tables, "beta=0.5"));
    assert_true(slt_answer_loss(setup.kind, setup.model, 0.25, 1) == 0.75);
    assert_true(isinf(slt_answer_loss(setup.kind, setup.model, 0.25, INFINITY)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_without_weight_is_left_out),
        cmocka_unit_test(who_is_far_behind_stops_from_a_third_on),
        cmocka_unit_test(a_bad_epoch_stops_nobody),
        cmocka_unit_test(nobody_is_held_against_one_that_broke),
        cmocka_unit_test(without_a_bound_all_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
