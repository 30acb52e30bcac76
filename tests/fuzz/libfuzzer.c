// The door for libFuzzer, which wants 0 whatever became of the input. Its own clock counts the time
// of other processes as well; here an input has a second of the processor.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <signal.h>
#include <stdlib.h>
#include <sys/time.h>
#include "fuzz.h"

enum { SECONDS = 1 };

int LLVMFuzzerInitialize(int *count, char ***arguments);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void too_long(int signal) {
    (void)signal;
    abort(); // libFuzzer keeps the input
}

int LLVMFuzzerInitialize(int *count, char ***arguments) {
    (void)count, (void)arguments;
    signal(SIGVTALRM, too_long);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){.it_value.tv_sec = SECONDS}, NULL);
    fuzz_one(bytes, size);
    setitimer(ITIMER_VIRTUAL, &(struct itimerval){{0}, {0}}, NULL);
    return 0;
}
