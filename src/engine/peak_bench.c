// Measuring the machine: the best of many short rounds on all threads.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/clock.h"
#include "core/context_impl.h"
#include "engine/device.h"
#include "engine/peak.h"
#include "slottar/bench.h"

enum {
    FLOAT_ROUNDS = 20000,
    ROWS = 4160,
    WIDTH = 128,
    BLOCK = 16384,
    PIECES = ROWS * WIDTH / BLOCK
};

typedef struct {
    double flops[1024]; // of each task
    float *x, *y, *z;   // [ROWS·WIDTH]
} rig;

static void multiply(void *argument, int task, int thread) {
    (void)thread;
    volatile float sink;
    ((rig *)argument)->flops[task] = slt_peak_flops(FLOAT_ROUNDS, &sink);
}

static void stream(void *argument, int task, int thread) {
    (void)thread;
    const rig *r = argument;
    size_t first = (size_t)task * BLOCK;
    const float *restrict x = r->x + first, *restrict y = r->y + first;
    float *restrict z = r->z + first;
    for (int i = 0; i < BLOCK; i++) z[i] = x[i] + 0.5f * y[i];
}

// shortest of the rounds that fit into `seconds`
static double best_time(slt_pool *pool, int tasks, slt_task task, rig *r, double seconds) {
    double begin = slt_seconds(), best = 0;
    for (int round = 0; round < 5 || slt_seconds() - begin < seconds; round++) {
        double started = slt_seconds();
        slt_pool_run(pool, tasks, task, r);
        double time = slt_seconds() - started;
        if (round == 0 || time < best) best = time;
    }
    return best;
}

static slt_status take_rig(slt_arena *arena, rig **out) {
    rig *r;
    SLT_TRY(SLT_NEW(arena, &r, 1));
    SLT_TRY(SLT_NEW(arena, &r->x, ROWS * WIDTH));
    SLT_TRY(SLT_NEW(arena, &r->y, ROWS * WIDTH));
    SLT_TRY(SLT_NEW(arena, &r->z, ROWS * WIDTH));
    *out = r;
    return SLT_OK;
}

slt_status slt_bench_peak(slt_context *context, double seconds, slt_bench_peaks *out) {
    slt_arena arena;
    *out = (slt_bench_peaks){0};
    slt_device *device;
    SLT_TRY(slt_device_open(context, &device)); // the processor's are no yardstick there
    if (device) return device->kind->peak(device, seconds, &out->gflops, &out->gb_per_s);
    slt_arena_init(&arena, &context->allocator, 0);
    rig *r;
    slt_status status = take_rig(&arena, &r);
    if (status == SLT_OK) {
        int threads = slt_context_threads(context);
        double time = best_time(context->pool, threads, multiply, r, seconds / 2);
        double bytes = 3.0 * PIECES * BLOCK * sizeof(float);
        out->gflops = 1e-9 * r->flops[0] * threads / time;
        out->gb_per_s = 1e-9 * bytes / best_time(context->pool, PIECES, stream, r, seconds / 2);
    }
    slt_arena_deinit(&arena);
    return status;
}
