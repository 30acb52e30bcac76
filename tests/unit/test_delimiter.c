// The delimiter search: it finds planted sets where the count alone does not decide, and its code
// lengths are those of the definition.
#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "metrics/delimiter.h"
#include "slottar/slottar.h"

enum { MOST = 600, LONGEST = 128 };

typedef struct {
    int32_t steps[MOST][LONGEST];
    slt_sequence sequences[MOST];
    int32_t ids[MOST][LONGEST], *rows[MOST];
} dataset;

static uint64_t stream;
static int below(int n) {
    stream = stream * 6364136223846793005u + 1442695040888963407u;
    return (int)((stream >> 33) % (uint64_t)n);
}

static int occurrences(const slt_sequence *sequence, int32_t symbol) {
    int count = 0;
    for (int t = 0; t < sequence->length; t++) count += sequence->values[t] == symbol;
    return count;
}

static void put(dataset *data, int i, int32_t action) {
    slt_sequence *sequence = &data->sequences[i];
    assert_true(sequence->length < LONGEST);
    data->steps[i][sequence->length++] = action;
}

static dataset *make_dataset(void) {
    dataset *data = calloc(1, sizeof *data);
    assert_non_null(data);
    for (int i = 0; i < MOST; i++) {
        data->sequences[i].values = data->steps[i];
        data->rows[i] = data->ids[i];
    }
    return data;
}

// Six symbols; 3 and 5 end segments. Inside a segment a random pick of 0, 1 or 4 is said several
// times over; twice a trajectory "2 1" comes in between. A trajectory has two 3s, two 5s (the last
// step is one) and two 2s: the sets {2,5} and {3,5} have the same numbers of segments.
static dataset *two_among_six(int count) {
    dataset *data = make_dataset();
    static const int32_t noise[] = {0, 1, 4};
    stream = 7;
    for (int i = 0; i < count; i++)
        for (int segment = 0; segment < 4; segment++) {
            int32_t word = noise[below(3)];
            for (int n = 2 + below(3); n > 0; n--) put(data, i, word);
            if (segment % 2) put(data, i, 2), put(data, i, 1), put(data, i, word);
            put(data, i, segment % 2 ? 5 : 3);
        }
    return data;
}

static slt_baseline_input splits(const dataset *data, int train, int valid, int count, int actions,
                                 const double *prior, int prior_size) {
    return (slt_baseline_input){
        .train = data->sequences,
        .train_count = (size_t)train,
        .valid = data->sequences + train,
        .valid_count = (size_t)valid,
        .target = data->sequences + train + valid,
        .target_count = (size_t)(count - train - valid),
        .actions = actions,
        .prior = prior,
        .prior_size = prior_size,
    };
}

static slt_baseline_report run(const slt_baseline_input *input, dataset *data, int threads) {
    slt_context *context;
    slt_baseline_report report;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = threads}, &context));
    CHECK_OK(slt_baseline_segment(context, "delimiter", input, data->rows, &report));
    slt_context_destroy(context);
    return report;
}

static void check_set(const slt_symbol_set *set, const int32_t *want, int count) {
    if (set->count != count || memcmp(set->symbols, want, (size_t)count * sizeof *want) != 0)
        fail_msg("%d symbols, first %d %d", set->count, set->symbols[0], set->symbols[1]);
}

static void planted_set_is_found(void **state) {
    (void)state;
    dataset *data = two_among_six(600);
    // the counts of the right set and of its rival are the same in every trajectory
    for (int i = 0; i < 600; i++) {
        assert_int_equal(occurrences(&data->sequences[i], 2), 2);
        assert_int_equal(occurrences(&data->sequences[i], 3), 2);
        assert_int_equal(occurrences(&data->sequences[i], 5), 2);
    }
    static const double prior[] = {0, 0, 0, 0, 1};
    slt_baseline_input input = splits(data, 400, 100, 600, 6, prior, 5);
    slt_baseline_report report = run(&input, data, 1);
    check_set(&report.chosen, (int32_t[]){3, 5}, 2);
    assert_true(report.exhaustive);
    assert_int_equal(report.sets_searched, 64);
    assert_true(report.runner_up.nats > report.chosen.nats + 0.1);
    assert_non_null(strstr(report.note, "{3,5}"));

    // a segment ends where 3 or 5 was
    for (size_t i = 0; i < input.target_count; i++)
        for (int t = 0; t + 1 < input.target[i].length; t++) {
            int32_t action = input.target[i].values[t];
            assert_int_equal(data->ids[i][t + 1] - data->ids[i][t], action == 3 || action == 5);
        }
    free(data);
}

static void threads_do_not_change_the_answer(void **state) {
    (void)state;
    dataset *data = two_among_six(300);
    static const double flat[] = {0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    slt_baseline_input input = splits(data, 200, 50, 300, 6, flat, 11);
    slt_baseline_report one = run(&input, data, 1), three = run(&input, data, 3);
    assert_memory_equal(&one.chosen, &three.chosen, sizeof one.chosen);
    assert_memory_equal(&one.runner_up, &three.runner_up, sizeof one.runner_up);
    free(data);
}

// ---- code lengths by the definition: each context's counts are looked up by a scan

typedef struct {
    int end, segment, last, before;
} step_context;

static step_context context_of(const slt_sequence *sequence, const uint8_t *member, int t) {
    step_context c = {member[sequence->values[t]] || t + 1 == sequence->length, 0, -1, -1};
    for (int u = 0; u < t; u++)
        if (member[sequence->values[u]]) c.segment++;
    if (c.segment > 11) c.segment = 11;
    if (t > 0 && !member[sequence->values[t - 1]]) {
        c.last = sequence->values[t - 1];
        if (t > 1 && !member[sequence->values[t - 2]]) c.before = sequence->values[t - 2];
    }
    return c;
}

static double slow_nats(const slt_baseline_input *input, const uint8_t *member, int i, int t) {
    step_context want = context_of(&input->valid[i], member, t);
    double total = 0, same = 0;
    for (size_t j = 0; j < input->train_count; j++)
        for (int u = 0; u < input->train[j].length; u++) {
            step_context c = context_of(&input->train[j], member, u);
            if (memcmp(&c, &want, sizeof c) != 0) continue;
            total++;
            same += input->train[j].values[u] == input->valid[i].values[t];
        }
    return -log((same + 0.05) / (total + 0.05 * input->actions));
}

static double slow_code_length(const slt_baseline_input *input, const slt_symbol_set *set) {
    uint8_t member[16] = {0};
    for (int i = 0; i < set->count; i++) member[set->symbols[i]] = 1;
    double nats = 0;
    for (int i = 0; i < (int)input->valid_count; i++) {
        int segments = 1;
        for (int t = 0; t < input->valid[i].length; t++) {
            if (t + 1 < input->valid[i].length) segments += member[input->valid[i].values[t]];
            nats += slow_nats(input, member, i, t);
        }
        double p = segments < input->prior_size ? input->prior[segments] : 0;
        nats -= log(p > 1e-4 ? p : 1e-4);
    }
    return nats / (double)input->valid_count;
}

// the search's own figure for one set of symbols
static double fast_code_length(const slt_baseline_input *input, const slt_symbol_set *set) {
    slt_arena arena;
    slt_delimiter_data data;
    slt_set_coder coder;
    slt_cut_set numbered = {.count = set->count};
    slt_arena_init(&arena, &slt_system_allocator, 0);
    CHECK_OK(slt_delimiter_pack(&arena, input, &data));
    CHECK_OK(slt_set_coder_init(&arena, &data, &coder));
    for (int i = 0; i < set->count; i++)
        for (int a = 0; a < data.used; a++)
            if (data.symbols[a] == set->symbols[i]) numbered.members[i] = (uint16_t)a;
    double nats = slt_set_count_nats(&data, &coder, &numbered);
    nats += slt_set_action_nats(&data, &coder, &numbered);
    slt_arena_deinit(&arena);
    return nats;
}

static void code_lengths_are_those_of_the_definition(void **state) {
    (void)state;
    dataset *data = two_among_six(30);
    static const double prior[] = {0, 0.1, 0.2, 0.1, 0.3, 0.3};
    slt_baseline_input input = splits(data, 18, 8, 30, 8, prior, 6); // two actions never occur
    static const slt_symbol_set sets[] = {
        {.count = 0},
        {.symbols = {0}, .count = 1},
        {.symbols = {2, 5}, .count = 2},
        {.symbols = {3, 5}, .count = 2},
        {.symbols = {0, 1, 4}, .count = 3}, // more than twelve segments
        {.symbols = {0, 1, 2, 3, 4, 5}, .count = 6},
    };
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++) {
        double want = slow_code_length(&input, &sets[i]), got = fast_code_length(&input, &sets[i]);
        if (!(fabs(want - got) < 1e-9)) fail_msg("set %zu: %.12g, not %.12g", i, got, want);
    }
    slt_baseline_report report = run(&input, data, 1);
    assert_true(fast_code_length(&input, &report.chosen) == report.chosen.nats);
    assert_true(fast_code_length(&input, &report.runner_up) == report.runner_up.nats);
    free(data);
}

static void the_prior_rules_sets_out(void **state) {
    (void)state;
    // 5 ends four segments of pure noise
    dataset *data = make_dataset();
    stream = 3;
    for (int i = 0; i < 300; i++)
        for (int t = 0; t < 64; t++) put(data, i, t % 16 == 15 ? 5 : below(5));
    static const double prior[] = {0, 0, 0, 0, 1};
    slt_baseline_input input = splits(data, 250, 25, 300, 6, prior, 5);
    slt_baseline_report report = run(&input, data, 1);
    check_set(&report.chosen, (int32_t[]){5}, 1);
    // cuts are free and say a lot: this set is cheaper, but never has four segments
    const slt_symbol_set rival = {.symbols = {0, 1, 5}, .count = 3};
    assert_true(fast_code_length(&input, &rival) < report.chosen.nats - 1);
    free(data);
}

// ---- more symbols than can be searched exhaustively

// sixteen symbols, of which the last six end segments
static dataset *six_among_sixteen(int count) {
    dataset *data = make_dataset();
    stream = 11;
    for (int i = 0; i < count; i++)
        for (int segments = 4 + below(5); segments > 0; segments--) {
            int32_t word = below(10);
            for (int n = 2 + below(4); n > 0; n--) put(data, i, word);
            put(data, i, 10 + below(6));
        }
    return data;
}

static void many_symbols_are_searched_step_by_step(void **state) {
    (void)state;
    dataset *data = six_among_sixteen(600);
    static const double prior[] = {0, 0, 0, 0, .2, .2, .2, .2, .2};
    slt_baseline_input input = splits(data, 500, 50, 600, 16, prior, 9);
    slt_baseline_report report = run(&input, data, 2);
    assert_false(report.exhaustive);
    check_set(&report.chosen, (int32_t[]){10, 11, 12, 13, 14, 15}, 6);
    assert_non_null(strstr(report.note, "step by step"));
    free(data);
}

static void a_prior_that_fits_nothing_leaves_the_nearest(void **state) {
    (void)state;
    dataset *data = two_among_six(60);
    double prior[101] = {0};
    prior[100] = 1;
    slt_baseline_input input = splits(data, 40, 10, 60, 6, prior, 101);
    slt_baseline_report report = run(&input, data, 1);
    assert_true(isfinite(report.chosen.nats));
    free(data);
}

static void one_symbol_has_two_sets(void **state) {
    (void)state;
    dataset *data = make_dataset();
    for (int i = 0; i < 3; i++) put(data, i, 4);
    static const double prior[] = {0, 1};
    slt_baseline_input input = splits(data, 1, 1, 3, 5, prior, 2);
    slt_baseline_report report = run(&input, data, 1);
    assert_int_equal(report.sets_searched, 2);
    check_set(&report.chosen, (int32_t[]){0}, 0); // of equals the smaller
    assert_true(report.runner_up.nats == report.chosen.nats);
    free(data);
}

static void sets_are_enumerated_once(void **state) {
    (void)state;
    static slt_cut_set sets[SLT_MOST_SETS];
    int count;
    assert_true(slt_sets_by_size(sets, 12, &count));
    assert_int_equal(count, 4096);
    bool seen[4096] = {0};
    for (int i = 0; i < count; i++) {
        int mask = 0;
        for (int k = 0; k < sets[i].count; k++) mask |= 1 << sets[i].members[k];
        assert_false(seen[mask]);
        seen[mask] = true;
    }
    assert_false(slt_sets_by_size(sets, 13, &count));
    assert_int_equal(count, 4096);
    assert_false(slt_sets_by_size(sets, 100, &count));
    assert_int_equal(count, 101);
    assert_false(slt_sets_by_size(sets, 5000, &count));
    assert_int_equal(count, 1);

    const slt_cut_set centre = {.members = {1, 3}, .count = 2};
    slt_sets_around(sets, &centre, 5, &count);
    assert_int_equal(count, 5);
    assert_memory_equal(sets[0].members, ((uint16_t[]){0, 1, 3}), 3 * sizeof(uint16_t));
    assert_int_equal(sets[1].count, 1);
    assert_int_equal(sets[1].members[0], 3);
    assert_memory_equal(sets[2].members, ((uint16_t[]){1, 2, 3}), 3 * sizeof(uint16_t));
    assert_memory_equal(sets[4].members, ((uint16_t[]){1, 3, 4}), 3 * sizeof(uint16_t));
}

static void large_alphabets_shorten_the_history(void **state) {
    (void)state;
    slt_history history;
    CHECK_OK(slt_history_init(&history, 7, 24, 1 << 18));
    assert_int_equal(history.order, 2);
    assert_int_equal(history.contexts, 64);
    CHECK_OK(slt_history_init(&history, 50, 24, 1 << 18));
    assert_int_equal(history.order, 1);
    CHECK_OK(slt_history_init(&history, 1000, 24, 1 << 18));
    assert_int_equal(history.order, 0);
    assert_int_equal(slt_history_context(&history, 999, 999), 0);
    CHECK_FAILS(SLT_UNSUPPORTED, "20000 different actions",
                slt_history_init(&history, 20000, 24, 1 << 18));
    CHECK_FAILS(SLT_UNSUPPORTED, "too many", slt_history_init(&history, INT32_MAX, 24, 1 << 18));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(planted_set_is_found),
        cmocka_unit_test(threads_do_not_change_the_answer),
        cmocka_unit_test(code_lengths_are_those_of_the_definition),
        cmocka_unit_test(the_prior_rules_sets_out),
        cmocka_unit_test(many_symbols_are_searched_step_by_step),
        cmocka_unit_test(a_prior_that_fits_nothing_leaves_the_nearest),
        cmocka_unit_test(one_symbol_has_two_sets),
        cmocka_unit_test(sets_are_enumerated_once),
        cmocka_unit_test(large_alphabets_shorten_the_history),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
