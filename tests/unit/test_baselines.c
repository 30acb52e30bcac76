// The simple rules: where each of them cuts, what it needs, and how it fails.
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "slottar/slottar.h"

enum { LONGEST = 32 };

static slt_context *make_context(void) {
    slt_context *context;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = 1}, &context));
    return context;
}

// runs a rule on one trajectory and compares the ids with "0012"
static void check_rule(const char *rule, const slt_baseline_input *input, const char *want) {
    slt_context *context = make_context();
    int32_t ids[LONGEST], *one = ids;
    char got[LONGEST + 1] = "";
    CHECK_OK(slt_baseline_segment(context, rule, input, &one, NULL));
    for (int t = 0; t < input->target[0].length; t++) got[t] = (char)('0' + ids[t]);
    assert_string_equal(want, got);
    slt_context_destroy(context);
}

static const int32_t plain[12] = {0};

static void uniform_cuts(void **state) {
    (void)state;
    static const struct {
        int T, segments;
        const char *ids;
    } table[] = {
        {10, 4, "0011122333"}, {10, 1, "0000000000"}, {9, 3, "000111222"},
        {3, 3, "012"},         {3, 9, "012"},         {1, 4, "0"},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        const slt_sequence target = {plain, table[i].T};
        const int32_t count = table[i].segments;
        check_rule("uniform",
                   &(slt_baseline_input){
                       .target = &target, .target_count = 1, .actions = 1, .true_counts = &count},
                   table[i].ids);
    }
}

static void comb_cuts(void **state) {
    (void)state;
    const slt_sequence target = {plain, 8}, one = {plain, 1}, three = {plain, 3};
    slt_baseline_input input = {.target = &target, .target_count = 1, .actions = 1};
    check_rule("comb", &input, "00011122");
    input.target = &one;
    check_rule("comb", &input, "0");
    input.target = &three;
    check_rule("comb", &input, "000");
}

static void rarest_cuts(void **state) {
    (void)state;
    // 2 occurs least in training; 4 never does and is not the rarest
    static const int32_t training[] = {0, 1, 2, 0, 1, 1, 3, 3}, steps[] = {2, 0, 2, 4, 2, 1, 2};
    const slt_sequence train = {training, 8}, target = {steps, 7};
    int32_t count = 3;
    slt_baseline_input input = {.train = &train,
                                .train_count = 1,
                                .target = &target,
                                .target_count = 1,
                                .actions = 5,
                                .true_counts = &count};
    check_rule("rarest", &input, "0112222"); // the first two
    count = 7;
    check_rule("rarest", &input, "0112233"); // there are no more: the last one is an end anyway
}

static void surprise_cuts(void **state) {
    (void)state;
    // 0 1 2 0 1 2 ... in training; the odd 3 and the first step after it are unexpected
    int32_t training[30];
    for (int t = 0; t < 30; t++) training[t] = t % 3;
    static const int32_t steps[] = {0, 1, 2, 0, 3, 1, 2, 0, 1, 2};
    const slt_sequence train = {training, 30}, target = {steps, 10};
    const int32_t count = 2;
    check_rule("surprise",
               &(slt_baseline_input){.train = &train,
                                     .train_count = 1,
                                     .target = &target,
                                     .target_count = 1,
                                     .actions = 4,
                                     .true_counts = &count},
               "0000011111");
}

static void jump_cuts(void **state) {
    (void)state;
    // jumps of 5, 5 and 4 next to each other, then 1, 3 and 2
    static const float walk[][2] = {{0, 0}, {0, 0}, {3, 4},   {0, 0},  {0, 4}, {0, 4},
                                    {0, 4}, {0, 5}, {0, 5},   {0, 5},  {3, 5}, {3, 5},
                                    {3, 5}, {3, 5}, {3, 7.f}, {3, 7.f}};
    // training jumps 0, 1 and 5, 4: the centres are 0.5 and 4.5
    static const float training[][2] = {{0, 0}, {0, 0}, {1, 0}, {4, 4}, {4, 0}};
    const float *target_vectors[] = {walk[0]}, *train_vectors[] = {training[0]};
    static const int32_t zeros[16];
    const slt_sequence target = {zeros, 16}, train = {zeros, 5};
    int32_t count = 2;
    slt_baseline_input input = {.train = &train,
                                .train_count = 1,
                                .target = &target,
                                .target_count = 1,
                                .actions = 1,
                                .true_counts = &count,
                                .target_vectors = target_vectors,
                                .train_vectors = train_vectors,
                                .channels = 2};
    check_rule("jump", &input, "0011111111111111"); // of equal ones the first
    count = 4;
    check_rule("jump", &input, "0011111111222233"); // none within two steps of another
    count = 9;
    check_rule("jump", &input, "0011111222333344"); // there are no more with room
    count = 1;
    check_rule("jump", &input, "0000000000000000");
    check_rule("jump-threshold", &input, "0011111111222222"); // above 2.5
    train_vectors[0] = walk[4]; // two equal actions: no two classes of jumps
    input.train = &(slt_sequence){zeros, 3};
    check_rule("jump-threshold", &input, "0000000000000000");
    input.target = &(slt_sequence){zeros, 1};
    check_rule("jump-threshold", &input, "0");
    check_rule("jump", &input, "0");
}

static void rules_name_the_actions_they_take(void **state) {
    (void)state;
    static const float steps[] = {0, 1, NAN};
    static const int32_t zeros[3];
    const float *vectors[] = {steps};
    const slt_sequence target = {zeros, 3};
    const int32_t count = 2;
    slt_baseline_input input = {.target = &target,
                                .target_count = 1,
                                .train = &target,
                                .train_count = 1,
                                .actions = 1,
                                .true_counts = &count};
    int32_t ids[3], *one = ids;
    slt_context *context = make_context();
    CHECK_FAILS(SLT_UNSUPPORTED, "rule jump needs continuous actions",
                slt_baseline_segment(context, "jump", &input, &one, NULL));
    input.target_vectors = vectors;
    CHECK_FAILS(SLT_RANGE, "actions of 0 numbers",
                slt_baseline_segment(context, "jump", &input, &one, NULL));
    input.channels = 1;
    CHECK_FAILS(SLT_RANGE, "target trajectory 0, step 2: action 0 is nan",
                slt_baseline_segment(context, "jump", &input, &one, NULL));
    input.target = input.train = &(slt_sequence){zeros, 2};
    CHECK_FAILS(SLT_UNSUPPORTED, "rule jump-threshold needs continuous actions",
                slt_baseline_segment(context, "jump-threshold", &input, &one, NULL));
    input.train_vectors = vectors;
    CHECK_FAILS(SLT_UNSUPPORTED, "rule rarest needs discrete actions",
                slt_baseline_segment(context, "rarest", &input, &one, NULL));
    slt_context_destroy(context);
}

static void random_cuts(void **state) {
    (void)state;
    enum { N = 4000, T = 9, SEGMENTS = 4 };
    slt_sequence *target = calloc(N, sizeof *target);
    int32_t *counts = calloc(N, sizeof *counts), **ids = calloc(N, sizeof *ids);
    int32_t *memory = calloc(2 * N * T, sizeof *memory);
    for (int i = 0; i < N; i++) {
        target[i] = (slt_sequence){plain, T};
        counts[i] = SEGMENTS;
        ids[i] = memory + i * T;
    }
    slt_baseline_input input = {
        .target = target, .target_count = N, .actions = 1, .true_counts = counts, .seed = 5};
    slt_context *context = make_context();
    CHECK_OK(slt_baseline_segment(context, "random", &input, ids, NULL));

    // as many cuts as asked for, and every step equally often
    int cuts[T] = {0};
    for (int i = 0; i < N; i++) {
        assert_int_equal(ids[i][T - 1], SEGMENTS - 1);
        for (int t = 0; t + 1 < T; t++) cuts[t] += ids[i][t] != ids[i][t + 1];
    }
    for (int t = 0; t + 1 < T; t++) {
        double expected = N * (SEGMENTS - 1.) / (T - 1), sd = sqrt(expected * (1 - 3. / 8));
        if (fabs(cuts[t] - expected) > 5 * sd) fail_msg("step %d: %d of %g", t, cuts[t], expected);
    }

    // same seed, same cuts; another seed, others
    memcpy(memory + N * T, memory, N * T * sizeof *memory);
    CHECK_OK(slt_baseline_segment(context, "random", &input, ids, NULL));
    assert_memory_equal(memory, memory + N * T, N * T * sizeof *memory);
    input.seed = 6;
    CHECK_OK(slt_baseline_segment(context, "random", &input, ids, NULL));
    assert_memory_not_equal(memory, memory + N * T, N * T * sizeof *memory);
    slt_context_destroy(context);
    free(target), free(counts), free(ids), free(memory);
}

static void the_prior_stands_in_for_counts_and_says_so(void **state) {
    (void)state;
    const slt_sequence target = {plain, 10};
    static const double prior[] = {0, 0.1, 0.1, 0.2, 0.1, 0.5};
    slt_baseline_input input = {
        .target = &target, .target_count = 1, .actions = 1, .prior = prior, .prior_size = 6};
    int32_t ids[10], *one = ids;
    slt_baseline_report report;
    slt_context *context = make_context();
    CHECK_OK(slt_baseline_segment(context, "uniform", &input, &one, &report));
    assert_int_equal(ids[9], 3); // the median is 4 segments
    assert_true(report.prior_count);
    assert_non_null(strstr(report.note, "4 segments everywhere"));
    CHECK_OK(slt_baseline_segment(context, "comb", &input, &one, &report));
    assert_false(report.prior_count);
    assert_string_equal(report.note, "");
    slt_context_destroy(context);
}

static void what_is_missing_or_wrong_is_said(void **state) {
    (void)state;
    static const int32_t steps[] = {0, 1, 2}, none = 0;
    static const double prior[] = {0, 1}, negative[] = {0, -1, 2}, nothing[] = {1, 0, 0};
    const slt_sequence target = {steps, 3}, empty = {steps, 0};
    const slt_baseline_input good = {.target = &target, .target_count = 1, .actions = 3};
    slt_baseline_input input = good;
    int32_t ids[3], *one = ids;
    slt_context *context = make_context();
#define RUN(rule) slt_baseline_segment(context, rule, &input, &one, NULL)
    CHECK_FAILS(SLT_INVALID, "there are uniform, random, comb, rarest, surprise, delimiter",
                RUN("frob"));
    CHECK_FAILS(SLT_INVALID, "uniform needs the true numbers of segments", RUN("uniform"));
    CHECK_FAILS(SLT_INVALID, "delimiter needs training", RUN("delimiter"));
    input.train = &target, input.train_count = 1;
    CHECK_FAILS(SLT_INVALID, "delimiter needs validation", RUN("delimiter"));
    input.valid = &target, input.valid_count = 1;
    CHECK_FAILS(SLT_INVALID, "delimiter needs a prior", RUN("delimiter"));
    input = good, input.actions = 2;
    CHECK_FAILS(SLT_RANGE, "target trajectory 0, step 2: action 2 is not in 0..1", RUN("comb"));
    input = good, input.train = &empty, input.train_count = 1;
    CHECK_FAILS(SLT_SHAPE, "training trajectory 0 has no steps", RUN("comb"));
    input = good, input.true_counts = &none;
    CHECK_FAILS(SLT_RANGE, "true count 0", RUN("uniform"));
    input = good, input.prior = negative, input.prior_size = 3;
    CHECK_FAILS(SLT_RANGE, "prior of 1 segments is -1", RUN("uniform"));
    input.prior = nothing;
    CHECK_FAILS(SLT_INVALID, "any probability", RUN("uniform"));
    input = good, input.prior = prior, input.prior_size = 2;
    slt_context_cancel(context);
    CHECK_FAILS(SLT_CANCELLED, "stopped", RUN("uniform"));
    slt_context_destroy(context);
}

static void every_rule_has_a_name_and_help(void **state) {
    (void)state;
    int count = 0;
    for (; slt_baseline_name(count); count++) assert_non_null(slt_baseline_help(count));
    assert_int_equal(count, 8);
    assert_null(slt_baseline_help(count));
    assert_null(slt_baseline_name(-1));
}

// ---- the n-th allocation fails

static int allocations_left;

static void *failing_alloc(void *user, size_t bytes) {
    (void)user;
    return allocations_left-- > 0 ? malloc(bytes) : NULL;
}

static void plain_free(void *user, void *memory) {
    (void)user;
    free(memory);
}

static void running_out_of_memory_is_reported(void **state) {
    (void)state;
    enum { T = 3000 };
    int32_t *steps = calloc(T, sizeof *steps), *ids = calloc(T, sizeof *ids);
    float *motion = calloc(T, sizeof *motion);
    const float *vectors[] = {motion};
    for (int t = 0; t < T; t++) motion[t] = (float)(steps[t] = t * t % 7);
    const slt_sequence target = {steps, T};
    static const double prior[] = {0, 1, 1, 1};
    slt_baseline_input input = {.train = &target,
                                .train_count = 1,
                                .valid = &target,
                                .valid_count = 1,
                                .target = &target,
                                .target_count = 1,
                                .actions = 7,
                                .prior = prior,
                                .prior_size = 4};
    for (int rule = 0; slt_baseline_name(rule); rule++) {
        bool jumps = strncmp(slt_baseline_name(rule), "jump", 4) == 0;
        input.train_vectors = input.target_vectors = jumps ? vectors : NULL;
        input.channels = jumps;
        slt_status status = SLT_NOMEM;
        int failures = 0;
        for (int n = 0; status != SLT_OK; n++, failures++) {
            allocations_left = 1000;
            slt_context_options options = {
                .threads = 1, .alloc = failing_alloc, .free = plain_free};
            slt_context *context;
            CHECK_OK(slt_context_create(&options, &context));
            allocations_left = n;
            status = slt_baseline_segment(context, slt_baseline_name(rule), &input, &ids, NULL);
            if (status != SLT_OK) assert_int_equal(status, SLT_NOMEM);
            slt_context_destroy(context);
        }
        assert_true(failures > 1);
    }
    free(steps), free(ids), free(motion);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uniform_cuts),
        cmocka_unit_test(comb_cuts),
        cmocka_unit_test(rarest_cuts),
        cmocka_unit_test(surprise_cuts),
        cmocka_unit_test(jump_cuts),
        cmocka_unit_test(rules_name_the_actions_they_take),
        cmocka_unit_test(random_cuts),
        cmocka_unit_test(the_prior_stands_in_for_counts_and_says_so),
        cmocka_unit_test(what_is_missing_or_wrong_is_said),
        cmocka_unit_test(every_rule_has_a_name_and_help),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
