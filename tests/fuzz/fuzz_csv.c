// Fuzz target: csv files, up to the native data set that they become.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <string.h>
#include "data/csv.h"
#include "fuzz_import.h"

static bool chosen;

// files with a column `demo` are read by patterns
static slt_status read_chosen(slt_array_set *set) {
    if (chosen) set->actions = "a*,gripper", set->observations = "q*", set->episode = "demo";
    return slt_csv_read(set);
}

int fuzz_one(const uint8_t *bytes, size_t size) {
    chosen = memmem(bytes, size, "demo", 4) != NULL;
    return fuzz_import("csv", read_chosen, bytes, size);
}
