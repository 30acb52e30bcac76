// The Craft world: the worked example of the specification, what actions do, and the view against a
// plain version of it.
#include <stdlib.h>
#include "check.h"
#include "envs/craft.h"

static const slt_craft_task *const bed = &slt_craft_tasks[8], *const shears = &slt_craft_tasks[10];

static slt_craft_world world_of(uint32_t seed, const slt_craft_task *task) {
    slt_craft_world world = {0};
    slt_mt19937_seed(&world.random, seed);
    slt_craft_reset(&world, task);
    return world;
}

static void a_seed_gives_its_map(void **state) {
    (void)state;
    slt_craft_world world = world_of(40800, bed);
    assert_int_equal(slt_craft_look(&world, 1, 3), SLT_CRAFT_WOOD);
    assert_int_equal(slt_craft_look(&world, 2, 6), SLT_CRAFT_TOOLSHED);
    assert_int_equal(slt_craft_look(&world, 2, 7), SLT_CRAFT_IRON);
    assert_int_equal(slt_craft_look(&world, 3, 4), SLT_CRAFT_WORKBENCH);
    assert_int_equal(slt_craft_look(&world, 4, 2), SLT_CRAFT_GRASS);
    assert_int_equal(slt_craft_look(&world, 8, 7), SLT_CRAFT_FACTORY);
    assert_int_equal(world.x, 3);
    assert_int_equal(world.y, 6);
    assert_int_equal(world.direction, SLT_CRAFT_LEFT);
    assert_int_equal(__builtin_popcountll(world.things), 6);
}

static void the_worked_view(void **state) {
    (void)state;
    static const int ones[] = {0,   21,  42,  63,  84,  105, 126, 151, 175, 189, 215,
                               231, 252, 273, 294, 315, 336, 357, 378, 399, 420, 441,
                               462, 483, 504, 652, 673, 694, 756, 757, 764, 765, 777,
                               781, 782, 784, 799, 861, 862, 882, 883, 888, 904, 1073};
    slt_craft_world world = world_of(40800, bed);
    uint8_t view[SLT_CRAFT_FEATURES];
    size_t next = 0;
    slt_craft_observe(&world, true, view);
    for (int i = 0; i < SLT_CRAFT_FEATURES; i++) {
        bool is_one = next < sizeof ones / sizeof *ones && ones[next] == i;
        assert_int_equal(view[i], is_one);
        next += is_one;
    }
}

// the definition, cell by cell
static void plain_view(const slt_craft_world *world, bool full, uint8_t *out) {
    memset(out, 0, SLT_CRAFT_FEATURES);
    for (int x = 0; x < SLT_CRAFT_SIZE; x++) {
        for (int y = 0; y < SLT_CRAFT_SIZE; y++) {
            int dx = x - world->x, dy = y - world->y, kind = slt_craft_look(world, x, y);
            if (abs(dx) <= 2 && abs(dy) <= 2) out[((dx + 2) * 5 + dy + 2) * 21 + kind] = 1;
            if (full) out[525 + ((dx + 12) / 5 * 5 + (dy + 12) / 5) * 21 + kind] = 1;
        }
    }
    for (int k = 0; k < 21; k++) out[1050 + k] = world->inventory[k];
    out[1071 + world->direction] = 1;
}

// maps from nearly empty to full, seen from everywhere
static void the_view_is_its_definition(void **state) {
    (void)state;
    slt_mt19937 random;
    slt_mt19937_seed(&random, 7);
    for (int round = 0; round < 4000; round++) {
        slt_craft_world world = {0};
        slt_craft_clear(&world);
        for (uint32_t i = slt_mt19937_below(&random, 200); i > 0; i--)
            slt_craft_put(&world, 1 + (int)slt_mt19937_below(&random, 8),
                          1 + (int)slt_mt19937_below(&random, 8),
                          (int)slt_mt19937_below(&random, SLT_CRAFT_KINDS));
        world.x = (uint8_t)(1 + round % 8);
        world.y = (uint8_t)(1 + round / 8 % 8);
        world.direction = (uint8_t)slt_mt19937_below(&random, 4);
        for (int k = 0; k < SLT_CRAFT_KINDS; k++)
            world.inventory[k] = (uint8_t)slt_mt19937_below(&random, 5);
        uint8_t want[SLT_CRAFT_FEATURES], got[SLT_CRAFT_FEATURES + 1];
        for (int full = 0; full < 2; full++) {
            memset(got, 0xab, sizeof got);
            plain_view(&world, full, want);
            slt_craft_observe(&world, full, got);
            assert_memory_equal(want, got, SLT_CRAFT_FEATURES);
            assert_int_equal(got[SLT_CRAFT_FEATURES], 0xab);
        }
    }
}

// an empty map with the agent at (4, 4), looking up at a thing
static slt_craft_world facing(int kind) {
    slt_craft_world world = {0};
    slt_craft_clear(&world);
    world.x = world.y = 4;
    world.direction = SLT_CRAFT_UP;
    slt_craft_put(&world, 4, 5, kind);
    return world;
}

static void one_use_makes_all_it_can(void **state) {
    (void)state;
    slt_craft_world world = facing(SLT_CRAFT_WORKBENCH);
    world.inventory[SLT_CRAFT_WOOD] = world.inventory[SLT_CRAFT_IRON] = 1;
    slt_craft_act(&world, shears, SLT_CRAFT_USE);
    assert_int_equal(world.inventory[SLT_CRAFT_SHEARS], 1);
    assert_int_equal(world.inventory[SLT_CRAFT_STICK], 0);
    assert_true(slt_craft_reached(&world, shears));
    assert_int_equal(world.sketch, 0); // reached, but not by the sketch

    world = facing(SLT_CRAFT_TOOLSHED);
    world.inventory[SLT_CRAFT_WOOD] = world.inventory[SLT_CRAFT_GRASS] = 1;
    slt_craft_act(&world, bed, SLT_CRAFT_USE);
    assert_int_equal(world.inventory[SLT_CRAFT_PLANK], 1);
    assert_int_equal(world.inventory[SLT_CRAFT_ROPE], 1);
}

static void walls_open_to_their_tool_and_keep_it(void **state) {
    (void)state;
    static const int walls[2][2] = {{SLT_CRAFT_WATER, SLT_CRAFT_BRIDGE},
                                    {SLT_CRAFT_STONE, SLT_CRAFT_AXE}};
    for (int i = 0; i < 2; i++) {
        slt_craft_world world = facing(walls[i][0]);
        world.inventory[walls[!i][1]] = 1;
        slt_craft_act(&world, bed, SLT_CRAFT_USE);
        assert_int_equal(slt_craft_look(&world, 4, 5), walls[i][0]);
        world.inventory[walls[i][1]] = 1;
        slt_craft_act(&world, bed, SLT_CRAFT_USE);
        assert_int_equal(slt_craft_look(&world, 4, 5), SLT_CRAFT_EMPTY);
        assert_int_equal(world.inventory[walls[i][1]], 1);
    }
}

static void a_blocked_move_turns(void **state) {
    (void)state;
    slt_craft_world world = facing(SLT_CRAFT_WOOD);
    world.direction = SLT_CRAFT_LEFT;
    slt_craft_act(&world, bed, SLT_CRAFT_UP);
    assert_int_equal(world.direction, SLT_CRAFT_UP);
    assert_int_equal(world.y, 4);
    assert_true(slt_craft_act(&world, bed, SLT_CRAFT_USE)); // wood is the first sub-task
    slt_craft_act(&world, bed, SLT_CRAFT_UP);
    assert_int_equal(world.y, 5);
}

// 64 steps are the limit; success with the last of them is success
static void the_limit_truncates(void **state) {
    (void)state;
    const slt_env_kind *kind = slt_env_find("getwood-v0");
    for (int last = SLT_CRAFT_USE; last <= SLT_CRAFT_DONE; last++) {
        slt_craft_world world = facing(SLT_CRAFT_WOOD);
        for (int t = 1; t < 64; t++) {
            slt_env_result result = kind->step(kind, &world, SLT_CRAFT_DONE);
            assert_false(result.terminated || result.truncated);
        }
        slt_env_result result = kind->step(kind, &world, last);
        assert_int_equal(result.terminated, last == SLT_CRAFT_USE);
        assert_int_equal(result.truncated, last == SLT_CRAFT_DONE);
        assert_int_equal(result.event, last == SLT_CRAFT_USE ? SLT_EVENT_USE : SLT_EVENT_NONE);
        assert_true(result.reward == (last == SLT_CRAFT_USE));
    }
}

// damaged states are refused, or harmless: the sanitizers watch
static void damaged_states_are_refused(void **state) {
    (void)state;
    const slt_env_kind *kind = slt_env_find("getgoldfull-v0");
    uint8_t view[SLT_CRAFT_FEATURES];
    slt_mt19937 random;
    slt_mt19937_seed(&random, 3);
    int refused = 0;
    for (int round = 0; round < 3000; round++) {
        slt_craft_world world = world_of((uint32_t)round, &slt_craft_tasks[11]);
        for (int t = 0; t < 20; t++) kind->step(kind, &world, (int)slt_mt19937_below(&random, 6));
        assert_true(kind->valid(kind, &world));
        uint32_t at = slt_mt19937_below(&random, offsetof(slt_craft_world, random));
        ((uint8_t *)&world)[at] ^= (uint8_t)(1 + slt_mt19937_below(&random, 255));
        if (!kind->valid(kind, &world)) {
            refused++;
            continue;
        }
        for (int t = 0; t < 20; t++) {
            kind->step(kind, &world, (int)slt_mt19937_below(&random, 6));
            kind->observe(kind, &world, view);
        }
        kind->reset(kind, &world);
    }
    assert_true(refused > 1500);
    slt_craft_world world = world_of(0, &slt_craft_tasks[11]);
    world.random.next = SLT_MT19937_WORDS + 1;
    assert_false(kind->valid(kind, &world));
}

static void rows_have_their_names(void **state) {
    (void)state;
    for (int task = 0; task < SLT_CRAFT_TASKS; task++) {
        for (int full = 0; full < 2; full++) {
            char id[64];
            snprintf(id, sizeof id, "%s%s-v0", slt_craft_tasks[task].name, full ? "full" : "");
            const slt_env_kind *kind = slt_env_find(id);
            assert_ptr_equal(kind, slt_craft_find(task, full));
            assert_ptr_equal(slt_craft_variant_of(kind)->task, &slt_craft_tasks[task]);
            assert_int_equal(slt_craft_variant_of(kind)->full, full);
        }
    }
    assert_null(slt_env_find("makebed"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seed_gives_its_map),
        cmocka_unit_test(the_worked_view),
        cmocka_unit_test(the_view_is_its_definition),
        cmocka_unit_test(one_use_makes_all_it_can),
        cmocka_unit_test(walls_open_to_their_tool_and_keep_it),
        cmocka_unit_test(a_blocked_move_turns),
        cmocka_unit_test(the_limit_truncates),
        cmocka_unit_test(damaged_states_are_refused),
        cmocka_unit_test(rows_have_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
