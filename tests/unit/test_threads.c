// The pool: every task runs exactly once, whatever the number of threads.
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>
#include "check.h"
#include "core/threads.h"
#include "slottar/context.h"

enum { TASKS = 1000 };

static void mark(void *argument, int task, int thread) {
    atomic_int *done = argument;
    assert_true(thread >= 0);
    atomic_fetch_add(&done[task], 1);
}

static void every_task_runs_once(void **state) {
    (void)state;
    for (int threads = 1; threads <= 4; threads++) {
        slt_pool *pool;
        CHECK_OK(slt_pool_create(&slt_system_allocator, threads, &pool));
        static atomic_int done[TASKS];
        for (int i = 0; i < TASKS; i++) atomic_store(&done[i], 0);
        for (int round = 1; round <= 50; round++) {
            slt_pool_run(pool, TASKS, mark, done);
            for (int i = 0; i < TASKS; i++) assert_int_equal(atomic_load(&done[i]), round);
        }
        slt_pool_destroy(pool);
    }
}

typedef struct {
    slt_pool *pool;
    atomic_int done[TASKS];
} customer;

static void *come_often(void *argument) {
    customer *c = argument;
    for (int round = 1; round <= 50; round++) {
        slt_pool_run(c->pool, TASKS, mark, c->done);
        for (int i = 0; i < TASKS; i++)
            if (atomic_load(&c->done[i]) != round) return NULL;
    }
    return argument;
}

static void several_callers_share_a_pool(void **state) {
    (void)state;
    enum { CUSTOMERS = 3 };
    static customer customers[CUSTOMERS];
    pthread_t threads[CUSTOMERS];
    slt_pool *pool;
    CHECK_OK(slt_pool_create(&slt_system_allocator, 3, &pool));
    for (int i = 0; i < CUSTOMERS; i++) {
        customers[i].pool = pool;
        assert_int_equal(pthread_create(&threads[i], NULL, come_often, &customers[i]), 0);
    }
    for (int i = 0; i < CUSTOMERS; i++) {
        void *served;
        pthread_join(threads[i], &served);
        assert_non_null(served);
    }
    slt_pool_destroy(pool);
}

static void absurd_thread_counts_are_refused(void **state) {
    (void)state;
    slt_pool *pool;
    CHECK_FAILS(SLT_RANGE, "1 to 1024", slt_pool_create(&slt_system_allocator, 0, &pool));
    CHECK_FAILS(SLT_RANGE, "1 to 1024", slt_pool_create(&slt_system_allocator, 5000, &pool));
}

static int threads_of(int asked) {
    slt_context *context;
    CHECK_OK(slt_context_create(&(slt_context_options){.threads = asked}, &context));
    int threads = slt_context_threads(context);
    slt_context_destroy(context);
    return threads;
}

// a process that was bound to a core, by mpirun or taskset, starts no more threads than that
static void a_process_takes_the_cores_it_may_use(void **state) {
    (void)state;
    cpu_set_t all, one;
    CPU_ZERO(&one);
    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    int mine = CPU_COUNT(&all), first = 0;
    assert_int_equal(threads_of(0), mine);
    assert_int_equal(threads_of(3), 3);
    // of processes that may use all cores each takes its share
    if (mine == sysconf(_SC_NPROCESSORS_ONLN))
        assert_int_equal(threads_of(-2), mine / 2 + !(mine / 2));
    while (!CPU_ISSET(first, &all)) first++;
    CPU_SET(first, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    assert_int_equal(threads_of(0), 1);
    assert_int_equal(threads_of(-2), 1);
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
        cmocka_unit_test(several_callers_share_a_pool),
        cmocka_unit_test(absurd_thread_counts_are_refused),
        cmocka_unit_test(a_process_takes_the_cores_it_may_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
