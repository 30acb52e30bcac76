// Policies: they learn, the same on any number of threads and however often they are stopped; what
// they wrote plays.
#include <math.h>
#include <unistd.h>
#include "check.h"
#include "core/file.h"
#include "experts/policy_worlds.h"
#include "slottar/expert.h"
#include "slottar/policy.h"
#include "group_context.h"
#include "same_bytes.h"

static const char *const SMALL[] = {"copies=32",       "steps=16",  "minibatches=2",
                                    "eval_interval=8", "hidden=32", "eval_episodes=50",
                                    "frames=40000",    "goal=2"};
enum { SETTINGS = sizeof SMALL / sizeof *SMALL };

static slt_policy_result learn(slt_context *with, const char *path, int64_t pause) {
    slt_policy_request request = {.environment = "MiniGrid-Empty-Random-5x5-v0",
                                  .path = path,
                                  .settings = SMALL,
                                  .setting_count = SETTINGS,
                                  .seed = 3,
                                  .pause_lap = pause};
    slt_policy_result result;
    CHECK_OK(slt_policy_train(with, &request, &result));
    return result;
}

static void learns(void **state) {
    (void)state;
    slt_policy_scores before;
    assert_int_equal(learn(context, "learned.safetensors", 1).laps, 1);
    CHECK_OK(slt_policy_evaluate(context, "learned.safetensors", "MiniGrid-Empty-Random-5x5-v0", 1,
                                 200, &before));
    slt_policy_result result = learn(context, "learned.safetensors", 0);
    assert_true(result.frames >= 40000 && result.laps > 5);
    assert_true(before.mean_return < 0.8);
    assert_true(result.scores.mean_return > 0.9 && result.scores.success > 0.98);
    assert_int_equal(result.scores.episodes, 1000);
}

static void same_whatever_happens(void **state) {
    (void)state;
    slt_context *three;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 3}, &three));
    learn(three, "three.safetensors", 0);
    check_same_bytes("learned.safetensors", "three.safetensors"); // that one was stopped in between
    for (int64_t lap = 1; lap < 20; lap += 3) learn(three, "often.safetensors", lap);
    learn(context, "often.safetensors", 0);
    check_same_bytes("learned.safetensors", "often.safetensors");
    slt_context_destroy(three);
}

// a call that was stopped leaves the last lap, and the next one takes it from there
static void stop(void *user, const slt_progress *progress) {
    slt_context **with = user;
    if (strcmp(progress->stage, "train-expert") == 0 && progress->done > 9000)
        slt_context_cancel(*with);
}

static void goes_on_when_stopped(void **state) {
    (void)state;
    static slt_context *with;
    slt_context_options options = {.threads = 1, .progress = stop, .user = &with};
    CHECK_OK(slt_context_create(&options, &with));
    slt_policy_request request = {.environment = "MiniGrid-Empty-Random-5x5-v0",
                                  .path = "stopped.safetensors",
                                  .settings = SMALL,
                                  .setting_count = SETTINGS,
                                  .seed = 3};
    slt_policy_result result;
    CHECK_FAILS(SLT_CANCELLED, "", slt_policy_train(with, &request, &result));
    slt_context_destroy(with);
    learn(context, "stopped.safetensors", 0);
    check_same_bytes("learned.safetensors", "stopped.safetensors");
}

static void refuses(void **state) {
    (void)state;
    slt_policy_request request = {.environment = "MiniGrid-Empty-Random-5x5-v0",
                                  .path = "learned.safetensors",
                                  .settings = SMALL,
                                  .setting_count = SETTINGS,
                                  .seed = 4};
    slt_policy_scores scores;
    CHECK_FAILS(SLT_INVALID, "seed 3, not 4", slt_policy_train(context, &request, NULL));
    request.seed = 3;
    request.setting_count = SETTINGS - 1;
    CHECK_FAILS(SLT_INVALID, "goal", slt_policy_train(context, &request, NULL));
    request.environment = "MiniGrid-Empty-5x5-v0";
    CHECK_FAILS(SLT_INVALID, "is for", slt_policy_train(context, &request, NULL));
    request.environment = "makebed-v0";
    CHECK_FAILS(SLT_INVALID, "is for", slt_policy_train(context, &request, NULL));
    request.environment = "doorkey";
    request.path = "policy";
    CHECK_FAILS(SLT_INVALID, "safetensors", slt_policy_train(context, &request, NULL));
    request.path = "other.safetensors";
    request.preset = "MiniGrid-Empty-5x5-v0";
    CHECK_FAILS(SLT_INVALID, "no recipe", slt_policy_train(context, &request, NULL));
    assert_int_equal(access("other.safetensors", F_OK), -1);
    CHECK_FAILS(SLT_UNSUPPORTED, "makebed",
                slt_policy_evaluate(context, "learned.safetensors", "makebed-v0", 1, 5, &scores));
}

// a policy is an expert: what collecting records is what it plays step by step
static void is_an_expert(void **state) {
    (void)state;
    enum { N = 12, SIZE = 147 };
    static const char *const id = "MiniGrid-Empty-Random-5x5-v0";
    static uint8_t seen[N * SIZE];
    slt_collect_request request = {.environments = &id,
                                   .environment_count = 1,
                                   .path = "played.safetensors",
                                   .episodes = {N},
                                   .expert = "learned.safetensors",
                                   .noise = 0.1};
    slt_dataset *data;
    slt_env_batch *batch;
    slt_expert *expert;
    uint64_t seeds[N];
    uint32_t words[N];
    int64_t actions[N], checked = 0;
    slt_episode episodes[N];
    CHECK_OK(slt_collect(context, &request, NULL));
    CHECK_OK(slt_dataset_open(context, "played.safetensors", &data));
    CHECK_OK(slt_env_batch_create(context, id, N, SLT_AUTORESET_NEXT_STEP, &batch));
    CHECK_OK(slt_expert_create(batch, "learned.safetensors", 0.1, &expert));
    for (int i = 0; i < N; i++) {
        CHECK_OK(slt_dataset_episode(data, i, &episodes[i]));
        seeds[i] = words[i] = (uint32_t)episodes[i].seed;
    }
    CHECK_OK(slt_env_batch_reset(batch, seeds, NULL, seen));
    slt_expert_begin(expert, words, NULL);
    for (int t = 0; t < 3; t++) {
        CHECK_OK(slt_expert_act(expert, seen, actions));
        for (int i = 0; i < N; i++)
            if (t < episodes[i].length && ++checked)
                assert_int_equal(actions[i], slt_episode_action(&episodes[i], t));
        slt_env_outputs out = {.observations = seen};
        CHECK_OK(slt_env_batch_step(batch, actions, &out));
        bool over = false;
        for (int i = 0; i < N; i++) over |= episodes[i].length <= t + 1;
        if (over) break;
    }
    assert_true(checked >= N);
    assert_string_equal(slt_dataset_about(data)->expert, "policy");
    slt_expert_destroy(expert);
    slt_env_batch_destroy(batch);
    slt_dataset_close(data);
}

// the planner is imitated first: one short look makes better than none
static void imitates(void **state) {
    (void)state;
    static const char *const settings[] = {
        "copies=64",    "steps=16", "minibatches=2", "eval_interval=12",  "clone=24000",
        "frames=24000", "worlds=",  "goal=2",        "eval_episodes=100", "memory=map"};
    slt_policy_request request = {.environment = "MiniGrid-DoorKey-5x5-v0",
                                  .path = "cloned.safetensors",
                                  .settings = settings,
                                  .setting_count = sizeof settings / sizeof *settings};
    slt_policy_result result;
    CHECK_OK(slt_policy_train(context, &request, &result));
    assert_true(result.scores.mean_return > 0.4);
}

// advantages by their definition, a sum over all that is to come
static void advantages_are_sums(void **state) {
    (void)state;
    enum { N = 3, T = 7 };
    const double gamma = 0.9, lambda = 0.8;
    float rewards[T * N], values[(T + 1) * N], got[T * N], targets[T * N];
    float discounts[T * N];
    uint8_t ended[T * N];
    for (int i = 0; i < T * N; i++) {
        rewards[i] = (float)((i * 37 % 11) / 10.0);
        ended[i] = i % 8 == 5;
        discounts[i] = (float)pow(gamma, 1 + i % 4);
    }
    for (int i = 0; i < (T + 1) * N; i++) values[i] = (float)((i * 53 % 17) / 20.0);
    slt_worlds worlds = {.N = N, .T = T, .rewards = rewards, .ended = ended};
    for (int skills = 0; skills < 2; skills++) {
        // after a skill of n steps the discount is that of n steps
        worlds.discounts = skills ? discounts : NULL;
        slt_worlds_advantages(&worlds, values, gamma, lambda, got, targets);
        for (int i = 0; i < N; i++)
            for (int t = 0; t < T; t++) {
                double want = 0, weight = 1;
                for (int s = t; s < T; s++) {
                    int k = s * N + i;
                    double on = skills ? (double)discounts[k] : gamma;
                    double next = ended[k] ? 0 : (double)values[k + N];
                    want += weight * ((double)rewards[k] + on * next - (double)values[k]);
                    if (ended[k]) break;
                    weight *= on * lambda;
                }
                double value = (double)values[t * N + i];
                assert_true(fabs(want - (double)got[t * N + i]) < 1e-5);
                assert_true(fabs((double)targets[t * N + i] - want - value) < 1e-5);
            }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(advantages_are_sums),
        cmocka_unit_test(learns),
        cmocka_unit_test(same_whatever_happens),
        cmocka_unit_test(goes_on_when_stopped),
        cmocka_unit_test(refuses),
        cmocka_unit_test(is_an_expert),
        cmocka_unit_test(imitates),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
