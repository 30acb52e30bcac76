// Planners: what they believe is true, noise does not derail them, all sizes are solved.
#include "check.h"
#include "experts/minigrid_rollout.h"

static slt_arena arena;

static int setup(void **state) {
    (void)state;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    slt_arena_deinit(&arena);
    return 0;
}

static slt_rollout open_rollout(const char *id) {
    slt_rollout rollout;
    CHECK_OK(slt_rollout_init(&rollout, &arena, slt_env_find(id), 0));
    return rollout;
}

static void every_size_is_solved(void **state) {
    (void)state;
    int families = 0;
    for (const slt_env_kind *kind = slt_minigrid_kinds; kind->id; kind++) {
        if (!slt_planner_knows(kind)) continue;
        families++;
        slt_rollout rollout = open_rollout(kind->id);
        for (uint32_t seed = 0; seed < 50; seed++) {
            slt_rollout_play(&rollout, &seed, 1, 0);
            if (!rollout.terminated) fail_msg("%s: seed %u is not solved", kind->id, seed);
        }
    }
    assert_int_equal(families, 13);
}

// every cell on the map is as in the world, and so is the place, as soon as only one is possible
static void check_memory(const slt_planner *planner, const slt_minigrid *world) {
    const slt_memory *memory = &planner->memory;
    const slt_minigrid_rules *rules = memory->rules;
    assert_int_equal(memory->carried, world->carried);
    assert_true(memory->start_count >= 1);
    if (memory->start_count > 1) return;
    for (int x = 0; x < rules->width; x++)
        for (int y = 0; y < rules->height; y++) {
            int known = slt_memory_cell(memory, x, y);
            if (known == SLT_UNSEEN) continue;
            assert_int_equal(known, world->cells[slt_grid_index(rules->height, x, y)]);
        }
}

// plays with half of the actions random: place and map must stay right
static void memory_is_true_under_noise(void **state) {
    (void)state;
    for (const slt_env_kind *kind = slt_minigrid_kinds; kind->id; kind++) {
        if (!slt_planner_knows(kind)) continue;
        slt_rollout rollout = open_rollout(kind->id);
        slt_planner *planner = rollout.planner;
        uint8_t view[SLT_VIEW_BYTES];
        for (uint32_t seed = 0; seed < 20; seed++) {
            kind->seed(kind, rollout.world, &seed, 1);
            kind->reset(kind, rollout.world);
            slt_planner_start(planner, kind, &seed, 1, 0.5);
            bool over = false;
            for (int step = 0; step < 200 && !over; step++) {
                kind->observe(kind, rollout.world, view);
                int direction = step == 0 ? rollout.world->direction : -1; // tracked from then on
                int action = slt_planner_act(planner, view, direction);
                check_memory(planner, rollout.world);
                over = kind->step(kind, rollout.world, action).terminated;
                assert_int_equal(planner->memory.direction, rollout.world->direction);
                if (planner->memory.start_count > 1) continue;
                assert_int_equal(planner->memory.place.x, rollout.world->x);
                assert_int_equal(planner->memory.place.y, rollout.world->y);
            }
        }
    }
}

static bool has_target(const slt_rollout *rollout) {
    const slt_minigrid_rules *rules = slt_minigrid_rules_of(rollout->kind);
    for (int i = 0; i < SLT_GRID_BYTES(rules->width, rules->height); i++)
        if (rollout->world->cells[i] == rollout->world->target) return true;
    return rollout->world->carried == rollout->world->target;
}

// only a box that a random action has opened keeps a planner from its end
static void noise_is_recovered_from(void **state) {
    (void)state;
    static const char *const ids[] = {"MiniGrid-DoorKey-8x8-v0", "MiniGrid-UnlockPickup-v0",
                                      "MiniGrid-BlockedUnlockPickup-v0",
                                      "MiniGrid-KeyCorridorS4R3-v0"};
    for (int k = 0; k < 4; k++) {
        slt_rollout rollout = open_rollout(ids[k]);
        for (uint32_t seed = 0; seed < 200; seed++) {
            slt_rollout_play(&rollout, &seed, 1, 0.1);
            if (!rollout.terminated && (rollout.world->target == 0 || has_target(&rollout)))
                fail_msg("%s: seed %u is not solved", ids[k], seed);
        }
    }
}

static void episodes_depend_on_the_seed_alone(void **state) {
    (void)state;
    slt_rollout first = open_rollout("MiniGrid-KeyCorridorS4R3-v0");
    slt_rollout second = open_rollout("MiniGrid-KeyCorridorS4R3-v0");
    int different = 0;
    for (uint32_t seed = 0; seed < 50; seed++) {
        slt_rollout_play(&first, &seed, 1, 0.1);
        slt_rollout_play(&second, &(uint32_t){seed + 1}, 1, 0.1);
        different += first.length != second.length;
        slt_rollout_play(&second, (uint32_t[]){seed, 0, 0}, 3, 0.1);
        assert_int_equal(first.length, second.length);
        assert_memory_equal(first.actions, second.actions, (size_t)first.length);
        assert_memory_equal(first.observations, second.observations,
                            (size_t)(first.length + 1) * SLT_VIEW_BYTES);
    }
    assert_true(different > 25);
}

static void full_noise_is_uniform(void **state) {
    (void)state;
    slt_rollout rollout = open_rollout("MiniGrid-UnlockPickup-v0");
    int counts[SLT_MINIGRID_ACTIONS] = {0}, steps = 0;
    for (uint32_t seed = 0; seed < 50; seed++) {
        slt_rollout_play(&rollout, &seed, 1, 1);
        for (int i = 0; i < rollout.length; i++) counts[rollout.actions[i]]++;
        steps += rollout.length;
    }
    // about 2000 each, standard deviation 42
    for (int a = 0; a < SLT_MINIGRID_ACTIONS; a++)
        assert_in_range(counts[a], steps / 7 - 210, steps / 7 + 210);
}

static void capacity_cuts_and_strangers_are_refused(void **state) {
    (void)state;
    slt_rollout rollout;
    CHECK_OK(slt_rollout_init(&rollout, &arena, slt_env_find("MiniGrid-DoorKey-8x8-v0"), 3));
    slt_rollout_play(&rollout, &(uint32_t){1}, 1, 0);
    assert_int_equal(rollout.length, 3);
    assert_true(rollout.truncated && !rollout.terminated);
    CHECK_FAILS(SLT_UNSUPPORTED, "no planner for MiniGrid-Fetch",
                slt_rollout_init(&rollout, &arena, slt_env_find("MiniGrid-Fetch-5x5-N2-v0"), 0));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_size_is_solved, setup, teardown),
        cmocka_unit_test_setup_teardown(memory_is_true_under_noise, setup, teardown),
        cmocka_unit_test_setup_teardown(noise_is_recovered_from, setup, teardown),
        cmocka_unit_test_setup_teardown(episodes_depend_on_the_seed_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(full_noise_is_uniform, setup, teardown),
        cmocka_unit_test_setup_teardown(capacity_cuts_and_strangers_are_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
