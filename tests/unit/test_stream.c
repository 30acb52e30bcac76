// Streams: with a lag of the longest segment they say what is said offline, boundaries, types and
// confidence; push allocates nothing; streams do not know of each other; what does not fit is
// refused and changes nothing.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "models/slottar_mdl.h"
#include "small_run.h"
#include "slottar/stream.h"
#include "switching/chain_random.h"

enum { MOST = 40 * 64, TALL = 64, STREAMS = 1000 };

static float vectors[MOST * 2], seen[MOST * 2];
static uint8_t symbols[MOST];
static int64_t offsets[TALL + 1];

// ---- data

// three phases with means of their own, some of them brief; what is observed follows the action
static slt_dataset *motion(slt_context *owner, int episodes) {
    static const float means[3][2] = {{1, 0}, {-1, 1}, {0, -1}};
    slt_chain_random r;
    int64_t at = 0;
    slt_chain_random_init(&r, 3);
    for (int e = 0; e < episodes; e++) {
        for (int phase = 0; phase < 3; phase++)
            for (int64_t n = 3 + slt_chain_draw(&r, 14); n > 0; n--, at++)
                for (int i = 0; i < 2; i++) {
                    vectors[at * 2 + i] = means[phase][i] + (float)(slt_chain_unit(&r) - .5);
                    seen[at * 2 + i] = (float)slt_chain_unit(&r);
                }
        offsets[e + 1] = at;
    }
    slt_dataset_arrays arrays = {.info = {.action_kind = SLT_ACTIONS_CONTINUOUS,
                                          .action_size = 2,
                                          .observation_kind = SLT_OBSERVATIONS_F32,
                                          .observation_rank = 1,
                                          .observation_shape = {2},
                                          .observation_size = 2},
                                 .episodes = episodes,
                                 .offsets = offsets,
                                 .actions_f32 = vectors,
                                 .observations_f32 = seen};
    slt_dataset *data;
    CHECK_OK(slt_dataset_view_arrays(owner, &arrays, &data));
    return data;
}

// wander, then action 3, which changes what is observed or does not: three times
static slt_dataset *errands(slt_context *owner, int episodes) {
    slt_chain_random r;
    int64_t at = 0;
    slt_chain_random_init(&r, 4);
    for (int e = 0; e < episodes; e++) {
        for (int errand = 0; errand < 3; errand++) {
            int64_t way = slt_chain_draw(&r, 3), n = 3 + slt_chain_draw(&r, 9);
            for (int64_t i = 0; i <= n; i++, at++) {
                bool tries = i == n || slt_chain_unit(&r) < .1;
                symbols[at] = (uint8_t)(tries                     ? 3
                                        : slt_chain_unit(&r) < .8 ? way
                                                                  : slt_chain_draw(&r, 3));
                seen[2 * at] = (float)errand;
                seen[2 * at + 1] = (float)(symbols[at] < 3 && i % 2);
            }
        }
        offsets[e + 1] = at;
    }
    slt_dataset_arrays arrays = {.info = {.action_kind = SLT_ACTIONS_DISCRETE,
                                          .action_count = 4,
                                          .observation_kind = SLT_OBSERVATIONS_F32,
                                          .observation_rank = 1,
                                          .observation_shape = {2},
                                          .observation_size = 2},
                                 .episodes = episodes,
                                 .offsets = offsets,
                                 .actions_u8 = symbols,
                                 .observations_f32 = seen};
    slt_dataset *data;
    CHECK_OK(slt_dataset_view_arrays(owner, &arrays, &data));
    return data;
}

// ---- what a stream says of an episode

enum { ROOM = 4096 };

typedef struct {
    int64_t length, segments;
    int count;
    slt_stream_boundary boundaries[ROOM];
    int32_t last_type;
} said;

static void push(slt_stream *stream, slt_dataset *data, const slt_episode *e, int64_t t,
                 slt_stream_event *event) {
    const slt_dataset_info *info = slt_dataset_about(data);
    float observation[64] = {0};
    if (info->observation_size) CHECK_OK(slt_episode_observe(info, e, t, observation));
    if (e->actions_f32)
        CHECK_OK(slt_stream_push_vector(stream, observation, e->actions_f32 + t * info->action_size,
                                        event));
    else
        CHECK_OK(slt_stream_push(stream, observation, slt_episode_action(e, t), event));
    assert_int_equal(event->step, t);
    assert_true(event->probability >= 0 && event->probability <= 1);
    assert_true(event->segment >= 0 && event->segment <= t);
    assert_true(event->boundary.step <= event->decided && event->decided < t);
}

static void note(said *out, const slt_stream_event *event) {
    if (event->boundary.step >= 0) out->boundaries[out->count++] = event->boundary;
}

static void end(slt_stream *stream, said *out) {
    slt_stream_end last;
    CHECK_OK(slt_stream_finish(stream, &last));
    for (int i = 0; i < last.boundary_count; i++)
        out->boundaries[out->count++] = last.boundaries[i];
    out->length = last.length;
    out->segments = last.segments;
    out->last_type = last.type;
}

static void follow(slt_stream *stream, slt_dataset *data, int64_t episode, said *out) {
    slt_episode e;
    slt_stream_event event;
    CHECK_OK(slt_dataset_episode(data, episode, &e));
    out->count = 0;
    for (int64_t t = 0; t < e.length; t++) {
        push(stream, data, &e, t, &event);
        note(out, &event);
    }
    end(stream, out);
}

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

static slt_segmenter *fit(slt_dataset *data, slt_segment_kind kind, const char *prior) {
    slt_segmenter_options options = {.runs = 12, .seed = 1, .kind = kind, .prior = prior};
    slt_segmenter *segmenter;
    CHECK_OK(slt_segmenter_fit(context, data, &options, &segmenter));
    return segmenter;
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

static slt_model *learn(const char *name, const char *data, const char *run, const char *setting) {
    const char *settings[] = {"hidden=8", "batch=8", "steps=40", setting};
    slt_train_request request = {.model = name,
                                 .data = data,
                                 .run = run,
                                 .settings = settings,
                                 .setting_count = 3 + (setting != NULL)};
    slt_train_result result;
    slt_model *model;
    CHECK_OK(slt_train(context, &request, &result));
    CHECK_OK(slt_model_open(context, run, &model));
    return model;
}

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

static void test_masks_that_ran_out(void **state) {
    (void)state;
    const slt_real peak[3] = {(slt_real).2, (slt_real).5, (slt_real).3}, none[3] = {0};
    assert_int_equal(slt_mdl_count(peak, 3), 1);
    assert_int_equal(slt_mdl_count(none, 3), 2);
}

// ---- memory

static int allocations;

static void *count_alloc(void *user, size_t bytes) {
    (void)user;
    allocations++;
    return malloc(bytes);
}

static void count_free(void *user, void *piece) {
    (void)user;
    free(piece);
}

static void endure(slt_stream *stream, slt_dataset *data, int rounds) {
    slt_episode e;
    slt_stream_event event;
    int before = allocations;
    assert_true(before > 0);
    for (int round = 0; round < rounds; round++)
        for (int64_t i = 0; i < slt_dataset_about(data)->episodes; i++) {
            CHECK_OK(slt_dataset_episode(data, i, &e));
            for (int64_t t = 0; t < e.length; t++) {
                float observation[64] = {0};
                CHECK_OK(slt_episode_observe(slt_dataset_about(data), &e, t, observation));
                if (e.actions_f32)
                    CHECK_OK(
                        slt_stream_push_vector(stream, observation, e.actions_f32 + t * 2, &event));
                else
                    CHECK_OK(
                        slt_stream_push(stream, observation, slt_episode_action(&e, t), &event));
            }
            if (round % 2) CHECK_OK(slt_stream_finish(stream, NULL));
        }
    assert_int_equal(allocations, before);
}

static void test_a_push_allocates_nothing(void **state) {
    (void)state;
    slt_context *outer = context;
    slt_context_options options = {.threads = 1, .alloc = count_alloc, .free = count_free};
    slt_stream_options wanted = {.lag = 4, .endless = true};
    CHECK_OK(slt_context_create(&options, &context));
    slt_dataset *(*const makers[])(slt_context *, int) = {motion, errands};
    for (int i = 0; i < 2; i++) {
        slt_dataset *data = makers[i](context, TALL);
        slt_segmenter *segmenter = fit(data, SLT_KIND_AUTO, NULL);
        slt_stream *stream;
        CHECK_OK(slt_segmenter_stream(segmenter, &wanted, &stream));
        endure(stream, data, 4);
        slt_stream_close(stream);
        slt_segmenter_close(segmenter);
        slt_dataset_close(data);
    }
    slt_dataset *data;
    slt_stream *stream;
    make_data("counted.safetensors", SLT_OBSERVATIONS_F32, false, 0, EPISODES);
    slt_model *model = learn("slottar-mdl", "counted.safetensors", "mdl-counted", NULL);
    CHECK_OK(slt_dataset_open(context, "counted.safetensors", &data));
    CHECK_OK(slt_stream_open(model, &wanted, &stream));
    endure(stream, data, 20);
    slt_stream_close(stream);
    slt_model_close(model);
    slt_dataset_close(data);
    slt_context_destroy(context);
    context = outer;
}

// ---- many streams

static void same(const said *a, const said *b) {
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->segments, b->segments);
    assert_int_equal(a->count, b->count);
    assert_memory_equal(a->boundaries, b->boundaries, sizeof *a->boundaries * (size_t)a->count);
}

typedef struct {
    int64_t length, segments;
    int count;
    slt_stream_boundary boundaries[64];
} brief; // as said, for a thousand of them

static void test_streams_do_not_know_of_each_other(void **state) {
    (void)state;
    static slt_stream *streams[STREAMS];
    static brief heard[STREAMS];
    static said alone;
    slt_dataset *data = errands(context, TALL);
    slt_segmenter *segmenter = fit(data, SLT_KIND_AUTO, NULL);
    slt_stream_options options = {.lag = 3};
    memset(heard, 0, sizeof heard);
    for (int i = 0; i < STREAMS; i++)
        CHECK_OK(slt_segmenter_stream(segmenter, &options, &streams[i]));
    // a step of each in turn; stream i reads episode i % TALL
    for (int64_t t = 0; t < 64; t++)
        for (int i = 0; i < STREAMS; i++) {
            slt_episode e;
            slt_stream_event event;
            CHECK_OK(slt_dataset_episode(data, i % TALL, &e));
            if (t >= e.length) continue;
            push(streams[i], data, &e, t, &event);
            if (event.boundary.step >= 0) heard[i].boundaries[heard[i].count++] = event.boundary;
        }
    for (int i = 0; i < STREAMS; i++) {
        slt_stream_end last;
        CHECK_OK(slt_stream_finish(streams[i], &last));
        for (int b = 0; b < last.boundary_count; b++)
            heard[i].boundaries[heard[i].count++] = last.boundaries[b];
        follow(streams[0], data, i % TALL, &alone);
        assert_int_equal(last.segments, alone.segments);
        assert_int_equal(heard[i].count, alone.count);
        assert_memory_equal(heard[i].boundaries, alone.boundaries,
                            sizeof *alone.boundaries * (size_t)alone.count);
    }
    for (int i = 0; i < STREAMS; i++) slt_stream_close(streams[i]);
    slt_segmenter_close(segmenter);
    slt_dataset_close(data);
}

typedef struct {
    slt_stream *stream;
    const slt_dataset *data;
    const slt_episode *episodes;
    const float (*observations)[2];
    said heard;
} worker;

static void *work(void *user) {
    worker *w = user;
    slt_stream_event event;
    w->heard.count = 0;
    for (int round = 0; round < 2; round++)
        for (int e = 0; e < TALL; e++) {
            for (int64_t t = 0; t < offsets[e + 1] - offsets[e]; t++) {
                int64_t at = offsets[e] + t;
                if (slt_stream_push_vector(w->stream, w->observations[at], vectors + at * 2,
                                           &event) != SLT_OK)
                    return user;
                note(&w->heard, &event);
            }
            slt_stream_end last;
            if (slt_stream_finish(w->stream, &last) != SLT_OK) return user;
            w->heard.length += last.length;
            w->heard.segments += last.segments;
        }
    return NULL;
}

static void test_a_stream_per_thread(void **state) {
    (void)state;
    enum { THREADS = 4 };
    static worker workers[THREADS];
    pthread_t threads[THREADS];
    slt_dataset *data = motion(context, TALL);
    slt_segmenter *segmenter = fit(data, SLT_KIND_AUTO, NULL);
    slt_stream_options options = {.lag = 3};
    memset(workers, 0, sizeof workers);
    for (int i = 0; i < THREADS; i++) {
        workers[i].observations = (const float(*)[2])seen;
        CHECK_OK(slt_segmenter_stream(segmenter, &options, &workers[i].stream));
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    assert_true(workers[0].heard.count > TALL);
    for (int i = 1; i < THREADS; i++) same(&workers[0].heard, &workers[i].heard);
    for (int i = 0; i < THREADS; i++) slt_stream_close(workers[i].stream);
    slt_segmenter_close(segmenter);
    slt_dataset_close(data);
}

// ---- refusals

static void test_models_that_need_the_whole(void **state) {
    (void)state;
    slt_stream *stream = NULL;
    make_data("whole.safetensors", SLT_OBSERVATIONS_F32, true, 0, EPISODES);
    train("whole.safetensors", "slottar-whole", NULL, NULL);
    slt_model *model;
    CHECK_OK(slt_model_open(context, "slottar-whole", &model));
    CHECK_FAILS(SLT_UNSUPPORTED, "slottar finds its segments with a softmax",
                slt_stream_open(model, NULL, &stream));
    slt_model_close(model);
    model = learn("compile", "whole.safetensors", "compile-whole", NULL);
    CHECK_FAILS(SLT_UNSUPPORTED, "compile finds", slt_stream_open(model, NULL, &stream));
    slt_model_close(model);
    model = learn("slottar-mdl", "whole.safetensors", "mdl-whole", "boundary_input=context");
    CHECK_FAILS(SLT_UNSUPPORTED, "boundary_input=context", slt_stream_open(model, NULL, &stream));
    slt_model_close(model);
    slt_dataset *data = errands(context, TALL);
    slt_segmenter *segmenter = fit(data, SLT_KIND_EVENTS, "3");
    CHECK_FAILS(SLT_UNSUPPORTED, "told the number", slt_segmenter_stream(segmenter, NULL, &stream));
    slt_segmenter_close(segmenter);
    slt_dataset_close(data);
    assert_null(stream);
}

static void test_steps_that_do_not_fit(void **state) {
    (void)state;
    static said before, after;
    slt_dataset *data = motion(context, TALL);
    slt_segmenter *segmenter = fit(data, SLT_KIND_AUTO, NULL);
    slt_stream *stream;
    slt_stream_event event;
    slt_stream_end last;
    slt_stream_options options = {.lag = -1};
    CHECK_FAILS(SLT_RANGE, "a lag of -1", slt_segmenter_stream(segmenter, &options, &stream));
    options.lag = SLT_MOST_LAG + 1;
    CHECK_FAILS(SLT_RANGE, "a lag of", slt_segmenter_stream(segmenter, &options, &stream));
    options.lag = 4;
    CHECK_OK(slt_segmenter_stream(segmenter, &options, &stream));
    follow(stream, data, 1, &before);
    CHECK_OK(slt_stream_finish(stream, &last)); // nothing was pushed
    assert_int_equal(last.length + last.segments + last.boundary_count, 0);
    // the same steps with nonsense between them
    const float wrong[2] = {0, NAN}, infinite[2] = {INFINITY, 0}, fine[2] = {0, 0};
    slt_episode e;
    CHECK_OK(slt_dataset_episode(data, 1, &e));
    after.count = 0;
    for (int64_t t = 0; t < e.length; t++) {
        push(stream, data, &e, t, &event);
        note(&after, &event);
        CHECK_FAILS(SLT_SHAPE, "discrete action", slt_stream_push(stream, fine, 1, &event));
        CHECK_FAILS(SLT_INVALID, "number 1 of the observation is not finite",
                    slt_stream_push_vector(stream, wrong, fine, &event));
        CHECK_FAILS(SLT_INVALID, "number 0 of the action is not finite",
                    slt_stream_push_vector(stream, fine, infinite, &event));
        CHECK_FAILS(SLT_SHAPE, "no observation",
                    slt_stream_push_vector(stream, NULL, fine, &event));
    }
    end(stream, &after);
    same(&before, &after);
    slt_stream_close(stream);
    slt_stream_close(NULL);
    slt_segmenter_close(segmenter);
    slt_dataset_close(data);
}

#define JSON(text) slt_stream_push_json(stream, text, sizeof text - 1, &event, &pushed, &over)

static void test_steps_as_texts(void **state) {
    (void)state;
    slt_dataset *data = errands(context, TALL);
    slt_segmenter *segmenter = fit(data, SLT_KIND_EVENTS, NULL);
    slt_stream *stream;
    slt_stream_event event;
    bool pushed, over;
    CHECK_OK(slt_segmenter_stream(segmenter, NULL, &stream));
    CHECK_OK(JSON("{\"observation\": [[0], 1.5], \"action\": 2}"));
    assert_true(pushed && !over && event.step == 0);
    CHECK_OK(JSON(" {\"action\":3,\"observation\":[0,1],\"end\":true}\r"));
    assert_true(pushed && over && event.step == 1);
    CHECK_OK(JSON("{\"end\":true}"));
    assert_true(!pushed && over);
    CHECK_FAILS(SLT_FORMAT, "bad JSON", JSON("{\"action\": 3"));
    CHECK_FAILS(SLT_FORMAT, "bad JSON", JSON("x"));
    CHECK_FAILS(SLT_FORMAT, "no object", JSON("[1]"));
    CHECK_FAILS(SLT_FORMAT, "unknown key \"a\"", JSON("{\"a\":1}"));
    CHECK_FAILS(SLT_FORMAT, "true or false", JSON("{\"end\":1}"));
    CHECK_FAILS(SLT_FORMAT, "no \"observation\"", JSON("{\"action\":1}"));
    CHECK_FAILS(SLT_SHAPE, "has 3 numbers", JSON("{\"action\":1,\"observation\":[1,2,3]}"));
    CHECK_FAILS(SLT_FORMAT, "no number", JSON("{\"action\":1,\"observation\":[1,null]}"));
    CHECK_FAILS(SLT_FORMAT, "no whole number", JSON("{\"action\":1.5,\"observation\":[1,2]}"));
    CHECK_FAILS(SLT_RANGE, "action 4", JSON("{\"action\":4,\"observation\":[1,2]}"));
    CHECK_FAILS(SLT_RANGE, "action 4294967296",
                JSON("{\"action\":4294967296,\"observation\":[1,2]}"));
    CHECK_FAILS(SLT_INVALID, "not finite", JSON("{\"action\":1,\"observation\":[1,1e300]}"));
    CHECK_FAILS(SLT_FORMAT, "nests deeper", JSON("{\"observation\":[[[[[[[[[1]]]]]]]]]}"));
    slt_stream_close(stream);
    slt_segmenter_close(segmenter);
    slt_dataset_close(data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_votes_stream_as_offline),
        cmocka_unit_test(test_the_answer_that_was_taken_streams),
        cmocka_unit_test(test_mdl_streams_as_offline),
        cmocka_unit_test(test_ompn_streams_as_offline),
        cmocka_unit_test(test_longer_than_in_training),
        cmocka_unit_test(test_masks_that_ran_out),
        cmocka_unit_test(test_a_push_allocates_nothing),
        cmocka_unit_test(test_streams_do_not_know_of_each_other),
        cmocka_unit_test(test_a_stream_per_thread),
        cmocka_unit_test(test_models_that_need_the_whole),
        cmocka_unit_test(test_steps_that_do_not_fit),
        cmocka_unit_test(test_steps_as_texts),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
