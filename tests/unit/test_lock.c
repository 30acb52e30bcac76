// Locks: one holder at a time, by name; those of processes that are gone are taken over.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "check.h"
#include "core/file.h"
#include "core/lock.h"
#include "group_context.h"

static bool is_there(const char *path) { return access(path, F_OK) == 0; }

// a child that takes the lock, tells, and stays until it is killed
static pid_t hold(const char *path) {
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        slt_lock lock;
        if (slt_lock_take(&lock, context, path, "a run", 0) != SLT_OK) _exit(1);
        if (write(ends[1], "x", 1) == 1) pause();
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return child;
}

static void end(pid_t child) {
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void the_second_is_refused_by_name(void **state) {
    (void)state;
    slt_lock lock;
    char who[64];
    pid_t child = hold("busy");
    snprintf(who, sizeof who, "a run: process %ld on host ", (long)child);
    CHECK_FAILS(SLT_IO, who, slt_lock_take(&lock, context, "busy", "a run", 0));
    slt_lock_release(&lock); // was never held: no effect
    assert_true(is_there("busy"));
    end(child);
}

static void a_killed_process_holds_nothing(void **state) {
    (void)state;
    slt_lock lock;
    end(hold("stale"));
    assert_true(is_there("stale"));
    CHECK_OK(slt_lock_take(&lock, context, "stale", "a run", 0));
    slt_lock_release(&lock);
    assert_false(is_there("stale"));
}

static void two_threads_of_one_process_are_two(void **state) {
    (void)state;
    slt_lock first, second;
    CHECK_OK(slt_lock_take(&first, context, "twice", "a run", 0));
    CHECK_FAILS(SLT_IO, "writes here", slt_lock_take(&second, context, "twice", "a run", 0));
    slt_lock_release(&first);
    CHECK_OK(slt_lock_take(&second, context, "twice", "a run", 0));
    slt_lock_release(&second);
}

static void a_lock_is_no_way_out_of_the_folder(void **state) {
    (void)state;
    slt_lock lock;
    CHECK_OK(slt_file_write("victim", "text", 4));
    assert_int_equal(symlink("victim", "link"), 0);
    CHECK_FAILS(SLT_IO, "link", slt_lock_take(&lock, context, "link", "a run", 0));
    assert_int_equal(mkfifo("pipe", 0600), 0);
    CHECK_FAILS(SLT_IO, "pipe", slt_lock_take(&lock, context, "pipe", "a run", 0));
    slt_map map;
    CHECK_OK(slt_map_open("victim", &map));
    assert_int_equal(map.size, 4);
    slt_map_close(&map);
}

static void a_file_is_cleaned_up_under_its_lock(void **state) {
    (void)state;
    slt_lock lock;
    const char *const files[] = {"d/a.part-123456", "d/ab.part-123456", "d/a.part-12345", "d/a"};
    CHECK_OK(slt_folder_make("d"));
    for (int i = 0; i < 4; i++) CHECK_OK(slt_file_write(files[i], "x", 1));
    CHECK_OK(slt_lock_file(&lock, context, "d/a"));
    assert_true(is_there("d/a.lock"));
    for (int i = 0; i < 4; i++) assert_int_equal(is_there(files[i]), i > 0);
    slt_lock_release(&lock);
    assert_false(is_there("d/a.lock"));
    CHECK_OK(slt_lock_file(&lock, context, "d/"));
    assert_true(is_there("d.lock"));
    slt_lock_release(&lock);
    slt_parts_remove("d", NULL);
    assert_false(is_there(files[1]));
    assert_true(is_there(files[2]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_second_is_refused_by_name),
        cmocka_unit_test(a_killed_process_holds_nothing),
        cmocka_unit_test(two_threads_of_one_process_are_two),
        cmocka_unit_test(a_lock_is_no_way_out_of_the_folder),
        cmocka_unit_test(a_file_is_cleaned_up_under_its_lock),
    };
    return cmocka_run_group_tests(tests, one_thread, no_context);
}
