// Importing mutated files of other formats: what a reader accepts becomes a native data set, and
// that must be a whole one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_FUZZ_IMPORT_H
#define SLT_TESTS_FUZZ_IMPORT_H

#include "data/array_set.h"
#include "fuzz.h"

static inline void fuzz_check_dataset(slt_context *context, const char *path) {
    slt_dataset *data;
    FUZZ_REQUIRE(slt_dataset_open(context, path, &data) == SLT_OK);
    FUZZ_REQUIRE(slt_dataset_check(data) == SLT_OK);
    slt_dataset_close(data);
}

static inline int fuzz_import(const char *name, slt_status (*read)(slt_array_set *set),
                              const uint8_t *bytes, size_t size) {
    static slt_context *context;
    static slt_array_set set;
    if (!context) FUZZ_REQUIRE(!slt_context_create(&(slt_context_options){.threads = 1}, &context));
    char path[64], out[64];
    int descriptor = fuzz_file(bytes, size, path);
    snprintf(out, sizeof out, "/dev/shm/slottar-fuzz-%s-%ld", name, (long)getpid());
    slt_array_set_init(&set, context, path);
    int accepted = read(&set) == SLT_OK && slt_array_set_import(&set, out) == SLT_OK;
    if (accepted) {
        fuzz_check_dataset(context, out);
        unlink(out);
    }
    slt_array_set_deinit(&set);
    close(descriptor);
    return accepted;
}

#endif
