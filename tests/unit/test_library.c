// The library's promises to programs: versions, no global state, messages per thread, hooks,
// cancelling from another thread, memory that comes back.
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdlib.h>
#include "small_run.h"
#include "slottar/slottar.h"

// ---- trainings in contexts of their own

typedef struct {
    slt_context_options options;
    const char *model, *run;
    uint64_t seed;
    slt_status status;
    char message[256];
} job;

static void *run_job(void *argument) {
    job *j = argument;
    slt_context *own = NULL;
    slt_train_result result;
    const char *settings[] = {"hidden=8", "batch=8", "epochs=2", "lr=0.01", "length=13"};
    const slt_train_request request = {.model = j->model,
                                       .data = "data.safetensors",
                                       .run = j->run,
                                       .settings = settings,
                                       .setting_count = 5,
                                       .seed = j->seed};
    j->status = slt_context_create(&j->options, &own);
    if (j->status == SLT_OK) j->status = slt_train(own, &request, &result);
    snprintf(j->message, sizeof j->message, "%s", slt_last_error());
    slt_context_destroy(own);
    return NULL;
}

static void train_now(job j) {
    run_job(&j);
    if (j.status != SLT_OK) fail_msg("%s: %s", j.run, j.message);
}

static size_t read_whole(const char *folder, const char *name, char **out) {
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("no %s", path);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    *out = malloc(size + 1);
    assert_non_null(*out);
    assert_int_equal(fread(*out, 1, size, file), size);
    fclose(file);
    return size;
}

static void check_same(const char *left, const char *right) {
    static const char *const names[] = {"last.safetensors", "best.safetensors",
                                        "segments.safetensors", "result.json"};
    for (int i = 0; i < 4; i++) {
        char *a, *b;
        size_t size = read_whole(left, names[i], &a);
        assert_int_equal(read_whole(right, names[i], &b), size);
        assert_memory_equal(a, b, size);
        free(a), free(b);
    }
}

static int make_set(void **state) {
    if (set_up(state)) return -1;
    make_data("data.safetensors", SLT_OBSERVATIONS_U8, true, 0, EPISODES);
    train_now((job){.options.threads = 1, .model = "slottar", .run = "alone"});
    return 0;
}

// ---- versions

static void header_and_library_are_of_one_version(void **state) {
    (void)state;
    char numbers[64];
    snprintf(numbers, sizeof numbers, "%d.%d.%d", SLT_VERSION_MAJOR, SLT_VERSION_MINOR,
             SLT_VERSION_PATCH);
    assert_string_equal(slt_version(), SLT_VERSION);
    assert_string_equal(slt_version(), numbers);
}

// ---- no global state

static void trainings_at_once_give_the_bits_of_one_alone(void **state) {
    (void)state;
    enum { JOBS = 3 };
    job jobs[JOBS] = {{.options.threads = 1, .model = "slottar", .run = "first"},
                      {.options.threads = 2, .model = "slottar", .run = "second"},
                      {.options.threads = 1, .model = "ompn", .run = "third", .seed = 5}};
    pthread_t threads[JOBS];
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_job, &jobs[i]), 0);
    for (int i = 0; i < JOBS; i++) {
        pthread_join(threads[i], NULL);
        if (jobs[i].status != SLT_OK) fail_msg("%s: %s", jobs[i].run, jobs[i].message);
    }
    check_same("alone", "first");
    check_same("alone", "second");
    train_now((job){.options.threads = 1, .model = "ompn", .run = "ompn-alone", .seed = 5});
    check_same("ompn-alone", "third");
}

// ---- handles of one context

static slt_status train_in(slt_context *own, const char *run) {
    slt_train_result result;
    const char *settings[] = {"hidden=8", "batch=8", "epochs=2", "lr=0.01", "length=13"};
    const slt_train_request request = {.model = "slottar",
                                       .data = "data.safetensors",
                                       .run = run,
                                       .settings = settings,
                                       .setting_count = 5};
    return slt_train(own, &request, &result);
}

typedef struct {
    slt_context *context;
    const char *run;
} shared_job;

static void *run_shared(void *argument) {
    const shared_job *j = argument;
    return train_in(j->context, j->run) == SLT_OK ? argument : NULL;
}

static void one_context_serves_several_threads(void **state) {
    (void)state;
    enum { JOBS = 3 };
    slt_context *shared;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 2}, &shared));
    shared_job jobs[JOBS] = {{shared, "shared-a"}, {shared, "shared-b"}, {shared, "shared-c"}};
    pthread_t threads[JOBS];
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_shared, &jobs[i]), 0);
    for (int i = 0; i < JOBS; i++) {
        void *done;
        pthread_join(threads[i], &done);
        assert_non_null(done);
        check_same("alone", jobs[i].run);
    }
    slt_context_destroy(shared);
}

// ---- errors

static void *fail_elsewhere(void *argument) {
    pthread_barrier_t *both = argument;
    slt_env_info info;
    slt_status status = slt_env_describe_id("elsewhere-v0", &info);
    pthread_barrier_wait(both);
    pthread_barrier_wait(both);
    bool own = strstr(slt_last_error(), "elsewhere-v0") && !strstr(slt_last_error(), "here-v1");
    return status == SLT_INVALID && own ? argument : NULL;
}

static void messages_stay_in_their_thread(void **state) {
    (void)state;
    pthread_barrier_t both;
    pthread_t thread;
    void *right;
    slt_env_info info;
    pthread_barrier_init(&both, NULL, 2);
    assert_int_equal(pthread_create(&thread, NULL, fail_elsewhere, &both), 0);
    pthread_barrier_wait(&both);
    CHECK_FAILS(SLT_INVALID, "here-v1", slt_env_describe_id("here-v1", &info));
    pthread_barrier_wait(&both);
    pthread_join(thread, &right);
    assert_non_null(right);
    assert_non_null(strstr(slt_last_error(), "here-v1"));
    pthread_barrier_destroy(&both);
}

static void every_code_has_a_name_and_a_text(void **state) {
    (void)state;
    for (int code = SLT_OK; code <= SLT_INTERNAL; code++) {
        assert_true(slt_status_name((slt_status)code)[0]);
        assert_true(slt_status_text((slt_status)code)[0]);
    }
    assert_non_null(slt_status_name((slt_status)99));
    assert_non_null(slt_status_text((slt_status)99));
}

static void a_failure_leaves_results_alone(void **state) {
    (void)state;
    slt_dataset *data = (slt_dataset *)&data;
    slt_model *model = (slt_model *)&model;
    slt_context *other = (slt_context *)&other;
    slt_train_result result = {.epochs = 77};
    const slt_train_request request = {.model = "none", .data = "data.safetensors", .run = "none"};
    CHECK_FAILS(SLT_IO, "nowhere", slt_dataset_open(context, "nowhere", &data));
    CHECK_FAILS(SLT_IO, "nowhere", slt_model_open(context, "nowhere", &model));
    CHECK_FAILS(SLT_INVALID, "none", slt_train(context, &request, &result));
    CHECK_FAILS(SLT_INVALID, "tpu",
                slt_context_create(&(slt_context_options){.device = "tpu"}, &other));
    assert_ptr_equal(data, &data);
    assert_ptr_equal(model, &model);
    assert_ptr_equal(other, &other);
    assert_int_equal(result.epochs, 77);
}

static void destroying_nothing_is_allowed(void **state) {
    (void)state;
    slt_dataset_close(NULL);
    slt_dataset_builder_destroy(NULL);
    slt_model_close(NULL);
    slt_env_batch_destroy(NULL);
    slt_tensor_list_close(NULL);
    slt_sweep_close(NULL);
    slt_context_destroy(NULL);
}

// ---- hooks

typedef struct {
    uint64_t done, total;
    int news, logs;
} witness;

static void watch(void *user, const slt_progress *progress) {
    witness *w = user;
    assert_string_equal(progress->stage, "train");
    assert_true(progress->done >= w->done && progress->done <= progress->total);
    if (w->total) assert_int_equal(progress->total, w->total);
    w->done = progress->done;
    w->total = progress->total;
    w->news += progress->news[0] != 0;
}

static void progress_is_reported_to_the_end(void **state) {
    (void)state;
    witness w = {0};
    train_now((job){.options = {.threads = 1, .progress = watch, .user = &w},
                    .model = "slottar",
                    .run = "watched"});
    assert_int_equal(w.news, 2); // a line per epoch
    assert_true(w.done > 0);
    assert_int_equal(w.done, w.total);
    check_same("alone", "watched");
}

// ---- cancelling

typedef struct {
    slt_context *context;
    sem_t reached, cancelled;
    uint64_t at, last;
} stopping;

// waits for the other thread at a step: what comes after it has been cancelled
static void meet(void *user, const slt_progress *progress) {
    stopping *s = user;
    s->last = progress->done;
    if (progress->done != s->at) return;
    sem_post(&s->reached);
    sem_wait(&s->cancelled);
}

static void *cancel(void *argument) {
    stopping *s = argument;
    sem_wait(&s->reached);
    slt_context_cancel(s->context);
    sem_post(&s->cancelled);
    return NULL;
}

static void another_thread_cancels_and_training_goes_on_later(void **state) {
    (void)state;
    stopping s = {.at = 3};
    pthread_t thread;
    sem_init(&s.reached, 0, 0), sem_init(&s.cancelled, 0, 0);
    const slt_context_options options = {.threads = 2, .progress = meet, .user = &s};
    CHECK_OK(slt_context_create(&options, &s.context));
    assert_int_equal(pthread_create(&thread, NULL, cancel, &s), 0);
    CHECK_FAILS(SLT_CANCELLED, "request", train_in(s.context, "stopped"));
    pthread_join(thread, NULL);
    assert_int_equal(s.last, 3); // not a step more

    // in force until it is taken back, for every long call
    slt_dataset *data;
    CHECK_FAILS(SLT_CANCELLED, "request", train_in(s.context, "stopped"));
    CHECK_OK(slt_dataset_open(s.context, "data.safetensors", &data));
    CHECK_FAILS(SLT_CANCELLED, "request", slt_dataset_check(data));
    slt_dataset_close(data);
    assert_int_equal(s.last, 3);

    slt_context_resume(s.context);
    s.at = 0;
    CHECK_OK(train_in(s.context, "stopped"));
    check_same("alone", "stopped");
    slt_context_destroy(s.context);
    sem_destroy(&s.reached), sem_destroy(&s.cancelled);
}

// a hook may cancel its own context, whatever the step
static void stop_at(void *user, const slt_progress *progress) {
    stopping *s = user;
    if (progress->done == s->at) slt_context_cancel(s->context);
}

static void stopped_at_any_step_the_end_is_the_same(void **state) {
    (void)state;
    stopping s = {0};
    const slt_context_options options = {.threads = 1, .progress = stop_at, .user = &s};
    CHECK_OK(slt_context_create(&options, &s.context));
    slt_status status = SLT_CANCELLED;
    for (s.at = 1; status == SLT_CANCELLED; s.at++) {
        slt_context_resume(s.context);
        status = train_in(s.context, "often");
    }
    CHECK_OK(status);
    assert_true(s.at > 5);
    check_same("alone", "often");
    slt_context_destroy(s.context);
}

// ---- memory

typedef struct {
    atomic_int left, held, taken;
} purse;

static void *take(void *user, size_t bytes) {
    purse *p = user;
    if (atomic_fetch_sub(&p->left, 1) <= 0) return NULL;
    void *memory = malloc(bytes);
    if (memory) atomic_fetch_add(&p->held, 1), atomic_fetch_add(&p->taken, 1);
    return memory;
}

static void give(void *user, void *memory) {
    purse *p = user;
    if (memory) atomic_fetch_sub(&p->held, 1);
    free(memory);
}

static job with_purse(purse *p, const char *run) {
    return (job){.options = {.threads = 2, .alloc = take, .free = give, .user = p},
                 .model = "slottar",
                 .run = run};
}

static void all_memory_comes_back(void **state) {
    (void)state;
    purse p = {.left = 1000000};
    train_now(with_purse(&p, "counted"));
    assert_true(atomic_load(&p.taken) > 20);
    assert_int_equal(atomic_load(&p.held), 0);
    check_same("alone", "counted");
}

// some allocation fails, again and again, at another place: NOMEM, nothing is lost, and the run can
// always continue
static void out_of_memory_is_a_status(void **state) {
    (void)state;
    purse count = {.left = 1000000};
    train_now(with_purse(&count, "plenty"));
    int all = atomic_load(&count.taken), failures = 0;
    for (int n = 0; n < all; n += 1 + all / 40) {
        purse p = {.left = n};
        job j = with_purse(&p, "poor");
        run_job(&j);
        assert_int_equal(atomic_load(&p.held), 0);
        if (j.status == SLT_OK) break; // it was finished by little steps
        if (j.status != SLT_NOMEM) fail_msg("allocation %d: %s", n, j.message);
        failures++;
    }
    assert_true(failures > 10);
    purse enough = {.left = 1000000};
    train_now(with_purse(&enough, "poor"));
    check_same("alone", "poor");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(header_and_library_are_of_one_version),
        cmocka_unit_test(trainings_at_once_give_the_bits_of_one_alone),
        cmocka_unit_test(one_context_serves_several_threads),
        cmocka_unit_test(messages_stay_in_their_thread),
        cmocka_unit_test(every_code_has_a_name_and_a_text),
        cmocka_unit_test(a_failure_leaves_results_alone),
        cmocka_unit_test(destroying_nothing_is_allowed),
        cmocka_unit_test(progress_is_reported_to_the_end),
        cmocka_unit_test(another_thread_cancels_and_training_goes_on_later),
        cmocka_unit_test(stopped_at_any_step_the_end_is_the_same),
        cmocka_unit_test(all_memory_comes_back),
        cmocka_unit_test(out_of_memory_is_a_status),
    };
    return cmocka_run_group_tests(tests, make_set, tear_down);
}
