// Fuzz target: npz files, up to the native data set that they become.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data/npz.h"
#include "fuzz.h"

int fuzz_one(const uint8_t *bytes, size_t size) {
    static slt_context *context;
    static slt_array_set set;
    if (!context) FUZZ_REQUIRE(!slt_context_create(&(slt_context_options){.threads = 1}, &context));
    char path[64], out[64];
    int descriptor = fuzz_file(bytes, size, path);
    snprintf(out, sizeof out, "/dev/shm/slottar-fuzz-npz-%ld", (long)getpid());
    slt_array_set_init(&set, context, path);
    int accepted = slt_npz_read(&set) == SLT_OK && slt_array_set_import(&set, out) == SLT_OK;
    if (accepted) {
        slt_dataset *data;
        FUZZ_REQUIRE(slt_dataset_open(context, out, &data) == SLT_OK);
        FUZZ_REQUIRE(slt_dataset_check(data) == SLT_OK);
        slt_dataset_close(data);
        unlink(out);
    }
    slt_array_set_deinit(&set);
    close(descriptor);
    return accepted;
}
