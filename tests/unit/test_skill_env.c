// Skills as actions: whole calls of skills, the same for any number of threads, without allocation.
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "failing_memory.h"
#include "group_context.h"
#include "envs/env_impl.h"
#include "skill_rig.h"
#include "skills/skill_play.h"
#include "slottar/expert.h"
#include "slottar/skill_env.h"
#include "slottar/skills.h"

enum { N = 100, SIZE = 1075 };
static const char PLANK[] = "makeplankfull-v0", FILE_NAME[] = "skills.safetensors";

static int learn(void **state) {
    static const char *const ids[] = {"getwoodfull-v0", PLANK};
    if (two_threads(state)) return 1;
    demonstrations d = demonstrate(ids, 2, 600);
    save_skills(d, (slt_skills_options){.hidden = 40, .epochs = 15}, FILE_NAME);
    forget(d);
    return 0;
}

typedef struct {
    uint8_t observations[N * SIZE], finals[N * SIZE], terminated[N], truncated[N], reached[N];
    double rewards[N], discounts[N];
    float rewards_f32[N];
    int32_t steps[N];
} played;

static slt_skill_env_outputs outputs(played *p) {
    return (slt_skill_env_outputs){.env = {.observations = p->observations,
                                           .rewards = p->rewards,
                                           .rewards_f32 = p->rewards_f32,
                                           .terminated = p->terminated,
                                           .truncated = p->truncated,
                                           .final_observations = p->finals},
                                   .discounts = p->discounts,
                                   .steps = p->steps,
                                   .reached = p->reached};
}

static void choose(int64_t *skills, int t) {
    for (int i = 0; i < N; i++) skills[i] = (i + t) % 2;
}

// `times` skills in every copy; the last of them in p
static void play(slt_context *with, slt_autoreset mode, double discount, int times, played *p) {
    slt_env_batch *batch;
    slt_skill_env *env;
    uint64_t seeds[N];
    int64_t skills[N];
    memset(p, 0, sizeof *p);
    CHECK_OK(slt_env_batch_create(with, PLANK, N, mode, &batch));
    CHECK_OK(slt_skill_env_create(batch, FILE_NAME, discount, false, &env));
    assert_int_equal(slt_skill_env_count(env), 2);
    for (int i = 0; i < N; i++) seeds[i] = (uint64_t)i;
    CHECK_OK(slt_skill_env_reset(env, seeds, NULL, p->observations));
    for (int t = 0; t < times; t++) {
        choose(skills, t);
        slt_skill_env_outputs out = outputs(p);
        CHECK_OK(slt_skill_env_step(env, skills, &out));
    }
    slt_skill_env_destroy(env);
    slt_env_batch_destroy(batch);
}

static void same_for_any_threads(void **state) {
    (void)state;
    static played one, three;
    slt_context *other;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 3}, &other));
    play(context, SLT_AUTORESET_SAME_STEP, 0.9, 9, &one);
    play(other, SLT_AUTORESET_SAME_STEP, 0.9, 9, &three);
    assert_memory_equal(&one, &three, sizeof one);
    slt_context_destroy(other);
}

// a batch plays what a player alone plays
static void as_one_by_one(void **state) {
    (void)state;
    static played p;
    static slt_skill_player player;
    static uint8_t view[SIZE];
    const slt_env_kind *kind = slt_env_find(PLANK);
    void *world = calloc(1, kind->state_size);
    slt_skills *skills;
    int64_t steps = 0;
    play(context, SLT_AUTORESET_DISABLED, 1, 1, &p);
    CHECK_OK(slt_skills_open(context, FILE_NAME, &skills));
    for (uint32_t i = 0; i < N; i++) {
        slt_env_result result = {0};
        int count = 0;
        kind->seed(kind, world, &i, 1);
        kind->reset(kind, world);
        kind->observe(kind, world, view);
        slt_skill_player_start(&player, skills, 0, 5);
        slt_skill_player_begin(&player, (int)i % 2);
        do {
            result = kind->step(kind, world, slt_skill_player_step(&player, view));
            kind->observe(kind, world, view);
            count++;
        } while (!result.terminated && !result.truncated && !slt_skill_player_over(&player, view));
        assert_int_equal(p.steps[i], count);
        assert_memory_equal(p.observations + (size_t)i * SIZE, view, SIZE);
        steps += count;
    }
    assert_true(steps > 5 * N);
    slt_skills_close(skills);
    free(world);
}

static void discounted_inside(void **state) {
    (void)state;
    static played plain, halved;
    int paid = 0, ended = 0;
    play(context, SLT_AUTORESET_DISABLED, 1, 1, &plain);
    play(context, SLT_AUTORESET_DISABLED, 0.5, 1, &halved);
    assert_memory_equal(plain.steps, halved.steps, sizeof plain.steps);
    assert_memory_equal(plain.observations, halved.observations, sizeof plain.observations);
    for (int i = 0; i < N; i++) {
        assert_true(plain.steps[i] >= 1 && plain.steps[i] <= 32 && plain.discounts[i] == 1);
        assert_true(halved.discounts[i] == pow(0.5, halved.steps[i]));
        assert_true(halved.rewards_f32[i] == (float)halved.rewards[i]);
        ended += plain.terminated[i] || plain.truncated[i];
        if (plain.rewards[i] != 1 || !plain.reached[i]) continue;
        // the wood comes with the last step
        paid++;
        assert_true(halved.rewards[i] == pow(0.5, halved.steps[i] - 1));
    }
    if (paid < 12 || ended) fail_msg("%d paid, %d ended", paid, ended);
}

// a copy whose episode has ended is reset by the next step, and plays no skill
static void ends(void **state) {
    (void)state;
    static played p;
    static uint8_t over[N];
    slt_env_batch *batch;
    slt_skill_env *env;
    uint64_t seeds[N];
    int64_t skills[N] = {0};
    int resets = 0;
    CHECK_OK(slt_env_batch_create(context, PLANK, N, SLT_AUTORESET_NEXT_STEP, &batch));
    CHECK_OK(slt_skill_env_create(batch, FILE_NAME, 0.99, true, &env));
    for (int i = 0; i < N; i++) seeds[i] = (uint64_t)i;
    slt_skill_env_outputs out = outputs(&p);
    CHECK_FAILS(SLT_INVALID, "copy 0 must be reset", slt_skill_env_step(env, skills, &out));
    CHECK_OK(slt_skill_env_reset(env, seeds, NULL, NULL));
    for (int t = 0; t < 12; t++) {
        choose(skills, t);
        CHECK_OK(slt_skill_env_step(env, skills, &out));
        for (int i = 0; i < N; i++) {
            assert_int_equal(p.steps[i] == 0, over[i]);
            if (over[i]) assert_true(p.rewards[i] == 0 && p.discounts[i] == 1 && !p.reached[i]);
            // the goal alone is paid, with the last step
            assert_int_equal(p.rewards[i] > 0, p.terminated[i]);
            resets += over[i];
            over[i] = p.terminated[i] || p.truncated[i];
        }
    }
    assert_true(resets > 10);
    skills[7] = 2;
    CHECK_FAILS(SLT_RANGE, "skill 2 of copy 7: makeplankfull-v0 has skills 0 to 1",
                slt_skill_env_step(env, skills, &out));
    slt_skill_env_destroy(env);
    slt_env_batch_destroy(batch);
}

static void refusals(void **state) {
    (void)state;
    slt_env_batch *batch, *grid;
    slt_skill_env *env;
    CHECK_OK(slt_env_batch_create(context, PLANK, 1, SLT_AUTORESET_DISABLED, &batch));
    CHECK_OK(
        slt_env_batch_create(context, "MiniGrid-DoorKey-8x8-v0", 1, SLT_AUTORESET_DISABLED, &grid));
    CHECK_FAILS(SLT_SHAPE, "the skills know 6 actions",
                slt_skill_env_create(grid, FILE_NAME, 0.9, false, &env));
    CHECK_FAILS(SLT_FORMAT, "data.safetensors",
                slt_skill_env_create(batch, "data.safetensors", 0.9, false, &env));
    CHECK_FAILS(SLT_RANGE, "discount of 0 ",
                slt_skill_env_create(batch, FILE_NAME, 0, false, &env));
    CHECK_FAILS(SLT_RANGE, "discount",
                slt_skill_env_create(batch, FILE_NAME, (double)NAN, false, &env));
    CHECK_FAILS(SLT_INVALID, "which", slt_skill_env_create(batch, NULL, 0.9, false, &env));
    slt_skill_env_destroy(NULL);
    slt_env_batch_destroy(grid);
    slt_env_batch_destroy(batch);
}

static slt_status scenario(slt_context *with) {
    static played p;
    static const uint64_t seeds[N];
    static const int64_t skills[N];
    slt_env_batch *batch = NULL;
    slt_skill_env *env = NULL;
    slt_status status = slt_env_batch_create(with, PLANK, N, SLT_AUTORESET_SAME_STEP, &batch);
    if (status == SLT_OK) status = slt_skill_env_create(batch, FILE_NAME, 0.9, false, &env);
    long calls = memory.calls;
    slt_skill_env_outputs out = outputs(&p);
    if (status == SLT_OK) status = slt_skill_env_reset(env, seeds, NULL, p.observations);
    for (int t = 0; status == SLT_OK && t < 3; t++) status = slt_skill_env_step(env, skills, &out);
    assert_int_equal(memory.calls, calls); // nothing is allocated between creation and destruction
    slt_skill_env_destroy(env);
    slt_env_batch_destroy(batch);
    return status;
}

static void nothing_is_lost(void **state) {
    (void)state;
    every_failure("skill_env", scenario);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(same_for_any_threads),
        cmocka_unit_test(as_one_by_one),
        cmocka_unit_test(discounted_inside),
        cmocka_unit_test(ends),
        cmocka_unit_test(refusals),
        cmocka_unit_test(nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, learn, no_context);
}
