// The last error of each thread.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "core/number.h"

enum { MESSAGE_SIZE = 1024 };

static _Thread_local char last_message[MESSAGE_SIZE];

const char *slt_status_name(slt_status status) {
    switch (status) {
#define CASE(name, value, text)                                                                    \
    case SLT_##name:                                                                               \
        return #name;
        SLT_STATUS_LIST(CASE)
#undef CASE
    }
    return "UNKNOWN";
}

const char *slt_status_text(slt_status status) {
    switch (status) {
#define CASE(name, value, text)                                                                    \
    case SLT_##name:                                                                               \
        return text;
        SLT_STATUS_LIST(CASE)
#undef CASE
    }
    return "unknown status";
}

const char *slt_last_error(void) { return last_message; }

slt_status slt_fail(slt_status status, const char *format, ...) {
    // the arguments may point into the message itself: write next to it first
    char text[MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    slt_format_list(text, sizeof text, format, arguments);
    va_end(arguments);
    memcpy(last_message, text, sizeof text);
    return status;
}

slt_status slt_fail_in(slt_status status, const char *prefix) {
    return slt_fail(status, "%.300s: %s", prefix, last_message);
}
