// Trust: its number and its JSON, calibration of confidence, the price of cuts, and numbers of
// segments that contradict a prior.
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "core/context_impl.h"
#include "metrics/cut_code_length.h"
#include "train/training/doubt.h"
#include "train/learner/prior.h"

// ---- the verdict

static void doubt_bounds_trust(void **state) {
    (void)state;
    slt_trust trust;
    slt_trust_init(&trust);
    assert_true(isnan(trust.trust) && !trust.doubtful && trust.warning_count == 0);
    trust.trust = 0.9;
    slt_trust_note(&trust, "by the way");
    assert_true(trust.trust == 0.9 && !trust.doubtful);
    slt_trust_doubt(&trust, "%d of %d agree", 1, 8);
    assert_true(trust.trust == 0.5 && trust.doubtful && trust.warning_count == 2);
    assert_string_equal(trust.warnings[1], "1 of 8 agree");
    for (int i = 0; i < SLT_MOST_WARNINGS; i++) slt_trust_note(&trust, "more");
    assert_int_equal(trust.warning_count, SLT_MOST_WARNINGS);
}

static slt_status read_text(const char *text, slt_trust *trust, slt_calibration *map) {
    json_t *object;
    CHECK_OK(slt_json_parse("test", text, strlen(text), 3, &object));
    slt_status status = slt_trust_read("test", object, trust, map);
    json_decref(object);
    return status;
}

static void trust_is_written_and_read(void **state) {
    (void)state;
    slt_calibration map = {2, {0.25, 1}, {0.1, 0.75}}, other;
    slt_trust trust, got;
    slt_text text;
    slt_trust_init(&trust);
    trust.calibrated = true;
    trust.trust = 0.1 + 0.2;
    slt_trust_doubt(&trust, "a \"quoted\" reason");
    slt_text_init(&text, &slt_system_allocator);
    slt_trust_write(&text, &trust, &map);
    CHECK_OK(text.status);
    CHECK_OK(read_text(text.bytes, &got, &other));
    assert_true(got.trust == trust.trust && got.doubtful && got.calibrated);
    assert_int_equal(got.warning_count, 1);
    assert_string_equal(got.warnings[0], trust.warnings[0]);
    assert_memory_equal(&map, &other, sizeof map);
    slt_text_deinit(&text);
}

static void damaged_trust_is_refused(void **state) {
    (void)state;
    static const char *const bad[] = {
        "{}",
        "{\"trust\":2,\"warnings\":[]}",
        "{\"trust\":null,\"warnings\":[1]}",
        "{\"trust\":null,\"warnings\":\"none\"}",
        "{\"trust\":null,\"warnings\":[],\"calibration\":[[0.5,2]]}",
        "{\"trust\":null,\"warnings\":[],\"calibration\":[[0.5]]}",
        "{\"trust\":null,\"warnings\":[],\"calibration\":[[0.5,0.5],[0.4,0.6]]}",
        "{\"trust\":null,\"warnings\":[\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\"]}",
    };
    slt_trust trust;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(read_text(bad[i], &trust, NULL), SLT_FORMAT);
    CHECK_OK(read_text("{\"trust\":null,\"warnings\":[]}", &trust, NULL));
    assert_true(isnan(trust.trust) && !trust.calibrated);
}

// ---- calibration

static void sure_and_wrong_becomes_unsure(void **state) {
    (void)state;
    enum { N = 400 };
    static slt_calibration_pair pairs[N];
    slt_calibration map;
    // says 0.999, but one in four is confirmed
    for (int i = 0; i < N; i++) pairs[i] = (slt_calibration_pair){0.999, i % 4 == 0};
    slt_calibration_fit(pairs, N, &map);
    assert_int_equal(map.count, 1);
    assert_true(fabs(slt_calibrate(&map, 0.999) - 0.25) < 0.005);
    assert_true(slt_calibrate(&map, 1) == slt_calibrate(&map, 0));
    // never certain, not even where all are confirmed
    for (int i = 0; i < N; i++) pairs[i] = (slt_calibration_pair){1, 1};
    slt_calibration_fit(pairs, N, &map);
    assert_true(slt_calibrate(&map, 1) < 1 && slt_calibrate(&map, 1) > 0.99);
}

static void the_map_never_falls(void **state) {
    (void)state;
    enum { N = 1000 };
    static slt_calibration_pair pairs[N];
    slt_calibration map;
    for (int i = 0; i < N; i++) {
        double raw = (double)((i * 37) % N) / N; // more is better, but not in the upper half
        pairs[i] = (slt_calibration_pair){raw, raw < 0.5 ? raw : 0.5 - raw / 4};
    }
    slt_calibration_fit(pairs, N, &map);
    assert_true(map.count > 2 && map.count <= SLT_CALIBRATION_POINTS);
    for (int i = 1; i <= 100; i++)
        assert_true(slt_calibrate(&map, i / 100.) >= slt_calibrate(&map, (i - 1) / 100.));
    assert_true(fabs(slt_calibrate(&map, 0.2) - 0.2) < 0.03);
}

static void no_boundary_says_nothing(void **state) {
    (void)state;
    slt_calibration map, none = {0};
    slt_calibration_fit(NULL, 0, &map);
    assert_true(slt_calibrate(&map, 0.99) == 0.5);
    assert_true(slt_calibrate(&none, 0.99) == 0.99);
}

static void calibration_error(void **state) {
    (void)state;
    slt_reliability r = {0}, half = {0};
    assert_true(isnan(slt_reliability_error(&r)));
    for (int i = 0; i < 10; i++) slt_reliability_add(&r, 0.95, i < 4);
    assert_true(fabs(slt_reliability_error(&r) - 0.55) < 1e-12);
    for (int i = 0; i < 10; i++) slt_reliability_add(&half, 0.55, i < 5);
    slt_reliability_merge(&r, &half);
    assert_true(fabs(slt_reliability_error(&r) - (0.55 + 0.05) / 2) < 1e-12);
    slt_reliability_add(&r, 1, true); // the last bin has its upper end
    assert_true(r.count[SLT_RELIABILITY_BINS - 1] == 11);
}

// ---- prices

// 0 1 2 3 is a segment, three of them in any order of two kinds: cutting after 3 is the cheapest
static void right_cuts_are_cheap(void **state) {
    (void)state;
    enum { EPISODES = 60, T = 12 };
    static int32_t actions[EPISODES][T];
    static uint8_t right[EPISODES][T], late[EPISODES][T], all[EPISODES][T];
    slt_sequence sequences[EPISODES];
    const double prior[] = {0, 0.1, 0.1, 0.8};
    slt_arena arena;
    double nats[3];
    for (int e = 0; e < EPISODES; e++) {
        for (int t = 0; t < T; t++) {
            bool mirrored = (e >> t / 4 & 1) != 0;
            actions[e][t] = mirrored ? (6 - t % 4) % 7 + 1 : t % 4;
            right[e][t] = t % 4 == 3 && t + 1 < T;
            late[e][t] = t % 4 == 1 && t > 4;
            all[e][t] = t + 1 < T;
        }
        sequences[e] = (slt_sequence){actions[e], T};
    }
    slt_arena_init(&arena, &slt_system_allocator, 0);
    const uint8_t *const cuts[] = {right[0], late[0], all[0]};
    for (int i = 0; i < 3; i++)
        CHECK_OK(slt_cut_code_length(&arena, sequences, EPISODES, 8, cuts[i], prior, 4, &nats[i]));
    slt_arena_deinit(&arena);
    assert_true(nats[0] + 0.1 < nats[1] && nats[0] + 0.1 < nats[2]);
}

// ---- priors

static bool contradicted(const char *prior, int32_t number, int share_of_ten, char *sentence) {
    enum { N = 10, K = 8 };
    int32_t numbers[N];
    double told[K];
    slt_setup setup;
    slt_prior form;
    CHECK_OK(slt_setup_init(&setup, "slottar-mdl", NULL, NULL));
    snprintf(setup.train.prior, sizeof setup.train.prior, "%s", prior);
    CHECK_OK(slt_prior_read(prior, 0.1, &form));
    CHECK_OK(slt_prior_fill(&form, K, told));
    for (int i = 0; i < N; i++) numbers[i] = i < share_of_ten ? number : 4;
    return slt_prior_contradicted(&setup, told, K, numbers, N, sentence);
}

static void numbers_against_a_prior(void **state) {
    (void)state;
    char sentence[SLT_WARNING_TEXT];
    // one segment everywhere, told 4.3 on average: what started this
    assert_true(contradicted("~4.3", 1, 10, sentence));
    assert_string_equal(sentence, "the number of segments does not fit the prior: 1.0 on average, "
                                  "told 4.3");
    assert_false(contradicted("~4.3", 1, 2, sentence));
    assert_false(contradicted("4", 5, 1, sentence));
    assert_true(contradicted("4", 5, 10, sentence));
    assert_true(contradicted("0,0,0,1", 1, 5, sentence));
    assert_false(contradicted("3..6", 3, 10, sentence));
    assert_true(contradicted("3..6", 2, 5, sentence));
    assert_true(contradicted("auto", 1, 10, sentence));
    assert_false(contradicted("auto", 2, 10, sentence));
    assert_false(contradicted("flat", 1, 10, sentence));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(doubt_bounds_trust),       cmocka_unit_test(trust_is_written_and_read),
        cmocka_unit_test(damaged_trust_is_refused), cmocka_unit_test(sure_and_wrong_becomes_unsure),
        cmocka_unit_test(the_map_never_falls),      cmocka_unit_test(no_boundary_says_nothing),
        cmocka_unit_test(calibration_error),        cmocka_unit_test(right_cuts_are_cheap),
        cmocka_unit_test(numbers_against_a_prior),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
