// Fuzz target: policies from files that may be hostile; what is accepted can be played.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "fuzz.h"
#include "slottar/policy.h"

int fuzz_one(const uint8_t *bytes, size_t size) {
    static slt_context *context;
    if (!context)
        FUZZ_REQUIRE(slt_context_create(&(slt_context_options){.threads = 1}, &context) == 0);
    char path[64];
    int descriptor = fuzz_file(bytes, size, path);
    slt_policy_scores scores;
    slt_status status =
        slt_policy_evaluate(context, path, "MiniGrid-MultiRoom-N2-S4-v0", 1, 1, &scores);
    FUZZ_REQUIRE(status != SLT_OK || (scores.length >= 1 && scores.mean_return <= 1));
    close(descriptor);
    return status == SLT_OK;
}
