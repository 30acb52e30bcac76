// Rules for segments, on episodes worked out by hand.
#include "check.h"
#include "envs/minigrid.h"
#include "experts/segment_truth.h"

enum { STEPS = 9, TYPE_BOX = 7 };

// take the key, unlock, close, open, drop the key, take the box by mistake, drop it, forward, last
static const uint8_t actions[STEPS] = {SLT_PICKUP, SLT_TOGGLE, SLT_TOGGLE,  SLT_TOGGLE, SLT_DROP,
                                       SLT_PICKUP, SLT_DROP,   SLT_FORWARD, SLT_PICKUP};
static const uint8_t events[STEPS] = {SLT_EVENT_PICKUP, SLT_EVENT_TOGGLE, SLT_EVENT_TOGGLE,
                                      SLT_EVENT_TOGGLE, SLT_EVENT_DROP,   SLT_EVENT_PICKUP,
                                      SLT_EVENT_DROP,   SLT_EVENT_NONE,   SLT_EVENT_PICKUP};
// before each step: the type in hand, the state of the cell in front
static const uint8_t hands[STEPS] = {1, 5, 5, 5, 5, 1, TYPE_BOX, 1, 1};
static const uint8_t front[STEPS] = {0, 2, 0, 1, 0, 0, 0, 0, 0};

static void check_rule(slt_truth rule, const char *id, int count, const int32_t *want) {
    uint8_t observations[STEPS * SLT_VIEW_BYTES] = {0};
    for (int i = 0; i < STEPS; i++) {
        observations[i * SLT_VIEW_BYTES + SLT_VIEW_OWN] = hands[i];
        observations[i * SLT_VIEW_BYTES + SLT_VIEW_FRONT + 2] = front[i];
    }
    slt_truth_steps steps = {STEPS, actions, events, observations};
    int32_t got[STEPS];
    assert_int_equal(slt_truth_segments(rule, slt_env_find(id), &steps, got), count);
    for (int i = 0; i < STEPS; i++) assert_int_equal(got[i], want[i]);
}

static void pickups_and_toggles(void **state) {
    (void)state;
    const int32_t want[STEPS] = {0, 1, 2, 3, 4, 4, 5, 5, 5};
    check_rule(SLT_TRUTH_PT, "MiniGrid-UnlockPickup-v0", 6, want);
    check_rule(SLT_TRUTH_PT, "MiniGrid-BlockedUnlockPickup-v0", 6, want);
    check_rule(SLT_TRUTH_NAT, "MiniGrid-UnlockPickup-v0", 6, want);
}

static void drops_where_they_are_natural(void **state) {
    (void)state;
    const int32_t want[STEPS] = {0, 1, 2, 3, 4, 5, 6, 7, 7};
    check_rule(SLT_TRUTH_NAT, "MiniGrid-BlockedUnlockPickup-v0", 8, want);
}

// the box and the toggles of an unlocked door do not count
static void the_reference_program(void **state) {
    (void)state;
    const int32_t want[STEPS] = {0, 1, 2, 2, 2, 2, 2, 2, 2};
    check_rule(SLT_TRUTH_REF, "MiniGrid-UnlockPickup-v0", 3, want);
}

static void rules_have_names(void **state) {
    (void)state;
    for (int rule = 0; rule < SLT_TRUTHS; rule++)
        assert_int_equal(slt_truth_find(slt_truth_name((slt_truth)rule)), rule);
    assert_int_equal(slt_truth_find("ptt"), SLT_TRUTHS);
    slt_truth_steps none = {0};
    assert_int_equal(slt_truth_segments(SLT_TRUTH_PT, slt_env_row(0), &none, NULL), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pickups_and_toggles),
        cmocka_unit_test(drops_where_they_are_natural),
        cmocka_unit_test(the_reference_program),
        cmocka_unit_test(rules_have_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
