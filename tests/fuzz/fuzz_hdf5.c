// Fuzz target: HDF5 files, through the helper. libhdf5 does crash on damaged files: then the helper
// dies alone, and the message names the file.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "data/minari.h"
#include "fuzz_import.h"

static char path[64];

static bool chosen; // every other file is read by patterns

static void remove_file(void) { unlink(path); }

// the helper is another process: it wants a file with a name
static slt_status read_named(slt_array_set *set) {
    const char *shown = set->path;
    set->path = path;
    if (chosen) set->actions = "act*", set->observations = "obs*";
    slt_status status = slt_minari_read(set);
    if (status != SLT_OK) FUZZ_REQUIRE(strstr(slt_last_error(), path));
    set->path = shown;
    return status;
}

int fuzz_one(const uint8_t *bytes, size_t size) {
    if (!path[0]) {
        snprintf(path, sizeof path, "/dev/shm/slottar-fuzz-%ld.hdf5", (long)getpid());
        atexit(remove_file);
        setenv("ASAN_OPTIONS", "detect_leaks=0:verify_asan_link_order=0",
               1); // of the helper: it takes seconds of each
    }
    FILE *file = fopen(path, "wb");
    FUZZ_REQUIRE(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
    chosen = size && bytes[size - 1] & 1;
    return fuzz_import("hdf5", read_named, bytes, size);
}
