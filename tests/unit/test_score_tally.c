// A tally of parts, merged, is the tally of the whole.
#include <math.h>
#include "check.h"
#include "metrics/score_tally.h"

enum { COUNT = 60, PARTS = 4 };

// scores of trajectory i, all different
static slt_scored scored_of(int i) {
    slt_scored s = {.true_segments = i % 7 + 1, .predicted_segments = i % 5 + 1};
    int field = 1;
#define FILL(name, text) s.scores.name = fmod(0.37 * i * field++ + 0.1, 1);
    SLT_SCORE_LIST(FILL)
#undef FILL
    return s;
}

static void add(slt_tally *tally, int first, int end) {
    for (int i = first; i < end; i++) {
        slt_scored scored = scored_of(i);
        slt_tally_add(tally, &scored);
    }
}

static void check_same(const slt_tally *a, const slt_tally *b) {
    slt_score_summary x = slt_tally_read(a), y = slt_tally_read(b);
    assert_int_equal(x.trajectories, y.trajectories);
    assert_int_equal(x.equal_counts, y.equal_counts);
    assert_memory_equal(x.true_counts, y.true_counts, sizeof x.true_counts);
    assert_memory_equal(x.predicted_counts, y.predicted_counts, sizeof x.predicted_counts);
#define SAME(name, text)                                                                           \
    assert_true(fabs(x.mean.name - y.mean.name) < 1e-14);                                          \
    assert_true(fabs(x.sd.name - y.sd.name) < 1e-14);
    SLT_SCORE_LIST(SAME)
#undef SAME
}

static void parts_make_the_whole(void **state) {
    (void)state;
    // parts of no trajectory and of one among them, first, last and in the middle
    static const int borders[][PARTS + 1] = {
        {0, 20, 30, 59, COUNT}, {0, 0, 1, 1, COUNT}, {0, COUNT, COUNT, COUNT, COUNT}};
    slt_tally whole = {0};
    add(&whole, 0, COUNT);
    assert_true(slt_tally_read(&whole).sd.f1 > 0.1);
    for (size_t k = 0; k < sizeof borders / sizeof *borders; k++) {
        slt_tally merged = {0};
        for (int p = 0; p < PARTS; p++) {
            slt_tally part = {0};
            add(&part, borders[k][p], borders[k][p + 1]);
            slt_tally_merge(&merged, &part);
        }
        check_same(&whole, &merged);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(parts_make_the_whole)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
