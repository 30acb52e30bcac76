// A population on the device: every run has the losses that it has alone, within rounding, while
// others end, break and are left behind.
// sanitizers: too long
#include <stdlib.h>
#include <unistd.h>
#include "core/number.h"
#include "cuda_rig.h"
#include "small_run.h"

enum { RUNS = 3, EPOCHS = 2, FEW = 10 }; // the emulated device is slow

static const char *const own[RUNS] = {"epochs=1", "lr=10", "epochs=2"};

static void ask(const char *folder, int i, char *run, size_t size, const char **settings,
                slt_train_request *out) {
    // padded: the batches of answers are small
    static const char *const shared[] = {"hidden=4", "slot_size=4", "heads=1",
                                         "slots=2",  "prior=2",     "end_pad=include",
                                         "batch=4",  "lr=1e-4",     "epochs=2"};
    int count = sizeof shared / sizeof *shared;
    memcpy(settings, shared, sizeof shared);
    settings[count++] = own[i];
    snprintf(run, size, "%s-%d", folder, i);
    *out = (slt_train_request){.model = "slottar",
                               .data = "bits.safetensors",
                               .run = run,
                               .settings = settings,
                               .setting_count = count,
                               .seed = 3 + (uint64_t)i};
}

static int read_losses(const char *run, double out[2 * EPOCHS]) {
    char path[64], line[4096];
    int count = 0;
    snprintf(path, sizeof path, "%s/metrics.jsonl", run);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        assert_true(count < 2 * EPOCHS);
        out[count++] = slt_number_start(strstr(line, "\"train_loss\":") + 13, NULL);
        out[count++] = slt_number_start(strstr(line, "\"valid_loss\":") + 13, NULL);
    }
    fclose(file);
    return count / 2;
}

static void check_near(const char *a, const char *b, int epochs) {
    double x[2 * EPOCHS], y[2 * EPOCHS];
    assert_int_equal(read_losses(a, x), epochs);
    assert_int_equal(read_losses(b, y), epochs);
    for (int i = 0; i < 2 * epochs; i++)
        if (!(fabs(x[i] - y[i]) <= 1e-5)) fail_msg("%s, %s: %.9g and %.9g", a, b, x[i], y[i]);
}

static void runs_as_alone(void **state) {
    (void)state;
    char runs[RUNS][32], alone[32];
    const char *settings[RUNS][16];
    slt_train_request requests[RUNS], single;
    slt_train_outcome *outcomes = calloc(RUNS, sizeof *outcomes);
    slt_train_result *result = calloc(1, sizeof *result);
    make_data("bits.safetensors", SLT_OBSERVATIONS_BITS, false, 0, FEW);
    for (int i = 0; i < RUNS; i++)
        ask("many", i, runs[i], sizeof runs[i], settings[i], &requests[i]);
    CHECK_OK(slt_train_many(device, requests, RUNS, 0, outcomes));
    for (int i = 0; i < RUNS; i++) {
        ask("one", i, alone, sizeof alone, settings[0], &single);
        slt_status status = slt_train(device, &single, result);
        assert_int_equal(status, outcomes[i].status);
        assert_int_equal(status, i == 1 ? SLT_DIVERGED : SLT_OK);
        if (status != SLT_OK) continue;
        check_near(alone, runs[i], (int)result->epochs);
        assert_true(fabs(result->test.loss - outcomes[i].result.test.loss) <= 1e-5);
    }
    free(outcomes);
    free(result);
}

// ---- a device without room for all of them: only the emulated one can be made smaller

extern size_t emulated_asked __attribute__((weak)), emulated_room __attribute__((weak));

static int told;
static void hear(void *user, slt_log_level level, const char *message) {
    (void)user, (void)level;
    told += strstr(message, "2 runs at once do not fit") != NULL;
}

static void too_many_go_in_halves(void **state) {
    (void)state;
    char runs[2][32], alone[32];
    const char *settings[2][16];
    slt_train_request requests[2], single;
    slt_train_outcome *outcomes = calloc(2, sizeof *outcomes);
    slt_context *small;
    slt_context_options options = {
        .threads = 2, .device = "cuda", .precision = "fp32", .log = hear};
    CHECK_OK(slt_context_create(&options, &small));
    slt_store *store; // opens the device, with what it needs for itself
    CHECK_OK(slt_store_create(small, 1, &store));
    slt_store_destroy(store);
    emulated_asked = 0;
    ask("room", 0, alone, sizeof alone, settings[0], &single);
    CHECK_OK(slt_train_many(small, &single, 1, 0, outcomes));
    CHECK_OK(outcomes[0].status);
    size_t room = emulated_room;
    emulated_room = emulated_asked + emulated_asked / 2;
    for (int i = 0; i < 2; i++) ask("half", 0, runs[i], sizeof runs[i], settings[i], &requests[i]);
    requests[1].run = "half-1";
    CHECK_OK(slt_train_many(small, requests, 2, 0, outcomes));
    emulated_room = room;
    assert_int_equal(told, 1);
    CHECK_OK(outcomes[0].status);
    CHECK_OK(outcomes[1].status);
    check_near(alone, "half-0", 1);
    check_near(alone, "half-1", 1);
    slt_context_destroy(small);
    free(outcomes);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(runs_as_alone),
                                       cmocka_unit_test(too_many_go_in_halves)};
    const struct CMUnitTest on_a_card[] = {cmocka_unit_test(runs_as_alone)};
    if (!cuda_rig_open("a population on the device")) return 0;
    bool emulated = &emulated_asked != NULL;
    int code = emulated ? cmocka_run_group_tests(tests, set_up, tear_down)
                        : cmocka_run_group_tests(on_a_card, set_up, tear_down);
    cuda_rig_close();
    return code;
}
