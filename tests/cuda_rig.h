// For tests of the CUDA device: a context on the CPU and one on the device, both in strict fp32;
// without a device the test says why and is skipped. The same tests run on the emulated device
// (tests/emulated), where there is no GPU.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_TESTS_CUDA_RIG_H
#define SLT_TESTS_CUDA_RIG_H

#include <math.h>
#include <stdlib.h>
#include "check.h"
#include "engine/tape_impl.h"
#ifdef SLT_CUDA
#include "cuda/device/cuda_tape.h"
#include "cuda/ops/cuda_ops.h"
#endif

static slt_context *host, *device;

// false, with a TAP line that says why, when there is no device
static inline bool cuda_rig_open(const char *what) {
    slt_store *store = NULL;
    slt_context_options options = {.threads = 2, .device = "cuda", .precision = "fp32"};
    slt_status status = slt_context_create(&options, &device);
    if (status == SLT_OK) status = slt_store_create(device, 1, &store);
    slt_store_destroy(store);
    if (status != SLT_OK) {
        printf("1..1\nok 1 - %s # SKIP %s\n", what, slt_last_error());
        slt_context_destroy(device);
        return false;
    }
    const char *only = getenv("SLT_ONLY"); // a case: lab/gpu-sanitize
    if (only) cmocka_set_test_filter(only);
    return slt_context_create(&(slt_context_options){.threads = 2}, &host) == SLT_OK;
}

static inline void cuda_rig_close(void) {
    slt_context_destroy(device);
    slt_context_destroy(host);
}

// every value read must have been written in this step
static inline void cuda_rig_poison(slt_tape *tape) {
#ifdef SLT_CUDA
    if (tape->on_device) {
        slt_cuda_tape *t = slt_cuda_tape_of(tape);
        assert_int_equal(cudaMemsetAsync(t->block, 0xff, slt_tape_bytes(tape), t->cuda->stream),
                         cudaSuccess);
        return;
    }
#endif
    memset(tape->block, 0xff, slt_tape_bytes(tape));
}

// largest difference, relative to the largest number; not a number counts as infinite
static inline double cuda_rig_error(const slt_real *want, const slt_real *got, size_t count) {
    double most = 1e-3, worst = 0;
    for (size_t i = 0; i < count; i++) {
        double error = fabs((double)want[i] - (double)got[i]);
        most = fmax(most, fabs((double)want[i]));
        if (!(error <= worst)) worst = isnan(error) ? INFINITY : error;
    }
    return worst / most;
}

#endif
