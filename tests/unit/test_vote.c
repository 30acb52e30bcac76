// The vote: agreement, weights, candidates, the choice by expected F1, modes.
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "vote/vote.h"

enum { STEPS = 40, RUNS = 6 };

static slt_arena arena;
static uint8_t rows[RUNS][STEPS];
static const uint8_t *cut[RUNS];
static const int64_t offsets[] = {0, 20, STEPS};
static const slt_vote_rules phases = {.tolerance = 1, .least_length = 3};
static const slt_vote_rules events = {.tolerance = 1, .least_length = 1};

static int begin(void **state) {
    (void)state;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    memset(rows, 0, sizeof rows);
    for (int i = 0; i < RUNS; i++) cut[i] = rows[i];
    return 0;
}

static int end(void **state) {
    (void)state;
    slt_arena_deinit(&arena);
    return 0;
}

static slt_ballots ballots(int runs) {
    return (slt_ballots){
        .runs = runs, .episodes = 2, .steps = STEPS, .offsets = offsets, .cut = cut};
}

static slt_candidates candidates_of(int runs, const double *weights, const slt_vote_rules *rules) {
    slt_ballots b = ballots(runs);
    slt_candidates out;
    CHECK_OK(slt_vote_candidates(&arena, &b, weights, rules, &out));
    return out;
}

static void test_agreement(void **state) {
    (void)state;
    float *m;
    slt_ballots b = ballots(3);
    rows[0][5] = rows[0][30] = SLT_SURE;
    rows[1][6] = rows[1][30] = SLT_SURE;  // within one step: the same
    rows[2][10] = rows[2][35] = SLT_SURE; // elsewhere
    CHECK_OK(slt_vote_agreement(&arena, &b, &phases, &m));
    assert_float_equal(m[0 * 3 + 1], 1, 1e-6);
    assert_float_equal(m[0 * 3 + 2], 0, 1e-6);
    assert_float_equal(m[1 * 3 + 0], m[0 * 3 + 1], 1e-6);
}

// a boundary after every step agrees with everything; above chance it agrees with nothing
static void test_chance(void **state) {
    (void)state;
    float *m;
    slt_ballots b = ballots(2);
    rows[0][5] = rows[0][30] = SLT_SURE;
    memset(rows[1], 1, STEPS);
    rows[1][19] = rows[1][STEPS - 1] = 0;
    CHECK_OK(slt_vote_agreement(&arena, &b, &phases, &m));
    assert_true(m[1] < .2f);
}

// a boundary of the next episode is not near the last step of this one
static void test_episodes_are_apart(void **state) {
    (void)state;
    float *m;
    slt_ballots b = ballots(2);
    rows[0][18] = SLT_SURE;
    rows[1][20] = SLT_SURE;
    slt_vote_rules wide = {.tolerance = 2, .least_length = 1};
    CHECK_OK(slt_vote_agreement(&arena, &b, &wide, &m));
    assert_float_equal(m[1], 0, 1e-6);
}

static void test_weights(void **state) {
    (void)state;
    // runs 0..3 agree, 4 and 5 are alone: the better half is among the first
    static float m[RUNS * RUNS];
    double w[RUNS], sum = 0;
    for (int i = 0; i < RUNS; i++)
        for (int j = 0; j < RUNS; j++) m[i * RUNS + j] = i == j ? 1 : i < 4 && j < 4 ? .9f : .1f;
    CHECK_OK(slt_vote_weights(&arena, m, RUNS, w));
    for (int i = 0; i < RUNS; i++) sum += w[i];
    assert_float_equal(sum, 1, 1e-9);
    assert_true(w[4] == 0 && w[5] == 0);
    assert_float_equal(w[0] + w[1] + w[2] + w[3], 1, 1e-9);
}

// votes next to one another are one boundary, where most runs have it
static void test_candidates(void **state) {
    (void)state;
    const double w[4] = {.25, .25, .25, .25};
    rows[0][5] = rows[1][5] = rows[2][6] = SLT_SURE;
    rows[3][12] = SLT_SURE;
    slt_candidates c = candidates_of(4, w, &phases);
    assert_int_equal(c.count, 2);
    assert_int_equal(c.list[0].step, 5);
    assert_float_equal(c.list[0].height, .75, 1e-6);
    assert_int_equal(c.list[1].step, 12);
    assert_float_equal(c.votes, 1, 1e-9);
}

// a boundary counts as far as its run is certain of such boundaries
static void test_unsure_runs(void **state) {
    (void)state;
    const double w[4] = {.25, .25, .25, .25};
    rows[0][5] = rows[1][5] = SLT_SURE;
    rows[2][6] = 51; // a fifth
    slt_candidates c = candidates_of(4, w, &phases);
    assert_int_equal(c.count, 1);
    assert_int_equal(c.list[0].step, 5);
    assert_float_equal(c.list[0].height, .55, 1e-6);
    assert_float_equal(c.votes, .55, 1e-9);
}

// with segments of one step both of two neighbours are found; with three, one
static void test_least_length(void **state) {
    (void)state;
    const double w[2] = {.5, .5};
    for (int i = 0; i < 2; i++) rows[i][8] = rows[i][10] = SLT_SURE;
    assert_int_equal(candidates_of(2, w, &events).count, 2);
    assert_int_equal(candidates_of(2, w, &phases).count, 1);
    // none so near to an end that a piece is too short
    memset(rows, 0, sizeof rows);
    for (int i = 0; i < 2; i++) rows[i][1] = rows[i][17] = SLT_SURE;
    assert_int_equal(candidates_of(2, w, &phases).count, 0);
    assert_int_equal(candidates_of(2, w, &events).count, 2);
}

static void test_choice(void **state) {
    (void)state;
    const double w[4] = {.25, .25, .25, .25};
    slt_vote_choice choice;
    uint8_t kept[STEPS];
    float height[STEPS];
    for (int i = 0; i < 4; i++) rows[i][6] = rows[i][30] = SLT_SURE;
    rows[3][12] = SLT_SURE; // one run of four
    slt_candidates c = candidates_of(4, w, &phases);
    CHECK_OK(slt_vote_choose(&arena, &c, &choice));
    assert_float_equal(choice.threshold, 2 / (2 + 2.25), 1e-6);
    assert_float_equal(choice.expected, 2 * 2. / (2 + 2.25), 1e-6);
    slt_vote_keep(&c, choice.threshold, NULL, STEPS, kept, height);
    assert_true(kept[6] && kept[30] && !kept[12]);
    assert_float_equal(height[6], 1, 1e-6);
}

// a boundary that half of the runs have is chance; with more runs, or all of them, it is not
static void test_undecided(void **state) {
    (void)state;
    double w[4] = {.25, .25, .25, .25}, many[16];
    for (int i = 0; i < 16; i++) many[i] = 1. / 16;
    for (int i = 0; i < 4; i++) rows[i][6] = SLT_SURE;
    for (int i = 0; i < 2; i++) rows[i][30] = SLT_SURE;
    slt_candidates c = candidates_of(4, w, &phases);
    // heights 1 and .5: two deviations of .25 above the threshold, and on it
    double few = slt_vote_undecided(&c, w, 4, .5);
    assert_float_equal(few, (.5 * erfc(sqrt(2)) + .5) / 2, 1e-6);
    assert_float_equal(slt_vote_undecided(&c, w, 4, .4),
                       (.5 * erfc(.6 / sqrt(.12)) + .5 * erfc(.1 / sqrt(.12))) / 2, 1e-6);
    assert_true(slt_vote_undecided(&c, many, 16, .4) < slt_vote_undecided(&c, w, 4, .4));
    assert_float_equal(slt_vote_undecided(&c, w, 4, 1), 0, 1e-9);
}

// a number without a chance gives way to the likeliest that has one, more or fewer
static void test_told(void **state) {
    (void)state;
    const double w[4] = {.25, .25, .25, .25};
    const double three[3] = {0, 0, 1}, two[2] = {0, 1}, five[5] = {[4] = 1};
    uint8_t kept[STEPS];
    for (int i = 0; i < 4; i++) rows[i][6] = rows[i][30] = SLT_SURE;
    for (int i = 0; i < 3; i++) rows[i][25] = SLT_SURE;
    rows[3][12] = rows[2][16] = rows[3][16] = SLT_SURE;
    slt_candidates c = candidates_of(4, w, &phases);
    slt_vote_keep(&c, .6, &(slt_vote_told){three, 3, 0}, STEPS, kept, NULL);
    assert_true(kept[6] && kept[16] && !kept[12]); // the higher of the two below the threshold
    slt_vote_keep(&c, .6, &(slt_vote_told){two, 2, 0}, STEPS, kept, NULL);
    assert_true(kept[6] && kept[30] && !kept[25]);
    slt_vote_keep(&c, .6, &(slt_vote_told){five, 5, 0}, STEPS, kept,
                  NULL); // no more than there are
    assert_true(kept[6] && kept[12] && kept[16] && kept[25] && kept[30]);
}

// chances that were counted do not rule out what they lack: sure boundaries stay, doubtful ones go
static void test_told_what_was_counted(void **state) {
    (void)state;
    const double w[4] = {.25, .25, .25, .25}, counted[2] = {.1, .9};
    uint8_t kept[STEPS];
    for (int i = 0; i < 4; i++) rows[i][6] = rows[i][12] = rows[i][30] = SLT_SURE;
    for (int i = 0; i < 2; i++) rows[i][25] = SLT_SURE;
    slt_candidates c = candidates_of(4, w, &phases);
    slt_vote_keep(&c, .45, &(slt_vote_told){counted, 2, .1}, STEPS, kept, NULL);
    assert_true(kept[6] && kept[12] && kept[30] && !kept[25]);
}

// a number that has a chance stays, however much more common another is
static void test_told_what_is_found(void **state) {
    (void)state;
    const double w[4] = {.25, .25, .25, .25}, mostly_two[4] = {0, .9, .1, 0};
    uint8_t kept[STEPS];
    for (int i = 0; i < 4; i++) rows[i][6] = rows[i][30] = SLT_SURE;
    for (int i = 0; i < 3; i++) rows[i][12] = SLT_SURE;
    slt_candidates c = candidates_of(4, w, &phases);
    slt_vote_keep(&c, .7, &(slt_vote_told){mostly_two, 4, 0}, STEPS, kept, NULL);
    assert_true(kept[6] && kept[12] && kept[30]);
}

static void test_weighed_by_the_answer(void **state) {
    (void)state;
    double w[5];
    uint8_t answer[STEPS] = {0};
    for (int i = 0; i < 5; i++) rows[i][i < 3 ? 6 : 12] = rows[i][30] = SLT_SURE;
    answer[12] = answer[30] = 1;
    slt_ballots b = ballots(5);
    CHECK_OK(slt_vote_reweigh(&arena, &b, &phases, answer, w));
    assert_true(w[3] > w[0] && w[3] == w[4] && w[1] == 0);
}

static void test_nobody_cuts(void **state) {
    (void)state;
    const double w[2] = {.5, .5};
    slt_vote_choice choice;
    slt_candidates c = candidates_of(2, w, &phases);
    CHECK_OK(slt_vote_choose(&arena, &c, &choice));
    assert_int_equal(c.count, 0);
    assert_float_equal(choice.expected, 1, 1e-9);
}

// sure of its boundaries, of one of two only, of none; neighbours of a boundary count to it
static void test_certainty(void **state) {
    (void)state;
    float chance[STEPS] = {0};
    double sure, spread, half, many;
    rows[0][6] = rows[0][30] = SLT_SURE;
    slt_ballots b = ballots(1);
    chance[6] = chance[30] = 1;
    CHECK_OK(slt_vote_certainty(&arena, &b, &phases, rows[0], chance, &sure));
    assert_float_equal(sure, 1, 1e-6);
    chance[5] = chance[7] = .3f, chance[6] = .4f;
    CHECK_OK(slt_vote_certainty(&arena, &b, &phases, rows[0], chance, &spread));
    assert_float_equal(spread, 1, 1e-6);
    chance[5] = chance[7] = 0, chance[6] = .5f, chance[12] = .5f;
    CHECK_OK(slt_vote_certainty(&arena, &b, &phases, rows[0], chance, &half));
    double by_chance = 1 - pow(1 - 2. / (STEPS - 2), 3);
    assert_float_equal(half, (.75 - by_chance) / (1 - by_chance), 1e-6);
    for (int t = 0; t < STEPS; t++) chance[t] = 1;
    CHECK_OK(slt_vote_certainty(&arena, &b, &phases, rows[0], chance, &many));
    assert_true(many >= 0 && many < half);
}

// two draws are the same where all is certain, alike within a step, and seldom where it may be
// anywhere
static void test_draws(void **state) {
    (void)state;
    float chance[STEPS] = {0};
    slt_ballots b = ballots(1);
    double by_chance = 1 - pow(1 - 2. / (STEPS - 2), 3);
    chance[6] = chance[30] = 1;
    assert_float_equal(slt_vote_draws(&b, &phases, chance), 1, 1e-6);
    chance[6] = chance[7] = .5f;
    assert_float_equal(slt_vote_draws(&b, &phases, chance), 1, 1e-6);
    chance[7] = 0, chance[12] = .5f;
    assert_float_equal(slt_vote_draws(&b, &phases, chance), (.75 - by_chance) / (1 - by_chance),
                       1e-6);
    for (int t = 0; t < STEPS; t++) chance[t] = 2.f / STEPS;
    assert_true(slt_vote_draws(&b, &phases, chance) < .02);
}

static void test_modes(void **state) {
    (void)state;
    static float m[RUNS * RUNS];
    slt_modes modes;
    int8_t mode[RUNS];
    for (int i = 0; i < RUNS; i++)
        for (int j = 0; j < RUNS; j++)
            m[i * RUNS + j] = i == j || (i < 3 && j < 3) || (i > 3 && j > 3) ? 1 : .2f;
    CHECK_OK(slt_vote_modes(&arena, m, RUNS, &modes, mode));
    assert_int_equal(modes.count, 2);
    assert_int_equal(modes.size[0], 3);
    assert_int_equal(modes.size[1], 2);
    assert_int_equal(mode[3], -1);
    assert_int_equal(mode[5], 1);
}

// many random ballots: candidates are in order, apart, and inside their episode
static void test_order(void **state) {
    (void)state;
    const double w[RUNS] = {.3, .2, .2, .1, .1, .1};
    uint32_t x = 7;
    for (int round = 0; round < 200; round++) {
        slt_arena_mark mark = slt_arena_now(&arena);
        for (int i = 0; i < RUNS; i++)
            for (int t = 0; t < STEPS; t++) {
                x = x * 1664525u + 1013904223u;
                rows[i][t] =
                    (x >> 24) < 60 && t != 19 && t != STEPS - 1 ? (uint8_t)(x >> 8 | 1) : 0;
            }
        slt_candidates c = candidates_of(RUNS, w, &phases);
        for (int64_t i = 0; i < c.count; i++) {
            const slt_candidate *a = &c.list[i];
            assert_true(a->step >= offsets[a->episode] && a->step < offsets[a->episode + 1]);
            assert_true(a->height > 0 && a->height <= 1);
            if (i && c.list[i - 1].episode == a->episode)
                assert_true(c.list[i - 1].height >= a->height - 1e-6f);
            for (int64_t j = 0; j < i; j++) {
                int64_t d = llabs(c.list[j].step - a->step);
                assert_true(c.list[j].episode != a->episode || d >= 3);
            }
        }
        slt_arena_reset(&arena, mark);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(test_agreement),
        TEST(test_chance),
        TEST(test_episodes_are_apart),
        TEST(test_weights),
        TEST(test_candidates),
        TEST(test_unsure_runs),
        TEST(test_least_length),
        TEST(test_choice),
        TEST(test_undecided),
        TEST(test_told),
        TEST(test_told_what_was_counted),
        TEST(test_told_what_is_found),
        TEST(test_weighed_by_the_answer),
        TEST(test_nobody_cuts),
        TEST(test_certainty),
        TEST(test_draws),
        TEST(test_modes),
        TEST(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
