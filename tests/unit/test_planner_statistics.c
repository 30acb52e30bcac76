// The planners' episodes against the tables of the MiniGrid specification: success, mean lengths
// within 5 %, shares of the numbers of segments within .02.
// sanitizers: too long
#include <math.h>
#include "check.h"
#include "experts/minigrid_rollout.h"
#include "experts/segment_truth.h"

enum { EPISODES = 10000, FIRST_SEED = 1000000, MOST = 12, LIMIT = 576 };

typedef struct {
    const char *id;
    double length;                  // mean
    int longest;                    // the paper's padded length: no episode is longer
    bool ref_is_pt;                 // on every step
    double share[SLT_TRUTHS][MOST]; // of episodes with so many segments
} expectation;

static const expectation expectations[] = {
    {"MiniGrid-DoorKey-8x8-v0", 17.0, 35, true, {{[3] = 1}, {[3] = 1}, {[3] = 1}}},
    {"MiniGrid-UnlockPickup-v0", 16.7, 35, true, {{[3] = 1}, {[3] = 1}, {[3] = 1}}},
    {"MiniGrid-BlockedUnlockPickup-v0",
     24.0,
     40,
     true,
     {{[4] = .862, [5] = .138}, {[4] = .862, [5] = .138}, {[6] = .862, [8] = .138}}},
    {"MiniGrid-KeyCorridorS4R3-v0",
     32.8,
     80,
     false,
     {{[4] = .338, [5] = .296, [6] = .303, [7] = .062, [8] = .001},
      {[3] = 1},
      {[4] = .338, [5] = .296, [6] = .303, [7] = .062, [8] = .001}}},
};

typedef struct {
    double steps;
    int counts[SLT_TRUTHS][MOST];
} sums;

static void add_episode(const slt_rollout *rollout, const expectation *want, sums *all) {
    static int32_t segments[SLT_TRUTHS][LIMIT];
    assert_true(rollout->terminated && rollout->rewards[rollout->length - 1] > 0);
    assert_in_range(rollout->length, 1, want->longest);
    slt_truth_steps steps = {rollout->length, rollout->actions, rollout->events,
                             rollout->observations};
    for (int rule = 0; rule < SLT_TRUTHS; rule++) {
        int count = slt_truth_segments((slt_truth)rule, rollout->kind, &steps, segments[rule]);
        assert_in_range(count, 1, MOST - 1);
        all->counts[rule][count]++;
    }
    if (want->ref_is_pt)
        assert_memory_equal(segments[SLT_TRUTH_PT], segments[SLT_TRUTH_REF],
                            (size_t)rollout->length * sizeof(int32_t));
    all->steps += rollout->length;
}

static void check_shares(const expectation *want, const sums *all, int rule) {
    printf("#   %-4s", slt_truth_name((slt_truth)rule));
    for (int n = 0; n < MOST; n++) {
        double share = all->counts[rule][n] / (double)EPISODES, wanted = want->share[rule][n];
        if (share > 0 || wanted > 0) printf("  %d: %.3f (%.3f)", n, share, wanted);
        if (fabs(share - wanted) > .02)
            fail_msg("%s: share of %d segments is %.3f, not %.3f", want->id, n, share, wanted);
    }
    printf("\n");
}

static void episodes_are_as_in_the_tables(void **state) {
    (void)state;
    for (size_t k = 0; k < sizeof expectations / sizeof *expectations; k++) {
        const expectation *want = &expectations[k];
        slt_arena arena;
        slt_arena_init(&arena, &slt_system_allocator, 0);
        slt_rollout rollout;
        CHECK_OK(slt_rollout_init(&rollout, &arena, slt_env_find(want->id), 0));
        sums all = {0};
        for (uint32_t i = 0; i < EPISODES; i++) {
            slt_rollout_play(&rollout, &(uint32_t){FIRST_SEED + i}, 1, 0);
            add_episode(&rollout, want, &all);
        }
        double length = all.steps / EPISODES;
        printf("# %s: mean length %.2f (%.1f)\n", want->id, length, want->length);
        if (fabs(length / want->length - 1) > .05)
            fail_msg("%s: mean length %.2f, not %.1f", want->id, length, want->length);
        for (int rule = 0; rule < SLT_TRUTHS; rule++) check_shares(want, &all, rule);
        slt_arena_deinit(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(episodes_are_as_in_the_tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
