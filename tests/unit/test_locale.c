// The library inside a program with a decimal comma: options, priors, checkpoints and every file of
// a run hold the same bytes as without.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <math.h>
#include "comma_locale.h"
#include "core/json.h"
#include "core/number.h"
#include "same_bytes.h"
#include "slottar/report.h"
#include "train/learner/prior.h"
#include "small_run.h"

static void numbers(void **state) {
    (void)state;
    char text[SLT_NUMBER_TEXT];
    double value;
    assert_string_equal(slt_number_print(0.1, text), "0.1");
    assert_true(slt_number_real("2.5", &value) && value == 2.5);
    assert_false(slt_number_real("2,5", &value));
    slt_fail(SLT_RANGE, "%.2f", 0.25);
    assert_string_equal(slt_last_error(), "0.25");
}

static void priors(void **state) {
    (void)state;
    slt_prior prior;
    double p[4];
    CHECK_OK(slt_prior_read("~2.5", 0, &prior));
    assert_true(prior.mean == 2.5);
    CHECK_OK(slt_prior_read("0.25,0.75", 0, &prior));
    assert_int_equal(prior.entries, 2);
    CHECK_OK(slt_prior_fill(&prior, 2, p));
    assert_true(fabs(p[1] - 0.75) < 1e-12);
}

// jansson prints and reads with a point of its own accord
static void json(void **state) {
    (void)state;
    json_t *document;
    CHECK_OK(slt_json_parse("text", "{\"a\":0.25}", 10, 2, &document));
    assert_true(json_real_value(json_object_get(document, "a")) == 0.25);
    char *text = json_dumps(document, JSON_COMPACT);
    assert_string_equal(text, "{\"a\":0.25}");
    free(text);
    json_decref(document);
}

static void train_twice(const char *model, int restarts, const char *first, const char *second) {
    static const char *const settings[] = {"hidden=8", "batch=8", "epochs=2", "lr=0.015",
                                           "prior=0.25,0.5,0.25"};
    const char *const runs[] = {first, second};
    for (int i = 0; i < 2; i++) {
        setlocale(LC_ALL, i ? "de_DE.UTF-8" : "C");
        slt_train_request request = {.model = model,
                                     .data = "data.safetensors",
                                     .run = runs[i],
                                     .settings = settings,
                                     .setting_count = sizeof settings / sizeof *settings,
                                     .restarts = restarts};
        slt_train_result result;
        CHECK_OK(slt_train(context, &request, &result));
        CHECK_OK(slt_train(context, &request, &result)); // what it wrote it reads
    }
}

static void same_runs(const char *a, const char *b) {
    static const char *const files[] = {"config.yaml", "result.json", "last.safetensors",
                                        "best.safetensors", "segments.safetensors"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char one[64], other[64];
        snprintf(one, sizeof one, "%s/%s", a, files[i]);
        snprintf(other, sizeof other, "%s/%s", b, files[i]);
        check_same_bytes(one, other);
    }
}

static void runs(void **state) {
    (void)state;
    make_data("data.safetensors", SLT_OBSERVATIONS_F32, true, 0, EPISODES);
    train_twice("slottar", 0, "point", "comma");
    same_runs("point", "comma");
    train_twice("slottar-mdl", 2, "point-2", "comma-2");
    same_runs("point-2", "comma-2");
}

static void pages(void **state) {
    (void)state;
    const char *folder[] = {"comma"};
    for (int i = 0; i < 2; i++) {
        setlocale(LC_ALL, i ? "de_DE.UTF-8" : "C");
        slt_report_request request = {
            .runs = folder, .run_count = 1, .page = i ? "comma.html" : "point.html"};
        CHECK_OK(slt_report(context, &request, NULL));
    }
    check_same_bytes("point.html", "comma.html");
}

static int set_up_locale(void **state) {
    use_comma_locale();
    return set_up(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers), cmocka_unit_test(priors), cmocka_unit_test(json),
        cmocka_unit_test(runs),    cmocka_unit_test(pages),
    };
    return cmocka_run_group_tests(tests, set_up_locale, tear_down);
}
