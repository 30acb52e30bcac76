// Learning skills on the device: the weights of the CPU within rounding, the same bits again.
// sanitizers: too long
#include "core/safetensors.h"
#include "cuda_rig.h"
#include "same_bytes.h"
#include "slottar/expert.h"
#include "slottar/skills.h"

static void learn(slt_context *with, const char *path) {
    slt_skills_options options = {.hidden = 16, .epochs = 2, .seed = 5, .unmerged = true};
    slt_dataset *data;
    slt_types *types;
    slt_skills *skills;
    CHECK_OK(slt_dataset_open(with, "door.safetensors", &data));
    CHECK_OK(slt_types_learn(with, data, NULL, NULL, &types));
    CHECK_OK(slt_skills_learn(with, data, NULL, types, &options, &skills));
    CHECK_OK(slt_skills_save(skills, path, true));
    slt_skills_close(skills);
    slt_types_close(types);
    slt_dataset_close(data);
}

static void weights_are_those_of_the_cpu(void **state) {
    (void)state;
    slt_safetensors *want, *got;
    int compared = 0;
    learn(host, "host.safetensors");
    learn(device, "device.safetensors");
    CHECK_OK(slt_safetensors_open(&slt_system_allocator, "host.safetensors", &want));
    CHECK_OK(slt_safetensors_open(&slt_system_allocator, "device.safetensors", &got));
    for (size_t i = 0; i < slt_safetensors_count(want); i++) {
        const slt_array *a = slt_safetensors_at(want, i), *b = slt_safetensors_find(got, a->name);
        assert_true(b && b->count == a->count);
        if (a->dtype != SLT_DTYPE_F32) continue;
        double error = cuda_rig_error(a->data, b->data, a->count);
        if (!(error < 2e-4)) fail_msg("%s: error %g", a->name, error);
        compared++;
    }
    assert_int_equal(compared, 12);
    slt_safetensors_close(want);
    slt_safetensors_close(got);
}

static void the_same_bits_again(void **state) {
    (void)state;
    learn(device, "again.safetensors");
    check_same_bytes("device.safetensors", "again.safetensors");
}

int main(void) {
    static const char *const id = "MiniGrid-DoorKey-5x5-v0";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(weights_are_those_of_the_cpu),
        cmocka_unit_test(the_same_bits_again),
    };
    slt_collect_request request = {.environments = &id,
                                   .environment_count = 1,
                                   .path = "door.safetensors",
                                   .overwrite = true,
                                   .episodes = {20, 4, 0}};
    if (!cuda_rig_open("skills on the device")) return 0;
    if (slt_collect(host, &request, NULL) != SLT_OK) return 1;
    int code = cmocka_run_group_tests(tests, NULL, NULL);
    cuda_rig_close();
    return code;
}
