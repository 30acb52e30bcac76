// The golden files of the models on the device: outputs, losses, gradients, Adam's steps and the
// test mode of the reference programs. sanitizers: too long
#include "cuda_rig.h"
#include "verify/verify.h"

static void goldens_agree_on_the_device(void **state) {
    (void)state;
    static const char *const names[] = {
        "slottar_tiny_it1_own",
        "slottar_tiny_it1_reference",
        "slottar_tiny_it2_own",
        "slottar_tiny_it2_reference",
        "slottar_tiny_layers2_beta0_own",
        "slottar_tiny_layers2_beta0_reference",
        "compile_tiny_concrete",
        "compile_tiny_gaussian",
        "compile_tiny_original",
        "ompn_tiny_depth2",
        "ompn_tiny_depth3",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[1024];
        slt_verify_result result;
        snprintf(path, sizeof path, GOLDEN "/models/%s.safetensors", names[i]);
        CHECK_OK(slt_verify_file(device, path, &result));
        if (result.mismatches)
            fail_msg("%s: %llu of %llu differ, first: %s", names[i],
                     (unsigned long long)result.mismatches, (unsigned long long)result.checked,
                     result.first);
        assert_true(result.checked > 1000);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(goldens_agree_on_the_device)};
    if (!cuda_rig_open("golden files on the device")) return 0;
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    cuda_rig_close();
    return code;
}
