// Motion at a coarser time: rows of windows, their means and deviations.
#include <math.h>
#include "check.h"
#include "switching/windows.h"

enum { HOP = 4, STEPS = 27 };

static slt_motion make(slt_arena *arena, const int64_t *offsets, int64_t episodes) {
    slt_motion m = {.episodes = episodes, .steps = offsets[episodes], .offsets = offsets, .A = 2};
    CHECK_OK(SLT_NEW(arena, &m.actions, (size_t)m.steps * 2));
    for (int64_t t = 0; t < m.steps; t++) {
        m.actions[2 * t] = (float)t;
        m.actions[2 * t + 1] = t % 2 ? 1 : -1;
    }
    return m;
}

// 27 steps in hops of 4: six rows, the last with the three that are left
static void test_rows(void **state) {
    (void)state;
    static const int64_t offsets[] = {0, STEPS, STEPS + 5, STEPS + 6};
    slt_arena arena;
    slt_motion out;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    slt_motion in = make(&arena, offsets, 3);
    CHECK_OK(slt_motion_windows(&arena, &in, HOP, 2 * HOP, &out));
    assert_int_equal(out.A, 4);
    assert_int_equal(out.D, 1);
    assert_int_equal(out.offsets[1], 6);
    assert_int_equal(out.offsets[2], 7);
    assert_int_equal(out.offsets[3], 8);
    // row 2: steps 6 to 13
    assert_float_equal(out.actions[2 * 4], 9.5, 1e-5);
    assert_float_equal(out.actions[2 * 4 + 1], 0, 1e-6);
    assert_float_equal(out.actions[2 * 4 + 2], .5 * log(63. / 12), 1e-5);
    assert_float_equal(out.actions[2 * 4 + 3], 0, 1e-6);
    // the first begins with the episode, the last ends with it
    assert_float_equal(out.actions[0], 2.5, 1e-5);
    assert_float_equal(out.actions[5 * 4], 22, 1e-5);
    // one step: no deviation
    assert_float_equal(out.actions[7 * 4 + 2], .5 * log(1e-4), 1e-5);
    assert_float_equal(out.features[7], 1, 0);
    slt_arena_deinit(&arena);
}

// every step belongs to one row
static void test_ends(void **state) {
    (void)state;
    for (int64_t steps = 1; steps < 40; steps++) {
        int64_t rows = slt_window_rows(steps, HOP), last = 0;
        for (int64_t row = 0; row < rows; row++) {
            int64_t end = slt_window_end(row, steps, HOP);
            assert_true(end > last);
            last = end;
        }
        assert_int_equal(last, steps);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
