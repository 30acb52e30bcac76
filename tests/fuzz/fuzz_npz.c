// Fuzz target: npz files, up to the native data set that they become.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "data/npz.h"
#include "fuzz_import.h"

int fuzz_one(const uint8_t *bytes, size_t size) {
    return fuzz_import("npz", slt_npz_read, bytes, size);
}
