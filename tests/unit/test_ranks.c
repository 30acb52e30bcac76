// Training shared by several processes: the losses of one process, whatever the model and the
// pairing; another number of processes on resume; stopping together; failing together.
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "core/number.h"
#include "slottar/train.h"
#include "small_run.h"
#include "thread_group.h"

enum { STEPS = 200, ROOM = 128 };

// what is trained; ranks of one job differ in nothing but what a test changes
typedef struct {
    const char *model, *data, *run;
    const char *settings[16];
    int restarts;
    int64_t pause;
} job;

static slt_train_request request_of(const job *j) {
    int count = 0;
    while (j->settings[count]) count++;
    return (slt_train_request){.model = j->model,
                               .data = j->data,
                               .run = j->run,
                               .settings = j->settings,
                               .setting_count = count,
                               .restarts = j->restarts,
                               .pause_epoch = j->pause,
                               .seed = 3};
}

static void train_share(rank *r) {
    slt_train_request request = request_of(r->user);
    slt_train_result *result = calloc(1, sizeof *result);
    r->status = slt_train(r->context, &request, result);
    if (r->status == SLT_OK && result->steps < 1) r->status = SLT_INTERNAL;
    free(result);
}

static void train_on(const job *j, int size) {
    rank ranks[MOST_RANKS] = {0};
    for (int i = 0; i < size; i++) ranks[i].user = (void *)(uintptr_t)j;
    run_ranks(ranks, size, train_share);
    for (int i = 0; i < size; i++)
        if (ranks[i].status != SLT_OK) fail_msg("rank %d: %s", i, ranks[i].message);
}

// ---- losses of epochs

typedef struct {
    int count;
    double train[ROOM], valid[ROOM];
} curve;

static curve read_curve(const char *run) {
    curve c = {0};
    char path[256], line[4096];
    snprintf(path, sizeof path, "%s/metrics.jsonl", run);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        assert_true(c.count < ROOM);
        const char *train = strstr(line, "\"train_loss\":"),
                   *valid = strstr(line, "\"valid_loss\":");
        assert_true(train && valid);
        c.train[c.count] = slt_number_start(train + 13, NULL);
        c.valid[c.count++] = slt_number_start(valid + 13, NULL);
    }
    fclose(file);
    return c;
}

static void check_near(const char *run, const char *other) {
    curve a = read_curve(run), b = read_curve(other);
    assert_int_equal(a.count, b.count);
    assert_true(a.count > 0);
    for (int i = 0; i < a.count; i++) {
        double train = fabs(a.train[i] - b.train[i]), valid = fabs(a.valid[i] - b.valid[i]);
        if (!(train <= 1e-5 && valid <= 1e-5))
            fail_msg("%s, %s: epoch %d: train %.9g and %.9g, held out %.9g and %.9g", run, other,
                     i + 1, a.train[i], b.train[i], a.valid[i], b.valid[i]);
    }
}

static void remove_run(const char *run) {
    char command[300];
    snprintf(command, sizeof command, "rm -rf %s", run);
    assert_int_equal(system(command), 0);
}

// one, two and three processes on the same job
static void check_ranks(job j) {
    const char *runs[] = {"one", "two", "three"};
    for (int i = 0; i < 3; i++) {
        remove_run(runs[i]);
        j.run = runs[i];
        train_on(&j, i + 1);
    }
    check_near("one", "two");
    check_near("one", "three");
}

// ---- tests

// Adam divides a gradient by its own size, so that a kink that rounding puts on the other side
// grows into another path; with a large epsilon steps are as small as their gradients, a gradient
// of the wrong size would show, and with a small rate kinks stay small whatever the compiler
#define TINY    "hidden=8", "batch=8", "epochs=67", "patience=1000", "lr=1e-3", "adam_eps=0.1"
#define SLOTTAR TINY, "slot_size=8", "heads=2", "slots=3"

static void every_pairing(void **state) {
    (void)state;
    make_data("bits.safetensors", SLT_OBSERVATIONS_BITS, true, 0, EPISODES);
    const char *pairings[] = {"decoder_pairing=none", "decoder_pairing=own",
                              "decoder_pairing=reference"};
    for (int i = 0; i < 3; i++) {
        job j = {.model = "slottar", .data = "bits.safetensors"};
        // over many steps at a rate that keeps kinks small, whatever the compiler
        const char *rates[][2] = {{"lr=1e-3", "epochs=20"}, {"lr=1e-4", "epochs=67"}};
        for (int r = 0; r < 2; r++) {
            const char *settings[] = {SLOTTAR, pairings[i], rates[r][0], rates[r][1]};
            memcpy(j.settings, settings, sizeof settings);
            check_ranks(j);
        }
    }
    assert_true(read_curve("one").count * (EPISODES * 8 / 10 / 8) >= STEPS - 2);
}

static void padded_and_noisy_and_clipped(void **state) {
    (void)state;
    make_data("reals.safetensors", SLT_OBSERVATIONS_F32, true, 0, EPISODES);
    check_ranks((job){.model = "slottar",
                      .data = "reals.safetensors",
                      .settings = {SLOTTAR, "epochs=20", "decoder_pairing=reference",
                                   "slot_pad=reference", "end_pad=include", "max_grad_norm=0.5"}});
    make_data("blind.safetensors", SLT_OBSERVATIONS_NONE, true, 0, EPISODES);
    check_ranks((job){.model = "slottar",
                      .data = "blind.safetensors",
                      .settings = {SLOTTAR, "epochs=20", "decoder_pairing=reference"}});
}

static void every_model(void **state) {
    (void)state;
    make_data("bits.safetensors", SLT_OBSERVATIONS_BITS, true, 0, EPISODES);
    check_ranks(
        (job){.model = "compile", .data = "bits.safetensors", .settings = {TINY, "epochs=10"}});
    check_ranks(
        (job){.model = "ompn", .data = "bits.safetensors", .settings = {TINY, "epochs=10"}});
    // restarts, and the count of a whole batch in the loss
    check_ranks((job){.model = "slottar-mdl",
                      .data = "bits.safetensors",
                      .restarts = 3,
                      .settings = {"hidden=8", "batch=8", "steps=60", "lr=1e-3", "gamma=2"}});
}

// held-out batches are shared out: the same scores, of more batches than processes and of fewer
static void every_score(void **state) {
    (void)state;
    enum { MANY = 2100 }; // four held-out batches of 64
    job j = {.model = "slottar",
             .data = "many.safetensors",
             .settings = {SLOTTAR, "epochs=1", "batch=64", "decoder_pairing=reference"}};
    const char *runs[] = {"one", "two", "three"};
    char line[3][4096];
    make_data(j.data, SLT_OBSERVATIONS_BITS, true, 0, MANY);
    for (int i = 0; i < 3; i++) {
        remove_run(runs[i]);
        j.run = runs[i];
        train_on(&j, i + 1);
        char path[64];
        snprintf(path, sizeof path, "%s/metrics.jsonl", runs[i]);
        FILE *file = fopen(path, "r");
        assert_true(file && fgets(line[i], sizeof line[i], file));
        fclose(file);
    }
    check_near("one", "two");
    check_near("one", "three");
    for (int i = 1; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            const char *name = k ? "\"valid_align\":" : "\"valid_f1\":";
            double a = slt_number_start(strstr(line[0], name) + strlen(name), NULL);
            double b = slt_number_start(strstr(line[i], name) + strlen(name), NULL);
            // an arg-max that rounding turns would be one step of thousands
            if (!(a > 0 && fabs(a - b) < 1e-3)) fail_msg("%s %.9g, not %.9g", name, b, a);
        }
}

static void another_number_goes_on(void **state) {
    (void)state;
    make_data("bits.safetensors", SLT_OBSERVATIONS_BITS, true, 0, EPISODES);
    job j = {.model = "slottar",
             .data = "bits.safetensors",
             .settings = {SLOTTAR, "epochs=12", "decoder_pairing=reference"}};
    remove_run("one");
    remove_run("mixed");
    j.run = "one";
    train_on(&j, 1);
    j.run = "mixed";
    const int sizes[] = {3, 1, 4, 2};
    for (int i = 0; i < 4; i++) {
        j.pause = i < 3 ? 3 * (i + 1) : 0;
        train_on(&j, sizes[i]);
    }
    check_near("one", "mixed");
}

// the first evaluation of process 0 makes the last process want to stop
typedef struct {
    job job;
    rank *last;
} stopper;

static void stop_last(void *user, const slt_progress *progress) {
    stopper *s = user;
    if (progress->done >= 7) slt_context_cancel(s->last->context);
}

static void train_until_stopped(rank *r) {
    stopper *s = r->user;
    if (r->group.rank == 0) { // the hooks of a context are given when it is made
        slt_context_destroy(r->context);
        slt_context_options options = {
            .threads = 1, .group = &r->group, .progress = stop_last, .user = s};
        r->status = slt_context_create(&options, &r->context);
    }
    slt_train_request request = request_of(&s->job);
    slt_train_result *result = calloc(1, sizeof *result);
    // everybody has its context by now
    meet(r);
    r->status = slt_train(r->context, &request, result);
    free(result);
}

static void all_stop_together(void **state) {
    (void)state;
    make_data("bits.safetensors", SLT_OBSERVATIONS_BITS, true, 0, EPISODES);
    stopper s = {.job = {.model = "slottar",
                         .data = "bits.safetensors",
                         .run = "stopped",
                         .settings = {SLOTTAR, "epochs=12"}}};
    rank ranks[MOST_RANKS] = {0};
    for (int i = 0; i < 3; i++) ranks[i].user = &s;
    s.last = &ranks[2];
    remove_run("stopped");
    run_ranks(ranks, 3, train_until_stopped);
    for (int i = 0; i < 3; i++) assert_int_equal(ranks[i].status, SLT_CANCELLED);
    assert_int_equal(access("stopped/last.safetensors", R_OK), 0);
    assert_true(read_curve("stopped").count < 12);
    // what was saved continues
    train_on(&s.job, 2);
    s.job.run = "one";
    remove_run("one");
    train_on(&s.job, 1);
    check_near("one", "stopped");
}

// ---- failures

static void check_all_fail(rank *ranks, int size, slt_status status, const char *words) {
    for (int i = 0; i < size; i++) {
        assert_int_equal(ranks[i].status, status);
        if (!strstr(ranks[i].message, words))
            fail_msg("rank %d: '%s' not in '%s'", i, words, ranks[i].message);
    }
}

static void other_data_is_refused(void **state) {
    (void)state;
    make_data("bits.safetensors", SLT_OBSERVATIONS_BITS, true, 0, EPISODES);
    make_data("other.safetensors", SLT_OBSERVATIONS_BITS, true, 1, EPISODES);
    job right = {
        .model = "slottar", .data = "bits.safetensors", .run = "bad", .settings = {SLOTTAR}};
    job wrong = right, nowhere = right;
    wrong.data = "other.safetensors";
    nowhere.data = "nowhere.safetensors";
    remove_run("bad");
    rank ranks[MOST_RANKS] = {{.user = &right}, {.user = &wrong}, {.user = &right}};
    run_ranks(ranks, 3, train_share);
    check_all_fail(ranks, 3, SLT_INVALID, "process 1: other.safetensors: another data set");
    rank lost[MOST_RANKS] = {{.user = &right}, {.user = &right}, {.user = &nowhere}};
    run_ranks(lost, 3, train_share);
    check_all_fail(lost, 3, SLT_IO, "process 2: nowhere.safetensors");
    assert_int_not_equal(access("bad", F_OK), 0);
}

static void too_many_processes(void **state) {
    (void)state;
    make_data("bits.safetensors", SLT_OBSERVATIONS_BITS, true, 0, EPISODES);
    job j = {.model = "slottar",
             .data = "bits.safetensors",
             .run = "bad",
             .settings = {SLOTTAR, "batch=3"}};
    rank ranks[MOST_RANKS] = {{.user = &j}, {.user = &j}, {.user = &j}, {.user = &j}};
    run_ranks(ranks, 4, train_share);
    check_all_fail(ranks, 4, SLT_INVALID, "4 processes for a batch of 3");
}

// a group whose functions fail everywhere at once, at each place in turn
static void a_broken_group_is_an_error(void **state) {
    (void)state;
    make_data("bits.safetensors", SLT_OBSERVATIONS_BITS, true, 0, EPISODES);
    job j = {.model = "slottar-mdl",
             .data = "bits.safetensors",
             .run = "broken",
             .settings = {"hidden=8", "batch=8", "steps=4"}};
    for (int at = 1; at < 18; at++) {
        rank ranks[MOST_RANKS] = {{.user = &j, .fail_at = at}, {.user = &j, .fail_at = at}};
        remove_run("broken");
        run_ranks(ranks, 2, train_share);
        assert_int_equal(ranks[0].status, ranks[1].status);
        assert_true(ranks[0].status == SLT_IO);
        if (!strstr(ranks[1].message, "lost the others")) fail_msg("%s", ranks[1].message);
    }
}

static void odd_groups_are_refused(void **state) {
    (void)state;
    slt_context *none;
    rank r = {0};
    slt_group group = {2, 2, hall_sum, hall_broadcast, hall_gather, &r};
    slt_context_options options = {.threads = 1, .group = &group};
    CHECK_FAILS(SLT_INVALID, "process 2 of a group of 2", slt_context_create(&options, &none));
    group = (slt_group){0, 2, hall_sum, NULL, hall_gather, &r};
    CHECK_FAILS(SLT_INVALID, "all three", slt_context_create(&options, &none));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_pairing),
        cmocka_unit_test(padded_and_noisy_and_clipped),
        cmocka_unit_test(every_model),
        cmocka_unit_test(every_score),

        cmocka_unit_test(another_number_goes_on),
        cmocka_unit_test(all_stop_together),
        cmocka_unit_test(other_data_is_refused),
        cmocka_unit_test(too_many_processes),
        cmocka_unit_test(a_broken_group_is_an_error),
        cmocka_unit_test(odd_groups_are_refused),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
