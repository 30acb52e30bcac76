// Batches with a step DONE after the last one: its symbol, what is observed there, the padding
// after it, and lengths; of numbers and of bits, with and without final observations.
#include "check.h"
#include "train/batching/feed.h"

enum { WIDTH = 3, SYMBOLS = 4, LONG = 6 }; // actions 0 to 2, DONE is 3

static slt_context *context;

// an observation is all numbers below, of episode e at step t: unlike all others
static void fill(uint8_t *observation, int e, int t) {
    for (int c = 0; c < WIDTH; c++) observation[c] = (e * 4 + t + 1) >> c & 1;
}

// episode e has e + 2 steps
static void build(const char *path, slt_observation_kind kind, bool finals) {
    slt_dataset_builder *builder;
    slt_dataset_info info = {.action_count = SYMBOLS,
                             .observation_kind = kind,
                             .observation_rank = 1,
                             .observation_shape = {WIDTH},
                             .observation_size = WIDTH,
                             .has_finals = finals};
    CHECK_OK(slt_dataset_builder_create(context, path, true, &info, &builder));
    for (int e = 0; e < 2; e++) {
        uint8_t actions[4], seen[4 * WIDTH], last[WIDTH];
        for (int t = 0; t < e + 2; t++) {
            actions[t] = (uint8_t)((e + t) % 3);
            fill(seen + t * WIDTH, e, t);
        }
        fill(last, e, e + 2);
        slt_episode episode = {.length = e + 2, .actions_u8 = actions, .observations_u8 = seen};
        if (finals) episode.final_u8 = last;
        CHECK_OK(slt_dataset_builder_add(builder, &episode));
    }
    CHECK_OK(slt_dataset_builder_commit(builder));
}

// numbers of a row, whatever the kind
static void row_of(const slt_feed *feed, int row, uint8_t *out) {
    memset(out, 0, WIDTH);
    for (int c = 0; c < WIDTH && !feed->own.bits.offset; c++)
        out[c] = (uint8_t)feed->own.reals[row * WIDTH + c];
    for (int64_t i = feed->own.bits.offset ? feed->own.bits.offset[row] : 0;
         feed->own.bits.offset && i < feed->own.bits.offset[row + 1]; i++)
        out[feed->own.bits.index[i]] = 1;
}

// episode 1 (three steps) is the longer one: it comes first
static void check_batch(const slt_feed *feed, int b, bool final) {
    int e = 1 - b, T = e + 2, first = feed->offset[b];
    bool done = feed->rule.done != SLT_DONE_NONE;
    assert_int_equal(feed->length[b], T + done);
    assert_int_equal(feed->offset[b + 1] - first, feed->rule.padded ? LONG : T + 1);
    for (int l = 0; l < feed->offset[b + 1] - first; l++) {
        uint8_t got[WIDTH], want[WIDTH] = {0};
        int action = l < T ? (e + l) % 3 : done && l > T ? SYMBOLS : SYMBOLS - 1;
        assert_int_equal(feed->actions[first + l], action);
        row_of(feed, first + l, got);
        if (l < T) fill(want, e, l);
        if (l == T && done) fill(want, e, final ? T : T - 1);
        assert_memory_equal(got, want, WIDTH);
    }
}

static void check_rule(slt_dataset *data, slt_type type, slt_done done, bool padded, bool final) {
    const int64_t episodes[] = {0, 1};
    slt_arena arena;
    slt_feed feed;
    slt_batch_layout rule = {.data = data,
                             .length = LONG,
                             .slots = 1,
                             .padding = SYMBOLS - 1,
                             .padded = padded,
                             .done = done,
                             .observation_type = type,
                             .observation = WIDTH};
    slt_arena_init(&arena, &slt_system_allocator, 0);
    CHECK_OK(slt_feed_init(&feed, &arena, &rule, 2));
    CHECK_OK(slt_feed_fill(&feed, episodes, 2));
    assert_int_equal(feed.batch.true_tokens, 5 + 2 * (done != SLT_DONE_NONE));
    for (int b = 0; b < 2; b++) check_batch(&feed, b, final);
    feed.rule.length = 3;
    if (done != SLT_DONE_NONE)
        CHECK_FAILS(SLT_RANGE, "3 steps and DONE", slt_feed_fill(&feed, episodes, 2));
    slt_arena_deinit(&arena);
}

static void done_is_a_step_of_its_own(void **state) {
    (void)state;
    for (int way = 0; way < 4; way++) {
        bool bits = way & 1, finals = way & 2;
        slt_dataset *data;
        build("feed.safetensors", bits ? SLT_OBSERVATIONS_BITS : SLT_OBSERVATIONS_U8, finals);
        CHECK_OK(slt_dataset_open(context, "feed.safetensors", &data));
        for (int padded = 0; padded < 2; padded++) {
            slt_type type = bits ? SLT_BITS : SLT_NUMBERS;
            check_rule(data, type, SLT_DONE_NONE, padded, false);
            check_rule(data, type, SLT_DONE_FINAL, padded, finals);
            check_rule(data, type, SLT_DONE_REPEATED, padded, false);
        }
        slt_dataset_close(data);
    }
}

static int setup(void **state) {
    (void)state;
    return slt_context_create(NULL, &context);
}

static int teardown(void **state) {
    (void)state;
    slt_context_destroy(context);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(done_is_a_step_of_its_own)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
