// What every unit test includes: cmocka with what it needs, and a check on a status that prints the
// message.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_CHECK_H
#define SLT_TESTS_CHECK_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <setjmp.h>
#include <string.h>
#include <cmocka.h>
#include "core/error.h"

// sanitizers look at memory: there, a test whose numbers another build checks may leave that out
#ifdef __SANITIZE_ADDRESS__
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif

#define CHECK_OK(expression)                                                                       \
    do {                                                                                           \
        slt_status check_ = (expression);                                                          \
        if (check_ != SLT_OK)                                                                      \
            fail_msg("%s: %s (%s)", #expression, slt_last_error(), slt_status_name(check_));       \
    } while (0)

// the call fails with this status, and the message contains the words
#define CHECK_FAILS(status, words, expression)                                                     \
    do {                                                                                           \
        slt_status check_ = (expression);                                                          \
        if (check_ != (status))                                                                    \
            fail_msg("%s: %s instead of %s", #expression, slt_status_name(check_),                 \
                     slt_status_name(status));                                                     \
        if (!strstr(slt_last_error(), words))                                                      \
            fail_msg("'%s' does not contain '%s'", slt_last_error(), words);                       \
    } while (0)

#endif
