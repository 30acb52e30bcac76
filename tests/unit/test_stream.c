// Streams: with a lag of the longest segment they say what is said offline, boundaries, types and
// confidence, of episodes of any length.
#include "models/slottar_mdl.h"
#include "stream_rig.h"

// ---- against offline

typedef struct {
    slt_stream *stream;
    slt_dataset *data;
    int64_t boundaries;
} comparison;

static slt_status compare(void *user, const slt_segments *s) {
    static said heard;
    comparison *c = user;
    follow(c->stream, c->data, s->episode, &heard);
    assert_int_equal(heard.length, s->length);
    assert_int_equal(heard.segments, s->segments);
    assert_int_equal(heard.count, s->boundary_count);
    for (int i = 0; i < heard.count; i++) {
        assert_int_equal(heard.boundaries[i].step, s->boundaries[i]);
        assert_float_equal(heard.boundaries[i].confidence, s->confidence[i], 1e-4);
        assert_int_equal(heard.boundaries[i].type, s->types ? s->types[i] : -1);
    }
    assert_int_equal(heard.last_type, s->types ? s->types[s->segments - 1] : -1);
    c->boundaries += s->boundary_count;
    return SLT_OK;
}

static void check_vote(slt_dataset *data, slt_segment_kind kind) {
    slt_segmenter *segmenter = fit(data, kind, NULL);
    slt_stream_options options = {.lag = 32};
    comparison c = {.data = data};
    CHECK_OK(slt_segmenter_stream(segmenter, &options, &c.stream));
    CHECK_OK(slt_segmenter_segment(segmenter, data, NULL, compare, &c));
    assert_true(c.boundaries > TALL);
    slt_stream_close(c.stream);
    slt_segmenter_close(segmenter);
}

static void test_votes_stream_as_offline(void **state) {
    (void)state;
    slt_dataset *data = motion(context, TALL);
    check_vote(data, SLT_KIND_AUTO);
    slt_dataset_close(data);
    data = errands(context, TALL);
    check_vote(data, SLT_KIND_EVENTS);
    check_vote(data, SLT_KIND_PHASES);
    slt_dataset_close(data);
}

// another answer has members and a threshold of its own
static void test_the_answer_that_was_taken_streams(void **state) {
    (void)state;
    slt_dataset *data = motion(context, TALL);
    slt_segmenter *segmenter = fit(data, SLT_KIND_AUTO, NULL);
    slt_stream_options options = {.lag = 32};
    comparison c = {.data = data};
    slt_stream *first;
    CHECK_OK(slt_segmenter_stream(segmenter, &options, &first));
    CHECK_OK(slt_segmenter_take(segmenter, NULL, 1));
    CHECK_OK(slt_segmenter_stream(segmenter, &options, &c.stream));
    CHECK_OK(slt_segmenter_segment(segmenter, data, NULL, compare, &c));
    slt_stream_close(c.stream);
    slt_stream_close(first);
    slt_segmenter_close(segmenter);
    slt_dataset_close(data);
}

// ---- slottar-mdl

static int64_t check_model(slt_model *model, slt_dataset *data, int lag) {
    slt_stream_options options = {.lag = lag};
    comparison c = {.data = data};
    CHECK_OK(slt_stream_open(model, &options, &c.stream));
    CHECK_OK(slt_model_segment(model, data, NULL, compare, &c));
    slt_stream_close(c.stream);
    return c.boundaries;
}

static void test_mdl_streams_as_offline(void **state) {
    (void)state;
    static const struct {
        slt_observation_kind kind;
        const char *run, *setting;
    } cases[] = {{SLT_OBSERVATIONS_NONE, "mdl-none", NULL},
                 {SLT_OBSERVATIONS_U8, "mdl-action", "boundary_input=action"},
                 {SLT_OBSERVATIONS_BITS, "mdl-bits", "boundary_input=joint"},
                 {SLT_OBSERVATIONS_F32, "mdl-numbers", NULL},
                 {SLT_OBSERVATIONS_F32, "mdl-code", "code=4"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slt_dataset *data;
        make_data("stream.safetensors", cases[i].kind, false, 0, EPISODES);
        slt_model *model =
            learn("slottar-mdl", "stream.safetensors", cases[i].run, cases[i].setting);
        CHECK_OK(slt_dataset_open(context, "stream.safetensors", &data));
        assert_true(check_model(model, data, 1) > 0);
        slt_dataset_close(data);
        slt_model_close(model);
    }
}

// ---- ompn

static void check_ompn(const char *run, slt_observation_kind kind, const char *setting, int lag) {
    slt_dataset *data;
    make_data("ompn.safetensors", kind, false, 0, EPISODES);
    slt_model *model = learn("ompn", "ompn.safetensors", run, setting);
    CHECK_OK(slt_dataset_open(context, "ompn.safetensors", &data));
    assert_true(check_model(model, data, lag) > 0);
    slt_dataset_close(data);
    slt_model_close(model);
}

// a threshold needs nothing but the step; the one that parts the levels best needs all of them
static void test_ompn_streams_as_offline(void **state) {
    (void)state;
    check_ompn("ompn-threshold", SLT_OBSERVATIONS_F32, "threshold=0.5", 1);
    check_ompn("ompn-bits", SLT_OBSERVATIONS_BITS, "threshold=0.5", 1);
    check_ompn("ompn-parted", SLT_OBSERVATIONS_F32, NULL, LONGEST);
    check_ompn("ompn-alias", SLT_OBSERVATIONS_F32, "ompn_alias=on", LONGEST);
    // continuous actions, and observations that are standardised
    slt_dataset *data = motion(context, TALL);
    CHECK_OK(slt_dataset_save(data, "motion.safetensors", true));
    slt_model *model = learn("ompn", "motion.safetensors", "ompn-motion", "threshold=0.5");
    assert_true(check_model(model, data, 1) > 0);
    slt_model_close(model);
    slt_dataset_close(data);
}

// ---- episodes without end

// one long episode: all actions and observations of a data set one after the other, again and again
static slt_dataset *long_episode(slt_dataset *from, int64_t steps) {
    const slt_dataset_info *info = slt_dataset_about(from);
    static uint8_t actions[ROOM];
    static float observed[ROOM * WIDTH];
    static int64_t ends[2];
    slt_episode e;
    CHECK_OK(slt_dataset_episode(from, 0, &e)); // its arrays reach over all episodes
    for (int64_t t = 0; t < steps; t++) {
        actions[t] = (uint8_t)slt_episode_action(&e, t % info->steps);
        memcpy(observed + t * WIDTH, e.observations_f32 + t % info->steps * WIDTH,
               sizeof *observed * WIDTH);
    }
    ends[1] = steps;
    slt_dataset_arrays arrays = {.info = {.action_count = info->action_count,
                                          .action_names = info->action_names,
                                          .observation_kind = SLT_OBSERVATIONS_F32,
                                          .observation_rank = 1,
                                          .observation_shape = {WIDTH},
                                          .observation_size = WIDTH},
                                 .episodes = 1,
                                 .offsets = ends,
                                 .actions_u8 = actions,
                                 .observations_f32 = observed};
    slt_dataset *data;
    CHECK_OK(slt_dataset_view_arrays(context, &arrays, &data));
    return data;
}

// far more boundaries than slots: the last slot takes the rest, offline and streamed; endless, the
// count continues
static void test_longer_than_in_training(void **state) {
    (void)state;
    static said heard;
    slt_dataset *data, *tall;
    make_data("long.safetensors", SLT_OBSERVATIONS_F32, false, 0, EPISODES);
    slt_model *model = learn("slottar-mdl", "long.safetensors", "mdl-long", NULL);
    CHECK_OK(slt_dataset_open(context, "long.safetensors", &data));
    tall = long_episode(data, ROOM);
    int slots = slt_model_about(model)->slots;
    assert_int_equal(check_model(model, tall, 1), slots - 1);
    slt_stream_options options = {.lag = 1, .endless = true};
    slt_stream *stream;
    CHECK_OK(slt_stream_open(model, &options, &stream));
    follow(stream, tall, 0, &heard);
    assert_true(heard.segments > 20 * slots);
    assert_int_equal(heard.count, heard.segments - 1);
    slt_stream_close(stream);
    slt_dataset_close(tall);
    slt_dataset_close(data);
    slt_model_close(model);
}

// scores too; a model that knows the positions of training says for which length to train
static void test_files_of_longer_episodes(void **state) {
    (void)state;
    slt_dataset *data, *tall;
    slt_run_scores scores;
    make_data("short.safetensors", SLT_OBSERVATIONS_F32, true, 0, EPISODES);
    CHECK_OK(slt_dataset_open(context, "short.safetensors", &data));
    tall = long_episode(data, 200);
    const char *const names[] = {"slottar-mdl", "ompn"};
    for (int i = 0; i < 2; i++) {
        slt_model *model = learn(names[i], "short.safetensors", names[i], NULL);
        CHECK_OK(slt_model_score(model, tall, NULL, &scores));
        assert_int_equal(scores.episodes, 1);
        CHECK_OK(slt_model_score(model, data, NULL, &scores)); // and the short ones again
        slt_model_close(model);
    }
    slt_model *coded = learn("slottar-mdl", "short.safetensors", "mdl-coded", "code=2");
    CHECK_FAILS(SLT_RANGE, "has 200 steps, the model takes 13; train with length=200",
                slt_model_score(coded, tall, NULL, &scores));
    slt_model_close(coded);
    slt_dataset_close(tall);
    slt_dataset_close(data);
}

static void test_masks_that_ran_out(void **state) {
    (void)state;
    const slt_real peak[3] = {(slt_real).2, (slt_real).5, (slt_real).3}, none[3] = {0};
    assert_int_equal(slt_mdl_count(peak, 3), 1);
    assert_int_equal(slt_mdl_count(none, 3), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_votes_stream_as_offline),
        cmocka_unit_test(test_the_answer_that_was_taken_streams),
        cmocka_unit_test(test_mdl_streams_as_offline),
        cmocka_unit_test(test_ompn_streams_as_offline),
        cmocka_unit_test(test_longer_than_in_training),
        cmocka_unit_test(test_files_of_longer_episodes),
        cmocka_unit_test(test_masks_that_ran_out),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
