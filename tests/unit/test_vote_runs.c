// How many runs vote: by default more of the group that answers where other runs would change its
// boundaries, but no more than are asked for, and none when time is over. sanitizers: too long
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "check.h"
#include "slottar/segmenter.h"
#include "switching/chain_random.h"

enum { EPISODES = 12, LENGTH = 20, FIRST = 60, ALL = 120 };

typedef struct {
    slt_context *context;
    int cancel_at;   // runs; 0: never
    double pause;    // seconds after the first runs
    bool said;       // why there are more runs
    int most, total; // runs, as they were reported
} listener;

static void listen(void *user, const slt_progress *p) {
    listener *l = user;
    l->most = (int)p->done > l->most ? (int)p->done : l->most;
    l->total = (int)p->total;
    if (strstr(p->news, " % of the boundaries would change with other runs: 60 more"))
        l->said = true;
    if (l->cancel_at && (int)p->done >= l->cancel_at) slt_context_cancel(l->context);
    struct timespec pause = {(time_t)l->pause, (long)(1e9 * (l->pause - (double)(time_t)l->pause))};
    if (l->pause > 0 && p->done == FIRST) nanosleep(&pause, NULL);
}

// actions at random, or left and right in turns of ten
static slt_dataset *walk(slt_context *context, bool random) {
    static uint8_t symbols[EPISODES * LENGTH];
    static int64_t offsets[EPISODES + 1];
    slt_chain_random r;
    slt_chain_random_init(&r, 1);
    for (int t = 0; t < EPISODES * LENGTH; t++)
        symbols[t] = (uint8_t)(random ? slt_chain_draw(&r, 4) : t / 10 % 2);
    for (int e = 0; e <= EPISODES; e++) offsets[e] = e * LENGTH;
    slt_dataset_arrays arrays = {.info = {.action_kind = SLT_ACTIONS_DISCRETE, .action_count = 4},
                                 .episodes = EPISODES,
                                 .offsets = offsets,
                                 .actions_u8 = symbols};
    slt_dataset *data;
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &data));
    return data;
}

static slt_status add(void *user, const slt_segments *s) {
    uint32_t *sum = user, bits;
    for (int i = 0; i < s->boundary_count; i++) {
        memcpy(&bits, &s->confidence[i], sizeof bits);
        *sum = *sum * 31 + (uint32_t)s->boundaries[i] + bits;
    }
    return SLT_OK;
}

typedef struct {
    slt_vote_result result;
    uint32_t sum; // of what is answered
    listener heard;
} outcome;

static outcome fit(bool random, int threads, slt_segmenter_options options, listener l) {
    outcome o = {.heard = l};
    slt_context_options hooks = {.threads = threads, .progress = listen, .user = &o.heard};
    slt_segmenter *s, *again;
    uint32_t sum = 0;
    options.kind = SLT_KIND_PHASES;
    CHECK_OK(slt_context_create(&hooks, &o.heard.context));
    slt_dataset *data = walk(o.heard.context, random);
    CHECK_OK(slt_segmenter_fit(o.heard.context, data, &options, &s));
    o.result = *slt_segmenter_result(s);
    CHECK_OK(slt_segmenter_save(s, "members.safetensors", true));
    slt_segmenter_close(s);
    slt_dataset_close(data);
    slt_context_destroy(o.heard.context);
    // from the file, in a context that was not cancelled
    slt_context *context;
    CHECK_OK(slt_context_create(NULL, &context));
    data = walk(context, random);
    CHECK_OK(slt_segmenter_open(context, "members.safetensors", &again));
    assert_int_equal(slt_segmenter_result(again)->groups[0].runs, o.result.groups[0].runs);
    assert_int_equal(slt_segmenter_result(again)->groups[0].answer_count,
                     o.result.groups[0].answer_count);
    CHECK_OK(slt_segmenter_segment(again, data, NULL, add, &sum));
    slt_segmenter_close(again);
    slt_dataset_close(data);
    slt_context_destroy(context);
    o.sum = sum;
    return o;
}

static void test_decided(void **state) {
    (void)state;
    outcome o = fit(false, 2, (slt_segmenter_options){0}, (listener){0});
    assert_int_equal(o.result.groups[0].runs, FIRST);
    assert_int_equal(o.heard.total, FIRST);
    assert_false(o.heard.said);
}

// the same as if all were asked for, with any number of threads, told and not
static void test_undecided(void **state) {
    (void)state;
    outcome asked = fit(true, 2, (slt_segmenter_options){.runs = ALL}, (listener){0});
    outcome fewer = fit(true, 2, (slt_segmenter_options){.runs = FIRST}, (listener){0});
    assert_false(asked.heard.said || fewer.heard.said);
    assert_int_equal(fewer.result.groups[0].runs, FIRST);
    assert_int_not_equal(fewer.sum, asked.sum);
    for (int threads = 1; threads <= 3; threads += 2) {
        outcome o = fit(true, threads, (slt_segmenter_options){0}, (listener){0});
        assert_true(o.heard.said && o.heard.most == ALL && o.heard.total == ALL);
        assert_int_equal(o.result.groups[0].runs, ALL);
        assert_true(o.result.trust == asked.result.trust);
        assert_int_equal(o.sum, asked.sum);
    }
    outcome told = fit(true, 2, (slt_segmenter_options){.prior = "2..6"}, (listener){0});
    assert_int_equal(told.result.groups[0].runs, ALL);
}

static void test_stopped(void **state) {
    (void)state;
    outcome o = fit(true, 1, (slt_segmenter_options){0}, (listener){.cancel_at = FIRST + 10});
    assert_true(o.heard.said);
    assert_int_equal(o.result.groups[0].runs, FIRST + 10);
    o = fit(true, 1, (slt_segmenter_options){0}, (listener){.cancel_at = FIRST});
    assert_int_equal(o.result.groups[0].runs, FIRST);
    assert_false(o.heard.said);
}

// fewer than the first where the machine is slow
static void test_time_is_over(void **state) {
    (void)state;
    outcome o = fit(true, 2, (slt_segmenter_options){.seconds = 1}, (listener){.pause = 1.1});
    assert_in_range(o.result.groups[0].runs, 4, FIRST);
    assert_false(o.heard.said);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_decided),
        cmocka_unit_test(test_undecided),
        cmocka_unit_test(test_stopped),
        cmocka_unit_test(test_time_is_over),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
