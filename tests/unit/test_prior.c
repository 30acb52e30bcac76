// The forms of a prior, and segments of bounded length.
#include <math.h>
#include "check.h"
#include "core/error.h"
#include "core/philox.h"
#include "train/inference/length_limits.h"
#include "train/learner/prior.h"

static void filled(const char *text, double spread, int K, double *out) {
    slt_prior prior;
    CHECK_OK(slt_prior_read(text, spread, &prior));
    CHECK_OK(slt_prior_fill(&prior, K, out));
}

static void close_to(const double *found, const double *wanted, int count) {
    for (int i = 0; i < count; i++)
        if (fabs(found[i] - wanted[i]) > 1e-12)
            fail_msg("entry %d is %g, not %g", i + 1, found[i], wanted[i]);
}

static void forms_of_a_prior(void **state) {
    (void)state;
    double p[5];
    filled("3", 0, 4, p);
    close_to(p, (double[]){1e-4, 1e-4, 0.9997, 1e-4}, 4);
    filled("2..3", 0, 4, p);
    close_to(p, (double[]){1e-4, 0.4999, 0.4999, 1e-4}, 4);
    filled("0,.25,0.75", 0, 5, p);
    close_to(p, (double[]){1e-4, 0.25, 0.75, 1e-4, 1e-4}, 5);
    filled("~3", 0, 3, p);
    close_to(p, (double[]){exp(-2), 2 * exp(-2), 2 * exp(-2)}, 3);
    filled("2.5", 0, 2, p);
    close_to(p, (double[]){exp(-1.5), 1.5 * exp(-1.5)}, 2);
    filled("flat", 0, 4, p);
    close_to(p, (double[]){0.25, 0.25, 0.25, 0.25}, 4);
}

static void what_a_prior_says(void **state) {
    (void)state;
    static const struct {
        const char *text;
        slt_prior_shape shape;
    } cases[] = {
        {"3", {3, true, true}},      {"3..6", {6, true, false}},  {"0,0,.5,.5,0", {4, true, true}},
        {"flat", {0, false, false}}, {"auto", {0, false, false}}, {"labels", {0, true, true}},
        {"~4", {8, true, false}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slt_prior prior;
        CHECK_OK(slt_prior_read(cases[i].text, 0, &prior));
        slt_prior_shape shape = slt_prior_shape_of(&prior);
        assert_int_equal(shape.largest, cases[i].shape.largest);
        assert_int_equal(shape.known, cases[i].shape.known);
        assert_int_equal(shape.exact, cases[i].shape.exact);
    }
}

// neighbours of a number; the other forms say themselves how sure they are
static void slack_of_a_number(void **state) {
    (void)state;
    double p[5], sure[5];
    filled("3", 0.1, 5, p);
    close_to(p, (double[]){0.01 / 1.22, 0.1 / 1.22, 1 / 1.22, 0.1 / 1.22, 0.01 / 1.22}, 5);
    filled("1", 0.01, 4, p);
    close_to(p, (double[]){1 / 1.010101, 0.01 / 1.010101, 1e-4, 1e-4}, 4);
    const char *const others[] = {"2..4", "0,.5,.5", "~3", "flat"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        filled(others[i], 0.1, 5, p);
        filled(others[i], 0, 5, sure);
        close_to(p, sure, 5);
    }
    slt_prior prior;
    CHECK_OK(slt_prior_read("3", 0.1, &prior));
    assert_int_equal(slt_prior_shape_of(&prior).largest, 5);
}

static void what_is_no_prior(void **state) {
    (void)state;
    const char *const texts[] = {"",    "0",   "-3",   "3..2",  "3..",  "..3", "0,x", "0,-1",
                                 "0,0", "nan", "~0.5", "1,inf", "many", "3 4", "3,6", "0,2"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        slt_prior prior;
        if (slt_prior_read(texts[i], 0, &prior) != SLT_INVALID) fail_msg("'%s' was read", texts[i]);
    }
    slt_prior prior;
    double p[3];
    CHECK_OK(slt_prior_read("5", 0, &prior));
    assert_int_equal(slt_prior_fill(&prior, 3, p), SLT_RANGE);
}

// ---- lengths

// log-probability of a choice of ends, by its definition
static double score(const float *ends, int T, unsigned cuts) {
    double sum = 0;
    for (int t = 0; t + 1 < T; t++)
        sum += log(cuts >> t & 1 ? (double)ends[t] : 1 - (double)ends[t]);
    return sum;
}

static bool allowed(unsigned cuts, int T, int least, int most) {
    int length = 0;
    for (int t = 0; t < T; t++) {
        length++;
        if (t + 1 < T && !(cuts >> t & 1)) continue;
        if (length < least || length > most) return false;
        length = 0;
    }
    return true;
}

static void bounded_lengths_are_the_best_choice(void **state) {
    (void)state;
    enum { T = 10 };
    float ends[T], confidence[T];
    int32_t ids[T];
    slt_arena arena;
    int compared = 0;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    for (unsigned seed = 1; seed < 40; seed++) {
        int least = 1 + (int)(seed % 3), most = 3 + (int)(seed % 4);
        for (int t = 0; t < T; t++) {
            uint32_t word = slt_random_words(seed, SLT_RANDOM_TEST, (uint64_t)t, 0).word[0];
            ends[t] = 0.05f + 0.9f * slt_random_unit(word);
        }
        slt_segmentation answer = {.length = T, .ids = ids, .confidence = confidence, .ends = ends};
        CHECK_OK(slt_bound_lengths(&arena, least, most, &answer));
        unsigned found = 0;
        for (int t = 0; t + 1 < T; t++) found |= (unsigned)(ids[t] != ids[t + 1]) << t;
        double best = -INFINITY;
        for (unsigned cuts = 0; cuts < 1u << (T - 1); cuts++)
            if (allowed(cuts, T, least, most)) best = fmax(best, score(ends, T, cuts));
        if (!isfinite(best)) continue;
        compared++;
        assert_true(allowed(found, T, least, most));
        assert_true(fabs(score(ends, T, found) - best) < 1e-5);
    }
    assert_true(compared > 20);
    slt_arena_deinit(&arena);
}

// a length that no choice makes: the last segment may be short
static void the_last_segment_gives_way(void **state) {
    (void)state;
    float ends[7] = {-1, -1, -1, -1, -1, -1, -1}, confidence[7] = {0, 0, 0.9f};
    int32_t ids[7] = {0, 0, 0, 1, 1, 1, 1};
    slt_arena arena;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    slt_segmentation answer = {.length = 7, .ids = ids, .confidence = confidence, .ends = ends};
    CHECK_OK(slt_bound_lengths(&arena, 4, 5, &answer));
    assert_true(ids[3] == 0 && ids[6] == 1);
    slt_arena_deinit(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms_of_a_prior),
        cmocka_unit_test(what_a_prior_says),
        cmocka_unit_test(slack_of_a_number),
        cmocka_unit_test(what_is_no_prior),
        cmocka_unit_test(bounded_lengths_are_the_best_choice),
        cmocka_unit_test(the_last_segment_gives_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
