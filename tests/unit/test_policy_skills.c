// Policies in Craft: over skills, flat, and from a clone of demonstrations; the same however often
// they are stopped. sanitizers: too long
#include <unistd.h>
#include "check.h"
#include "failing_memory.h"
#include "group_context.h"
#include "skill_rig.h"
#include "same_bytes.h"
#include "slottar/expert.h"
#include "slottar/policy.h"
#include "slottar/skills.h"

static const char ROPE[] = "makeropefull-v0", WOOD[] = "getwoodfull-v0";

// demonstrations of bed; four skills: get wood, use the toolshed, get grass, use the workbench
static int learn_skills(void **state) {
    static const char *const ids[] = {"makebedfull-v0"};
    if (two_threads(state)) return 1;
    demonstrations d = demonstrate(ids, 1, 700);
    save_skills(d, (slt_skills_options){.hidden = 64, .epochs = 15}, "skills.safetensors");
    save_skills(d, (slt_skills_options){.hidden = 64, .epochs = 1, .seed = 1},
                "others.safetensors");
    forget(d);
    return 0;
}

static slt_policy_request request_of(const char *id, const char *path,
                                     const char *const *settings) {
    slt_policy_request request = {.environment = id, .path = path, .settings = settings};
    while (settings && settings[request.setting_count]) request.setting_count++;
    return request;
}

// a rope was never demonstrated: grass, then the toolshed
static void over_skills(void **state) {
    (void)state;
    static const char *const settings[] = {"frames=16000", "goal=2", "eval_episodes=100", NULL};
    static const char *const nothing[] = {"frames=1", "lr=0", NULL};
    slt_policy_request request = request_of(ROPE, "over.safetensors", settings);
    slt_policy_result first, last;
    slt_policy_scores scores;
    slt_policy_request random = request_of(ROPE, "random.safetensors", nothing);
    random.skills = request.skills = "skills.safetensors";
    CHECK_OK(slt_policy_train(context, &random, &first));
    CHECK_OK(slt_policy_train(context, &request, &last));
    assert_true(last.frames >= 16000 && last.laps < 80);
    // both over 1,000 episodes: three standard errors of the difference
    if (last.scores.success < first.scores.success + 0.06)
        fail_msg("random skills %.3f, learned %.3f", first.scores.success, last.scores.success);
    // the file has the skills in it
    CHECK_OK(rename("skills.safetensors", "moved.safetensors") ? SLT_IO : SLT_OK);
    CHECK_OK(slt_policy_evaluate(context, "over.safetensors", ROPE, 1, 50, &scores));
    assert_true(scores.success > 0.2);
    CHECK_OK(rename("moved.safetensors", "skills.safetensors") ? SLT_IO : SLT_OK);
}

static void same_however_often_stopped(void **state) {
    (void)state;
    static const char *const settings[] = {"frames=16000", "goal=2", "eval_episodes=100", NULL};
    slt_policy_request request = request_of(ROPE, "often.safetensors", settings);
    slt_context *three;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 3}, &three));
    request.skills = "skills.safetensors";
    for (request.pause_lap = 2; request.pause_lap < 9; request.pause_lap += 3)
        CHECK_OK(slt_policy_train(three, &request, NULL));
    request.pause_lap = 0;
    CHECK_OK(slt_policy_train(three, &request, NULL));
    check_same_bytes("over.safetensors", "often.safetensors");
    slt_context_destroy(three);
}

// what it plays is what collecting records; it is an expert in Craft
static void is_an_expert(void **state) {
    (void)state;
    static const char *const id = ROPE;
    slt_collect_request request = {.environments = &id,
                                   .environment_count = 1,
                                   .path = "played.safetensors",
                                   .episodes = {20},
                                   .expert = "over.safetensors"};
    slt_collect_summary summary;
    slt_dataset *data;
    CHECK_OK(slt_collect(context, &request, &summary));
    assert_true(20.0 / (double)summary.candidates > 0.2 && summary.skill_count == 0);
    CHECK_OK(slt_dataset_open(context, "played.safetensors", &data));
    assert_string_equal(slt_dataset_about(data)->expert, "policy");
    slt_dataset_close(data);
}

// wood: a clone does it at once, a beginner does not
static void flat_and_cloned(void **state) {
    (void)state;
    static const char *const settings[] = {"frames=2000", "goal=2",   "eval_episodes=100",
                                           "copies=16",   "steps=32", "eval_interval=1",
                                           "lr_end=1",    NULL};
    slt_policy_request request = request_of(WOOD, "flat.safetensors", settings);
    slt_policy_result flat, cloned;
    request.pause_lap = 1;
    CHECK_OK(slt_policy_train(context, &request, &flat));
    request.path = "cloned.safetensors";
    request.from = "data.safetensors";
    CHECK_OK(slt_policy_train(context, &request, &cloned));
    if (cloned.scores.success < 0.6 || cloned.scores.success < 1.2 * flat.scores.success)
        fail_msg("flat %.3f, cloned %.3f", flat.scores.success, cloned.scores.success);
    // the rest does not need the demonstrations, but their name
    request.pause_lap = 0;
    CHECK_OK(slt_policy_train(context, &request, &cloned));
    request.path = "once.safetensors";
    CHECK_OK(slt_policy_train(context, &request, NULL));
    check_same_bytes("cloned.safetensors", "once.safetensors");
    request.path = "cloned.safetensors";
    request.from = NULL;
    CHECK_FAILS(SLT_INVALID, "started from 'data.safetensors'",
                slt_policy_train(context, &request, NULL));
}

static void refuses(void **state) {
    (void)state;
    static const char *const settings[] = {"frames=16000", "goal=2", "eval_episodes=100", NULL};
    static const char *const map[] = {"memory=map", NULL}, *const bonus[] = {"bonus=1", NULL};
    static const char *const still[] = {"sees=still", NULL}, *const clone[] = {"clone=5", NULL};
    static const char *const grid[] = {"worlds=MiniGrid-DoorKey-5x5-v0", NULL};
    slt_policy_request request = request_of(ROPE, "over.safetensors", settings);
    request.skills = "others.safetensors";
    CHECK_FAILS(SLT_INVALID, "other skills", slt_policy_train(context, &request, NULL));
    request.skills = NULL;
    request.preset = "skills";
    CHECK_FAILS(SLT_INVALID, "other skills", slt_policy_train(context, &request, NULL));
    request = request_of("MiniGrid-DoorKey-8x8-v0", "new.safetensors", NULL);
    request.skills = "skills.safetensors";
    CHECK_FAILS(SLT_SHAPE, "the skills know 6 actions", slt_policy_train(context, &request, NULL));
    request.skills = NULL;
    request.from = "data.safetensors";
    CHECK_FAILS(SLT_SHAPE, "has 6 actions", slt_policy_train(context, &request, NULL));
    request = request_of(ROPE, "new.safetensors", NULL);
    request.skills = "skills.safetensors";
    request.from = "data.safetensors";
    CHECK_FAILS(SLT_UNSUPPORTED, "starts from no", slt_policy_train(context, &request, NULL));
    request.from = NULL;
    request.skills = request.path = "skills.safetensors";
    CHECK_FAILS(SLT_INVALID, "skills.safetensors", slt_policy_train(context, &request, NULL));
    request.path = "new.safetensors";
    request.skills = "data.safetensors";
    CHECK_FAILS(SLT_FORMAT, "data.safetensors", slt_policy_train(context, &request, NULL));
    const struct {
        const char *const *settings, *words;
    } rows[] = {{map, "MiniGrid"},
                {bonus, "MiniGrid"},
                {still, "needs skills"},
                {clone, "no planner"},
                {grid, "other actions"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        request = request_of(ROPE, "new.safetensors", rows[i].settings);
        CHECK_FAILS(SLT_UNSUPPORTED, rows[i].words, slt_policy_train(context, &request, NULL));
    }
    assert_int_equal(access("new.safetensors", F_OK), -1);
}

static const char *const FEW[] = {"frames=64",     "copies=4",        "steps=8",
                                  "minibatches=2", "epochs=1",        "eval_episodes=2",
                                  "hidden=8",      "eval_interval=1", NULL};

static slt_status scenario_skills(slt_context *with) {
    static const char *const id = ROPE;
    slt_policy_request request = request_of(ROPE, "tiny.safetensors", FEW);
    slt_policy_scores scores;
    request.skills = "others.safetensors";
    unlink("tiny.safetensors");
    SLT_TRY(slt_policy_train(with, &request, NULL));
    SLT_TRY(slt_policy_train(with, &request, NULL)); // finished: evaluated again
    SLT_TRY(slt_policy_evaluate(with, "tiny.safetensors", ROPE, 1, 2, &scores));
    slt_env_batch *batch;
    slt_expert *expert;
    SLT_TRY(slt_env_batch_create(with, id, 2, SLT_AUTORESET_DISABLED, &batch));
    slt_status status = slt_expert_create(batch, "tiny.safetensors", 0, &expert);
    if (status == SLT_OK) slt_expert_destroy(expert);
    slt_env_batch_destroy(batch);
    return status;
}

static slt_status scenario_clone(slt_context *with) {
    slt_policy_request request = request_of(WOOD, "tiny.safetensors", FEW);
    request.from = "few.safetensors";
    unlink("tiny.safetensors");
    return slt_policy_train(with, &request, NULL);
}

static void nothing_is_lost(void **state) {
    (void)state;
    static const char *const id = WOOD;
    slt_collect_request request = {.environments = &id,
                                   .environment_count = 1,
                                   .path = "few.safetensors",
                                   .overwrite = true,
                                   .episodes = {10}};
    CHECK_OK(slt_collect(context, &request, NULL));
    every_failure("policy over skills", scenario_skills);
    every_failure("clone", scenario_clone);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(over_skills),  cmocka_unit_test(same_however_often_stopped),
        cmocka_unit_test(is_an_expert), cmocka_unit_test(flat_and_cloned),
        cmocka_unit_test(refuses),      cmocka_unit_test(nothing_is_lost),
    };
    return cmocka_run_group_tests(tests, learn_skills, no_context);
}
