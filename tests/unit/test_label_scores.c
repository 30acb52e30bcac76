// Scores of pairs of labelings: the worked examples of Craft, hand-worked cases, and definitions
// written out as slow oracles.
#include <math.h>
#include "check.h"
#include "metrics/label_scores.h"
#include "slottar/slottar.h"

enum { LONGEST = 40 };

// "0012" as ids; '-' is -1
static int ids_of(const char *text, int32_t *ids) {
    int T = (int)strlen(text);
    for (int t = 0; t < T; t++) ids[t] = text[t] == '-' ? -1 : text[t] - '0';
    return T;
}

static slt_scores scores_of(const char *truth, const char *predicted, int tolerance) {
    int32_t g[LONGEST], p[LONGEST];
    int T = ids_of(truth, g);
    assert_int_equal(T, ids_of(predicted, p));
    slt_context *context;
    slt_scores scores;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 1}, &context));
    CHECK_OK(slt_score_pair(context, g, p, T, tolerance, &scores));
    slt_context_destroy(context);
    return scores;
}

#define NEAR(want, got, tolerance)                                                                 \
    do {                                                                                           \
        double want_ = (want), got_ = (got);                                                       \
        if (!(fabs(want_ - got_) <= (tolerance)))                                                  \
            fail_msg("%s is %.17g, not %.17g", #got, got_, want_);                                 \
    } while (0)

static void worked_examples(void **state) {
    (void)state;
    static const struct {
        const char *truth, *predicted;
        double f1, align, ari; // ari to six digits
    } table[] = {
        // SloTTAr
        {"0001122233", "0001122233", 1, 1, 1},
        {"0001122233", "4441100022", 1, 1, 1},
        {"0001122233", "0000000000", 0, 0.3, 0},
        {"0001122233", "0000112222", 0.8, 0.6, 0.328358},
        {"0001122233", "0001100011", 1, 0.5, 0.396285},
        {"0001122233", "0010112233", 1, 0.7, 0.239865},
        // baselines as the reference scores them, with DONE
        {"0001122233-", "00011222330", 1, 10 / 11., 0.810127},
        {"0001122233-", "00112223330", 1, 7 / 11., 0.204819},
        {"0001122233-", "00000222330", 6 / 7., 3 / 11., 0.487722},
        {"0001122233-", "00011222222", 2 / 3., 8 / 11., 0.487722},
        {"0001122233-", "00011222334", 1, 10 / 11., 1},
        {"0001122233-", "00011222333", 6 / 7., 10 / 11., 0.867470},
        {"0001122233-", "00001122233", 1, 7 / 11., 0.303797},
        {"0001122233-", "01122333444", 0.75, 1 / 11., 0.707447},
        {"0001122233-", "01234444444", 0.6, 1 / 11., 0.082605},
        // ours, without DONE
        {"0001122233", "0011222333", 1, 0.7, 0.239865},
        {"0001122233", "0001122222", 0.8, 0.8, 0.647520},
        {"0001122233", "0111223334", 6 / 7., 0.4, 0.120782},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        slt_scores scores = scores_of(table[i].truth, table[i].predicted, 1);
        NEAR(table[i].f1, scores.f1, 1e-12);
        NEAR(table[i].align, scores.align, 1e-12);
        NEAR(table[i].ari, scores.ari, 6e-7);
    }
}

static void one_to_one_by_hand(void **state) {
    (void)state;
    // one true boundary at 3; cuts at 2, 3 and 4: all near, one of them counts
    slt_scores scores = scores_of("00001111", "00012333", 1);
    NEAR(1, scores.f1, 0);
    NEAR(2 * 1. / (1 + 3), scores.f1_one, 0);
    // truth 1, 3; one cut at 2 serves both in the reference's form
    scores = scores_of("001122", "000111", 1);
    NEAR(1, scores.f1, 0);
    NEAR(2 * 1. / (2 + 1), scores.f1_one, 1e-15);
    // truth 2, 3; cuts at 1, 2: the largest matching takes 2-1 and 3-2, not 2-2 alone
    scores = scores_of("000122", "001222", 1);
    NEAR(1, scores.f1_one, 0);
    // exact only
    scores = scores_of("000122", "001222", 0);
    NEAR(0.5, scores.f1_one, 0);
    NEAR(0.5, scores.f1, 0);
}

static void covering_by_hand(void **state) {
    (void)state;
    // segments 0-4 and 5-9 against 0-3 and 4-9: 5/10 * 4/5 + 5/10 * 5/6
    NEAR(0.5 * 4 / 5 + 0.5 * 5 / 6, scores_of("0000011111", "0000111111", 1).covering, 1e-15);
    // everything in one: 3/10*3/10 + 7/10*7/10
    NEAR(0.09 + 0.49, scores_of("0001111111", "0000000000", 1).covering, 1e-15);
    // all singletons against one segment of four: 4/4 * 1/4
    NEAR(0.25, scores_of("0000", "0123", 1).covering, 0);
    // an id that returns opens a new segment
    NEAR(1, scores_of("001122", "001100", 1).covering, 1e-15);
    // 00|111|2 against 000|1|22
    NEAR(2 / 6. * 2 / 3 + 3 / 6. * 1 / 3 + 1 / 6. * 1 / 2,
         scores_of("001112", "000122", 1).covering, 1e-15);
}

static void edges(void **state) {
    (void)state;
    static const struct {
        const char *truth, *predicted;
        slt_scores want;
    } table[] = {
        // f1, f1_one, align, ari, covering
        {"0", "0", {1, 1, 1, 1, 1}},           // one step
        {"0", "7", {1, 1, 1, 1, 1}},           // whatever it is called
        {"0000", "3333", {1, 1, 1, 1, 1}},     // no boundaries on either side
        {"0000", "0011", {0, 0, 0.5, 0, 0.5}}, // none in the truth
        {"0011", "0000", {0, 0, 0.5, 0, 0.5}}, // none predicted
        {"0123", "4567", {1, 1, 1, 1, 1}},     // all singletons
        {"01", "00", {0, 0, 0.5, 0, 0.5}},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        slt_scores got = scores_of(table[i].truth, table[i].predicted, 1);
#define SAME(name, text) NEAR(table[i].want.name, got.name, 1e-15);
        SLT_SCORE_LIST(SAME)
#undef SAME
    }
}

// ---- the definitions, slowly

static uint64_t stream = 1;
static int below(int n) {
    stream = stream * 6364136223846793005u + 1442695040888963407u;
    return (int)((stream >> 33) % (uint64_t)n);
}

static bool augment(int i, const int32_t *a, const int32_t *b, int m, int tolerance, int *partner,
                    bool *tried) {
    for (int j = 0; j < m; j++) {
        int distance = a[i] > b[j] ? a[i] - b[j] : b[j] - a[i];
        if (distance > tolerance || tried[j]) continue;
        tried[j] = true;
        if (partner[j] < 0 || augment(partner[j], a, b, m, tolerance, partner, tried)) {
            partner[j] = i;
            return true;
        }
    }
    return false;
}

// augmenting paths
static int largest_matching(const int32_t *a, int n, const int32_t *b, int m, int tolerance) {
    int partner[LONGEST], size = 0;
    for (int j = 0; j < m; j++) partner[j] = -1;
    for (int i = 0; i < n; i++) {
        bool tried[LONGEST] = {0};
        size += augment(i, a, b, m, tolerance, partner, tried);
    }
    return size;
}

static double slow_ari(const int32_t *g, const int32_t *p, int T) {
    double tp = 0, tn = 0, fp = 0, fn = 0;
    for (int i = 0; i < T; i++)
        for (int j = 0; j < i; j++) {
            bool together = g[i] == g[j], predicted = p[i] == p[j];
            (together ? (predicted ? &tp : &fn) : (predicted ? &fp : &tn))[0]++;
        }
    if (fp == 0 && fn == 0) return 1;
    return 2 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn));
}

// [start, end) of the run around t
static void run_around(const int32_t *ids, int T, int t, int *start, int *end) {
    for (*start = t; *start > 0 && ids[*start - 1] == ids[t];) (*start)--;
    for (*end = t + 1; *end < T && ids[*end] == ids[t];) (*end)++;
}

static double slow_covering(const int32_t *g, const int32_t *p, int T) {
    double sum = 0; // every step brings its segment's best overlap
    for (int t = 0; t < T; t++) {
        int start, end, from, to;
        double best = 0;
        run_around(g, T, t, &start, &end);
        for (int u = start; u < end; u++) {
            run_around(p, T, u, &from, &to);
            int inside = (end < to ? end : to) - (start > from ? start : from);
            double overlap = (double)inside / (end - start + to - from - inside);
            if (overlap > best) best = overlap;
        }
        sum += best;
    }
    return sum / T;
}

static int random_labels(int32_t *ids, int T) {
    int change = 1 + below(6), kinds = 1 + below(6);
    ids[0] = below(kinds) * 1000 - 3;
    for (int t = 1; t < T; t++) ids[t] = below(change) ? ids[t - 1] : below(kinds) * 1000 - 3;
    return T;
}

static void definitions(void **state) {
    (void)state;
    slt_arena scratch;
    slt_arena_init(&scratch, &slt_system_allocator, 0);
    for (int round = 0; round < 3000; round++) {
        int32_t g[LONGEST], p[LONGEST], gb[LONGEST], pb[LONGEST];
        int T = random_labels(g, 1 + below(LONGEST)), tolerance = below(4);
        random_labels(p, T);
        int G = slt_boundaries(gb, g, T), P = slt_boundaries(pb, p, T);
        slt_scored scored;
        CHECK_OK(slt_score_ids(&scratch, &scored, g, p, T, tolerance));
        NEAR(slow_ari(g, p, T), scored.scores.ari, 1e-12);
        NEAR(slow_covering(g, p, T), scored.scores.covering, 1e-12);
        int pairs = largest_matching(gb, G, pb, P, tolerance);
        NEAR(G + P ? 2. * pairs / (G + P) : 1, scored.scores.f1_one, 1e-15);
        assert_true(scored.scores.f1_one <= scored.scores.f1 + 1e-12);
        assert_int_equal(scored.true_segments, G + 1);
        assert_int_equal(scored.predicted_segments, P + 1);
    }
    slt_arena_deinit(&scratch);
}

// ---- many at once

static void mean_spread_and_counts(void **state) {
    (void)state;
    static const int32_t truth[] = {0, 0, 1, 1}, right[] = {5, 5, 3, 3}, wrong[] = {0, 0, 0, 0};
    const slt_sequence truths[] = {{truth, 4}, {truth, 4}, {truth, 4}};
    const slt_sequence guesses[] = {{right, 4}, {wrong, 4}, {right, 4}};
    slt_context *context;
    slt_score_summary summary;
    slt_scores each[3];
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 1}, &context));
    CHECK_OK(slt_score_many(context, truths, guesses, 3, SLT_TOLERANCE, &summary, each));
    assert_int_equal(summary.trajectories, 3);
    NEAR(2 / 3., summary.mean.f1, 1e-15);
    NEAR(2.5 / 3, summary.mean.align, 1e-15);
    NEAR(0.57735026919, summary.sd.f1, 1e-10); // sqrt(1/3)
    NEAR(1, each[2].covering, 0);
    NEAR(0.5, each[1].covering, 0);
    assert_int_equal(summary.true_counts[2], 3);
    assert_int_equal(summary.predicted_counts[1], 1);
    assert_int_equal(summary.predicted_counts[2], 2);
    assert_int_equal(summary.equal_counts, 2);

    const slt_sequence short_one[] = {{right, 4}, {wrong, 3}, {right, 4}}, empty = {truth, 0};
    CHECK_FAILS(SLT_SHAPE, "trajectory 1 has 4 true and 3 predicted",
                slt_score_many(context, truths, short_one, 3, 1, &summary, NULL));
    CHECK_FAILS(SLT_SHAPE, "no steps",
                slt_score_many(context, &empty, &empty, 1, 1, &summary, NULL));
    CHECK_FAILS(SLT_INVALID, "no traj",
                slt_score_many(context, truths, guesses, 0, 1, &summary, NULL));
    CHECK_FAILS(SLT_RANGE, "tolerance -1",
                slt_score_many(context, truths, guesses, 3, -1, &summary, NULL));
    slt_context_destroy(context);
}

static void many_segments_share_the_last_bin(void **state) {
    (void)state;
    enum { T = 100 };
    int32_t ids[T];
    for (int t = 0; t < T; t++) ids[t] = t;
    const slt_sequence one = {ids, T};
    slt_context *context;
    slt_score_summary summary;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 1}, &context));
    CHECK_OK(slt_score_many(context, &one, &one, 1, 1, &summary, NULL));
    assert_int_equal(summary.true_counts[SLT_COUNT_BINS - 1], 1);
    NEAR(0, summary.sd.f1, 0);
    slt_context_destroy(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(worked_examples),
        cmocka_unit_test(one_to_one_by_hand),
        cmocka_unit_test(covering_by_hand),
        cmocka_unit_test(edges),
        cmocka_unit_test(definitions),
        cmocka_unit_test(mean_spread_and_counts),
        cmocka_unit_test(many_segments_share_the_last_bin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
