// Plans of searches: lists, ranges, files, what is refused, and that the seed decides everything.
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "core/number.h"
#include "train/sweep/sweep_plan.h"

static slt_arena arena;
static slt_sweep_plan plan;

static int start(void **state) {
    (void)state;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    return 0;
}

static int stop(void **state) {
    (void)state;
    slt_arena_deinit(&arena);
    return 0;
}

static slt_status make_from(const char *spec, const char *const *settings, int count,
                            uint64_t seed) {
    slt_sweep_request request = {.folder = "f",
                                 .spec = spec,
                                 .model = spec ? NULL : "slottar",
                                 .data = spec ? NULL : "d.safetensors",
                                 .settings = settings,
                                 .setting_count = count,
                                 .seed = seed};
    return slt_sweep_plan_make(&plan, &arena, &request);
}
#define MAKE(...)                                                                                  \
    make_from(NULL, (const char *const[]){__VA_ARGS__},                                            \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(char *), 0)

static void check_settings(int configuration, const char *first, const char *second) {
    assert_string_equal(slt_sweep_settings(&plan, configuration)[0], first);
    assert_string_equal(slt_sweep_settings(&plan, configuration)[1], second);
}

static void a_grid_takes_all_in_order(void **state) {
    (void)state;
    CHECK_OK(MAKE("lr=1e-3,1e-2", "slots=3..5", "search=grid", "trials=2"));
    assert_int_equal(plan.count, 6);
    assert_int_equal(plan.varied, 2);
    check_settings(0, "lr=1e-3", "slots=3");
    check_settings(2, "lr=1e-3", "slots=5");
    check_settings(5, "lr=1e-2", "slots=5");
}

// an option of whole numbers takes no exponent
static void round_numbers_are_written_out(void **state) {
    (void)state;
    CHECK_OK(MAKE("slots=20..21", "patience=1000..1001", "search=grid"));
    check_settings(0, "slots=20", "patience=1000");
    CHECK_OK(MAKE("slots=20..21", "patience=1000..1001", "trials=4"));
    for (int c = 0; c < plan.count; c++)
        for (int a = 0; a < plan.axis_count; a++)
            assert_null(strchr(slt_sweep_settings(&plan, c)[a], '+'));
}

static void nothing_varied_is_one_configuration(void **state) {
    (void)state;
    CHECK_OK(MAKE("lr=1e-3", "epochs=7"));
    assert_int_equal(plan.count, 1);
    assert_int_equal(plan.varied, 0);
    assert_int_equal(plan.epochs, 7);
    CHECK_OK(make_from(NULL, NULL, 0, 0));
    assert_int_equal(plan.count, 1);
    assert_int_equal(plan.axis_count, 0);
}

static void the_last_word_counts(void **state) {
    (void)state;
    CHECK_OK(MAKE("lr=1e-3,1e-2", "beta=1", "lr=5e-4", "trials=3", "trials=4"));
    assert_int_equal(plan.axis_count, 2);
    assert_int_equal(plan.count, 1);
    assert_int_equal(plan.options.trials, 4);
    check_settings(0, "lr=5e-4", "beta=1");
}

// a text may hold commas: it has one value, but several in a file
static void texts_are_not_cut(void **state) {
    (void)state;
    CHECK_OK(MAKE("prior=0,0,.3,.7", "search=grid"));
    assert_int_equal(plan.count, 1);
    assert_string_equal(slt_sweep_settings(&plan, 0)[0], "prior=0,0,.3,.7");
}

static void random_draws_differ_and_repeat(void **state) {
    (void)state;
    const char *const settings[] = {"lr=1e-4,1e-3,1e-2", "beta=0.1,0.5", "slots=2..4", "trials=18"};
    CHECK_OK(make_from(NULL, settings, 4, 5));
    assert_int_equal(plan.count, 18); // all that there are, each once
    for (int a = 0; a < 18; a++)
        for (int b = 0; b < a; b++) {
            const char *const *x = slt_sweep_settings(&plan, a), *const *y =
                                                                     slt_sweep_settings(&plan, b);
            assert_true(strcmp(x[0], y[0]) || strcmp(x[1], y[1]) || strcmp(x[2], y[2]));
        }
    slt_sweep_plan before = plan;
    CHECK_OK(make_from(NULL, settings, 4, 5));
    int other = 0;
    for (int i = 0; i < 18 * 3; i++) assert_string_equal(plan.settings[i], before.settings[i]);
    CHECK_OK(make_from(NULL, settings, 4, 6));
    for (int i = 0; i < 18 * 3; i++) other += strcmp(plan.settings[i], before.settings[i]) != 0;
    assert_true(other > 10);
}

// more trials do not change the first ones
static void draws_do_not_depend_on_their_number(void **state) {
    (void)state;
    CHECK_OK(MAKE("lr=log:1e-4..1e-2", "slots=2..9", "trials=5"));
    slt_sweep_plan few = plan;
    CHECK_OK(MAKE("lr=log:1e-4..1e-2", "slots=2..9", "trials=50"));
    for (int i = 0; i < 10; i++) assert_string_equal(plan.settings[i], few.settings[i]);
}

static void ranges_are_filled(void **state) {
    (void)state;
    CHECK_OK(MAKE("lr=log:1e-4..1e-2", "beta=0.5..0.7", "trials=400"));
    int low = 0, high = 0, ends = 0;
    for (int i = 0; i < plan.count; i++) {
        double lr = slt_number_start(slt_sweep_settings(&plan, i)[0] + 3, NULL);
        double beta = slt_number_start(slt_sweep_settings(&plan, i)[1] + 5, NULL);
        assert_true(lr >= 1e-4 && lr <= 1e-2 && beta >= 0.5 && beta <= 0.7);
        low += lr < 1e-3;
        high += beta > 0.65;
        ends += beta < 0.51;
    }
    assert_in_range(low, 150, 250); // half of the powers lie below
    assert_in_range(high, 60, 140);
    assert_in_range(ends, 5, 50);
}

static void mistakes_are_refused(void **state) {
    (void)state;
    CHECK_FAILS(SLT_INVALID, "lr: 1e-3 is there twice", MAKE("lr=1e-3,1e-2,1e-3"));
    // found out by the number of draws, without comparing each with all
    CHECK_FAILS(SLT_INVALID, "were not found", MAKE("lr=1e-3..5e-3", "trials=10000"));
    CHECK_FAILS(SLT_INVALID, "did you mean 'hidden'", MAKE("hiden=3,4"));
    CHECK_FAILS(SLT_INVALID, "lr=fast", MAKE("lr=1e-3,fast"));
    CHECK_FAILS(SLT_INVALID, "lr=11", MAKE("lr=1..11"));
    CHECK_FAILS(SLT_INVALID, "smaller number", MAKE("lr=0.5..0.1"));
    CHECK_FAILS(SLT_INVALID, "above 0", MAKE("lr=log:0..1"));
    CHECK_FAILS(SLT_INVALID, "above 0", MAKE("slots=log:2..4"));
    CHECK_FAILS(SLT_INVALID, "lr=", MAKE("lr=1e-3,"));
    CHECK_FAILS(SLT_INVALID, "a grid expects", MAKE("lr=0.1..0.2", "search=grid"));
    CHECK_FAILS(SLT_INVALID, "random|grid|halving", MAKE("search=bayes"));
    CHECK_FAILS(SLT_INVALID, "gives out the epochs", MAKE("search=halving", "epochs=3,4"));
    CHECK_FAILS(SLT_INVALID, "key=value", MAKE("lr"));
}

static void store(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void a_file_says_the_same(void **state) {
    (void)state;
    store("s.yaml", "model: slottar\ndata: x.safetensors\nsearch: grid\nseeds: 3\n"
                    "lr: [1e-3, 1e-2]\nslots: 2..3\nprior: ['0,1', flat]\nbatch: 16\n");
    CHECK_OK(make_from("s.yaml", NULL, 0, 0));
    assert_int_equal(plan.count, 8);
    assert_int_equal(plan.options.seeds, 3);
    assert_string_equal(plan.options.data, "x.safetensors");
    assert_string_equal(slt_sweep_settings(&plan, 0)[2], "prior=0,1");
    // the command line has the last word
    CHECK_OK(make_from("s.yaml", (const char *const[]){"lr=5e-4", "seeds=1"}, 2, 0));
    assert_int_equal(plan.count, 4);
    assert_int_equal(plan.options.seeds, 1);
    store("s.yaml", "model: slottar\ndata: d\n\nlrr: [1, 2]\n");
    CHECK_FAILS(SLT_INVALID, "s.yaml:4: no option 'lrr'", make_from("s.yaml", NULL, 0, 0));
    store("s.yaml", "model: slottar\ndata: [a, b]\n");
    CHECK_FAILS(SLT_INVALID, "s.yaml:2", make_from("s.yaml", NULL, 0, 0));
    store("s.yaml", "data: d\n");
    CHECK_FAILS(SLT_INVALID, "needs a model", make_from("s.yaml", NULL, 0, 0));
}

// the text of a plan is a file that makes the same plan
static void the_text_makes_the_plan_again(void **state) {
    (void)state;
    slt_sweep_request request = {.seed = 9};
    slt_text text;
    CHECK_OK(make_from(NULL,
                       (const char *const[]){"lr=log:1e-4..1e-2", "beta=0.1,0.5,1", "prior=0,.5,.5",
                                             "batch=8..64", "trials=12"},
                       5, 9));
    slt_sweep_plan before = plan;
    slt_text_init(&text, &slt_system_allocator);
    CHECK_OK(slt_sweep_plan_text(&plan, &request, 0x1234, &text));
    store("again.yaml", text.bytes);
    slt_text_deinit(&text);
    CHECK_OK(make_from("again.yaml", NULL, 0, 9));
    assert_int_equal(plan.count, 12);
    for (int i = 0; i < 12 * 4; i++) assert_string_equal(plan.settings[i], before.settings[i]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_grid_takes_all_in_order, start, stop),
        cmocka_unit_test_setup_teardown(round_numbers_are_written_out, start, stop),
        cmocka_unit_test_setup_teardown(nothing_varied_is_one_configuration, start, stop),
        cmocka_unit_test_setup_teardown(the_last_word_counts, start, stop),
        cmocka_unit_test_setup_teardown(texts_are_not_cut, start, stop),
        cmocka_unit_test_setup_teardown(random_draws_differ_and_repeat, start, stop),
        cmocka_unit_test_setup_teardown(draws_do_not_depend_on_their_number, start, stop),
        cmocka_unit_test_setup_teardown(ranges_are_filled, start, stop),
        cmocka_unit_test_setup_teardown(mistakes_are_refused, start, stop),
        cmocka_unit_test_setup_teardown(a_file_says_the_same, start, stop),
        cmocka_unit_test_setup_teardown(the_text_makes_the_plan_again, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
