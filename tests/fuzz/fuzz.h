// What every fuzz target includes. A target is tests/fuzz/fuzz_NAME.c with a small corpus in
// tests/fuzz/corpus/NAME; it runs under mutate.c, or
// under libFuzzer (clang) through libfuzzer.c.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_FUZZ_H
#define SLT_TESTS_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

// 1 when the bytes were accepted, 0 when they were refused
int fuzz_one(const uint8_t *bytes, size_t size);

#define FUZZ_REQUIRE(condition)                                                                    \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

// a file in memory with these bytes, for readers that want a path; close the descriptor
static inline int fuzz_file(const uint8_t *bytes, size_t size, char path[64]) {
    int descriptor = memfd_create("fuzz", MFD_CLOEXEC);
    FUZZ_REQUIRE(descriptor >= 0 && write(descriptor, bytes, size) == (ssize_t)size);
    snprintf(path, 64, "/proc/self/fd/%d", descriptor);
    return descriptor;
}

#endif
