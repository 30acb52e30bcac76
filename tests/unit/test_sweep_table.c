// Results of trials as files, means over runs, and the order of the table.
#include <math.h>
#include "check.h"
#include "core/file.h"
#include "train/sweep/sweep_table.h"

static slt_arena arena;
static slt_sweep_plan plan;

static int start(void **state) {
    (void)state;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    const char *const settings[] = {"lr=1e-4,1e-3,1e-2", "beta=1", "seeds=2", "search=grid"};
    slt_sweep_request request = {
        .model = "slottar", .data = "d", .settings = settings, .setting_count = 4};
    return (int)slt_sweep_plan_make(&plan, &arena, &request);
}

static int stop(void **state) {
    (void)state;
    slt_arena_deinit(&arena);
    return 0;
}

static slt_trial_result result_of(double loss, double f1) {
    slt_trial_result r = {.epochs = 4, .best_epoch = 3};
    r.valid = (slt_run_scores){.episodes = 7, .loss = loss, .kl = 1. / 3, .has_labels = true};
    r.valid.scores.mean = (slt_scores){.f1 = f1, .align = 0.5, .ari = -0.1, .covering = 2. / 7};
    r.test = r.valid;
    r.test.loss = loss + 1;
    return r;
}

static void results_come_back_bit_for_bit(void **state) {
    (void)state;
    slt_trial_result want = result_of(0.1, 1. / 3), got;
    CHECK_OK(slt_trial_write("t.json", &want));
    CHECK_OK(slt_trial_read("t.json", &got));
    assert_memory_equal(&got.valid.scores.mean, &want.valid.scores.mean, sizeof(slt_scores));
    assert_true(got.valid.loss == want.valid.loss && got.test.kl == want.test.kl);
    assert_true(got.epochs == 4 && got.best_epoch == 3 && got.valid.episodes == 7);
    assert_true(got.valid.has_labels && !got.failed);
    want = (slt_trial_result){.failed = true, .reason = "a \"quoted\"\nreason"};
    CHECK_OK(slt_trial_write("t.json", &want));
    CHECK_OK(slt_trial_read("t.json", &got));
    assert_true(got.failed);
    assert_string_equal(got.reason, want.reason);
}

static void damaged_results_are_refused(void **state) {
    (void)state;
    slt_trial_result want = result_of(0.1, 0.2), got;
    slt_map map;
    char bytes[2048];
    CHECK_OK(slt_trial_write("t.json", &want));
    CHECK_OK(slt_map_open("t.json", &map));
    size_t size = map.size;
    assert_true(size < sizeof bytes);
    memcpy(bytes, map.data, size);
    slt_map_close(&map);
    for (size_t cut = 0; cut + 1 < size; cut += 7) {
        CHECK_OK(slt_file_write("cut.json", bytes, cut));
        CHECK_FAILS(SLT_FORMAT, "cut.json", slt_trial_read("cut.json", &got));
    }
    const char *other = "{\"valid\":{},\"test\":3,\"reason\":\"\"}";
    CHECK_OK(slt_file_write("cut.json", other, strlen(other)));
    CHECK_FAILS(SLT_FORMAT, "no result", slt_trial_read("cut.json", &got));
}

static void rows_are_means(void **state) {
    (void)state;
    slt_trial_result results[] = {result_of(1, 0.25), result_of(2, 0.75)};
    slt_sweep_row row;
    results[1].epochs = 9;
    CHECK_OK(slt_sweep_summarise(&plan, 2, 1, results, &row));
    assert_true(row.score == 1.5 && fabs(row.sd - sqrt(0.5)) < 1e-15);
    assert_true(row.valid.scores.mean.f1 == 0.5 && row.test.loss == 2.5 && row.epochs == 9);
    assert_int_equal(row.setting_count, 1); // what varies
    assert_string_equal(row.settings[0], "lr=1e-2");
    results[1] = (slt_trial_result){.failed = true, .reason = "why"};
    CHECK_OK(slt_sweep_summarise(&plan, 2, 1, results, &row));
    assert_true(row.failed && row.score == 0);
    assert_string_equal(row.reason, "why");
}

static void a_score_may_need_labels(void **state) {
    (void)state;
    slt_run_scores scores = result_of(1, 0.25).valid;
    double score;
    char name[64];
    plan.options.score = 8;
    assert_string_equal(slt_sweep_score_name(&plan, name), "f1_align");
    CHECK_OK(slt_sweep_score_of(&plan, &scores, &score));
    assert_true(score == 0.375);
    scores.has_labels = false;
    CHECK_FAILS(SLT_INVALID, "needs labels", slt_sweep_score_of(&plan, &scores, &score));
}

static void check_order(slt_sweep_row *rows, int count, const int *want) {
    slt_sweep_sort(&plan, rows, count);
    for (int i = 0; i < count; i++) assert_int_equal(rows[i].configuration, want[i]);
}

static void the_best_come_first(void **state) {
    (void)state;
    slt_sweep_row rows[] = {
        {.configuration = 0, .score = 2},     {.configuration = 1, .failed = true, .round = 3},
        {.configuration = 2, .score = NAN},   {.configuration = 3, .score = 1},
        {.configuration = 4, .score = 2},     {.configuration = 5, .score = 9, .round = 1},
        {.configuration = 6, .failed = true},
    };
    check_order(rows, 7, (const int[]){5, 3, 0, 4, 2, 1, 6});
    plan.options.score = 3; // f1: more is better
    check_order(rows, 7, (const int[]){5, 0, 4, 3, 2, 1, 6});
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(results_come_back_bit_for_bit, start, stop),
        cmocka_unit_test_setup_teardown(damaged_results_are_refused, start, stop),
        cmocka_unit_test_setup_teardown(rows_are_means, start, stop),
        cmocka_unit_test_setup_teardown(a_score_may_need_labels, start, stop),
        cmocka_unit_test_setup_teardown(the_best_come_first, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
