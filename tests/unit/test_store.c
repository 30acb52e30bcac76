// Initial values: their ranges, orthogonal rows, and that they depend on seed and name alone.
#include <math.h>
#include "check.h"
#include "engine/store.h"
#include "nn/nn.h"
#include "group_context.h"

enum { ROWS = 20, COLUMNS = 60 };

static slt_store *make_store(int members, const slt_part *parts, int count) {
    slt_store *store;
    CHECK_OK(slt_store_create(context, members, &store));
    for (int i = 0; i < count; i++) slt_store_add(store, ROWS, &parts[i], 1);
    CHECK_OK(slt_store_finish(store));
    return store;
}

static const slt_real *values(slt_store *store, const char *name, int member, uint64_t seed) {
    CHECK_OK(slt_store_init(store, member, seed));
    return slt_store_at(store, store->value, slt_store_find(store, name), member);
}

static void glorot_fills_its_range(void **state) {
    (void)state;
    slt_part part = {"w", COLUMNS, slt_glorot(ROWS, COLUMNS), 0};
    double range = sqrt(6.0 / (ROWS + COLUMNS)), sum = 0, squares = 0, most = 0;
    slt_store *store = make_store(1, &part, 1);
    const slt_real *w = values(store, "w", 0, 5);
    for (int i = 0; i < ROWS * COLUMNS; i++) {
        sum += (double)w[i];
        squares += (double)w[i] * (double)w[i];
        if (fabs((double)w[i]) > most) most = fabs((double)w[i]);
    }
    assert_true(most <= range && most > 0.99 * range);
    assert_true(fabs(sum / (ROWS * COLUMNS)) < 0.1 * range);
    assert_true(fabs(squares / (ROWS * COLUMNS) - range * range / 3) < 0.1 * range * range / 3);
    slt_store_destroy(store);
}

static void orthogonal_rows_are_orthonormal(void **state) {
    (void)state;
    slt_part part = {"u", COLUMNS, {SLT_INIT_ORTHOGONAL, 1}, 0};
    slt_store *store = make_store(1, &part, 1);
    const slt_real *u = values(store, "u", 0, 5);
    for (int i = 0; i < ROWS; i++)
        for (int k = 0; k <= i; k++) {
            double dot = 0;
            for (int c = 0; c < COLUMNS; c++)
                dot += (double)u[i * COLUMNS + c] * (double)u[k * COLUMNS + c];
            assert_true(fabs(dot - (i == k)) < 1e-6);
        }
    slt_store_destroy(store);
}

static void values_depend_on_seed_and_name_alone(void **state) {
    (void)state;
    const size_t bytes = ROWS * COLUMNS * sizeof(slt_real);
    slt_init init = slt_glorot(ROWS, COLUMNS);
    slt_part more[] = {{"a", COLUMNS, init, 0}, {"b", COLUMNS, init, 0}, {"c", COLUMNS, init, 0}};
    slt_part less[] = {more[2], more[0]};
    slt_store *one = make_store(1, less, 2), *two = make_store(3, more, 3);
    assert_memory_equal(values(one, "a", 0, 9), values(two, "a", 1, 9), bytes);
    assert_memory_equal(values(one, "c", 0, 9), values(two, "c", 2, 9), bytes);
    assert_true(memcmp(values(one, "a", 0, 9), values(two, "b", 1, 9), bytes) != 0);
    assert_true(memcmp(values(one, "a", 0, 9), values(two, "a", 1, 10), bytes) != 0);
    slt_store_destroy(one);
    slt_store_destroy(two);
}

// a matrix of a flat parameter starts as it would on its own, and has its own shape
static void flat_parts_are_matrices(void **state) {
    (void)state;
    enum { COUNT = ROWS * COLUMNS };
    slt_init init = slt_glorot(ROWS, COLUMNS);
    slt_part own = {"b", COLUMNS, init, 0};
    slt_part parts[] = {{"a", 6, init, 0}, {"b", COUNT, init, 0}};
    const int rows[] = {2, ROWS}, wrong[] = {4, ROWS};
    slt_store *one = make_store(1, &own, 1), *flat;
    int64_t shape[2];
    CHECK_OK(slt_store_create(context, 1, &flat));
    int number = slt_store_add_flat(flat, parts, rows, 2);
    CHECK_OK(slt_store_finish(flat));
    const slt_parameter *parameter = &flat->parameters[number];
    assert_int_equal(parameter->columns, 6 + COUNT);
    slt_store_part_shape(parameter, 0, shape);
    assert_true(shape[0] == 2 && shape[1] == 3);
    slt_store_part_shape(parameter, 1, shape);
    assert_true(shape[0] == ROWS && shape[1] == COLUMNS);
    const slt_real *all = values(flat, "a", 0, 9), *alone = values(one, "b", 0, 9);
    assert_memory_equal(all + 6, alone, COUNT * sizeof *all);
    slt_store_destroy(one);
    slt_store_destroy(flat);

    CHECK_OK(slt_store_create(context, 1, &flat));
    assert_int_equal(slt_store_add_flat(flat, parts, wrong, 2), -1);
    CHECK_FAILS(SLT_RANGE, "parameter 'a': numbers are no multiple", slt_store_finish(flat));
    slt_store_destroy(flat);
}

static void mistakes_are_kept_until_finish(void **state) {
    (void)state;
    slt_store *store;
    slt_part part = {"w", 3, slt_constant(0), 0};
    CHECK_FAILS(SLT_RANGE, "at least 1 member", slt_store_create(context, 0, &store));
    CHECK_OK(slt_store_create(context, 1, &store));
    assert_int_equal(slt_store_add(store, 2, &part, 1), 0);
    assert_int_equal(slt_store_add(store, 2, &part, 1), -1);
    CHECK_FAILS(SLT_INVALID, "parameter 'w': declared twice", slt_store_finish(store));
    slt_store_destroy(store);

    slt_part wide = {"u", 2, {SLT_INIT_ORTHOGONAL, 1}, 0};
    store = make_store(1, &wide, 1);
    CHECK_FAILS(SLT_SHAPE, "rows <= columns, not 20 > 2", slt_store_init(store, 0, 1));
    slt_store_destroy(store);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(glorot_fills_its_range),
        cmocka_unit_test(orthogonal_rows_are_orthonormal),
        cmocka_unit_test(values_depend_on_seed_and_name_alone),
        cmocka_unit_test(flat_parts_are_matrices),
        cmocka_unit_test(mistakes_are_kept_until_finish),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
