// The step DONE that the baselines see after a trajectory: its symbol, its observation, its
// length, and the number of segments that comes with it.
#include <unistd.h>
#include "check.h"
#include "engine/tape_impl.h"
#include "train/batching/feed.h"
#include "group_context.h"

enum { WIDTH = 3, ACTIONS = 4 }; // actions 0..3, DONE 4, padding 5

// episodes of 3 and 2 steps; step t of episode e observes a one at (e + t) mod 3, the final
// observation all ones
static slt_dataset *make_data(const char *path, slt_observation_kind kind, bool finals) {
    slt_dataset_info info = {.action_kind = SLT_ACTIONS_DISCRETE,
                             .action_count = ACTIONS,
                             .observation_kind = kind,
                             .observation_rank = 1,
                             .observation_shape = {WIDTH},
                             .observation_size = WIDTH,
                             .has_segments = true,
                             .has_finals = finals};
    slt_dataset_builder *builder;
    slt_dataset *data;
    CHECK_OK(slt_dataset_builder_create(context, path, true, &info, &builder));
    const uint8_t all[WIDTH] = {1, 1, 1};
    for (int e = 0; e < 2; e++) {
        uint8_t seen[3 * WIDTH] = {0};
        int32_t actions[3] = {0, 1, 2}, segments[3] = {0, 0, 1 - e};
        for (int t = 0; t < 3; t++) seen[t * WIDTH + (e + t) % 3] = 1;
        slt_episode episode = {.length = 3 - e,
                               .actions_i32 = actions,
                               .observations_u8 = seen,
                               .segments = segments,
                               .final_u8 = finals ? all : NULL};
        CHECK_OK(slt_dataset_builder_add(builder, &episode));
    }
    CHECK_OK(slt_dataset_builder_commit(builder));
    CHECK_OK(slt_dataset_open(context, path, &data));
    unlink(path);
    return data;
}

static slt_batch_layout rule_of(slt_dataset *data, slt_type type) {
    return (slt_batch_layout){.data = data,
                              .length = 6,
                              .slots = 4,
                              .padding = ACTIONS,
                              .done = SLT_DONE_FINAL,
                              .companions = SLT_COMPANION_OWN,
                              .observation_type = type,
                              .observation = WIDTH};
}

// is there a one at place c of a row?
static bool sees(const slt_feed *feed, int row, int c) {
    if (feed->rule.observation_type == SLT_NUMBERS) return feed->own.reals[row * WIDTH + c] > 0;
    for (int64_t i = feed->own.bits.offset[row]; i < feed->own.bits.offset[row + 1]; i++)
        if (feed->own.bits.index[i] == c) return true;
    return false;
}

static int ones_of(const slt_feed *feed, int row) {
    return sees(feed, row, 0) + sees(feed, row, 1) + sees(feed, row, 2);
}

static void fill(slt_feed *feed, slt_arena *arena, const slt_batch_layout *rule) {
    slt_arena_init(arena, &slt_system_allocator, 0);
    CHECK_OK(slt_feed_init(feed, arena, rule, 2));
    CHECK_OK(slt_feed_fill(feed, (int64_t[]){1, 0}, 2));
}

static void check_done(slt_observation_kind kind, slt_type type, bool finals, bool repeat) {
    slt_dataset *data = make_data("feed.safetensors", kind, finals);
    slt_batch_layout rule = rule_of(data, type);
    slt_arena arena;
    slt_feed feed;
    rule.done = repeat ? SLT_DONE_REPEATED : SLT_DONE_FINAL;
    fill(&feed, &arena, &rule);
    // the longer episode comes first: three steps and DONE, two steps and DONE
    assert_int_equal(feed.length[0], 4);
    assert_int_equal(feed.length[1], 3);
    assert_int_equal(feed.offset[2], 7);
    assert_int_equal(feed.batch.true_tokens, 7);
    const int32_t want[] = {0, 1, 2, ACTIONS, 0, 1, ACTIONS};
    assert_memory_equal(feed.actions, want, sizeof want);
    bool last = repeat || !finals;
    assert_int_equal(ones_of(&feed, 3), last ? 1 : 3);
    assert_true(sees(&feed, 3, 2)); // what step 2 of episode 0 saw
    assert_int_equal(ones_of(&feed, 6), last ? 1 : 3);
    assert_true(sees(&feed, 6, 2)); // what step 1 of episode 1 saw
    slt_arena_deinit(&arena);
    slt_dataset_close(data);
}

static void done_follows_each_trajectory(void **state) {
    (void)state;
    for (int finals = 0; finals < 2; finals++)
        for (int repeat = 0; repeat < 2; repeat++) {
            check_done(SLT_OBSERVATIONS_U8, SLT_NUMBERS, finals, repeat);
            check_done(SLT_OBSERVATIONS_BITS, SLT_BITS, finals, repeat);
        }
}

// after DONE there is nothing but padding
static void padding_follows_done(void **state) {
    (void)state;
    slt_dataset *data = make_data("feed.safetensors", SLT_OBSERVATIONS_BITS, true);
    slt_batch_layout rule = rule_of(data, SLT_BITS);
    slt_arena arena;
    slt_feed feed;
    rule.padded = true;
    fill(&feed, &arena, &rule);
    assert_int_equal(feed.offset[2], 12);
    const int32_t want[] = {0, 1, 2, 4, 5, 5, 0, 1, 4, 5, 5, 5};
    assert_memory_equal(feed.actions, want, sizeof want);
    assert_int_equal(ones_of(&feed, 3), 3);
    assert_int_equal(ones_of(&feed, 4), 0);
    assert_int_equal(ones_of(&feed, 11), 0);
    slt_arena_deinit(&arena);
    slt_dataset_close(data);
}

static void counts_are_told_to_those_who_ask(void **state) {
    (void)state;
    for (int oracle = 0; oracle < 2; oracle++) {
        slt_dataset *data = make_data("feed.safetensors", SLT_OBSERVATIONS_U8, true);
        slt_batch_layout rule = rule_of(data, SLT_NUMBERS);
        slt_arena arena;
        slt_feed feed;
        rule.oracle = oracle;
        fill(&feed, &arena, &rule);
        assert_int_equal(feed.counts[0], oracle ? 2 : 4);
        assert_int_equal(feed.counts[1], oracle ? 1 : 4);
        slt_arena_deinit(&arena);
        slt_dataset_close(data);
    }
}

static void there_must_be_room_for_done(void **state) {
    (void)state;
    slt_dataset *data = make_data("feed.safetensors", SLT_OBSERVATIONS_U8, true);
    slt_batch_layout rule = rule_of(data, SLT_NUMBERS);
    slt_arena arena;
    slt_feed feed;
    rule.length = 3;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    CHECK_OK(slt_feed_init(&feed, &arena, &rule, 2));
    CHECK_OK(slt_feed_fill(&feed, (int64_t[]){1}, 1));
    CHECK_FAILS(SLT_RANGE, "length=4", slt_feed_fill(&feed, (int64_t[]){0}, 1));
    slt_arena_deinit(&arena);
    slt_dataset_close(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(done_follows_each_trajectory),
        cmocka_unit_test(padding_follows_done),
        cmocka_unit_test(counts_are_told_to_those_who_ask),
        cmocka_unit_test(there_must_be_room_for_done),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
