// Memory that runs out at the n-th request, for the library's allocator; counts what is still held.
// (Memory of the libraries below is not failed: jansson 2.14 writes beyond its own when it runs
// out.) Used by tests/unit/test_out_of_memory*.c:
//
//     static slt_status look(slt_context *context) { ... public calls ... }
//     every_failure("look", look);
//
// runs `look` with the first request failing, then with the second, and so on (beyond 50, or 12
// under the sanitizers, at places that grow apart; at all of them with EVERY_REQUEST=1 in the
// environment, or with the name of the scenario in place of 1) until nothing fails. Each time the
// status is NOMEM, nothing stays after in memory and nothing half written in the folder.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_FAILING_MEMORY_H
#define SLT_TESTS_FAILING_MEMORY_H

#include <dirent.h>
#include <stdbool.h>
#include <stdlib.h>
#include "check.h"
#include "core/context_impl.h"
#include "slottar/context.h"

typedef struct {
    long calls, fail_at, held;
    bool failed;
} failing_memory;

static failing_memory memory;

static inline void *failing_alloc(void *user, size_t bytes) {
    failing_memory *m = user;
    if (m->calls++ == m->fail_at) {
        m->failed = true;
        return NULL;
    }
    void *piece = malloc(bytes);
    m->held += piece != NULL;
    return piece;
}

static inline void failing_free(void *user, void *piece) {
    ((failing_memory *)user)->held -= piece != NULL;
    free(piece);
}

// nothing half written, no lock
static inline void check_folder(const char *name, long n) {
    DIR *folder = opendir(".");
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (strstr(entry->d_name, ".part-") || strstr(entry->d_name, "lock"))
            fail_msg("%s: request %ld left %s", name, n, entry->d_name);
    closedir(folder);
}

typedef slt_status (*failing_scenario)(slt_context *context);

// one context with the memory, the scenario, the end
static inline slt_status with_memory(failing_scenario scenario) {
    slt_context_options options = {
        .threads = 1, .alloc = failing_alloc, .free = failing_free, .user = &memory};
    slt_context *context;
    slt_status status = slt_context_create(&options, &context);
    if (status != SLT_OK) return status;
    context->allocator.apart = true; // every piece of an arena can fail
    status = scenario(context);
    slt_context_destroy(context);
    return status;
}

static inline void every_failure(const char *name, failing_scenario scenario) {
    long n = 0;
    const char *every = getenv("EVERY_REQUEST");
    bool all = every && (strcmp(every, "1") == 0 || strcmp(every, name) == 0);
    long dense = SANITIZED ? 12 : 50, apart = SANITIZED ? 1 : 4;
    for (;; n += all || n < dense ? 1 : n / apart) {
        memory = (failing_memory){.fail_at = n};
        slt_status status = with_memory(scenario);
        if (memory.held) fail_msg("%s: request %ld: %ld pieces are lost", name, n, memory.held);
        if (!memory.failed) {
            if (status != SLT_OK) fail_msg("%s: %s", name, slt_last_error());
            break;
        }
        if (status != SLT_NOMEM)
            fail_msg("%s: request %ld failed, but: %s (%s)", name, n, slt_status_name(status),
                     status ? slt_last_error() : "");
        check_folder(name, n);
    }
    print_message("# %s: %ld requests\n", name, memory.calls);
    assert_true(n > 0);
}

#endif
