// Which steps change what is observed, as batches tell it: of numbers and of bits, packed and
// padded, without observations not at all.
#include "check.h"
#include "train/batching/feed.h"

enum { WIDTH = 3, SYMBOLS = 4, STEPS = 5, LONG = 7 };

static slt_context *context;

static const uint8_t ACTIONS[STEPS] = {0, 1, 1, 2, 0};
// after steps 0 and 3 something else is seen; two ones may change their places
static const uint8_t SEEN[STEPS][WIDTH] = {{1, 1, 0}, {1, 0, 1}, {1, 0, 1}, {1, 0, 1}, {0, 0, 0}};
static const bool CHANGES[STEPS] = {true, false, false, true, false};

static void build(const char *path, slt_observation_kind kind) {
    slt_dataset_builder *builder;
    bool sees = kind != SLT_OBSERVATIONS_NONE;
    slt_dataset_info info = {.action_count = SYMBOLS,
                             .observation_kind = kind,
                             .observation_rank = sees,
                             .observation_shape = {sees ? WIDTH : 0},
                             .observation_size = sees ? WIDTH : 0};
    slt_episode episode = {.length = STEPS, .actions_u8 = ACTIONS};
    if (sees) episode.observations_u8 = &SEEN[0][0];
    CHECK_OK(slt_dataset_builder_create(context, path, true, &info, &builder));
    CHECK_OK(slt_dataset_builder_add(builder, &episode));
    CHECK_OK(slt_dataset_builder_add(builder, &episode));
    CHECK_OK(slt_dataset_builder_commit(builder));
}

static void check_effects(const slt_feed *feed, int b) {
    int first = feed->offset[b], computed = feed->offset[b + 1] - first;
    assert_int_equal(computed, feed->rule.padded ? LONG : STEPS + 1);
    for (int l = 0; l < computed; l++) {
        int action = l < STEPS ? ACTIONS[l] : SYMBOLS - 1;
        bool changes = l < STEPS && CHANGES[l];
        assert_int_equal(feed->actions[first + l], action);
        assert_int_equal(feed->effects[first + l], action + (changes ? SYMBOLS : 0));
    }
}

static void check_kind(slt_observation_kind kind, slt_type type, bool padded) {
    const int64_t episodes[] = {0, 1};
    slt_arena arena;
    slt_feed feed;
    slt_dataset *data;
    CHECK_OK(slt_dataset_open(context, kind == SLT_OBSERVATIONS_BITS ? "bits" : "bytes", &data));
    slt_batch_layout rule = {.data = data,
                             .length = LONG,
                             .slots = 1,
                             .padding = SYMBOLS - 1,
                             .padded = padded,
                             .effects = true,
                             .observation_type = type,
                             .observation = WIDTH};
    slt_arena_init(&arena, &slt_system_allocator, 0);
    CHECK_OK(slt_feed_init(&feed, &arena, &rule, 2));
    CHECK_OK(slt_feed_fill(&feed, episodes, 2));
    for (int b = 0; b < 2; b++) check_effects(&feed, b);
    slt_arena_deinit(&arena);
    slt_dataset_close(data);
}

static void numbers_and_bits(void **state) {
    (void)state;
    build("bytes", SLT_OBSERVATIONS_U8);
    build("bits", SLT_OBSERVATIONS_BITS);
    for (int padded = 0; padded < 2; padded++) {
        check_kind(SLT_OBSERVATIONS_U8, SLT_NUMBERS, padded);
        check_kind(SLT_OBSERVATIONS_BITS, SLT_BITS, padded);
    }
}

static void nothing_observed(void **state) {
    (void)state;
    slt_arena arena;
    slt_feed feed;
    slt_dataset *data;
    build("none", SLT_OBSERVATIONS_NONE);
    CHECK_OK(slt_dataset_open(context, "none", &data));
    slt_batch_layout rule = {.data = data, .length = LONG, .slots = 1, .padding = SYMBOLS - 1};
    slt_arena_init(&arena, &slt_system_allocator, 0);
    CHECK_OK(slt_feed_init(&feed, &arena, &rule, 2));
    CHECK_OK(slt_feed_fill(&feed, (const int64_t[]){0, 1}, 2));
    assert_null(feed.effects);
    slt_arena_deinit(&arena);
    slt_dataset_close(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers_and_bits),
                                       cmocka_unit_test(nothing_observed)};
    if (slt_context_create(NULL, &context) != SLT_OK) return 1;
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    slt_context_destroy(context);
    return failed;
}
