// How runs of slottar-mdl begin: with the cheapest set of symbols, at random, or of restarts half
// and half; the first restart becomes what the run becomes alone.
#include <stdlib.h>
#include "core/context_impl.h"
#include "core/safetensors.h"
#include "slottar/train.h"
#include "small_run.h"

enum { DELIMITER = 3, SEGMENTS = 3, STEPS = 4 };

// three ways of at most three steps each, every one ended by the delimiter
static void add_ways(slt_dataset_builder *builder, uint32_t number) {
    uint8_t actions[LONGEST], seen[LONGEST * WIDTH];
    uint32_t state = 5 + 911 * number;
    slt_episode episode = {.actions_u8 = actions, .observations_u8 = seen};
    for (int k = 0; k < SEGMENTS; k++) {
        int steps = 1 + (int)(draw(&state) % 3), first = (int)(draw(&state) % DELIMITER);
        for (int i = 0; i < steps; i++)
            actions[episode.length++] = (uint8_t)((first + i) % DELIMITER);
        actions[episode.length++] = DELIMITER;
    }
    for (int i = 0; i < episode.length * WIDTH; i++) seen[i] = (uint8_t)(draw(&state) % 2);
    CHECK_OK(slt_dataset_builder_add(builder, &episode));
}

static void make_ways(const char *path) {
    slt_dataset_info info = {.action_count = ACTIONS,
                             .observation_kind = SLT_OBSERVATIONS_BITS,
                             .observation_rank = 1,
                             .observation_shape = {WIDTH},
                             .observation_size = WIDTH};
    slt_dataset_builder *builder;
    CHECK_OK(slt_dataset_builder_create(context, path, true, &info, &builder));
    for (uint32_t i = 0; i < 2 * EPISODES; i++) add_ways(builder, i);
    CHECK_OK(slt_dataset_builder_commit(builder));
}

// last.safetensors after a few steps
static slt_safetensors *train_some(const char *run, const char *starts, const char *lr,
                                   const char *head, int restarts) {
    char path[128];
    const char *settings[] = {"hidden=8", "heads=2", "batch=8", "steps=4",
                              "prior=3",  starts,    lr,        head};
    slt_train_request request = {.model = "slottar-mdl",
                                 .data = "ways.safetensors",
                                 .run = run,
                                 .settings = settings,
                                 .setting_count = sizeof settings / sizeof *settings,
                                 .seed = 9,
                                 .restarts = restarts};
    slt_train_result *result = calloc(1, sizeof *result);
    CHECK_OK(slt_train(context, &request, result));
    assert_int_equal(result->steps, STEPS);
    free(result);
    slt_safetensors *file;
    snprintf(path, sizeof path, "%s/last.safetensors", run);
    CHECK_OK(slt_safetensors_open(&context->allocator, path, &file));
    return file;
}

static const slt_array *find(const slt_safetensors *file, const char *scope, const char *name) {
    char full[160];
    snprintf(full, sizeof full, "%s%s", scope, name);
    const slt_array *array = slt_safetensors_find(file, full);
    if (!array) fail_msg("no %s in %s", full, slt_safetensors_path(file));
    return array;
}

// does the member end segments after the delimiter and nowhere else? else it has no opinion yet
static bool is_hinted(const slt_safetensors *file, const char *scope) {
    const slt_array *own = find(file, scope, "end.symbol");
    const float *logit = own->data;
    assert_int_equal(own->count, ACTIONS + 1);
    bool rule_initialised = logit[DELIMITER] > 0;
    for (int a = 0; a <= ACTIONS; a++)
        assert_true(rule_initialised ? logit[a] == (a == DELIMITER ? 5 : -5)
                                     : logit[a] == logit[0]);
    return rule_initialised;
}

static void a_run_alone(void **state) {
    (void)state;
    const struct {
        const char *starts;
        bool rule_initialised;
    } cases[] = {{"init=mixed", true}, {"init=table", true}, {"init=random", false}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        slt_safetensors *file =
            train_some(cases[i].starts, cases[i].starts, "lr=0", "boundary_input=auto", 1);
        assert_int_equal(is_hinted(file, ""), cases[i].rule_initialised);
        slt_safetensors_close(file);
    }
}

static void half_of_the_restarts(void **state) {
    (void)state;
    slt_safetensors *file = train_some("half", "init=mixed", "lr=0", "boundary_input=auto", 4);
    assert_true(is_hinted(file, "0/") && is_hinted(file, "1/")); // one of each head
    assert_true(!is_hinted(file, "2/") && !is_hinted(file, "3/"));
    slt_safetensors_close(file);
}

// weights and moments
static void the_first_is_the_run_alone(void **state) {
    (void)state;
    const char *const starts[] = {"init=mixed", "init=random"};
    const char *const heads[] = {"boundary_input=action", "boundary_input=auto"};
    for (int i = 0; i < 4; i++) {
        char one[32], many[32];
        snprintf(one, sizeof one, "one-%d", i);
        snprintf(many, sizeof many, "many-%d", i);
        slt_safetensors *alone = train_some(one, starts[i / 2], "lr=0.01", heads[i % 2], 1);
        slt_safetensors *group = train_some(many, starts[i / 2], "lr=0.01", heads[i % 2], 3);
        for (size_t k = 0; k < slt_safetensors_count(alone); k++) {
            const slt_array *x = slt_safetensors_at(alone, k), *y = find(group, "0/", x->name);
            assert_int_equal(x->bytes, y->bytes);
            if (memcmp(x->data, y->data, x->bytes) != 0) fail_msg("%s differs: %s", x->name, one);
        }
        slt_safetensors_close(alone);
        slt_safetensors_close(group);
    }
}

static int open_all(void **state) {
    if (set_up(state) != 0) return 1;
    make_ways("ways.safetensors");
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_run_alone),
                                       cmocka_unit_test(half_of_the_restarts),
                                       cmocka_unit_test(the_first_is_the_run_alone)};
    return cmocka_run_group_tests(tests, open_all, tear_down);
}
