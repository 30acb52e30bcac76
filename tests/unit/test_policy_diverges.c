// Policies whose numbers go out of bounds: weights on the edge, finite in the file, but not in the
// next update. Training stops with DIVERGED, and the file stays as it was, byte for byte.
#include "check.h"
#include "experts/policy_file.h"
#include "slottar/policy.h"
#include "group_context.h"
#include "same_bytes.h"

static const char PATH[] = "policy.safetensors", LINES[] = "policy.jsonl",
                  KEPT[] = "kept.safetensors";

static void copy(const char *from, const char *to) {
    slt_map map;
    CHECK_OK(slt_map_open(from, &map));
    FILE *file = fopen(to, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(map.data, 1, map.size, file), map.size);
    assert_int_equal(fclose(file), 0);
    slt_map_close(&map);
}

static int count_lines(const char *path) {
    slt_map map;
    int count = 0;
    CHECK_OK(slt_map_open(path, &map));
    for (size_t i = 0; i < map.size; i++) count += ((const char *)map.data)[i] == '\n';
    slt_map_close(&map);
    return count;
}

static const char *const SMALL[] = {"copies=8",        "steps=8",         "minibatches=2",
                                    "epochs=1",        "eval_interval=1", "hidden=32",
                                    "eval_episodes=5", "frames=4000",     "goal=2",
                                    "clone=0",         "memory=none",     "max_grad_norm=0"};

static slt_status learn(int64_t pause) {
    slt_policy_request request = {.environment = "MiniGrid-Empty-Random-5x5-v0",
                                  .path = PATH,
                                  .settings = SMALL,
                                  .setting_count = sizeof SMALL / sizeof *SMALL,
                                  .pause_lap = pause};
    return slt_policy_train(context, &request, NULL);
}

// all numbers of a matrix
static void fill(slt_policy_file *file, const char *name, float value) {
    for (int i = 0; i < SLT_POLICY_PARTS; i++) {
        slt_policy_matrix m = slt_policy_part(file->policy.shape, i);
        if (strcmp(m.name, name) != 0) continue;
        for (int k = 0; k < m.rows * m.columns; k++) file->policy.part[i][k] = value;
    }
}

typedef struct {
    const char *name;
    float value;
} filling;

// a lap is learned, weights are replaced, the next lap must not be written
static void stop_at(const filling *fillings, int count, const char *words) {
    slt_arena arena;
    slt_policy_file file;
    remove(PATH);
    CHECK_OK(learn(1));
    slt_arena_init(&arena, &context->allocator, 0);
    CHECK_OK(slt_policy_load(context, &arena, PATH, true, &file));
    for (int i = 0; i < count; i++) fill(&file, fillings[i].name, fillings[i].value);
    CHECK_OK(slt_policy_save(&context->allocator, &file, PATH));
    slt_arena_deinit(&arena);
    copy(PATH, KEPT);
    CHECK_FAILS(SLT_DIVERGED, words, learn(2));
    check_same_bytes(PATH, KEPT);
    assert_int_equal(count_lines(LINES), 1);
}

static void stops_at_a_loss(void **state) {
    (void)state;
    stop_at((filling[]){{"act.kernel", 3e38f}, {"think.bias", 3e38f}}, 2, "gave a loss of");
}

// the loss is finite, and so is the gradient, but its square is not
static void stops_at_a_moment(void **state) {
    (void)state;
    stop_at((filling[]){{"act.kernel", 0}, {"think.bias", 1e5f}, {"value.bias", 1e18f}}, 3,
            "not finite");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stops_at_a_loss),
        cmocka_unit_test(stops_at_a_moment),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
