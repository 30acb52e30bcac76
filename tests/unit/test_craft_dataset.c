// The standard Craft data sets, full and partial: 24 000 accepted episodes and every number known
// about them. sanitizers: too long
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "experts/craft_rollout.h"

enum { SPLITS = 3, TASKS = 3, EPISODES = 12000 };

typedef struct {
    uint64_t outcomes[SLT_CRAFT_OUTCOMES];
    uint64_t actions[SLT_CRAFT_ACTIONS];
    uint64_t views, ones;
    double mean[SPLITS][TASKS]; // of T
    double segments[4];         // sums of lengths
    double ratio;               // sum of T/(T+1)
    int lengths[EPISODES];
    int episodes;
} tally;

static void count_episode(tally *sum, const slt_craft_rollout *rollout) {
    int segment = 0, start = 0, T = rollout->length;
    for (int t = 0; t < T; t++) {
        sum->actions[rollout->actions[t]]++;
        if (rollout->actions[t] != SLT_CRAFT_USE) continue;
        assert_true(segment < 4 && rollout->rewards[t] == 1);
        sum->segments[segment++] += t + 1 - start;
        start = t + 1;
    }
    assert_int_equal(segment, 4);
    assert_int_equal(start, T); // the last step is a USE
    uint32_t ones = 0;
    uint8_t any = 0;
    for (int i = 0; i < (T + 1) * SLT_CRAFT_FEATURES; i++) {
        any |= rollout->observations[i];
        ones += rollout->observations[i];
    }
    assert_int_equal(any, 1); // one of each thing: no counts above 1
    sum->ones += ones;
    sum->views += (uint64_t)(T + 1);
    sum->ratio += (double)T / (T + 1);
    sum->lengths[sum->episodes++] = T;
}

static int by_size(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

// collects a data set as the command does: 3334 + 3333 + 3333, and a tenth of it twice
static void collect(tally *sum, bool full) {
    static const int counts[SPLITS][TASKS] = {{3334, 3333, 3333}, {334, 333, 333}, {334, 333, 333}};
    static uint8_t views[(SLT_CRAFT_STEPS + 1) * SLT_CRAFT_FEATURES];
    slt_craft_rollout rollout = {.observations = views};
    *sum = (tally){0};
    for (int split = 0; split < SPLITS; split++) {
        for (int task = 0; task < TASKS; task++) {
            slt_episode_seeds seeds;
            CHECK_OK(slt_episode_seeds_init(&seeds, split, task, 0));
            for (int i = 0; i < counts[split][task]; i++) {
                CHECK_OK(slt_craft_rollout_next(&rollout, slt_craft_find(8 + task, full), &seeds,
                                                sum->outcomes));
                count_episode(sum, &rollout);
                sum->mean[split][task] += (double)rollout.length / counts[split][task];
            }
        }
    }
    qsort(sum->lengths, EPISODES, sizeof(int), by_size);
}

// a number printed with so many digits
static void check_printed(double got, double want, double digits) {
    if (fabs(round(got * digits) / digits - want) > 1e-9)
        fail_msg("%.6f is not printed as %.6f", got, want);
}

static double deviation(const tally *sum) {
    double mean = 0, squares = 0;
    for (int i = 0; i < EPISODES; i++) mean += (double)sum->lengths[i] / EPISODES;
    for (int i = 0; i < EPISODES; i++)
        squares += (sum->lengths[i] - mean) * (sum->lengths[i] - mean);
    return sqrt(squares / EPISODES);
}

typedef struct {
    bool full;
    uint64_t no_plan, timeouts, actions[5];
    int shortest, median, longest;
    double deviation, ratio, segments[4], mean[SPLITS][TASKS], ones;
} facts;

static void check_facts(tally *sum, const facts *want) {
    collect(sum, want->full);
    assert_int_equal(sum->episodes, EPISODES);
    assert_int_equal(sum->outcomes[SLT_CRAFT_SUCCESS], EPISODES);
    assert_int_equal(sum->outcomes[SLT_CRAFT_NO_PLAN], want->no_plan);
    assert_int_equal(sum->outcomes[SLT_CRAFT_TIMEOUT], want->timeouts);
    assert_int_equal(sum->outcomes[SLT_CRAFT_SHORTCUT], 0);
    for (int a = 0; a < 5; a++) assert_int_equal(sum->actions[a], want->actions[a]);
    assert_int_equal(sum->actions[SLT_CRAFT_DONE], 0);
    assert_int_equal(sum->lengths[0], want->shortest);
    assert_int_equal(sum->lengths[EPISODES / 2], want->median);
    assert_int_equal(sum->lengths[EPISODES - 1], want->longest);
    check_printed(deviation(sum), want->deviation, 100);
    check_printed(sum->ratio / EPISODES, want->ratio, 10000);
    for (int s = 0; s < 4; s++) check_printed(sum->segments[s] / EPISODES, want->segments[s], 100);
    for (int s = 0; s < SPLITS; s++)
        for (int t = 0; t < TASKS; t++) check_printed(sum->mean[s][t], want->mean[s][t], 100);
    check_printed((double)sum->ones / (double)sum->views, want->ones, 1);
}

static void the_table_of_the_specification(void **state) {
    (void)state;
    static const facts full = {
        .full = true,
        .no_plan = 26,
        .timeouts = 0,
        .actions = {56716, 56833, 59837, 59187, 48000},
        .shortest = 8,
        .median = 23,
        .longest = 49,
        .deviation = 5.24,
        .ratio = 0.9569,
        .segments = {6.06, 5.70, 6.11, 5.52},
        .mean = {{23.43, 23.55, 23.18}, {23.76, 23.29, 23.44}, {23.47, 23.20, 22.99}},
        .ones = 43,
    };
    static const facts partial = {
        .full = false,
        .no_plan = 11,
        .timeouts = 1207,
        .actions = {104977, 105467, 86829, 82545, 48000},
        .shortest = 8,
        .median = 35,
        .longest = 64,
        .deviation = 11.48,
        .ratio = 0.9695,
        .segments = {13.02, 8.80, 7.68, 6.15},
        .mean = {{35.91, 36.41, 34.64}, {36.66, 35.16, 35.93}, {35.87, 35.53, 34.69}},
        .ones = 25,
    };
    static tally sums[2];
    check_facts(&sums[0], &full);
    check_facts(&sums[1], &partial);
    assert_int_equal(sums[0].views + sums[1].views, 732391);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_table_of_the_specification),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
