// The door for libFuzzer, which wants 0 whatever became of the input.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
    fuzz_one(bytes, size);
    return 0;
}
