// A context for all tests of a file, made before the first of them and destroyed after the last:
//
//     return cmocka_run_group_tests(tests, one_thread, no_context);
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_GROUP_CONTEXT_H
#define SLT_TESTS_GROUP_CONTEXT_H

#include "slottar/context.h"

static slt_context *context;

static inline int one_thread(void **state) {
    (void)state;
    return (int)slt_context_create(&(slt_context_options){.threads = 1}, &context);
}

static inline int two_threads(void **state) {
    (void)state;
    return (int)slt_context_create(&(slt_context_options){.threads = 2}, &context);
}

static inline int no_context(void **state) {
    (void)state;
    slt_context_destroy(context);
    return 0;
}

#endif
