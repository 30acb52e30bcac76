// The segmenter: planted segments are found and trusted, noise is not; the same answer from a file,
// with any number of threads; odd data gets a sentence.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "check.h"
#include "segmenter/segmenter_impl.h"
#include "slottar/segmenter.h"
#include "switching/chain_random.h"

enum { EPISODES = 60, MOST = 60 * 64 };

static float actions[MOST * 2];
static uint8_t symbols[MOST];
static int32_t truth[MOST];
static int64_t offsets[EPISODES + 1];

static slt_context *new_context(int threads) {
    slt_context_options options = {.threads = threads};
    slt_context *context;
    CHECK_OK(slt_context_create(&options, &context));
    return context;
}

// three phases, each with means of its own
static slt_dataset *motion(slt_context *context, int episodes, double noise) {
    static const float means[3][2] = {{1, 0}, {-1, 1}, {0, -1}};
    slt_chain_random r;
    int64_t at = 0;
    slt_chain_random_init(&r, 3);
    for (int e = 0; e < episodes; e++) {
        for (int phase = 0; phase < 3; phase++)
            for (int64_t n = 8 + slt_chain_draw(&r, 8); n > 0; n--, at++)
                for (int i = 0; i < 2; i++) {
                    actions[at * 2 + i] =
                        means[phase][i] + (float)(noise * (slt_chain_unit(&r) - .5));
                    truth[at] = phase;
                }
        offsets[e + 1] = at;
    }
    slt_dataset_arrays arrays = {.info = {.action_kind = SLT_ACTIONS_CONTINUOUS, .action_size = 2},
                                 .episodes = episodes,
                                 .offsets = offsets,
                                 .actions_f32 = actions};
    slt_dataset *data;
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &data));
    return data;
}

// wander, then action 3: three times
static slt_dataset *errands(slt_context *context, int episodes) {
    slt_chain_random r;
    int64_t at = 0;
    slt_chain_random_init(&r, 4);
    for (int e = 0; e < episodes; e++) {
        for (int errand = 0; errand < 3; errand++) {
            int way = (int)slt_chain_draw(&r, 3);
            for (int64_t n = 3 + slt_chain_draw(&r, 6); n > 0; n--, at++) {
                symbols[at] = (uint8_t)(slt_chain_unit(&r) < .8 ? way : slt_chain_draw(&r, 3));
                truth[at] = errand;
            }
            truth[at] = errand;
            symbols[at++] = 3;
        }
        offsets[e + 1] = at;
    }
    slt_dataset_arrays arrays = {.info = {.action_kind = SLT_ACTIONS_DISCRETE, .action_count = 4},
                                 .episodes = episodes,
                                 .offsets = offsets,
                                 .actions_u8 = symbols};
    slt_dataset *data;
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &data));
    return data;
}

typedef struct {
    int64_t hits, found, planted;
    uint32_t sum; // of all that was answered
} tally;

static slt_status count(void *user, const slt_segments *s) {
    tally *t = user;
    const int32_t *ids = truth + offsets[s->episode];
    for (int i = 0; i < s->boundary_count; i++) {
        int32_t b = s->boundaries[i];
        uint32_t bits;
        memcpy(&bits, &s->confidence[i], sizeof bits);
        t->sum = t->sum * 31 + (uint32_t)b + bits;
        for (int32_t d = -1; d <= 1; d++)
            if (b + d >= 0 && b + d + 1 < s->length && ids[b + d] != ids[b + d + 1]) {
                t->hits++;
                break;
            }
        assert_true(s->confidence[i] > 0 && s->confidence[i] <= 1);
    }
    for (int32_t l = 0; l + 1 < s->length; l++) t->planted += ids[l] != ids[l + 1];
    t->found += s->boundary_count;
    assert_int_equal(s->ids[s->length - 1], s->segments - 1);
    return SLT_OK;
}

static slt_status ignore(void *user, const slt_segments *s) {
    (void)user, (void)s;
    return SLT_OK;
}

static tally answer(slt_segmenter *s, slt_dataset *data) {
    tally t = {0};
    CHECK_OK(slt_segmenter_segment(s, data, NULL, count, &t));
    return t;
}

static tally fit_and_answer(slt_dataset *data, slt_context *context, slt_vote_result *result) {
    slt_segmenter *s;
    slt_segmenter_options options = {.runs = 12, .seed = 1};
    CHECK_OK(slt_segmenter_fit(context, data, &options, &s));
    tally t = answer(s, data);
    *result = *slt_segmenter_result(s);
    slt_segmenter_close(s);
    return t;
}

static void test_phases_of_motion(void **state) {
    (void)state;
    slt_vote_result result;
    slt_context *context = new_context(2);
    slt_dataset *data = motion(context, EPISODES, .3);
    tally t = fit_and_answer(data, context, &result);
    assert_string_equal(result.groups[result.chosen].name, "switching");
    assert_true(t.hits >= .98 * (double)t.planted && t.found <= 1.02 * (double)t.planted);
    assert_true(result.trust > .85 && !result.doubtful);
    slt_dataset_close(data);
    slt_context_destroy(context);
}

static void test_events(void **state) {
    (void)state;
    slt_vote_result result;
    slt_context *context = new_context(2);
    slt_dataset *data = errands(context, EPISODES);
    tally t = fit_and_answer(data, context, &result);
    assert_int_equal(result.group_count, 2);
    assert_string_equal(result.groups[result.chosen].name, "events");
    assert_true(t.hits >= .98 * (double)t.planted && t.found <= 1.02 * (double)t.planted);
    slt_dataset_close(data);
    slt_context_destroy(context);
}

// nothing to find: no trust, and a warning
// slottar-mdl where it is asked for: the same members from a file answer alike, with any number of
// threads
static void test_mdl(void **state) {
    const char *path = "mdl-members.safetensors";
    tally found[2];
    slt_vote_result result;
    (void)state;
    if (SANITIZED) {
        print_message("# takes a minute under the sanitizers, which see slottar-mdl elsewhere\n");
        skip();
    }
    remove(path);
    for (int i = 0; i < 2; i++) {
        slt_segmenter_options options = {.kind = SLT_KIND_MDL, .runs = 5, .seed = 1, .prior = "3"};
        slt_context *context = new_context(1 + i);
        slt_dataset *data = errands(context, EPISODES);
        slt_segmenter *s, *again;
        CHECK_OK(slt_segmenter_fit(context, data, &options, &s));
        result = *slt_segmenter_result(s);
        found[i] = answer(s, data);
        CHECK_OK(slt_segmenter_save(s, path, true));
        CHECK_OK(slt_segmenter_open(context, path, &again));
        assert_int_equal(answer(again, data).sum, found[i].sum);
        slt_segmenter_close(again);
        slt_segmenter_close(s);
        slt_dataset_close(data);
        slt_context_destroy(context);
    }
    assert_int_equal(found[0].sum, found[1].sum);
    assert_int_equal(result.group_count, 1);
    assert_string_equal(result.groups[0].name, "mdl");
    assert_int_equal(result.groups[0].runs, 5);
    assert_true(found[0].hits > .95 * (double)found[0].planted);
    assert_true(found[0].found < 1.05 * (double)found[0].planted);
    assert_true(result.trust > .85);
    remove(path);
}

static void test_noise_is_not_trusted(void **state) {
    (void)state;
    slt_vote_result result;
    slt_context *context = new_context(2);
    slt_dataset *data = motion(context, EPISODES, 300);
    fit_and_answer(data, context, &result);
    assert_true(result.doubtful && result.warning_count > 0);
    slt_dataset_close(data);
    slt_context_destroy(context);
}

static void test_same_bits(void **state) {
    (void)state;
    uint32_t sums[2];
    for (int i = 0; i < 2; i++) {
        slt_vote_result result;
        slt_context *context = new_context(i ? 3 : 1);
        slt_dataset *data = motion(context, 30, 1);
        sums[i] = fit_and_answer(data, context, &result).sum;
        slt_dataset_close(data);
        slt_context_destroy(context);
    }
    assert_int_equal(sums[0], sums[1]);
}

static void check_file(slt_dataset *data, slt_context *context, const char *path) {
    slt_segmenter *s, *again;
    slt_segmenter_options options = {.runs = 6, .prior = "3"};
    CHECK_OK(slt_segmenter_fit(context, data, &options, &s));
    CHECK_OK(slt_segmenter_save(s, path, false));
    CHECK_FAILS(SLT_EXISTS, "--force", slt_segmenter_save(s, path, false));
    CHECK_OK(slt_segmenter_save(s, path, true));
    CHECK_OK(slt_segmenter_open(context, path, &again));
    CHECK_FAILS(SLT_INVALID, "would write over the input", slt_segmenter_save(again, path, true));
    assert_int_equal(answer(s, data).sum, answer(again, data).sum);
    const slt_vote_result *a = slt_segmenter_result(s), *b = slt_segmenter_result(again);
    assert_int_equal(a->chosen, b->chosen);
    assert_true(a->trust == b->trust && a->warning_count == b->warning_count);
    assert_string_equal(b->told, "3");
    for (int g = 0; g < a->group_count; g++) {
        double certainty = a->groups[g].certainty;
        assert_true(certainty == b->groups[g].certainty && certainty >= a->groups[g].trust &&
                    certainty <= 1);
    }
    for (int g = 0; g < a->group_count; g++) {
        slt_vote_runs x, y;
        CHECK_OK(slt_segmenter_runs(s, g, &x));
        CHECK_OK(slt_segmenter_runs(again, g, &y));
        assert_int_equal(x.count, 6);
        assert_memory_equal(x.agreement, y.agreement, sizeof(float) * 36);
        assert_memory_equal(x.answers, y.answers, 6);
        assert_true(x.agreement[7] == 1 && x.agreement[1] == x.agreement[6]);
        for (int i = 0; i < a->groups[g].answer_count; i++)
            assert_string_equal(a->groups[g].answers[i].words, b->groups[g].answers[i].words);
    }
    CHECK_FAILS(SLT_RANGE, "no group 9", slt_segmenter_runs(again, 9, &(slt_vote_runs){0}));
    if (a->groups[a->chosen].answer_count) {
        assert_true(a->groups[a->chosen].answers[0].words[0]);
        CHECK_OK(slt_segmenter_take(again, NULL, 1));
        answer(again, data);
    }
    CHECK_FAILS(SLT_INVALID, "no answer", slt_segmenter_take(again, NULL, 9));
    CHECK_FAILS(SLT_INVALID, "no group", slt_segmenter_take(again, "nobody", 0));
    slt_segmenter_close(s);
    slt_segmenter_close(again);
}

static void test_file(void **state) {
    (void)state;
    slt_context *context = new_context(2);
    slt_dataset *data = motion(context, 20, .3);
    check_file(data, context, "motion.safetensors");
    slt_dataset_close(data);
    data = errands(context, 20);
    check_file(data, context, "errands.safetensors");
    // a segmenter of discrete actions is no use for continuous ones
    slt_segmenter *s;
    tally t = {0};
    slt_dataset *other = motion(context, 5, .3);
    CHECK_OK(slt_segmenter_open(context, "errands.safetensors", &s));
    CHECK_FAILS(SLT_SHAPE, "continuous", slt_segmenter_segment(s, other, NULL, count, &t));
    slt_segmenter_close(s);
    slt_dataset_close(other);
    slt_dataset_close(data);
    slt_context_destroy(context);
}

// the boundaries of a trajectory are the places at and above the line; the answers are there
static slt_status look(void *user, const slt_segments *s) {
    int64_t *places = user;
    assert_non_null(s->vote);
    assert_true(s->vote->line > 0 && s->vote->answer_count >= 1);
    for (int t = 0, b = 0; t < s->length; t++) {
        bool ends = b < s->boundary_count && s->boundaries[b] == t;
        assert_true(ends == (s->vote->heights[t] >= s->vote->line));
        if (ends) assert_true(s->vote->heights[t] == s->confidence[b++]);
        *places += s->vote->answers[t];
    }
    return SLT_OK;
}

static void test_picture(void **state) {
    (void)state;
    slt_context *context = new_context(1);
    slt_dataset *data = motion(context, 20, .3);
    slt_segmenter *s;
    slt_segmenter_options options = {.runs = 6};
    slt_segment_options with = {.pictures = true};
    int64_t places = 0;
    CHECK_OK(slt_segmenter_fit(context, data, &options, &s));
    CHECK_OK(slt_segmenter_segment(s, data, &with, look, &places));
    assert_int_equal(places, 2 * 20);
    slt_segmenter_close(s);
    slt_dataset_close(data);
    slt_context_destroy(context);
}

// stopped in the second group: the first answers, and says so
typedef struct {
    slt_context *context;
    int news;
    char words[128];
} listener;

static void listen(void *user, const slt_progress *p) {
    listener *l = user;
    if (p->news[0]) {
        l->news++;
        snprintf(l->words, sizeof l->words, "%s", p->news);
    }
    if (strcmp(p->stage, "phases") == 0) slt_context_cancel(l->context);
}

static void test_stopped_between_groups(void **state) {
    (void)state;
    listener l = {0};
    slt_context_options hooks = {.threads = 1, .progress = listen, .user = &l};
    slt_segmenter_options options = {.runs = 6};
    slt_segmenter *s;
    CHECK_OK(slt_context_create(&hooks, &l.context));
    slt_dataset *data = errands(l.context, 20);
    CHECK_OK(slt_segmenter_fit(l.context, data, &options, &s));
    const slt_vote_result *result = slt_segmenter_result(s);
    assert_int_equal(result->group_count, 1);
    assert_string_equal(result->groups[0].name, "events");
    assert_true(result->doubtful);
    assert_non_null(strstr(result->warnings[result->warning_count - 1], "Stopped before"));
    assert_int_equal(l.news, 2); // at 4 and 6 members
    assert_non_null(strstr(l.words, "6 runs: trust "));
    assert_non_null(strstr(l.words, " boundaries per episode"));
    slt_segmenter_close(s);
    slt_dataset_close(data);
    slt_context_destroy(l.context);
}

// bytes of a file changed one after the other: refused, or read without harm
static void test_damaged_file(void **state) {
    (void)state;
    slt_context *context = new_context(1);
    slt_dataset *data = errands(context, 12);
    slt_segmenter *s;
    slt_segmenter_options options = {.runs = 4, .kind = SLT_KIND_EVENTS};
    CHECK_OK(slt_segmenter_fit(context, data, &options, &s));
    CHECK_OK(slt_segmenter_save(s, "whole.safetensors", true));
    slt_segmenter_close(s);
    static char bytes[1 << 20];
    FILE *f = fopen("whole.safetensors", "rb");
    size_t size = fread(bytes, 1, sizeof bytes, f);
    fclose(f);
    uint32_t x = 1;
    for (int i = 0; i < 300; i++) {
        x = x * 1664525u + 1013904223u;
        size_t at = i % 2 ? x % size : x % 4096 % size;
        char was = bytes[at];
        bytes[at] = (char)(x >> 20);
        f = fopen("damaged.safetensors", "wb");
        fwrite(bytes, 1, size, f);
        fclose(f);
        bytes[at] = was;
        if (slt_segmenter_open(context, "damaged.safetensors", &s) != SLT_OK) continue;
        tally t = {0};
        slt_segment_options all = {0};
        (void)slt_segmenter_segment(s, data, &all, ignore, &t);
        slt_segmenter_close(s);
    }
    slt_dataset_close(data);
    slt_context_destroy(context);
}

// two of many observations lead the action, and change places with the phase
static slt_dataset *wide(slt_context *context, int columns, float **out) {
    slt_chain_random r;
    slt_dataset *data = motion(context, EPISODES, .1);
    int64_t steps = offsets[EPISODES];
    float *rows = calloc((size_t)(steps * columns), sizeof *rows);
    slt_chain_random_init(&r, 5);
    for (int64_t t = 0; t < steps; t++) {
        float *row = rows + t * columns;
        for (int i = 0; i + 1 < columns; i++) row[i] = (float)slt_chain_unit(&r); // the last: 0
        for (int i = 0; i < 2; i++) actions[2 * t + i] += 2 * row[columns / 2 + i];
    }
    slt_dataset_close(data);
    slt_dataset_arrays arrays = {.info = {.action_kind = SLT_ACTIONS_CONTINUOUS,
                                          .action_size = 2,
                                          .observation_kind = SLT_OBSERVATIONS_F32,
                                          .observation_size = columns,
                                          .observation_rank = 1,
                                          .observation_shape = {columns}},
                                 .episodes = EPISODES,
                                 .offsets = offsets,
                                 .actions_f32 = actions,
                                 .observations_f32 = rows};
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &data));
    *out = rows;
    return data;
}

static void test_many_columns(void **state) {
    (void)state;
    enum { COLUMNS = 2000, MANY = 300 };
    float *rows;
    slt_segmenter *s;
    slt_segmenter_options options = {.runs = 5};
    slt_context *context = new_context(2);
    slt_dataset *data = wide(context, COLUMNS, &rows);
    slt_vote_result result;
    tally t = fit_and_answer(data, context, &result);
    assert_true(t.hits >= .9 * (double)t.planted && t.found <= 1.1 * (double)t.planted);
    slt_dataset_close(data);
    // as many numbers per action are too many
    slt_dataset_arrays arrays = {
        .info = {.action_kind = SLT_ACTIONS_CONTINUOUS, .action_size = MANY},
        .episodes = 1,
        .offsets = (int64_t[]){0, 400},
        .actions_f32 = rows};
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &data));
    CHECK_FAILS(SLT_UNSUPPORTED, "at most 128", slt_segmenter_fit(context, data, &options, &s));
    slt_dataset_close(data);
    slt_context_destroy(context);
    free(rows);
}

// a single recording has pieces to draw halves from; without, it says so
static void test_one_episode(void **state) {
    (void)state;
    slt_context *context = new_context(2);
    slt_dataset *data = motion(context, EPISODES, .3);
    offsets[1] = offsets[EPISODES];
    slt_dataset_close(data);
    slt_dataset_arrays arrays = {.info = {.action_kind = SLT_ACTIONS_CONTINUOUS, .action_size = 2},
                                 .episodes = 1,
                                 .offsets = offsets,
                                 .actions_f32 = actions};
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &data));
    slt_vote_result result;
    tally t = fit_and_answer(data, context, &result);
    assert_true(t.hits >= .98 * (double)t.planted && t.found <= 1.02 * (double)t.planted);
    assert_false(result.doubtful);
    slt_dataset_close(data);
    offsets[1] = 40;
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &data));
    fit_and_answer(data, context, &result);
    assert_true(result.doubtful);
    assert_non_null(strstr(result.warnings[0], "no halves"));
    slt_dataset_close(data);
    slt_context_destroy(context);
}

static void test_odd_data(void **state) {
    (void)state;
    slt_context *context = new_context(1);
    slt_segmenter *s;
    slt_segmenter_options options = {.runs = 5};
    slt_dataset *data = motion(context, 1, .3); // one episode
    CHECK_OK(slt_segmenter_fit(context, data, &options, &s));
    answer(s, data);
    slt_segmenter_close(s);
    options.kind = SLT_KIND_EVENTS;
    CHECK_FAILS(SLT_INVALID, "continuous", slt_segmenter_fit(context, data, &options, &s));
    options = (slt_segmenter_options){.runs = 5, .prior = "labels"};
    CHECK_FAILS(SLT_INVALID, "labels", slt_segmenter_fit(context, data, &options, &s));
    options = (slt_segmenter_options){.runs = 3};
    CHECK_FAILS(SLT_INVALID, "4 to 1000", slt_segmenter_fit(context, data, &options, &s));
    options = (slt_segmenter_options){.runs = 1001};
    CHECK_FAILS(SLT_INVALID, "4 to 1000", slt_segmenter_fit(context, data, &options, &s));
    // in memory, there is no file to know again
    CHECK_FAILS(SLT_INVALID, "in a file",
                slt_segmenter_train(context, data, NULL, "run", false, &s));
    slt_dataset_close(data);
    // actions that never change
    memset(actions, 0, sizeof actions);
    slt_dataset_arrays arrays = {.info = {.action_kind = SLT_ACTIONS_CONTINUOUS, .action_size = 2},
                                 .episodes = 1,
                                 .offsets = offsets,
                                 .actions_f32 = actions};
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &data));
    options = (slt_segmenter_options){.runs = 5};
    CHECK_FAILS(SLT_INVALID, "never change", slt_segmenter_fit(context, data, &options, &s));
    slt_dataset_close(data);
    // an action that never changes; nothing but single steps
    memset(symbols, 2, sizeof symbols);
    slt_dataset_arrays still = {.info = {.action_kind = SLT_ACTIONS_DISCRETE, .action_count = 4},
                                .episodes = 2,
                                .offsets = (int64_t[]){0, 20, 40},
                                .actions_u8 = symbols};
    CHECK_OK(slt_dataset_view_arrays(context, &still, &data));
    CHECK_FAILS(SLT_INVALID, "never change", slt_segmenter_fit(context, data, &options, &s));
    slt_dataset_close(data);
    still.offsets = (int64_t[]){0, 1, 2};
    symbols[1] = 1;
    CHECK_OK(slt_dataset_view_arrays(context, &still, &data));
    CHECK_FAILS(SLT_INVALID, "more than one step", slt_segmenter_fit(context, data, &options, &s));
    slt_dataset_close(data);
    // an episode of one step among others
    data = errands(context, 10);
    slt_dataset_close(data);
    memmove(offsets + 2, offsets + 1, sizeof *offsets * 10);
    offsets[1] = 1;
    slt_dataset_arrays odd = {.info = {.action_kind = SLT_ACTIONS_DISCRETE, .action_count = 4},
                              .episodes = 11,
                              .offsets = offsets,
                              .actions_u8 = symbols};
    CHECK_OK(slt_dataset_view_arrays(context, &odd, &data));
    CHECK_OK(slt_segmenter_fit(context, data, &options, &s));
    answer(s, data);
    slt_segmenter_close(s);
    slt_dataset_close(data);
    slt_context_destroy(context);
}

// nearly tied: a group that was told the number of segments gives way to one that found it
static void test_told_group_gives_way(void **state) {
    (void)state;
    static slt_segmenter s;
    slt_group_spec events = {.kind = SLT_GROUP_EVENTS}, phases = {.kind = SLT_GROUP_PHASES};
    double possible[] = {0, 1, 1};
    s.groups[0].spec = &events;
    s.groups[1].spec = &phases;
    s.groups[0].length = s.groups[1].length = 10;
    s.result.group_count = 2;
    s.result.groups[0] = (slt_vote_group){.trust = .92, .agreement = .9, .segments = 2.5};
    s.result.groups[1] = (slt_vote_group){.trust = .91, .agreement = .8, .segments = 2.5};
    slt_segmenter_judge(&s, 2);
    assert_int_equal(s.result.chosen, 0);
    s.possible = possible;
    s.counts = 3;
    slt_segmenter_judge(&s, 2);
    assert_int_equal(s.result.chosen, 1);
    s.result.groups[0].trust = .98; // no tie
    s.result.chosen = 0;
    slt_segmenter_judge(&s, 2);
    assert_int_equal(s.result.chosen, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_phases_of_motion),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_mdl),
        cmocka_unit_test(test_noise_is_not_trusted),
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_file),
        cmocka_unit_test(test_picture),
        cmocka_unit_test(test_stopped_between_groups),
        cmocka_unit_test(test_damaged_file),
        cmocka_unit_test(test_many_columns),
        cmocka_unit_test(test_one_episode),
        cmocka_unit_test(test_odd_data),
        cmocka_unit_test(test_told_group_gives_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
