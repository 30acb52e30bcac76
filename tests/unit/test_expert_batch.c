// Experts step by step play the very episodes that collecting records.
#include <stdlib.h>
#include "check.h"
#include "slottar/expert.h"
#include "group_context.h"

enum { N = 40, SIZE = 1075 };

static uint8_t observations[N * SIZE], terminated[N], truncated[N], ended[N];

// all recorded episodes at once; a copy that is done waits for the others
static void replay(slt_dataset *data, const char *id, const char *name, double noise) {
    slt_env_batch *batch;
    slt_expert *expert;
    slt_episode episodes[N];
    uint64_t seeds[N];
    uint32_t words[N];
    int64_t actions[N];
    memset(terminated, 0, N), memset(truncated, 0, N);
    CHECK_OK(slt_env_batch_create(context, id, N, SLT_AUTORESET_NEXT_STEP, &batch));
    CHECK_OK(slt_expert_create(batch, name, noise, &expert));
    for (int i = 0; i < N; i++) {
        CHECK_OK(slt_dataset_episode(data, i, &episodes[i]));
        seeds[i] = words[i] = (uint32_t)episodes[i].seed;
    }
    CHECK_FAILS(SLT_INVALID, "copy 0", slt_expert_act(expert, observations, actions));
    CHECK_OK(slt_env_batch_reset(batch, seeds, NULL, observations));
    CHECK_FAILS(SLT_INVALID, "copy 0", slt_expert_act(expert, observations, actions));
    slt_expert_begin(expert, words, NULL);
    slt_env_outputs out = {observations, NULL, NULL, terminated, truncated, NULL};
    int64_t checked = 0;
    for (int64_t t = 0; t < slt_dataset_about(data)->longest; t++) {
        CHECK_OK(slt_expert_act(expert, observations, actions));
        for (int i = 0; i < N; i++) {
            if (t < episodes[i].length) {
                assert_int_equal(actions[i], slt_episode_action(&episodes[i], t));
                checked++;
            } else if (actions[i] < 0) {
                actions[i] = 0; // it gave up on what came after the recorded episode
            }
        }
        // this step resets the copies that the last one ended
        for (int i = 0; i < N; i++) ended[i] = terminated[i] || truncated[i];
        CHECK_OK(slt_env_batch_step(batch, actions, &out));
        if (memchr(ended, 1, N))
            CHECK_FAILS(SLT_INVALID, "new episode", slt_expert_act(expert, observations, actions));
        slt_expert_begin(expert, words, ended);
    }
    assert_int_equal(checked, slt_dataset_about(data)->steps);
    slt_expert_destroy(expert);
    slt_env_batch_destroy(batch);
}

static void plays_what_is_collected(void **state) {
    (void)state;
    static const struct {
        const char *id, *expert;
        double noise;
    } rows[] = {{"MiniGrid-DoorKey-8x8-v0", "bot", 0},
                {"MiniGrid-DoorKey-8x8-v0", "bot", 0.2},
                {"makebed-v0", "bot", 0},
                {"makebedfull-v0", "random", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *const set[] = {rows[i].id};
        slt_dataset *data;
        CHECK_OK(slt_collect(context,
                             &(slt_collect_request){.environments = set,
                                                    .environment_count = 1,
                                                    .path = "set.safetensors",
                                                    .overwrite = true,
                                                    .episodes = {N},
                                                    .expert = rows[i].expert,
                                                    .noise = rows[i].noise},
                             NULL));
        CHECK_OK(slt_dataset_open(context, "set.safetensors", &data));
        replay(data, rows[i].id, rows[i].expert, rows[i].noise);
        slt_dataset_close(data);
    }
}

static void refusals(void **state) {
    (void)state;
    slt_env_batch *batch;
    slt_expert *expert;
    CHECK_OK(
        slt_env_batch_create(context, "MiniGrid-Empty-5x5-v0", 1, SLT_AUTORESET_DISABLED, &batch));
    CHECK_FAILS(SLT_UNSUPPORTED, "cannot play", slt_expert_create(batch, NULL, 0, &expert));
    CHECK_FAILS(SLT_INVALID, "oracle", slt_expert_create(batch, "oracle", 0, &expert));
    CHECK_FAILS(SLT_RANGE, "1.5", slt_expert_create(batch, "random", 1.5, &expert));
    slt_expert_destroy(NULL);
    slt_env_batch_destroy(batch);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plays_what_is_collected),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, two_threads, no_context);
}
