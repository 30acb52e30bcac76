// Batches: the same as copies stepped one by one, whatever the threads; Gymnasium's two ways of
// starting anew; snapshots; no allocation in a step.
#include <stdlib.h>
#include "check.h"
#include "core/mt19937.h"
#include "envs/craft_world.h"
#include "envs/env_batch.h"
#include "slottar/bench.h"
#include "slottar/env.h"

enum { N = 150, SIZE = 1075, STEPS = 200 };
static const char *const name = "getwoodfull-v0"; // short: random play ends some early, some late

// everything a step hands out
typedef struct {
    uint8_t observations[N * SIZE], finals[N * SIZE];
    double rewards[N];
    float rewards_f32[N];
    uint8_t terminated[N], truncated[N];
} arrays;

static slt_env_outputs outputs_of(arrays *a) {
    return (slt_env_outputs){a->observations, a->rewards,   a->rewards_f32,
                             a->terminated,   a->truncated, a->finals};
}

static uint64_t seeds[N];

static void draw_actions(slt_mt19937 *random, int64_t *actions) {
    for (int i = 0; i < N; i++) actions[i] = slt_mt19937_below(random, 6);
}

static slt_context *context_of(int threads) {
    slt_context *context;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = threads}, &context));
    return context;
}

static slt_env_batch *batch_of(slt_context *context, slt_autoreset autoreset) {
    slt_env_batch *batch;
    CHECK_OK(slt_env_batch_create(context, name, N, autoreset, &batch));
    for (int i = 0; i < N; i++) seeds[i] = (uint64_t)(100 + i);
    seeds[N - 1] = UINT64_C(1) << 40; // a seed of two words
    return batch;
}

// copies on their own, in the words of Gymnasium's documentation
typedef struct {
    const slt_env_kind *kind;
    void *states[N];
    bool ended[N];
} plain;

static void plain_start(plain *p, uint8_t *observations) {
    p->kind = slt_env_find(name);
    for (int i = 0; i < N; i++) {
        uint32_t words[2] = {(uint32_t)seeds[i], (uint32_t)(seeds[i] >> 32)};
        p->states[i] = calloc(1, p->kind->state_size);
        p->kind->seed(p->kind, p->states[i], words, words[1] ? 2 : 1);
        p->kind->reset(p->kind, p->states[i]);
        p->kind->observe(p->kind, p->states[i], observations + i * SIZE);
    }
}

static void plain_step(plain *p, int i, int action, slt_autoreset autoreset, arrays *a) {
    slt_env_result result = {0};
    if (p->ended[i])
        p->kind->reset(p->kind, p->states[i]);
    else
        result = p->kind->step(p->kind, p->states[i], action);
    p->ended[i] = result.terminated || result.truncated;
    if (p->ended[i] && autoreset == SLT_AUTORESET_SAME_STEP) {
        p->kind->observe(p->kind, p->states[i], a->finals + i * SIZE);
        p->kind->reset(p->kind, p->states[i]);
        p->ended[i] = false;
    }
    a->rewards[i] = result.reward;
    a->rewards_f32[i] = (float)result.reward;
    a->terminated[i] = result.terminated;
    a->truncated[i] = result.truncated;
    p->kind->observe(p->kind, p->states[i], a->observations + i * SIZE);
}

// counts ends of both kinds, so that the test is known to have seen them
static void compare_with_plain(slt_autoreset autoreset, int threads) {
    static arrays want, got;
    memset(&want, 0, sizeof want);
    memset(&got, 0, sizeof got);
    slt_context *context = context_of(threads);
    slt_env_batch *batch = batch_of(context, autoreset);
    plain p = {0};
    plain_start(&p, want.observations);
    CHECK_OK(slt_env_batch_reset(batch, seeds, NULL, got.observations));
    assert_memory_equal(&want, &got, sizeof want);

    slt_mt19937 random;
    slt_mt19937_seed(&random, 1);
    int64_t actions[N];
    int terminated = 0, truncated = 0;
    for (int t = 0; t < STEPS; t++) {
        draw_actions(&random, actions);
        slt_env_outputs out = outputs_of(&got);
        CHECK_OK(slt_env_batch_step(batch, actions, &out));
        for (int i = 0; i < N; i++) {
            plain_step(&p, i, (int)actions[i], autoreset, &want);
            terminated += want.terminated[i];
            truncated += want.truncated[i];
        }
        assert_memory_equal(&want, &got, sizeof want);
    }
    assert_true(terminated > 50);
    assert_true(truncated > 50);
    for (int i = 0; i < N; i++) free(p.states[i]);
    slt_env_batch_destroy(batch);
    slt_context_destroy(context);
}

static void next_step_and_same_step(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        compare_with_plain(SLT_AUTORESET_NEXT_STEP, threads);
        compare_with_plain(SLT_AUTORESET_SAME_STEP, threads);
    }
}

static void a_bad_action_steps_nobody(void **state) {
    (void)state;
    slt_context *context = context_of(2);
    slt_env_batch *batch = batch_of(context, SLT_AUTORESET_NEXT_STEP);
    static arrays before, after;
    int64_t actions[N] = {0};
    slt_env_outputs out = outputs_of(&after);
    CHECK_OK(slt_env_batch_reset(batch, seeds, NULL, NULL));
    slt_env_batch_observe(batch, before.observations);
    static const int64_t bad[3] = {6, -1, INT64_C(1) << 32};
    for (int i = 0; i < 3; i++) {
        actions[77] = bad[i];
        CHECK_FAILS(SLT_RANGE, "copy 77", slt_env_batch_step(batch, actions, &out));
    }
    for (int i = 0; i < N; i++) assert_int_equal(after.observations[i * SIZE], 0);
    slt_env_batch_observe(batch, after.observations);
    assert_memory_equal(&before, &after, sizeof before);
    slt_env_batch_destroy(batch);
    slt_context_destroy(context);
}

static void resets_need_seeds_once(void **state) {
    (void)state;
    slt_context *context = context_of(1);
    slt_env_batch *batch = batch_of(context, SLT_AUTORESET_NEXT_STEP);
    int64_t actions[N] = {0};
    uint8_t mask[N] = {0};
    CHECK_FAILS(SLT_INVALID, "copy 0", slt_env_batch_reset(batch, NULL, NULL, NULL));
    mask[5] = 1;
    CHECK_FAILS(SLT_INVALID, "copy 5", slt_env_batch_reset(batch, NULL, mask, NULL));
    CHECK_OK(slt_env_batch_reset(batch, seeds, mask, NULL));
    CHECK_OK(slt_env_batch_reset(batch, NULL, mask, NULL));
    CHECK_FAILS(SLT_INVALID, "copy 0 must be reset",
                slt_env_batch_step(batch, actions, &(slt_env_outputs){0}));
    CHECK_OK(slt_env_batch_reset(batch, seeds, NULL, NULL));
    CHECK_OK(slt_env_batch_step(batch, actions, &(slt_env_outputs){0}));
    slt_env_batch_destroy(batch);
    slt_context_destroy(context);
}

static void disabled_leaves_resets_to_the_caller(void **state) {
    (void)state;
    slt_context *context = context_of(1);
    slt_env_batch *batch = batch_of(context, SLT_AUTORESET_DISABLED);
    static arrays a;
    slt_env_outputs out = outputs_of(&a);
    int64_t actions[N];
    for (int i = 0; i < N; i++) actions[i] = 5; // DONE: nothing but time passes
    CHECK_OK(slt_env_batch_reset(batch, seeds, NULL, NULL));
    for (int t = 0; t < 64; t++) CHECK_OK(slt_env_batch_step(batch, actions, &out));
    for (int i = 0; i < N; i++) assert_int_equal(a.truncated[i], 1);
    CHECK_FAILS(SLT_INVALID, "must be reset", slt_env_batch_step(batch, actions, &out));
    CHECK_OK(slt_env_batch_reset(batch, NULL, a.truncated, NULL));
    CHECK_OK(slt_env_batch_step(batch, actions, &out));
    slt_env_batch_destroy(batch);
    slt_context_destroy(context);
}

static void a_snapshot_goes_on_the_same_way(void **state) {
    (void)state;
    slt_context *context = context_of(2);
    slt_env_batch *batch = batch_of(context, SLT_AUTORESET_NEXT_STEP);
    slt_env_batch *other = batch_of(context, SLT_AUTORESET_NEXT_STEP);
    static arrays first, second;
    slt_env_outputs out1 = outputs_of(&first), out2 = outputs_of(&second);
    slt_mt19937 random;
    slt_mt19937_seed(&random, 1);
    int64_t actions[N];
    size_t size = slt_env_batch_snapshot_size(batch);
    unsigned char *bytes = malloc(size);
    CHECK_OK(slt_env_batch_reset(batch, seeds, NULL, NULL));
    for (int t = 0; t < 2 * STEPS; t++) {
        // right before copies start anew, too
        if (t == STEPS) {
            slt_env_batch_snapshot(batch, bytes);
            CHECK_OK(slt_env_batch_restore(other, bytes, size));
        }
        draw_actions(&random, actions);
        CHECK_OK(slt_env_batch_step(batch, actions, &out1));
        if (t < STEPS) continue;
        CHECK_OK(slt_env_batch_step(other, actions, &out2));
        assert_memory_equal(&first, &second, sizeof first);
    }
    CHECK_FAILS(SLT_FORMAT, "bytes", slt_env_batch_restore(other, bytes, size - 1));
    static const size_t places[4] = {0, 30, 5000, 100000};
    for (int i = 0; i < 4; i++) {
        bytes[places[i]] ^= 1;
        CHECK_FAILS(SLT_FORMAT, "damaged", slt_env_batch_restore(other, bytes, size));
        bytes[places[i]] ^= 1;
    }
    CHECK_OK(slt_env_batch_restore(other, bytes, size));

    // a whole snapshot of an impossible state
    slt_craft_world *world = slt_env_state(batch, 3);
    world->x = 200;
    slt_env_batch_snapshot(batch, bytes);
    CHECK_FAILS(SLT_FORMAT, "copy 3", slt_env_batch_restore(other, bytes, size));
    free(bytes);
    slt_env_batch_destroy(batch);
    slt_env_batch_destroy(other);
    slt_context_destroy(context);
}

// an allocator that counts, and fails when its budget is spent
typedef struct {
    int count, budget;
} counter;

static void *count_alloc(void *user, size_t bytes) {
    counter *c = user;
    return c->count++ < c->budget ? malloc(bytes) : NULL;
}

static void count_free(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void a_step_allocates_nothing(void **state) {
    (void)state;
    counter c = {.budget = 1000};
    slt_context_options options = {
        .threads = 2, .alloc = count_alloc, .free = count_free, .user = &c};
    slt_context *context;
    CHECK_OK(slt_context_create(&options, &context));
    slt_env_batch *batch = batch_of(context, SLT_AUTORESET_SAME_STEP);
    static arrays a;
    slt_env_outputs out = outputs_of(&a);
    int64_t actions[N] = {0};
    int before = c.count;
    assert_true(before > 0);
    CHECK_OK(slt_env_batch_reset(batch, seeds, NULL, a.observations));
    for (int t = 0; t < 100; t++) CHECK_OK(slt_env_batch_step(batch, actions, &out));
    assert_int_equal(c.count, before);
    slt_env_batch_destroy(batch);
    slt_context_destroy(context);
}

// every allocation of a creation fails once
static void creation_survives_failing_memory(void **state) {
    (void)state;
    counter c = {.budget = 1000};
    slt_context_options options = {
        .threads = 1, .alloc = count_alloc, .free = count_free, .user = &c};
    slt_context *context;
    CHECK_OK(slt_context_create(&options, &context));
    slt_env_batch *batch = NULL;
    int failures = 0;
    for (c = (counter){0};; c = (counter){.budget = ++failures}) {
        slt_status status = slt_env_batch_create(context, name, N, SLT_AUTORESET_NEXT_STEP, &batch);
        if (status == SLT_OK) break;
        assert_int_equal(status, SLT_NOMEM);
        assert_null(batch);
    }
    assert_true(failures >= 2);
    slt_env_batch_destroy(batch);
    slt_context_destroy(context);
}

static void wrong_creations_are_refused(void **state) {
    (void)state;
    slt_context *context = context_of(1);
    slt_env_batch *batch;
    slt_env_info info;
    CHECK_FAILS(SLT_INVALID, "no-such",
                slt_env_batch_create(context, "no-such", 1, SLT_AUTORESET_NEXT_STEP, &batch));
    CHECK_FAILS(SLT_RANGE, "at least 1",
                slt_env_batch_create(context, name, 0, SLT_AUTORESET_NEXT_STEP, &batch));
    CHECK_FAILS(SLT_INVALID, "mode 9",
                slt_env_batch_create(context, name, 1, (slt_autoreset)9, &batch));
    CHECK_FAILS(SLT_RANGE, "none -1", slt_env_describe(-1, &info));
    CHECK_FAILS(SLT_RANGE, "environments", slt_env_describe(slt_env_count(), &info));
    slt_context_destroy(context);
}

static void the_list_describes_every_row(void **state) {
    (void)state;
    assert_true(slt_env_count() >= 26);
    for (int i = 0; i < slt_env_count(); i++) {
        slt_env_info info, again;
        CHECK_OK(slt_env_describe(i, &info));
        CHECK_OK(slt_env_describe_id(info.id, &again));
        assert_string_equal(info.id, again.id);
        int size = 1;
        for (int k = 0; k < info.rank; k++) size *= info.shape[k];
        assert_int_equal(size, info.observation_size);
        for (int k = 0; k < info.actions; k++) assert_true(info.action_names[k][0] != 0);
        assert_true(info.step_limit > 0);
    }
}

static void a_measurement_has_a_rate(void **state) {
    (void)state;
    slt_context *context = context_of(1);
    slt_bench_result result;
    CHECK_OK(slt_bench_env(context, name, 0.001, &result));
    assert_string_equal(result.name, name);
    assert_true(result.steps_per_s > 0);
    slt_context_cancel(context);
    CHECK_FAILS(SLT_CANCELLED, "stopped", slt_bench_env(context, name, 1, &result));
    slt_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_step_and_same_step),
        cmocka_unit_test(a_bad_action_steps_nobody),
        cmocka_unit_test(resets_need_seeds_once),
        cmocka_unit_test(disabled_leaves_resets_to_the_caller),
        cmocka_unit_test(a_snapshot_goes_on_the_same_way),
        cmocka_unit_test(a_step_allocates_nothing),
        cmocka_unit_test(creation_survives_failing_memory),
        cmocka_unit_test(wrong_creations_are_refused),
        cmocka_unit_test(the_list_describes_every_row),
        cmocka_unit_test(a_measurement_has_a_rate),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
