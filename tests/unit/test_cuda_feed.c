// Batches that the device makes of a data set on device rows: byte for byte those that are laid out
// here, whatever the rule; what does not fit is laid out here.
// sanitizers: too long
#include <stdlib.h>
#include <unistd.h>
#include "cuda_rig.h"
#include "train/batching/device_dataset.h"

enum { WIDTH = 5, ACTIONS = 4, LONGEST = 6, SLOTS = 3, BATCH = 7, MEMBERS = 2 };
enum { EPISODES = 300 }; // more than are laid out at once

#ifdef SLT_CUDA

// episode e has 1 + e mod 6 steps, and sees each of them twice or thrice
static slt_dataset *make_data_of(slt_observation_kind kind, bool finals, bool vectors) {
    bool seen = kind != SLT_OBSERVATIONS_NONE;
    slt_dataset_info info = {.action_kind = vectors ? SLT_ACTIONS_CONTINUOUS : SLT_ACTIONS_DISCRETE,
                             .action_count = vectors ? 0 : ACTIONS,
                             .action_size = vectors ? 2 : 0,
                             .observation_kind = kind,
                             .observation_rank = seen,
                             .observation_shape = {seen ? WIDTH : 0},
                             .observation_size = seen ? WIDTH : 0,
                             .has_segments = true,
                             .has_finals = finals && seen};
    slt_dataset_builder *builder;
    slt_dataset *data;
    CHECK_OK(slt_dataset_builder_create(host, "rows.safetensors", true, &info, &builder));
    for (int e = 0; e < EPISODES; e++) {
        uint8_t bytes[(LONGEST + 1) * WIDTH];
        int32_t actions[LONGEST], segments[LONGEST];
        float forces[LONGEST * 2];
        for (int i = 0; i < LONGEST * 2; i++) forces[i] = (float)((5 * e + i) % 11);
        for (int t = 0; t < LONGEST; t++) actions[t] = (5 * e + t) % ACTIONS, segments[t] = t / 2;
        for (int i = 0; i < (LONGEST + 1) * WIDTH; i++)
            bytes[i] = (uint8_t)((e + 7 * (i / WIDTH / 2) + 3 * (i % WIDTH)) % 5 < 2);
        slt_episode episode = {.length = 1 + e % LONGEST,
                               .actions_i32 = vectors ? NULL : actions,
                               .actions_f32 = vectors ? forces : NULL,
                               .segments = segments,
                               .observations_u8 = seen ? bytes : NULL,
                               .final_u8 = info.has_finals ? bytes + LONGEST * WIDTH : NULL};
        CHECK_OK(slt_dataset_builder_add(builder, &episode));
    }
    CHECK_OK(slt_dataset_builder_commit(builder));
    CHECK_OK(slt_dataset_open(host, "rows.safetensors", &data));
    unlink("rows.safetensors");
    return data;
}

static slt_dataset *make_data(slt_observation_kind kind, bool finals) {
    return make_data_of(kind, finals, false);
}

// a tape that is fed, and does nothing else
typedef struct {
    slt_store *store;
    slt_tape *tape;
    slt_model_io io;
} reader;

static void open_reader(reader *r, const slt_batch_layout *rule) {
    slt_limits limits = {
        .trajectories = BATCH + rule->fixed, .slots = SLOTS, .length = rule->length};
    CHECK_OK(slt_feed_tokens(rule, limits.trajectories, &limits.tokens));
    limits.tokens += 100; // classes of 64: rows of a launch lie after the batch's
    CHECK_OK(slt_store_create(device, MEMBERS, &r->store));
    CHECK_OK(slt_tape_create(r->store, limits, &r->tape));
    slt_shape one = {SLT_TOKENS, 0, 1}, wide = {SLT_TOKENS, 0, WIDTH};
    slt_shape acted = {SLT_TOKENS, 0, rule->channels + 1};
    slt_type type = rule->channels ? SLT_NUMBERS : SLT_INTEGERS;
    r->io = (slt_model_io){.actions = slt_tape_input(r->tape, type, acted, "actions")};
    if (rule->observation)
        r->io.observations = slt_tape_input(r->tape, rule->observation_type, wide, "observations");
    if (rule->effects) r->io.effects = slt_tape_input(r->tape, SLT_INTEGERS, one, "effects");
    CHECK_OK(slt_store_finish(r->store));
    CHECK_OK(slt_tape_finish(r->tape, 0, false));
}

static void close_reader(reader *r) {
    slt_tape_destroy(r->tape);
    slt_store_destroy(r->store);
}

static void fill_there(slt_cuda *cuda, void *memory, int byte, size_t bytes) {
    assert_int_equal(cudaMemsetAsync(memory, byte, bytes, cuda->stream), cudaSuccess);
    CHECK_OK(slt_cuda_rest(cuda));
}

// the frames of a step; nothing is in them that this step did not bring
static char *frames_of(reader *r, const slt_feed *feeds) {
    slt_cuda_tape *t = slt_cuda_tape_of(r->tape);
    size_t bytes = t->frame_bytes * MEMBERS;
    char *copy = malloc(bytes);
    for (int m = 0; m < MEMBERS; m++) slt_feed_hand_over(&feeds[m], r->tape, m, r->io);
    for (int m = 0; m < MEMBERS; m++) CHECK_OK(slt_tape_check(r->tape, m));
    for (int i = 0; i < SLT_CUDA_STAGES; i++)
        if (t->stage[i].there) fill_there(t->cuda, t->stage[i].there, 0x77, t->stage[i].room_there);
    fill_there(t->cuda, t->both, 0x55, SLT_CUDA_FRAMES * bytes);
    CHECK_OK(slt_cuda_frames_put(r->tape));
    CHECK_OK(slt_cuda_stage_send(r->tape, false));
    assert_int_equal(
        cudaMemcpyAsync(copy, t->frames.at, bytes, cudaMemcpyDeviceToHost, t->cuda->stream),
        cudaSuccess);
    CHECK_OK(slt_cuda_rest(t->cuda));
    return copy;
}

// of a member's frame: what kernels read
static void check_frame(const reader *r, const slt_feed *feed, const char *want, const char *got) {
    const slt_cuda_tape *t = slt_cuda_tape_of(r->tape);
    size_t count = (size_t)feed->batch.count, tokens = (size_t)feed->offset[count];
    size_t rows = (size_t)t->tokens, each = sizeof(int32_t);
    assert_true(rows > tokens); // there is a tail
    const size_t places[][2] = {
        {0, sizeof(slt_cuda_frame_header)},
        {(size_t)t->frames.offset, (count + 1) * each},
        {(size_t)t->frames.length, count * each},
        {(size_t)t->frames.index, count * each},
        {(size_t)t->frames.companion, count * SLOTS * each},
        {(size_t)t->frames.place, tokens * each},
        {(size_t)t->feed[r->io.actions], rows * (size_t)(feed->rule.channels + 1) * each}};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++)
        assert_memory_equal(want + places[i][0], got + places[i][0], places[i][1]);
    const int32_t *place = (const int32_t *)(const void *)(got + t->frames.place);
    for (size_t b = 0; b < count; b++) assert_int_equal(place[feed->offset[b + 1] - 1], b);
    if (r->io.effects)
        assert_memory_equal(want + t->feed[r->io.effects], got + t->feed[r->io.effects],
                            rows * each);
    if (!r->io.observations) return;
    const char *seen = want + t->feed[r->io.observations];
    bool bits = feed->rule.observation_type == SLT_BITS;
    assert_memory_equal(seen, got + t->feed[r->io.observations],
                        bits ? (rows + 1) * each : rows * WIDTH * each);
    if (!bits) return;
    int64_t ones = t->feed_ones[r->io.observations];
    assert_memory_equal(want + ones, got + ones,
                        (size_t)((const int32_t *)(const void *)seen)[rows] * sizeof(uint16_t));
}

// the same batch, laid out in two ways
static void check_feeds(const slt_feed *a, const slt_feed *b) {
    size_t count = (size_t)a->batch.count, each = sizeof(int32_t);
    assert_int_equal(a->batch.count, b->batch.count);
    assert_int_equal(a->batch.true_tokens, b->batch.true_tokens);
    assert_memory_equal(a->counts, b->counts, count * each);
    assert_memory_equal(a->order, b->order, count * each);
    assert_true(!b->own.reals && !b->own.ones && !b->effects); // nothing of it is here
    const void *read = b->rule.channels ? (const void *)b->vectors : b->actions;
    assert_true(!read == !b->rule.reads_actions);
    if (b->actions) assert_memory_equal(a->actions, b->actions, (size_t)a->offset[count] * each);
}

static void check_rule(slt_batch_layout rule) {
    slt_arena arena;
    slt_device_dataset *device_data;
    slt_feed here[MEMBERS], there[MEMBERS];
    reader r;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    CHECK_OK(slt_device_dataset_create(device, &rule, &device_data));
    assert_non_null(device_data);
    for (int m = 0; m < MEMBERS; m++) {
        CHECK_OK(slt_feed_init(&here[m], &arena, &rule, BATCH + rule.fixed));
        slt_batch_layout other = rule;
        other.device_data = device_data;
        CHECK_OK(slt_feed_init(&there[m], &arena, &other, BATCH + rule.fixed));
    }
    open_reader(&r, &rule);
    for (int round = 0; round < 3; round++) {
        for (int m = 0; m < MEMBERS; m++) {
            int64_t episodes[BATCH];
            int asked = round ? BATCH - m : 1;
            for (int i = 0; i < asked; i++) episodes[i] = (97 * i + 5 * m + 71 * round) % EPISODES;
            CHECK_OK(slt_feed_fill(&here[m], episodes, asked));
            CHECK_OK(slt_feed_fill(&there[m], episodes, asked));
            check_feeds(&here[m], &there[m]);
        }
        char *want = frames_of(&r, here), *got = frames_of(&r, there);
        size_t bytes = slt_cuda_tape_of(r.tape)->frame_bytes;
        for (size_t m = 0; m < MEMBERS; m++)
            check_frame(&r, &here[m], want + m * bytes, got + m * bytes);
        free(want);
        free(got);
    }
    CHECK_FAILS(SLT_RANGE, "no episode 300", slt_feed_fill(&there[0], (int64_t[]){EPISODES}, 1));
    close_reader(&r);
    slt_device_dataset_destroy(device_data);
    slt_arena_deinit(&arena);
}

static slt_batch_layout rule_of(slt_dataset *data, slt_type type) {
    int width = (int)slt_dataset_about(data)->observation_size;
    return (slt_batch_layout){.data = data,
                              .length = LONGEST,
                              .slots = SLOTS,
                              .padding = ACTIONS,
                              .companions = SLT_COMPANION_OTHERS,
                              .observation_type = type,
                              .observation = width};
}

// ends, padding, effects, companions
static void check_rules(slt_observation_kind kind, slt_type type, bool finals) {
    slt_dataset *data = make_data(kind, finals);
    slt_episode fixed[SLOTS];
    for (int k = 0; k < SLOTS; k++) CHECK_OK(slt_dataset_episode(data, 2 * k, &fixed[k]));
    for (int i = 0; i < 3 * 8; i++) {
        slt_batch_layout rule = rule_of(data, type);
        const slt_done done[] = {SLT_DONE_NONE, SLT_DONE_FINAL, SLT_DONE_REPEATED};
        rule.done = done[i % 3];
        rule.length += rule.done != SLT_DONE_NONE; // the longest has just room
        rule.padded = i / 3 & 1;
        rule.effects = rule.oracle = rule.observation && (i / 6 & 1);
        rule.reads_actions = i / 12 & 1;
        rule.fixed = rule.reads_actions ? SLOTS : 0;
        rule.fixed_episodes = rule.fixed ? fixed : NULL;
        check_rule(rule);
    }
    slt_dataset_close(data);
}

static void batches_are_the_same_bytes(void **state) {
    (void)state;
    for (int finals = 0; finals < 2; finals++) {
        check_rules(SLT_OBSERVATIONS_BITS, SLT_BITS, finals);
        check_rules(SLT_OBSERVATIONS_U8, SLT_NUMBERS, finals);
    }
    check_rules(SLT_OBSERVATIONS_NONE, SLT_NUMBERS, false);
}

// action vectors and observations, standardised
static void vectors_are_the_same_bytes(void **state) {
    (void)state;
    static const slt_channel_scale channels[] = {{0, false, 5, 3}, {1, true, 0, 11}};
    slt_channel_scale observed[WIDTH];
    slt_dataset *data = make_data_of(SLT_OBSERVATIONS_U8, false, true);
    for (int c = 0; c < WIDTH; c++) observed[c] = (slt_channel_scale){c, false, 0.5f, c ? 0.5f : 0};
    for (int i = 0; i < 4; i++) {
        slt_batch_layout rule = rule_of(data, SLT_NUMBERS);
        rule.channels = 2;
        rule.channel = channels;
        rule.observed = observed;
        rule.done = i & 1 ? SLT_DONE_FINAL : SLT_DONE_NONE;
        rule.length += rule.done != SLT_DONE_NONE;
        rule.reads_actions = i & 2;
        check_rule(rule);
    }
    slt_dataset_close(data);
}

// ---- what does not fit

static void device_rows_keep_to_their_room(void **state) {
    (void)state;
    const slt_row_column columns[] = {{SLT_INTEGERS, 1, 0}, {SLT_BITS, WIDTH, 4}};
    const int64_t offset[] = {0, 2, 3, 5};
    const uint16_t index[] = {0, 4, 1, 2, 3};
    slt_bits bits = {offset, index};
    const void *data[] = {(const int32_t[]){1, 2, 3}, &bits};
    slt_device_rows *device_rows;
    CHECK_OK(slt_device_rows_create(device, columns, 2, 3, &device_rows));
    CHECK_OK(slt_device_rows_add(device_rows, data, 2));
    CHECK_FAILS(SLT_RANGE, "2 of 3 rows", slt_device_rows_add(device_rows, data, 2));
    CHECK_FAILS(SLT_RANGE, "3 of 4", slt_device_rows_add(device_rows, data, 1));
    slt_device_rows_destroy(device_rows);
    CHECK_OK(slt_device_rows_create(host, columns, 2, 3, &device_rows));
    assert_null(device_rows);
}

static void a_tape_takes_device_rows(void **state) {
    (void)state;
    slt_dataset *data = make_data(SLT_OBSERVATIONS_BITS, false);
    slt_batch_layout rule = rule_of(data, SLT_BITS);
    slt_arena arena;
    slt_device_dataset *device_data;
    slt_feed feed;
    reader r;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    CHECK_OK(slt_device_dataset_create(device, &rule, &device_data));
    rule.device_data = device_data;
    CHECK_OK(slt_feed_init(&feed, &arena, &rule, BATCH));
    open_reader(&r, &rule);
    CHECK_OK(slt_feed_fill(&feed, (const int64_t[]){3, 4}, 2));
    slt_feed_hand_over(&feed, r.tape, 0, r.io);
    CHECK_OK(slt_tape_check(r.tape, 0));
    feed.first[1] = device_data->device_rows->rows;
    CHECK_FAILS(SLT_RANGE, "device rows", slt_tape_check(r.tape, 0));
    feed.first[1] = -1;
    CHECK_FAILS(SLT_RANGE, "row -1", slt_tape_check(r.tape, 0));
    feed.first[1] = 0;
    slt_tape_take(r.tape, 0, r.io.actions, &feed.slice[SLT_ROW_OBSERVATION], NULL);
    CHECK_FAILS(SLT_INVALID, "'actions' does not fit column 1", slt_tape_check(r.tape, 0));
    slt_tape_take(r.tape, 0, r.io.actions, NULL, NULL);
    CHECK_FAILS(SLT_INVALID, "'actions' was not fed", slt_tape_check(r.tape, 0));
    close_reader(&r);
    slt_device_dataset_destroy(device_data);
    slt_arena_deinit(&arena);
    slt_dataset_close(data);
}

// only the emulated device can be made smaller
extern size_t emulated_room __attribute__((weak));

static int told;
static void hear(void *user, slt_log_level level, const char *message) {
    (void)user, (void)level;
    told += strstr(message, "does not fit into") &&
            strstr(message, "batches are assembled on the host");
}

static void a_large_set_stays_here(void **state) {
    (void)state;
    if (!&emulated_room) {
        print_message("# only the emulated device can be made smaller\n");
        skip();
    }
    slt_dataset *data = make_data(SLT_OBSERVATIONS_U8, false);
    slt_batch_layout rule = rule_of(data, SLT_NUMBERS);
    slt_device_dataset *device_data;
    slt_context *small;
    slt_context_options options = {.threads = 1, .device = "cuda", .log = hear};
    CHECK_OK(slt_context_create(&options, &small));
    CHECK_OK(slt_device_dataset_create(small, &rule, &device_data)); // opens the device
    assert_non_null(device_data);
    slt_device_dataset_destroy(device_data);
    assert_int_equal(told, 0);
    size_t room = emulated_room;
    emulated_room = 4000;
    CHECK_OK(slt_device_dataset_create(small, &rule, &device_data));
    assert_null(device_data);
    assert_int_equal(told, 1);
    emulated_room = room;
    slt_context_destroy(small);
    slt_dataset_close(data);
}

// memory of the host that ends
static int requests, held;
static void *alloc_some(void *user, size_t bytes) {
    (void)user;
    if (requests-- <= 0) return NULL;
    held++;
    return malloc(bytes);
}
static void free_any(void *user, void *memory) {
    (void)user;
    held -= memory != NULL;
    free(memory);
}

static void without_memory_it_stays_here(void **state) {
    (void)state;
    slt_dataset *data = make_data(SLT_OBSERVATIONS_BITS, false);
    slt_batch_layout rule = rule_of(data, SLT_BITS);
    slt_device_dataset *device_data = NULL;
    slt_context *poor;
    slt_context_options options = {
        .threads = 1, .device = "cuda", .alloc = alloc_some, .free = free_any};
    requests = 1000;
    CHECK_OK(slt_context_create(&options, &poor));
    poor->allocator.apart = true;
    CHECK_OK(slt_device_dataset_create(poor, &rule, &device_data));
    slt_device_dataset_destroy(device_data);
    int n = 0, before = held;
    for (device_data = NULL; !device_data; n++) {
        assert_int_equal(held, before);
        requests = n;
        slt_status status = slt_device_dataset_create(poor, &rule, &device_data);
        assert_true(status == SLT_OK || status == SLT_NOMEM);
    }
    assert_true(n > 10);
    slt_device_dataset_destroy(device_data);
    slt_context_destroy(poor);
    slt_dataset_close(data);
}
static int run_all(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_the_same_bytes),
        cmocka_unit_test(vectors_are_the_same_bytes),
        cmocka_unit_test(device_rows_keep_to_their_room),
        cmocka_unit_test(a_tape_takes_device_rows),
        cmocka_unit_test(a_large_set_stays_here),
        cmocka_unit_test(without_memory_it_stays_here),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static int run_all(void) { return 1; } // no device opens
#endif

int main(void) {
    if (!cuda_rig_open("batches on the device")) return 0;
    int code = run_all();
    cuda_rig_close();
    return code;
}
