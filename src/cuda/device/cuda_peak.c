// What the device can do at best: a large product in the context's precision, and a copy of memory.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "core/clock.h"
#include "cuda/device/cuda_device.h"

#ifdef SLT_EMULATED
enum { SIDE = 64, TIMES = 1 };
#else
enum { SIDE = 8192, TIMES = 4 }; // rows and columns; calls between two looks at the clock
#endif

typedef struct {
    slt_cuda *cuda;
    float *memory[3];
} rig;

static void multiply(const rig *r) {
    slt_cuda_args args = {.cuda = r->cuda, .stream = r->cuda->stream, .members = 1};
    slt_cuda_view x = {r->memory[0], 0}, y = {r->memory[1], 0}, z = {r->memory[2], 0};
    if (slt_cuda_is_bf16(r->cuda))
        slt_cuda_gemm_pairs(&args, false, false, SIDE, SIDE, SIDE, x, SIDE, y, SIDE, false, z, SIDE,
                            false);
    else
        slt_cuda_gemm(&args, false, false, SIDE, SIDE, SIDE, x, SIDE, y, SIDE, false, z, SIDE);
}

static void copy(const rig *r) {
    slt_cuda_check(r->cuda,
                   cudaMemcpyAsync(r->memory[1], r->memory[0], sizeof(float) * SIDE * SIDE,
                                   cudaMemcpyDeviceToDevice, r->cuda->stream),
                   "copying memory");
}

// seconds of a call, the best of some rounds
static slt_status best_time(const rig *r, void (*run)(const rig *), double seconds, double *best) {
    double begin = slt_seconds();
    for (int round = 0; round < 3 || slt_seconds() - begin < seconds; round++) {
        double started = slt_seconds();
        for (int i = 0; i < TIMES; i++) run(r);
        SLT_TRY(slt_cuda_rest(r->cuda));
        double time = (slt_seconds() - started) / TIMES;
        if (round == 0 || time < *best) *best = time;
    }
    return SLT_OK;
}

static slt_status measure(const rig *r, double seconds, double *gflops, double *gb_per_s) {
    double time = 0;
    SLT_TRY(best_time(r, multiply, seconds / 2, &time));
    *gflops = 1e-9 * 2 * SIDE * (double)SIDE * SIDE / time;
    SLT_TRY(best_time(r, copy, seconds / 2, &time));
    *gb_per_s = 1e-9 * 2 * sizeof(float) * SIDE * (double)SIDE / time;
    return SLT_OK;
}

slt_status slt_cuda_peak(slt_device *device, double seconds, double *gflops, double *gb_per_s) {
    rig r = {.cuda = (slt_cuda *)device};
    slt_status status = SLT_OK;
    for (int i = 0; i < 3 && status == SLT_OK; i++)
        status = slt_cuda_alloc(r.cuda, sizeof(float) * SIDE * SIDE, (void **)&r.memory[i]);
    if (status == SLT_OK) status = measure(&r, seconds, gflops, gb_per_s);
    for (int i = 0; i < 3; i++) slt_cuda_free(r.cuda, r.memory[i]);
    return status;
}
