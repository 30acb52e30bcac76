// The Craft bot: its path queue, its episodes, the seeds of a data set.
#include "check.h"
#include "experts/craft_bot.h"
#include "experts/craft_rollout.h"

// an empty room of a size in the lower left of the map
static void room(int8_t *known, int width, int height) {
    memset(known, SLT_CRAFT_BOUNDARY, SLT_CRAFT_CELLS);
    for (int x = 1; x < width - 1; x++)
        for (int y = 1; y < height - 1; y++) known[slt_craft_index(x, y)] = SLT_CRAFT_EMPTY;
}

static void check_path(const int8_t *known, const int (*cells)[2], int count) {
    uint8_t path[SLT_CRAFT_CELLS];
    int start = slt_craft_index(cells[0][0], cells[0][1]);
    int target = slt_craft_index(cells[count - 1][0], cells[count - 1][1]);
    assert_int_equal(slt_craft_path(known, start, target, path), count);
    for (int i = 0; i < count; i++)
        assert_int_equal(path[i], slt_craft_index(cells[i][0], cells[i][1]));
}

static void paths_of_the_odd_queue(void **state) {
    (void)state;
    static const int detour[5][2] = {{1, 3}, {2, 3}, {2, 2}, {2, 1}, {1, 1}};
    static const int there[6][2] = {{2, 2}, {3, 2}, {4, 2}, {5, 2}, {5, 3}, {5, 4}};
    static const int back[6][2] = {{5, 4}, {5, 3}, {4, 3}, {3, 3}, {2, 3}, {2, 2}};
    int8_t known[SLT_CRAFT_CELLS];
    room(known, 4, 5);
    check_path(known, detour, 5);
    room(known, 10, 10);
    check_path(known, there, 6);
    check_path(known, back, 6);
}

static void unknown_cells_bar_the_way(void **state) {
    (void)state;
    int8_t known[SLT_CRAFT_CELLS];
    uint8_t path[SLT_CRAFT_CELLS];
    room(known, 10, 10);
    for (int y = 1; y < 9; y++) known[slt_craft_index(5, y)] = SLT_CRAFT_UNKNOWN;
    int start = slt_craft_index(2, 2), target = slt_craft_index(7, 7);
    assert_int_equal(slt_craft_path(known, start, target, path), 0);
    known[slt_craft_index(5, 3)] = SLT_CRAFT_EMPTY;
    assert_true(slt_craft_path(known, start, target, path) > 0);
}

// seeds 0 and 1 of make bed, full (the first lines of the golden outcomes)
static void a_seed_gives_its_episode(void **state) {
    (void)state;
    static const char *const actions[2] = {"30022220243333140222214333331114",
                                           "022222040033304122221143000034"};
    const slt_env_kind *kind = slt_env_find("makebedfull-v0");
    static uint8_t views[(SLT_CRAFT_STEPS + 1) * SLT_CRAFT_FEATURES];
    for (uint32_t seed = 0; seed < 2; seed++) {
        slt_craft_rollout rollout = {.observations = views};
        slt_craft_rollout_play(&rollout, kind, seed);
        assert_int_equal(rollout.outcome, SLT_CRAFT_SUCCESS);
        assert_int_equal(rollout.length, strlen(actions[seed]));
        int reward = 0;
        for (int t = 0; t < rollout.length; t++) {
            assert_int_equal(rollout.actions[t] + '0', actions[seed][t]);
            // the four USEs earn the four rewards
            assert_int_equal(rollout.rewards[t], rollout.actions[t] == SLT_CRAFT_USE);
            reward += rollout.rewards[t];
        }
        assert_int_equal(reward, 4);
        // the last view shows the bed in the pocket, the first does not
        const uint8_t *last = views + rollout.length * SLT_CRAFT_FEATURES;
        assert_int_equal(views[1050 + SLT_CRAFT_BED], 0);
        assert_int_equal(last[1050 + SLT_CRAFT_BED], 1);
    }
}

// a target behind walls: known as a whole, so there is nothing left to explore
static void a_bot_without_a_way_gives_up(void **state) {
    (void)state;
    slt_craft_world world = {0};
    slt_craft_clear(&world);
    slt_craft_put(&world, 1, 1, SLT_CRAFT_WOOD);
    slt_craft_put(&world, 1, 2, SLT_CRAFT_IRON);
    slt_craft_put(&world, 2, 1, SLT_CRAFT_GRASS);
    world.x = world.y = 5;
    for (int full = 0; full < 2; full++) {
        slt_craft_bot bot;
        slt_craft_bot_reset(&bot, slt_craft_variant_of(slt_craft_find(0, full)), 3);
        int action = slt_craft_bot_act(&bot, &world);
        assert_int_equal(action == SLT_CRAFT_STUCK, full);
    }
}

static void seeds_stay_in_their_split(void **state) {
    (void)state;
    slt_episode_seeds seeds;
    uint32_t seed = 0;
    CHECK_OK(slt_episode_seeds_init(&seeds, 0, 0, 0));
    CHECK_OK(slt_episode_seeds_next(&seeds, &seed));
    assert_int_equal(seed, 1000000);
    CHECK_OK(slt_episode_seeds_next(&seeds, &seed));
    assert_int_equal(seed, 1000001);
    CHECK_OK(slt_episode_seeds_init(&seeds, 2, 1, 7));
    CHECK_OK(slt_episode_seeds_next(&seeds, &seed));
    assert_int_equal(seed, 73100000);
    CHECK_OK(slt_episode_seeds_init(&seeds, 1, 0, 500));
    CHECK_OK(slt_episode_seeds_next(&seeds, &seed));
    assert_int_equal(seed, (uint32_t)(5002000000ull % (1ull << 32)));

    CHECK_OK(slt_episode_seeds_init(&seeds, 0, 9, 0));
    for (int i = 0; i < 100000; i++) CHECK_OK(slt_episode_seeds_next(&seeds, &seed));
    assert_int_equal(seed, 1999999);
    CHECK_FAILS(SLT_RANGE, "2000000", slt_episode_seeds_next(&seeds, &seed));
    CHECK_FAILS(SLT_RANGE, "split", slt_episode_seeds_init(&seeds, 3, 0, 0));
    CHECK_FAILS(SLT_RANGE, "task", slt_episode_seeds_init(&seeds, 0, 10, 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_of_the_odd_queue),    cmocka_unit_test(unknown_cells_bar_the_way),
        cmocka_unit_test(a_seed_gives_its_episode),  cmocka_unit_test(a_bot_without_a_way_gives_up),
        cmocka_unit_test(seeds_stay_in_their_split),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
