// Tickets: each is taken once, by one worker; a dead worker's is taken again, a living one's never.
#include <dirent.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "check.h"
#include "train/sweep/sweep_tickets.h"

static slt_arena arena;

static int start(void **state) {
    (void)state;
    slt_arena_init(&arena, &slt_system_allocator, 0);
    return system("rm -rf f") == 0 && mkdir("f", 0777) == 0 ? 0 : -1;
}

static int stop(void **state) {
    (void)state;
    slt_arena_deinit(&arena);
    return 0;
}

// a worker of its own name, as another process would be
static slt_ticket_box worker(const char *name, int configurations, int runs) {
    slt_ticket_box box;
    CHECK_OK(slt_ticket_box_open(&box, &arena, "f", configurations, runs));
    if (name) snprintf(box.worker, sizeof box.worker, "%s", name);
    CHECK_OK(slt_ticket_box_look(&box));
    return box;
}

static bool is_file(const char *path) { return access(path, F_OK) == 0; }

static int take(slt_ticket_box *box, int configuration, int run) {
    int lock;
    CHECK_OK(slt_ticket_take(box, slt_ticket_at(box, configuration, run), &lock));
    return lock;
}

static void a_ticket_goes_its_way(void **state) {
    (void)state;
    slt_ticket_box a = worker("a.1", 3, 2);
    assert_true(is_file("f/tickets/0002-1.0.free"));
    int lock = take(&a, 2, 1);
    assert_true(lock >= 0 && is_file("f/tickets/0002-1.0.taken.a.1"));
    CHECK_OK(slt_ticket_give(&a, slt_ticket_at(&a, 2, 1), SLT_TICKET_DONE, &lock));
    assert_int_equal(lock, -1);
    assert_true(is_file("f/tickets/0002-1.0.done"));
    CHECK_OK(slt_ticket_promote(&a, slt_ticket_at(&a, 2, 1), 1));
    assert_true(is_file("f/tickets/0002-1.1.free"));
    CHECK_OK(slt_ticket_box_look(&a));
    assert_int_equal(slt_ticket_at(&a, 2, 1)->round, 1);
    assert_int_equal(slt_ticket_at(&a, 2, 1)->state, SLT_TICKET_FREE);
}

static void the_living_keep_theirs(void **state) {
    (void)state;
    slt_ticket_box a = worker("a.1", 2, 1), b = worker("b.2", 2, 1);
    int lock = take(&a, 0, 0);
    assert_true(lock >= 0);
    assert_int_equal(take(&b, 0, 0), -1); // as it was when b looked
    CHECK_OK(slt_ticket_box_look(&b));
    assert_int_equal(slt_ticket_at(&b, 0, 0)->state, SLT_TICKET_TAKEN);
    assert_int_equal(take(&b, 0, 0), -1); // as it is
    // done, it is not taken by one who looked before
    CHECK_OK(slt_ticket_give(&a, slt_ticket_at(&a, 0, 0), SLT_TICKET_DONE, &lock));
    assert_int_equal(take(&b, 0, 0), -1);
    assert_true(is_file("f/tickets/0000-0.0.done"));
}

static void the_dead_leave_theirs(void **state) {
    (void)state;
    slt_ticket_box a = worker("a.1", 2, 1);
    close(take(&a, 1, 0)); // what the system does for a killed process
    slt_ticket_box b = worker("b.2", 2, 1), c = worker("c.3", 2, 1);
    int lock = take(&b, 1, 0);
    assert_true(lock >= 0 && is_file("f/tickets/0001-0.0.taken.b.2"));
    assert_false(is_file("f/tickets/0001-0.0.taken.a.1"));
    assert_int_equal(take(&c, 1, 0), -1);
    CHECK_OK(slt_ticket_give(&b, slt_ticket_at(&b, 1, 0), SLT_TICKET_FREE, &lock));
    CHECK_OK(slt_ticket_box_look(&c));
    lock = take(&c, 1, 0);
    assert_true(lock >= 0);
    close(lock);
}

// killed while the tickets were made: some are there, under the other name
static void half_made_tickets_are_completed(void **state) {
    (void)state;
    assert_int_equal(mkdir("f/tickets.new", 0777), 0);
    assert_int_equal(system("touch f/tickets.new/0001-0.0.free"), 0);
    worker(NULL, 4, 1);
    assert_false(is_file("f/tickets.new"));
    assert_true(is_file("f/tickets/0003-0.0.free"));
}

// another worker was faster: its tickets stay as they are
static void made_tickets_stay(void **state) {
    (void)state;
    slt_ticket_box a = worker("a.1", 2, 1);
    int lock = take(&a, 0, 0);
    worker("b.2", 2, 1);
    assert_true(is_file("f/tickets/0000-0.0.taken.a.1"));
    assert_false(is_file("f/tickets/0000-0.0.free"));
    close(lock);
}

static void a_missing_ticket_is_said(void **state) {
    (void)state;
    slt_ticket_box a = worker("a.1", 2, 1);
    assert_int_equal(unlink("f/tickets/0001-0.0.free"), 0);
    CHECK_FAILS(SLT_FORMAT, "1 of 2 tickets", slt_ticket_box_look(&a));
}

// ---- many at once

enum { WORKERS = 8, TRIALS = 60 };

typedef struct {
    slt_ticket_box box;
    int done[TRIALS];
} busy;

// takes what it can get until all is done
static void *work(void *argument) {
    busy *self = argument;
    for (int open = TRIALS; open;) {
        if (slt_ticket_box_look(&self->box) != SLT_OK) return NULL;
        open = 0;
        for (int i = 0; i < TRIALS; i++) {
            slt_ticket *ticket = slt_ticket_at(&self->box, i, 0);
            int lock;
            if (ticket->state == SLT_TICKET_DONE) continue;
            open++;
            if (slt_ticket_take(&self->box, ticket, &lock) != SLT_OK || lock < 0) continue;
            self->done[i]++;
            slt_ticket_give(&self->box, ticket, SLT_TICKET_DONE, &lock);
        }
    }
    return self;
}

static void each_trial_is_done_once(void **state) {
    (void)state;
    static busy workers[WORKERS];
    pthread_t threads[WORKERS];
    for (int w = 0; w < WORKERS; w++) {
        char name[16];
        snprintf(name, sizeof name, "w.%d", w);
        workers[w].box = worker(name, TRIALS, 1);
    }
    for (int w = 0; w < WORKERS; w++)
        assert_int_equal(pthread_create(&threads[w], NULL, work, &workers[w]), 0);
    for (int w = 0; w < WORKERS; w++) {
        void *ended;
        pthread_join(threads[w], &ended);
        assert_ptr_equal(ended, &workers[w]);
    }
    for (int i = 0; i < TRIALS; i++) {
        int sum = 0;
        for (int w = 0; w < WORKERS; w++) sum += workers[w].done[i];
        assert_int_equal(sum, 1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_ticket_goes_its_way, start, stop),
        cmocka_unit_test_setup_teardown(the_living_keep_theirs, start, stop),
        cmocka_unit_test_setup_teardown(the_dead_leave_theirs, start, stop),
        cmocka_unit_test_setup_teardown(half_made_tickets_are_completed, start, stop),
        cmocka_unit_test_setup_teardown(made_tickets_stay, start, stop),
        cmocka_unit_test_setup_teardown(a_missing_ticket_is_said, start, stop),
        cmocka_unit_test_setup_teardown(each_trial_is_done_once, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
