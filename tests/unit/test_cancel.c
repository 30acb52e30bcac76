// Cancelling finer than a step: wherever in a step somebody asks to stop, the state is that of the
// step before, and what continues from there ends in the bits of a run that was left alone. The
// context counts the looks at it and is cancelled at a chosen one, so that every place has its
// turn.
#include <stdlib.h>
#include "core/context_impl.h"
#include "ompn_rig.h"
#include "small_run.h"

// `looks` looks say no, all later ones yes
static void cancel_behind(slt_context *c, int looks) { atomic_store(&c->cancelled, looks + 1); }

// ---- a step

typedef struct {
    size_t bytes;
    char *blocks[3];
} memory_of;

static void look_at(const slt_store *store, memory_of *out) {
    const slt_real *blocks[] = {store->value, store->moment1, store->moment2};
    out->bytes = store->size * sizeof(slt_real);
    for (int i = 0; i < 3; i++) {
        out->blocks[i] = malloc(out->bytes);
        assert_non_null(out->blocks[i]);
        memcpy(out->blocks[i], blocks[i], out->bytes);
    }
}

static bool same(memory_of *a, memory_of *b) {
    bool equal = a->bytes == b->bytes;
    for (int i = 0; i < 3; i++) equal &= memcmp(a->blocks[i], b->blocks[i], a->bytes) == 0;
    return equal;
}

static void forget(memory_of *m) {
    for (int i = 0; i < 3; i++) free(m->blocks[i]);
}

static void open_rig(ompn_rig *r, int members, int threads) {
    slt_context *own;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = threads}, &own));
    rig_defaults(r, "");
    r->members = members;
    rig_open(r, own);
    for (int m = 0; m < members; m++) slt_tape_frame(r->tape, m)->step.adam_count = 1;
}

static void close_rig(ompn_rig *r) {
    slt_context *own = r->context;
    rig_close(r);
    slt_context_destroy(own);
}

// weights and moments after one step that nobody stops
static void step_alone(int members, memory_of *out) {
    ompn_rig r;
    open_rig(&r, members, 1);
    CHECK_OK(slt_tape_step(r.tape));
    look_at(r.store, out);
    close_rig(&r);
}

// stops the same step at every look; gives how many there were
static int stop_everywhere(int members, int threads, memory_of *want) {
    ompn_rig r;
    memory_of before, now;
    slt_step_stats note;
    bool there;
    int looks = 0;
    open_rig(&r, members, threads);
    look_at(r.store, &before);
    for (;; looks++) {
        cancel_behind(r.context, looks);
        if (slt_tape_step(r.tape) == SLT_OK) break;
        assert_non_null(strstr(slt_last_error(), "stopped on request"));
        look_at(r.store, &now);
        if (!same(&before, &now)) fail_msg("look %d: weights or moments changed", looks);
        forget(&now);
        CHECK_OK(slt_tape_stats(r.tape, 0, false, &note, &there));
        assert_false(there);
    }
    look_at(r.store, &now);
    assert_true(same(want, &now));
    assert_false(same(&before, &now));
    forget(&before), forget(&now);
    close_rig(&r);
    return looks;
}

static void a_step_is_whole_or_never_was(void **state) {
    (void)state;
    memory_of want;
    ompn_rig r;
    open_rig(&r, 1, 1);
    int nodes = r.tape->node_count;
    close_rig(&r);
    step_alone(1, &want);
    // before every node, and between the moments of a sequence both ways
    int looks = stop_everywhere(1, 1, &want);
    if (looks < nodes + 2 * RIG_L) fail_msg("%d looks for %d nodes", looks, nodes);
    assert_int_equal(stop_everywhere(1, 2, &want), looks);
    forget(&want);
}

static void so_is_that_of_a_population(void **state) {
    (void)state;
    memory_of want;
    step_alone(RIG_MOST, &want);
    stop_everywhere(RIG_MOST, 2, &want);
    forget(&want);
}

// who asked and took it back meanwhile has stopped that step all the same
static void a_look_is_not_forgotten(void **state) {
    (void)state;
    slt_cancel_token cancel = {.context = context};
    assert_false(slt_cancel_asked(&cancel));
    slt_context_cancel(context);
    assert_true(slt_cancel_asked(&cancel));
    slt_context_resume(context);
    assert_true(slt_cancel_asked(&cancel));
    assert_false(slt_cancel_asked(NULL));
    CHECK_OK(slt_context_check(context));
}

static void a_forward_run_stops_as_well(void **state) {
    (void)state;
    ompn_rig r;
    open_rig(&r, 2, 1);
    cancel_behind(r.context, 3);
    CHECK_FAILS(SLT_CANCELLED, "request", slt_tape_forward(r.tape));
    CHECK_FAILS(SLT_CANCELLED, "request", slt_tape_forward_member(r.tape, 1));
    slt_context_resume(r.context);
    CHECK_OK(slt_tape_forward_member(r.tape, 1));
    close_rig(&r);
}

// ---- a run

typedef struct {
    const char *model;
    int restarts, threads;
} training;

static slt_status train_here(slt_context *own, const training *t, const char *run) {
    slt_train_result result;
    const char *settings[] = {"hidden=8", "batch=15", "epochs=2", "lr=0.01", "length=13"};
    const slt_train_request request = {.model = t->model,
                                       .data = "cancel.safetensors",
                                       .run = run,
                                       .settings = settings,
                                       .setting_count = 5,
                                       .restarts = t->restarts};
    return slt_train(own, &request, &result);
}

static long whole_file(const char *run, const char *name, char *out, size_t room) {
    char path[128];
    snprintf(path, sizeof path, "%s/%s", run, name);
    FILE *file = fopen(path, "rb");
    if (!file) fail_msg("no %s", path);
    size_t size = fread(out, 1, room, file);
    fclose(file);
    assert_true(size > 0 && size < room);
    return (long)size;
}

static void check_same_run(const char *left, const char *right) {
    enum { ROOM = 1 << 22 };
    static const char *const names[] = {"last.safetensors", "best.safetensors",
                                        "segments.safetensors", "result.json"};
    static char a[ROOM], b[ROOM];
    for (int i = 0; i < 4; i++) {
        long size = whole_file(left, names[i], a, ROOM);
        if (whole_file(right, names[i], b, ROOM) != size || memcmp(a, b, (size_t)size) != 0)
            fail_msg("%s and %s differ in %s", left, right, names[i]);
    }
}

// stopped ever later after its last stop, a run ends in the same files
static void stop_often(const training *t) {
    slt_context *own;
    char left[64], right[64];
    int stops = 0;
    snprintf(left, sizeof left, "%s-%d-left", t->model, t->restarts);
    snprintf(right, sizeof right, "%s-%d-often", t->model, t->restarts);
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = t->threads}, &own));
    CHECK_OK(train_here(own, t, left));
    slt_status status = SLT_CANCELLED;
    for (int looks = 0; status == SLT_CANCELLED; looks += 1 + looks / 4, stops++) {
        cancel_behind(own, looks);
        status = train_here(own, t, right);
    }
    CHECK_OK(status);
    if (stops < 12) fail_msg("%s: stopped only %d times", t->model, stops);
    slt_context_resume(own);
    check_same_run(left, right);
    slt_context_destroy(own);
}

static void every_model_goes_on_to_the_same_end(void **state) {
    (void)state;
    static const training all[] = {{"slottar", 0, 2},
                                   {"slottar-mdl", 0, 1},
                                   {"compile", 0, 1},
                                   {"slottar-mdl", 3, 2},
                                   {"ompn", 0, 2}};
    make_data("cancel.safetensors", SLT_OBSERVATIONS_BITS, true, 0, EPISODES);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (!SANITIZED || !all[i].restarts) stop_often(&all[i]); // a population is stopped above
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_step_is_whole_or_never_was),
        cmocka_unit_test(so_is_that_of_a_population),
        cmocka_unit_test(a_look_is_not_forgotten),
        cmocka_unit_test(a_forward_run_stops_as_well),
        cmocka_unit_test(every_model_goes_on_to_the_same_end),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
