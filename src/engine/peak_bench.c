// Measuring the machine: the best of many short rounds on all threads. In bf16 the yardstick is a
// product that stays in the caches.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/clock.h"
#include "core/context_impl.h"
#include "engine/device.h"
#include "engine/gemm.h"
#include "engine/peak.h"
#include "slottar/bench.h"

enum {
    FLOAT_ROUNDS = 20000,
    ROWS = 4160,
    WIDTH = 128,
    BLOCK = 16384,
    PIECES = ROWS * WIDTH / BLOCK,
    SIDE = 256, // of W (SIDE,SIDE) in x·W
    BAND = 64,  // rows of x
    PRODUCTS = 50
};

typedef struct {
    double flops[1024]; // of each task
    float *x, *y, *z;   // [ROWS·WIDTH]
    slt_real *w;        // [SIDE·SIDE], x its first rows
    slt_real *packed;   // the same as the processor wants it
    const slt_gemm_kernel *bf16;
} rig;

static void multiply(void *argument, int task, int thread) {
    (void)thread;
    volatile float sink;
    ((rig *)argument)->flops[task] = slt_peak_flops(FLOAT_ROUNDS, &sink);
}

static void multiply_bf16(void *argument, int task, int thread) {
    (void)thread;
    rig *r = argument;
    slt_real c[BAND * SIDE];
    for (int i = 0; i < PRODUCTS; i++)
        slt_gemm_bf16_packed(r->bf16, BAND, SIDE, SIDE, r->w, SIDE, r->packed, false, c, SIDE);
    r->flops[task] = 2.0 * PRODUCTS * BAND * SIDE * SIDE;
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
    SLT_TRY(SLT_NEW(arena, &r->w, SIDE * SIDE));
    SLT_TRY(SLT_NEW(arena, &r->packed, slt_gemm_packed_size(SIDE, SIDE)));
    *out = r;
    return SLT_OK;
}

// operations per second of all threads, 10^9
static double measure_gflops(slt_context *context, rig *r, double seconds) {
    int threads = slt_context_threads(context);
    slt_task task = multiply;
    if (context->precision == SLT_BF16) {
        task = multiply_bf16;
        r->bf16 = slt_gemm_bf16_chosen();
        for (int i = 0; i < SIDE * SIDE; i++) r->w[i] = 1;
        slt_gemm_bf16_pack(r->bf16, false, SIDE, SIDE, r->w, SIDE, r->packed);
    }
    double time = best_time(context->pool, threads, task, r, seconds);
    return 1e-9 * r->flops[0] * threads / time;
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
        double bytes = 3.0 * PIECES * BLOCK * sizeof(float);
        out->gflops = measure_gflops(context, r, seconds / 2);
        out->gb_per_s = 1e-9 * bytes / best_time(context->pool, PIECES, stream, r, seconds / 2);
    }
    slt_arena_deinit(&arena);
    return status;
}
