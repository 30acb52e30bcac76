// How many steps a second: random actions drawn beforehand, observations written out, episodes
// restarted as they end.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <stdio.h>
#include "core/clock.h"
#include "core/mt19937.h"
#include "envs/env_batch.h"
#include "slottar/bench.h"

enum { COPIES = 256, LISTS = 64, ROUNDS = 5 }; // copies per thread, lists of actions

// everything a round needs, in one arena
typedef struct {
    slt_env_batch *batch;
    int64_t *actions; // [LISTS][n]
    slt_env_outputs out;
} rig;

static slt_status take_arrays(slt_arena *arena, rig *r) {
    size_t n = (size_t)r->batch->n, observation = (size_t)r->batch->info.observation_size;
    slt_mt19937 random;
    slt_mt19937_seed(&random, 0);
    SLT_TRY(SLT_NEW(arena, &r->actions, LISTS * n));
    for (size_t i = 0; i < LISTS * n; i++)
        r->actions[i] = slt_mt19937_below(&random, (uint32_t)r->batch->info.actions);
    SLT_TRY(SLT_NEW(arena, &r->out.observations, n * observation));
    SLT_TRY(SLT_NEW(arena, &r->out.rewards_f32, n));
    SLT_TRY(SLT_NEW(arena, &r->out.terminated, n));
    return SLT_NEW(arena, &r->out.truncated, n);
}

static slt_status start(slt_arena *arena, rig *r) {
    uint64_t *seeds;
    SLT_TRY(take_arrays(arena, r));
    SLT_TRY(SLT_NEW(arena, &seeds, (size_t)r->batch->n));
    for (int i = 0; i < r->batch->n; i++) seeds[i] = (uint64_t)i;
    return slt_env_batch_reset(r->batch, seeds, NULL, NULL);
}

// steps a second over at least `seconds`
static slt_status run_round(const rig *r, double seconds, double *rate) {
    double started = slt_seconds(), passed = 0;
    uint64_t steps = 0;
    while (passed < seconds) {
        SLT_TRY(slt_context_check(r->batch->context));
        for (int k = 0; k < LISTS; k++)
            SLT_TRY(slt_env_batch_step(r->batch, r->actions + (size_t)k * (size_t)r->batch->n,
                                       &r->out));
        steps += (uint64_t)LISTS * (uint64_t)r->batch->n;
        passed = slt_seconds() - started;
    }
    *rate = (double)steps / passed;
    return SLT_OK;
}

static slt_status best_round(const rig *r, double seconds, double *best) {
    *best = 0;
    for (int round = 0; round < ROUNDS; round++) {
        double rate;
        SLT_TRY(run_round(r, seconds / ROUNDS, &rate));
        if (rate > *best) *best = rate;
    }
    return SLT_OK;
}

slt_status slt_bench_env(slt_context *context, const char *id, double seconds,
                         slt_bench_result *out) {
    rig r = {0};
    int n = COPIES * slt_context_threads(context);
    SLT_TRY(slt_env_batch_create(context, id, n, SLT_AUTORESET_SAME_STEP, &r.batch));
    slt_arena arena;
    slt_arena_init(&arena, &context->allocator, 0);
    slt_bench_result result = {0};
    snprintf(result.name, sizeof result.name, "%s", id);
    slt_status status = start(&arena, &r);
    if (status == SLT_OK) status = best_round(&r, seconds, &result.steps_per_s);
    slt_arena_deinit(&arena);
    slt_env_batch_destroy(r.batch);
    if (status == SLT_OK) *out = result;
    return status;
}
