// Errors of the device, waiting for it, and the lock of those who capture.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include <pthread.h>
#include <stdio.h>
#include "cuda/device/cuda_device.h"

slt_status slt_cuda_status(slt_cuda *cuda) {
    if (cuda->status != SLT_OK) SLT_FAIL(cuda->status, "%s", cuda->message);
    return SLT_OK;
}

slt_status slt_cuda_check(slt_cuda *cuda, cudaError_t error, const char *doing) {
    if (error == cudaSuccess) return slt_cuda_status(cuda);
    if (cuda->status == SLT_OK) {
        cuda->status = SLT_DEVICE;
        snprintf(cuda->message, sizeof cuda->message, "CUDA device %d: %s failed: %s", cuda->number,
                 doing, cudaGetErrorString(error));
    }
    return slt_cuda_status(cuda);
}

slt_status slt_cuda_rest(slt_cuda *cuda) {
    SLT_CUDA_TRY(cuda, cudaEventRecord(cuda->rest, cuda->stream), "a step");
    return slt_cuda_check(cuda, cudaEventSynchronize(cuda->rest), "a step");
}

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void slt_cuda_lock(void) { pthread_mutex_lock(&one_at_a_time); }
void slt_cuda_unlock(void) { pthread_mutex_unlock(&one_at_a_time); }
