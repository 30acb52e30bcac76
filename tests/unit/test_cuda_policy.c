// Learning a policy on the device: the weights of the CPU within rounding, the same bits again from
// the same seed and from where it was stopped.
// sanitizers: too long
#include "cuda_rig.h"
#include "experts/policy_file.h"
#include "same_bytes.h"
#include "slottar/policy.h"

// continues with what is at the path
static void learn(slt_context *with, const char *path, int64_t pause) {
    static const char *const settings[] = {
        "copies=8",  "steps=6",         "minibatches=2", "epochs=2", "eval_interval=1", "hidden=12",
        "frames=96", "eval_episodes=2", "goal=2",        "worlds=",  "memory=map"};
    slt_policy_request request = {.environment = "MiniGrid-DoorKey-5x5-v0",
                                  .path = path,
                                  .settings = settings,
                                  .setting_count = sizeof settings / sizeof *settings,
                                  .seed = 5,
                                  .pause_lap = pause};
    slt_policy_result result;
    CHECK_OK(slt_policy_train(with, &request, &result));
    assert_int_equal(result.frames, pause ? 48 : 96);
}

static void weights_are_those_of_the_cpu(void **state) {
    (void)state;
    slt_arena arena;
    slt_policy_file want, got;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    remove("host.safetensors");
    remove("device.safetensors");
    learn(host, "host.safetensors", 0);
    learn(device, "device.safetensors", 0);
    CHECK_OK(slt_policy_load(host, &arena, "host.safetensors", false, &want));
    CHECK_OK(slt_policy_load(host, &arena, "device.safetensors", false, &got));
    for (int i = 0; i < SLT_POLICY_PARTS; i++) {
        slt_policy_matrix m = slt_policy_part(want.policy.shape, i);
        size_t count = (size_t)m.rows * (size_t)m.columns;
        double error = cuda_rig_error(want.policy.part[i], got.policy.part[i], count);
        if (!(error < 2e-4)) fail_msg("%s: error %g", m.name, error);
    }
    slt_arena_deinit(&arena);
}

static void the_same_bits_again(void **state) {
    (void)state;
    remove("once.safetensors");
    remove("again.safetensors");
    learn(device, "once.safetensors", 0);
    learn(device, "again.safetensors", 1);
    learn(device, "again.safetensors", 0);
    check_same_bytes("once.safetensors", "again.safetensors");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_those_of_the_cpu),
        cmocka_unit_test(the_same_bits_again),
    };
    if (!cuda_rig_open("policies on the device")) return 0;
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    cuda_rig_close();
    return code;
}
