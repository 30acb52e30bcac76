// Populations: runs that are trained together become, file by file, what each becomes alone: with
// options of their own, ends of their own, restarts, pauses, other places, a run that breaks, other
// shapes; and what is a run's own fault stays with it.
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "slottar/train.h"
#include "small_run.h"
#include "thread_group.h"

enum { MOST = 4, PATH = 128 };

#define TINY    "hidden=8", "batch=8", "epochs=4", "lr=0.01"
#define SLOTTAR TINY, "slot_size=8", "heads=2", "slots=3"

// runs that differ in what stands in `own`
typedef struct {
    const char *model, *name;
    const char *settings[12];
    const char *own[MOST];
    int count, restarts;
} family;

typedef struct {
    char run[MOST][PATH];
    const char *settings[MOST][13];
    slt_train_request requests[MOST];
} asked;

static void ask(const family *f, const char *kind, asked *out) {
    for (int i = 0; i < f->count; i++) {
        int count = 0;
        for (; f->settings[count]; count++) out->settings[i][count] = f->settings[count];
        if (f->own[i]) out->settings[i][count++] = f->own[i];
        snprintf(out->run[i], PATH, "%s-%s-%d", f->name, kind, i);
        out->requests[i] = (slt_train_request){.model = f->model,
                                               .data = "bits.safetensors",
                                               .run = out->run[i],
                                               .settings = out->settings[i],
                                               .setting_count = count,
                                               .seed = 5 + (uint64_t)i,
                                               .restarts = f->restarts};
    }
}

// ---- files

static char *read_all(const char *run, const char *name, size_t *size) {
    char path[2 * PATH];
    snprintf(path, sizeof path, "%s/%s", run, name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("no %s", path);
    char *bytes = calloc(1, 1 << 20);
    *size = fread(bytes, 1, (1 << 20) - 1, file);
    fclose(file);
    assert_true(*size > 0 && *size < (1 << 20) - 1);
    return bytes;
}

// what differs from run to run
static void strip_seconds(char *text, size_t *size) {
    for (char *at; (at = strstr(text, "\"seconds\":"));) {
        char *end = at + strcspn(at, ",}");
        memmove(at, end, strlen(end) + 1);
    }
    *size = strlen(text);
}

static void check_file(const char *a, const char *b, const char *name) {
    size_t x = 0, y = 0;
    char *left = read_all(a, name, &x), *right = read_all(b, name, &y);
    if (strcmp(name, "metrics.jsonl") == 0) strip_seconds(left, &x), strip_seconds(right, &y);
    if (x != y || memcmp(left, right, x) != 0) fail_msg("%s differs in %s and %s", name, a, b);
    free(left);
    free(right);
}

static void check_same(const char *a, const char *b) {
    static const char *const names[] = {"config.yaml",      "metrics.jsonl",
                                        "last.safetensors", "best.safetensors",
                                        "result.json",      "segments.safetensors"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) check_file(a, b, names[i]);
}

// ---- training

static slt_train_outcome *outcomes; // [MOST]

// what was told, and of how many runs at once, at most
static char last_news[256];
static int together;
static void hear(void *user, const slt_progress *progress) {
    int count = 1;
    (void)user;
    if (!progress->news[0]) return;
    snprintf(last_news, sizeof last_news, "%s", progress->news);
    const char *runs = strstr(last_news, " of ");
    if (runs) sscanf(runs, " of %d runs", &count);
    if (count > together) together = count;
}

static void train_population(const family *f, const char *kind, asked *out) {
    slt_context *many;
    together = 0;
    ask(f, kind, out);
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 2, .progress = hear}, &many));
    CHECK_OK(slt_train_many(many, out->requests, f->count, f->count, outcomes));
    slt_context_destroy(many);
}

// each run as slt_train alone makes it
static void check_family(const family *f) {
    asked all, alone;
    slt_train_result *result = calloc(1, sizeof *result);
    train_population(f, "many", &all);
    assert_int_equal(together, f->count);
    ask(f, "one", &alone);
    for (int i = 0; i < f->count; i++) {
        if (outcomes[i].status != SLT_OK) fail_msg("%s", outcomes[i].message);
        CHECK_OK(slt_train(context, &alone.requests[i], result));
        assert_int_equal(result->steps, outcomes[i].result.steps);
        check_same(alone.run[i], all.run[i]);
    }
    free(result);
}

static void every_model(void **state) {
    (void)state;
    const family families[] = {
        {"slottar", "slottar", {SLOTTAR}, {"beta=0.5", "slot_std=0.3", "lr=0.003"}, 3, 1},
        {"slottar", "clipped", {SLOTTAR}, {"max_grad_norm=0.1", "adam_eps=0.1", "lr_end=0"}, 3, 1},
        {"slottar",
         "reference",
         {SLOTTAR, "decoder_pairing=reference"},
         {"halting=lambda", "test_noise=sample", "early_stop=f1_align"},
         3,
         1},
        {"slottar-mdl", "mdl", {TINY, "steps=12", "code=2"}, {"beta=2", "code_cost=0.5"}, 2, 1},
        {"compile", "compile", {TINY}, {"beta=0.5", "baseline_scoring=reference"}, 2, 1},
        {"ompn", "ompn", {TINY}, {"threshold=0.2", "baseline_scoring=reference"}, 2, 1},
        {"slottar-mdl",
         "restarts",
         {TINY, "steps=12"},
         {"init=random", "prune_margin=0", "steps=20"},
         3,
         3},
    };
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) check_family(&families[i]);
}

// they stop where each stops alone, at different epochs
static void early_stops(void **state) {
    (void)state;
    const family f = {"slottar",
                      "stops",
                      {SLOTTAR, "lr=0.05", "epochs=30", "patience=30"},
                      {"epochs=2", "patience=1", "epochs=3", "epochs=5"},
                      4,
                      1};
    check_family(&f);
    assert_int_equal(outcomes[0].result.epochs, 2);
    assert_true(outcomes[1].result.epochs < 30);
    assert_int_equal(outcomes[2].result.epochs, 3);
    assert_int_equal(outcomes[3].result.epochs, 5);
}

// one that breaks leaves its last good checkpoint and the others alone
static void one_diverges(void **state) {
    (void)state;
    const family f = {"slottar", "wild", {SLOTTAR, "epochs=30"}, {"lr=0.01", "lr=10", "lr=0.02"},
                      3,         1};
    asked all, alone;
    slt_train_result *result = calloc(1, sizeof *result);
    train_population(&f, "many", &all);
    ask(&f, "one", &alone);
    for (int i = 0; i < f.count; i++) {
        slt_status status = slt_train(context, &alone.requests[i], result);
        assert_int_equal(status, outcomes[i].status);
        if (status == SLT_OK)
            check_same(alone.run[i], all.run[i]);
        else // at the same step, with the same numbers
            assert_string_equal(strchr(slt_last_error(), ':'), strchr(outcomes[i].message, ':'));
    }
    assert_int_equal(outcomes[1].status, SLT_DIVERGED);
    assert_non_null(strstr(outcomes[1].message, "wild-many-1: step "));
    assert_true(access("wild-many-1/result.json", F_OK) != 0);
    free(result);
}

// ---- which are trained together

static void shapes_and_faults(void **state) {
    (void)state;
    const family f = {
        "slottar", "shapes", {SLOTTAR}, {"beta=0.3", "hidden=12", "heads=3", "epochs=1"}, 4, 1};
    asked many, alone;
    train_population(&f, "many", &many);
    // two of the first shape, then one of the second
    assert_int_equal(together, 2);
    assert_non_null(strstr(last_news, "epoch 4: "));
    ask(&f, "one", &alone);
    for (int i = 0; i < f.count; i++) {
        slt_train_result *result = calloc(1, sizeof *result);
        slt_status status = slt_train(context, &alone.requests[i], result);
        assert_int_equal(status, outcomes[i].status);
        if (status == SLT_OK) check_same(alone.run[i], many.run[i]);
        free(result);
    }
    assert_int_equal(outcomes[2].status, SLT_SHAPE);
    assert_non_null(strstr(outcomes[2].message, "heads"));
}

static void together_is_told(void **state) {
    (void)state;
    const family f = {"slottar", "told", {SLOTTAR}, {"beta=0.3", "beta=0.4", "lr=0.02"}, 3, 1};
    asked many;
    train_population(&f, "many", &many);
    assert_non_null(strstr(last_news, "epoch 4 of 3 runs: loss "));
    assert_non_null(strstr(last_news, "3 ended"));
}

// ---- pauses, and runs that stand at other places

static void other_places(void **state) {
    (void)state;
    const family f = {"slottar", "places", {SLOTTAR}, {"beta=0.3", "beta=0.4"}, 2, 1};
    asked first, alone;
    slt_train_result *result = calloc(1, sizeof *result);
    ask(&f, "many", &first);
    // the first is an epoch ahead, then all are paused after the second, then go to their ends
    first.requests[0].pause_epoch = 1;
    CHECK_OK(slt_train(context, &first.requests[0], result));
    for (int i = 0; i < f.count; i++) first.requests[i].pause_epoch = 2;
    CHECK_OK(slt_train_many(context, first.requests, f.count, 2, outcomes));
    for (int i = 0; i < f.count; i++) assert_int_equal(outcomes[i].result.epochs, 2);
    first.requests[0].pause_epoch = 3;
    first.requests[1].pause_epoch = 0;
    CHECK_OK(slt_train_many(context, first.requests, f.count, 2, outcomes));
    assert_int_equal(outcomes[0].result.epochs, 3);
    assert_int_equal(outcomes[1].result.epochs, 4);
    first.requests[0].pause_epoch = 0;
    CHECK_OK(slt_train_many(context, first.requests, f.count, 2, outcomes));
    ask(&f, "one", &alone);
    for (int i = 0; i < f.count; i++) {
        CHECK_OK(slt_train(context, &alone.requests[i], result));
        check_same(alone.run[i], first.run[i]);
    }
    free(result);
}

// one that continues alone
static void leaves_the_others(void **state) {
    (void)state;
    const family f = {"slottar", "leaves", {SLOTTAR}, {"beta=0.3", "beta=0.4"}, 2, 1};
    asked many, alone;
    slt_train_result *result = calloc(1, sizeof *result);
    ask(&f, "many", &many);
    for (int i = 0; i < f.count; i++) many.requests[i].pause_epoch = 2;
    CHECK_OK(slt_train_many(context, many.requests, f.count, 2, outcomes));
    many.requests[1].pause_epoch = 0;
    CHECK_OK(slt_train(context, &many.requests[1], result));
    ask(&f, "one", &alone);
    CHECK_OK(slt_train(context, &alone.requests[1], result));
    check_same(alone.run[1], many.run[1]);
    free(result);
}

// ---- stopped after the last step of an epoch, before it is scored

static slt_context *stopping;
static void stop_at_epoch(void *user, const slt_progress *progress) {
    uint64_t *at = user; // steps of both runs
    if (progress->done == *at && !progress->news[0]) slt_context_cancel(stopping);
}

static void stopped_before_scores(void **state) {
    (void)state;
    const family f = {"slottar", "scores", {SLOTTAR}, {"beta=0.3", "beta=0.4"}, 2, 1};
    asked many, alone;
    uint64_t steps = 2 * 2 * (EPISODES * 8 / 10 / 8); // two epochs of two runs
    slt_train_result *result = calloc(1, sizeof *result);
    slt_context_options options = {.threads = 2, .progress = stop_at_epoch, .user = &steps};
    CHECK_OK(slt_context_create(&options, &stopping));
    ask(&f, "many", &many);
    CHECK_FAILS(SLT_CANCELLED, "stopped",
                slt_train_many(stopping, many.requests, f.count, 2, outcomes));
    size_t size = 0;
    char *lines = read_all(many.run[0], "metrics.jsonl", &size);
    assert_non_null(strstr(lines, "{\"epoch\":1,"));
    assert_null(strstr(lines, "{\"epoch\":2,"));
    free(lines);
    steps = 0;
    slt_context_resume(stopping);
    CHECK_OK(slt_train_many(stopping, many.requests, f.count, 2, outcomes));
    slt_context_destroy(stopping);
    ask(&f, "one", &alone);
    for (int i = 0; i < f.count; i++) {
        CHECK_OK(slt_train(context, &alone.requests[i], result));
        check_same(alone.run[i], many.run[i]);
    }
    free(result);
}

// ---- processes

static void train_share(rank *r) {
    const asked *a = r->user;
    slt_train_outcome *own = calloc(MOST, sizeof *own);
    r->status = slt_train_many(r->context, a->requests, 2, 2, own);
    for (int i = 0; i < 2 && r->status == SLT_OK; i++) r->status = own[i].status;
    free(own);
}

static void shared_by_processes(void **state) {
    (void)state;
    const family f = {"slottar", "ranks", {SLOTTAR}, {"epochs=1", "epochs=3"}, 2, 1};
    asked many, alone;
    ask(&f, "many", &many);
    ask(&f, "one", &alone);
    rank ranks[MOST_RANKS] = {0};
    for (int i = 0; i < 2; i++) ranks[i].user = &many;
    run_ranks(ranks, 2, train_share);
    for (int i = 0; i < 2; i++)
        if (ranks[i].status != SLT_OK) fail_msg("rank %d: %s", i, ranks[i].message);
    // alone with two processes, the same order of sums
    for (int k = 0; k < 2; k++) {
        asked one = alone;
        one.requests[1] = one.requests[0] = alone.requests[k];
        snprintf(one.run[1], PATH, "ranks-spare-%d", k);
        one.requests[1].run = one.run[1];
        for (int i = 0; i < 2; i++) ranks[i] = (rank){.user = &one};
        run_ranks(ranks, 2, train_share);
        check_same(alone.run[k], many.run[k]);
    }
}

static int open_all(void **state) {
    outcomes = calloc(MOST, sizeof *outcomes);
    if (!outcomes || set_up(state) != 0) return 1;
    make_data("bits.safetensors", SLT_OBSERVATIONS_BITS, true, 0, EPISODES);
    return 0;
}

static int close_all(void **state) {
    free(outcomes);
    return tear_down(state);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_model),        cmocka_unit_test(early_stops),
        cmocka_unit_test(one_diverges),       cmocka_unit_test(shapes_and_faults),
        cmocka_unit_test(together_is_told),   cmocka_unit_test(other_places),
        cmocka_unit_test(leaves_the_others),  cmocka_unit_test(stopped_before_scores),
        cmocka_unit_test(shared_by_processes)};
    return cmocka_run_group_tests(tests, open_all, close_all);
}
