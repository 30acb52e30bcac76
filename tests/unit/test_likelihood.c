// Action vectors from the data set to the answer: how a batch holds them, what a prediction of one
// costs, what is drawn from it, and models that train on them, are saved and opened again.
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "core/philox.h"
#include "models/likelihood.h"
#include "ops/common/channel.h"
#include "slottar/model.h"
#include "train/batching/feed.h"
#include "train/learner/dataset_spec.h"
#include "group_context.h"

enum { COLUMNS = 4, SEEN = 3, EPISODES = 20, LONGEST = 9 };

// columns: a number about 100, a constant, a gripper of -1 and 1, a number; the second observation
// is constant. Episode e has 4 + e % 6 steps
static float action_at(int e, int t, int column) {
    uint32_t word = slt_random_words(3, SLT_RANDOM_TEST, (uint64_t)(100 * e + t), 0).word[column];
    float unit = slt_random_unit(word);
    return column == 0 ? 100 + 10 * unit : column == 1 ? 7 : column == 2 ? (t > 3 ? 1 : -1) : unit;
}

static slt_status add_episode(slt_dataset_builder *builder, int e, int columns) {
    float actions[LONGEST * COLUMNS], seen[LONGEST * SEEN];
    int32_t segments[LONGEST];
    slt_episode episode = {.length = 4 + e % 6,
                           .actions_f32 = actions,
                           .observations_f32 = seen,
                           .segments = segments};
    for (int t = 0; t < episode.length; t++) {
        for (int c = 0; c < columns; c++) actions[t * columns + c] = action_at(e, t, c);
        seen[t * SEEN] = (float)t;
        seen[t * SEEN + 1] = 5;
        seen[t * SEEN + 2] = -1000 * (float)e;
        segments[t] = t > 3;
    }
    return slt_dataset_builder_add(builder, &episode);
}

static void make_data(const char *path, int columns) {
    slt_dataset_info info = {.action_kind = SLT_ACTIONS_CONTINUOUS,
                             .action_size = columns,
                             .observation_kind = SLT_OBSERVATIONS_F32,
                             .observation_rank = 1,
                             .observation_shape = {SEEN},
                             .observation_size = SEEN,
                             .has_segments = true};
    slt_dataset_builder *builder;
    CHECK_OK(slt_dataset_builder_create(context, path, true, &info, &builder));
    for (int e = 0; e < EPISODES; e++) CHECK_OK(add_episode(builder, e, columns));
    CHECK_OK(slt_dataset_builder_commit(builder));
}

// ---- batches

typedef struct {
    slt_arena arena;
    slt_setup setup;
    slt_dataset_spec task;
    slt_feed feed;
} batch_rig;

static void open_batch(batch_rig *r, const char *model, bool padded) {
    slt_arena_init(&r->arena, &slt_system_allocator, 0);
    CHECK_OK(slt_setup_init(&r->setup, model, NULL, NULL));
    CHECK_OK(slt_task_open(context, &r->arena, &r->setup, "a.safetensors", &r->task));
    const slt_model_data *model_data = &r->task.model;
    slt_batch_layout rule = {.data = r->task.data,
                             .length = LONGEST + 3,
                             .slots = 1,
                             .padded = padded,
                             .done = SLT_DONE_FINAL,
                             .channels = model_data->channels,
                             .channel = model_data->channel,
                             .observation = model_data->observation,
                             .observed = model_data->observed};
    CHECK_OK(slt_feed_init(&r->feed, &r->arena, &rule, 2));
    CHECK_OK(slt_feed_fill(&r->feed, (int64_t[]){0, 5}, 2));
}

static void close_batch(batch_rig *r) {
    slt_task_close(&r->task);
    slt_arena_deinit(&r->arena);
}

static void columns_are_known_by_how_they_vary(void **state) {
    (void)state;
    batch_rig r;
    make_data("a.safetensors", COLUMNS);
    open_batch(&r, "ompn", false);
    const slt_model_data *data = &r.task.model;
    assert_int_equal(data->symbols, 0);
    assert_int_equal(data->columns, COLUMNS);
    assert_int_equal(data->channels, 3);
    const slt_channel_scale *c = data->channel;
    assert_true(c[0].column == 0 && c[1].column == 2 && c[2].column == 3);
    assert_true(!c[0].bit && c[1].bit && !c[2].bit);
    assert_true(c[1].mean == -1 && c[1].scale == 2);
    assert_true(c[0].mean > 103 && c[0].mean < 107 && c[0].scale > 2 && c[0].scale < 4);
    assert_true(data->observed[0].scale > 0 && data->observed[1].scale == 0);
    close_batch(&r);
}

// of the training split, which is all but every ninth and tenth episode
static void training_actions_have_mean_0_and_deviation_1(void **state) {
    (void)state;
    batch_rig r;
    open_batch(&r, "ompn", false);
    double sum = 0, squares = 0, steps = 0;
    for (int64_t i = 0; i < r.task.count[SLT_SPLIT_TRAIN]; i++) {
        int64_t e = r.task.episodes[SLT_SPLIT_TRAIN][i];
        CHECK_OK(slt_feed_fill(&r.feed, &e, 1));
        for (int row = 0; row + 1 < r.feed.length[0]; row++, steps++) {
            double z = (double)r.feed.vectors[row * 4];
            sum += z;
            squares += z * z;
        }
    }
    assert_true(fabs(sum / steps) < 1e-4);
    assert_true(fabs(squares / steps - 1) < 1e-4);
    close_batch(&r);
}

static void done_and_padding_are_marked_and_not_symbols(void **state) {
    (void)state;
    for (int padded = 0; padded < 2; padded++) {
        batch_rig r;
        open_batch(&r, "compile", padded);
        // episode 5 of 9 steps comes first
        assert_int_equal(r.feed.length[0], LONGEST + 1);
        int computed = r.feed.offset[1];
        assert_int_equal(computed, padded ? LONGEST + 3 : LONGEST + 1);
        for (int row = 0; row < computed; row++) {
            const slt_real *v = r.feed.vectors + (size_t)row * 4;
            bool acts = row < LONGEST;
            assert_true(v[3] == (acts ? 0 : 1));
            assert_true(v[1] == (slt_real)(acts && row > 3));
            float want = (action_at(5, row, 3) - r.task.model.channel[2].mean) /
                         r.task.model.channel[2].scale;
            assert_true(fabs((double)v[2] - (acts ? (double)want : 0)) < 1e-6);
            assert_true(r.feed.own.reals[row * SEEN + 1] == 0); // does not vary
        }
        close_batch(&r);
    }
}

// ---- one step

static void nats_are_those_of_the_density(void **state) {
    (void)state;
    const double pi = 3.14159265358979323846;
    for (double rho = -1; rho < 2; rho += 0.7)
        for (double e = -2; e < 3; e += 0.9) {
            double sd = sqrt(exp(2 * rho) + 0.05 * 0.05);
            double density = exp(-0.5 * e * e / sd / sd) / sd / sqrt(2 * pi);
            slt_channel_law law = slt_channel_law_of(SLT_CHANNEL_NUMBER, (slt_real)rho);
            double got = (double)slt_channel_nats(law, (slt_real)(1 + e), 1);
            assert_true(fabs(got + log(density)) < 1e-4 * (1 + fabs(got)));
        }
    slt_channel_law bit = slt_channel_law_of(SLT_CHANNEL_BIT, 0);
    assert_true(fabs((double)slt_channel_nats(bit, 2, 1) - log(1 + exp(-2.0))) < 1e-6);
    assert_true(fabs((double)slt_channel_nats(bit, 200, 0) - 200) < 1e-4);
    // the spread has a bound: a perfect prediction costs no less
    assert_true(fabs(sqrt((double)slt_channel_variance(-50)) - 0.05) < 1e-6);
}

enum { DRAWS = 20000 };

static void samples_follow_the_prediction(void **state) {
    (void)state;
    const slt_channel_scale channel[] = {{3, false, 10, 2}, {0, true, -1, 2}};
    slt_model_data vectors = {.columns = 4, .channels = 2, .channel = channel};
    slt_model_data symbols = {.symbols = 4};
    const slt_real head[] = {0.5f, 1}, spread[] = {-1, 0}, logits[] = {0, 1, 2, 9};
    double sd = 2 * sqrt((double)slt_channel_variance(-1)), sum = 0, squares = 0, ones = 0;
    double drawn[4] = {0};
    for (uint64_t i = 0; i < DRAWS; i++) {
        slt_words words = slt_random_words(1, SLT_RANDOM_TEST, i, 5);
        float uniform[4], out[4] = {0, 7, 7, 0}, symbol;
        for (int k = 0; k < 4; k++) uniform[k] = slt_random_unit(words.word[k]);
        slt_likelihood_of(&vectors)->sample(&vectors, head, spread, uniform, out);
        assert_true(out[1] == 7 && out[2] == 7 && (out[0] == -1 || out[0] == 1));
        sum += (double)out[3];
        squares += (double)((out[3] - 11) * (out[3] - 11));
        ones += out[0] > 0;
        slt_likelihood_of(&symbols)->sample(&symbols, logits, NULL, uniform, &symbol);
        drawn[(int)symbol]++;
    }
    assert_true(fabs(sum / DRAWS - 11) < 0.03);
    assert_true(fabs(sqrt(squares / DRAWS) - sd) < 0.02);
    assert_true(fabs(ones / DRAWS - 1 / (1 + exp(-1))) < 0.02);
    double all = 1 + exp(1) + exp(2); // the padding is never drawn
    for (int s = 0; s < 3; s++) assert_true(fabs(drawn[s] / DRAWS - exp(s) / all) < 0.02);
    assert_true(drawn[3] == 0);
}

// ---- models

static void train(const char *model, const char *data, const char *run, const char *extra) {
    const char *settings[] = {"hidden=8", "batch=8", "epochs=3", "lr=0.01", extra};
    slt_train_result *result = calloc(1, sizeof *result);
    slt_train_request request = {
        .model = model, .data = data, .run = run, .settings = settings, .setting_count = 5};
    CHECK_OK(slt_train(context, &request, result));
    free(result);
}

static slt_status count_steps(void *user, const slt_segments *segments) {
    *(int64_t *)user += segments->length;
    return SLT_OK;
}

// trained, saved, opened: the scores of the run are those of the model that was read
static void check_model(const char *model, const char *run, const char *extra) {
    slt_model *trained;
    slt_dataset *data;
    int64_t steps = 0;
    train(model, "a.safetensors", run, extra);
    CHECK_OK(slt_model_open(context, run, &trained));
    assert_int_equal(slt_model_about(trained)->action_size, COLUMNS);
    assert_int_equal(slt_model_about(trained)->actions, 0);
    CHECK_OK(slt_dataset_open(context, "a.safetensors", &data));
    CHECK_OK(slt_model_segment(trained, data, NULL, count_steps, &steps));
    assert_int_equal(steps, slt_dataset_about(data)->steps);
    slt_dataset_close(data);
    CHECK_OK(slt_dataset_open(context, "narrow.safetensors", &data));
    CHECK_FAILS(SLT_SHAPE, "actions of 3 numbers, the model takes 4",
                slt_model_segment(trained, data, NULL, count_steps, &steps));
    slt_dataset_close(data);
    slt_model_close(trained);
}

static void three_models_learn_vectors(void **state) {
    (void)state;
    make_data("narrow.safetensors", COLUMNS - 1);
    check_model("slottar", "s", "slots=3");
    check_model("slottar", "p", "decoder_pairing=reference");
    check_model("compile", "c", "segments=3");
    check_model("ompn", "o", "depth=2");
}

static void constant_actions_are_refused(void **state) {
    (void)state;
    slt_arena arena;
    slt_setup setup;
    slt_dataset_spec task;
    slt_dataset_info info = {.action_kind = SLT_ACTIONS_CONTINUOUS, .action_size = 2};
    const float still[] = {1, 2, 1, 2, 1, 2};
    slt_dataset_builder *builder;
    CHECK_OK(slt_dataset_builder_create(context, "still.safetensors", true, &info, &builder));
    CHECK_OK(slt_dataset_builder_add(builder, &(slt_episode){.length = 3, .actions_f32 = still}));
    CHECK_OK(slt_dataset_builder_commit(builder));
    slt_arena_init(&arena, &slt_system_allocator, 0);
    CHECK_OK(slt_setup_init(&setup, "slottar", NULL, NULL));
    CHECK_FAILS(SLT_INVALID, "all 2 columns of the actions are constant",
                slt_task_open(context, &arena, &setup, "still.safetensors", &task));
    slt_arena_deinit(&arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_known_by_how_they_vary),
        cmocka_unit_test(training_actions_have_mean_0_and_deviation_1),
        cmocka_unit_test(done_and_padding_are_marked_and_not_symbols),
        cmocka_unit_test(nats_are_those_of_the_density),
        cmocka_unit_test(samples_follow_the_prediction),
        cmocka_unit_test(three_models_learn_vectors),
        cmocka_unit_test(constant_actions_are_refused),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
