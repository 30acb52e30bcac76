// Seconds of a clock that never goes back, and seconds that the threads of this process worked.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CORE_CLOCK_H
#define SLT_CORE_CLOCK_H

#include <time.h>

static inline double slt_seconds_of(clockid_t id) {
    struct timespec time;
    clock_gettime(id, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static inline double slt_seconds(void) { return slt_seconds_of(CLOCK_MONOTONIC); }
static inline double slt_cpu_seconds(void) { return slt_seconds_of(CLOCK_PROCESS_CPUTIME_ID); }

#endif
