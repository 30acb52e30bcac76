// Fuzz target: skills from files that may be hostile; what is accepted can be played.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "fuzz.h"
#include "slottar/skill_env.h"

enum { N = 3, SIZE = 147 };

int fuzz_one(const uint8_t *bytes, size_t size) {
    static slt_context *context;
    static slt_env_batch *batch;
    if (!context) {
        FUZZ_REQUIRE(slt_context_create(&(slt_context_options){.threads = 1}, &context) == 0);
        FUZZ_REQUIRE(slt_env_batch_create(context, "MiniGrid-DoorKey-5x5-v0", N,
                                          SLT_AUTORESET_NEXT_STEP, &batch) == 0);
    }
    char path[64];
    int descriptor = fuzz_file(bytes, size, path);
    slt_skill_env *env;
    slt_status status = slt_skill_env_create(batch, path, 0.9, false, &env);
    close(descriptor);
    if (status != SLT_OK) return 0;
    static const uint64_t seeds[N] = {1, 2, 3};
    uint8_t seen[N * SIZE];
    int32_t steps[N];
    int64_t skills[N];
    for (int i = 0; i < N; i++) skills[i] = i % slt_skill_env_count(env);
    FUZZ_REQUIRE(slt_skill_env_reset(env, seeds, NULL, seen) == SLT_OK);
    for (int t = 0; t < 3; t++) {
        slt_skill_env_outputs out = {.env.observations = seen, .steps = steps};
        FUZZ_REQUIRE(slt_skill_env_step(env, skills, &out) == SLT_OK);
        for (int i = 0; i < N; i++) FUZZ_REQUIRE(steps[i] >= 0 && steps[i] <= 32);
    }
    slt_skill_env_destroy(env);
    return 1;
}
