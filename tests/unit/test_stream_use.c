// Streams: push allocates nothing; streams do not know of each other; what does not fit is refused
// and changes nothing; steps as texts.
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include "stream_rig.h"

enum { STREAMS = 1000 };

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
        cmocka_unit_test(test_a_push_allocates_nothing),
        cmocka_unit_test(test_streams_do_not_know_of_each_other),
        cmocka_unit_test(test_a_stream_per_thread),
        cmocka_unit_test(test_models_that_need_the_whole),
        cmocka_unit_test(test_steps_that_do_not_fit),
        cmocka_unit_test(test_steps_as_texts),
    };
    runs = 4; // streams are used here, not judged
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
