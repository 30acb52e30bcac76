// Plans: which pairs become rules, and when none pays.
#include "check.h"
#include "group_context.h"
#include "slottar/skills.h"

enum { EACH = 40, MOST = 4 * 3 * EACH };

// bed: wood plank grass make; axe: wood stick iron make; shears: wood stick iron use
static const int32_t recipes[3][4] = {{0, 1, 4, 5}, {0, 2, 3, 6}, {0, 2, 3, 7}};

static void three_plans_share_a_part(void **state) {
    (void)state;
    int32_t types[MOST];
    int64_t offsets[3 * EACH + 1];
    double before, after;
    slt_plans *plans;
    for (int q = 0; q <= 3 * EACH; q++) offsets[q] = 4 * q;
    for (int i = 0; i < MOST; i++) types[i] = recipes[i / 4 % 3][i % 4];
    CHECK_OK(slt_plans_learn(context, types, offsets, 3 * EACH, &plans));
    assert_int_equal(slt_plans_count(plans), 3);
    slt_plans_bits(plans, &before, &after);
    assert_true(after < before);
    // every task is one symbol, and what axe and shears share is one rule of both
    const slt_type_plan *axe = slt_plans_at(plans, 1), *shears = slt_plans_at(plans, 2);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(slt_plans_at(plans, i)->length, 1);
        assert_int_equal(slt_plans_at(plans, i)->sequences, EACH);
    }
    const slt_type_rule *a = slt_plans_rule(plans, axe->symbols[0]);
    const slt_type_rule *b = slt_plans_rule(plans, shears->symbols[0]);
    assert_true(a && b && a->pair[0] == b->pair[0]);
    assert_true(a->pair[1] == 6 && b->pair[1] == 7);
    assert_int_equal(slt_plans_rule(plans, a->pair[0])->times, 2 * EACH);
    assert_true(strcmp(axe->tree, "[[0,[2,3]],6]") == 0 || strcmp(axe->tree, "[[[0,2],3],6]") == 0);
    assert_null(slt_plans_at(plans, 3));
    assert_null(slt_plans_rule(plans, 0));
    slt_plans_close(plans);
}

// pairs of types drawn at random: no rule pays for itself
static void chance_has_no_plans(void **state) {
    (void)state;
    int32_t types[MOST];
    int64_t offsets[3 * EACH + 1];
    double before, after;
    slt_plans *plans;
    uint32_t word = 7;
    for (int q = 0; q <= 3 * EACH; q++) offsets[q] = 4 * q;
    for (int i = 0; i < MOST; i++) {
        word = word * 1664525u + 1013904223u;
        types[i] = (int32_t)(word >> 24) % 8;
    }
    CHECK_OK(slt_plans_learn(context, types, offsets, 3 * EACH, &plans));
    assert_int_equal(slt_plans_rules(plans), 0);
    slt_plans_bits(plans, &before, &after);
    assert_true(before == after);
    slt_plans_close(plans);
}

// a run of one type: of five, two pairs and one that is left; unknown types are symbols, too
static void runs_and_unknown_types(void **state) {
    (void)state;
    int32_t types[5 * EACH];
    int64_t offsets[EACH + 1];
    slt_plans *plans;
    for (int q = 0; q <= EACH; q++) offsets[q] = 5 * q;
    for (int i = 0; i < 5 * EACH; i++) types[i] = i % 5 == 4 ? SLT_UNKNOWN_TYPE : 3;
    CHECK_OK(slt_plans_learn(context, types, offsets, EACH, &plans));
    assert_int_equal(slt_plans_count(plans), 1);
    assert_int_equal(slt_plans_at(plans, 0)->sequences, EACH);
    const char *tree = slt_plans_at(plans, 0)->tree;
    int threes = 0;
    for (const char *c = tree; *c; c++) threes += *c == '3';
    assert_true(threes == 4 && strstr(tree, "-1"));
    slt_plans_close(plans);
}

static void refused(void **state) {
    (void)state;
    slt_plans *plans = NULL;
    int32_t types[] = {0, -2};
    int64_t one[] = {0, 2}, back[] = {0, 2, 1}, none[] = {0, 0};
    CHECK_FAILS(SLT_RANGE, "type -2", slt_plans_learn(context, types, one, 1, &plans));
    CHECK_FAILS(SLT_INVALID, "do not rise", slt_plans_learn(context, types, back, 2, &plans));
    CHECK_FAILS(SLT_INVALID, "need sequences", slt_plans_learn(context, types, none, 1, &plans));
    assert_null(plans);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(three_plans_share_a_part),
        cmocka_unit_test(chance_has_no_plans),
        cmocka_unit_test(runs_and_unknown_types),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, two_threads, no_context);
}
