// Batches of one task: whole ones first, everything once, what is left over last.
#include "check.h"
#include "core/philox.h"
#include "train/training/batch_order.h"

enum { COUNT = 100, BATCH = 8, TASKS = 3 };

static int32_t task_of(int64_t entry) { return (int32_t)(entry * entry % TASKS); }

static void batches_are_of_one_task(void **state) {
    (void)state;
    int64_t order[COUNT];
    int32_t task[COUNT];
    int of[TASKS] = {0}, whole = 0, seen[COUNT] = {0}, first[TASKS] = {0}, kinds = 0;
    for (int i = 0; i < COUNT; i++) {
        order[i] = i * 37 % COUNT; // some order
        task[i] = task_of(order[i]);
        of[task[i]]++;
    }
    for (int k = 0; k < TASKS; k++) whole += of[k] / BATCH;
    CHECK_OK(slt_order_by_task(&slt_system_allocator, task, COUNT, BATCH, order));
    for (int b = 0; b < whole; b++) {
        for (int i = 1; i < BATCH; i++)
            assert_int_equal(task_of(order[b * BATCH + i]), task_of(order[b * BATCH]));
        first[task_of(order[b * BATCH])]++;
    }
    for (int i = 0; i < COUNT; i++) seen[order[i]]++;
    for (int i = 0; i < COUNT; i++) assert_int_equal(seen[i], 1);
    for (int k = 0; k < TASKS; k++) kinds += first[k] > 0;
    assert_true(whole >= COUNT / BATCH - TASKS && kinds > 1);
}

static void one_task_stays_as_it_is(void **state) {
    (void)state;
    int64_t order[] = {4, 2, 0, 3, 1};
    const int64_t want[] = {4, 2, 0, 3, 1};
    const int32_t task[5] = {7, 7, 7, 7, 7};
    CHECK_OK(slt_order_by_task(&slt_system_allocator, task, 5, 2, order));
    assert_memory_equal(order, want, sizeof want);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_of_one_task),
        cmocka_unit_test(one_task_stays_as_it_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
