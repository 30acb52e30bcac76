// Fuzz target: golden files of every kind, as `slottar verify` takes them: read, computed again,
// compared. A damaged one is refused or has mismatches.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "fuzz.h"
#include "verify/verify.h"

int fuzz_one(const uint8_t *bytes, size_t size) {
    static slt_context *context;
    if (!context) FUZZ_REQUIRE(!slt_context_create(&(slt_context_options){.threads = 1}, &context));
    char path[64];
    int descriptor = fuzz_file(bytes, size, path);
    slt_verify_result result = {0};
    int accepted = slt_verify_file(context, path, &result) == SLT_OK;
    if (accepted) FUZZ_REQUIRE(result.kind && result.mismatches <= result.checked);
    close(descriptor);
    return accepted;
}
