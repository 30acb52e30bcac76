// Opening the device, its errors, waiting for it.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/device/cuda_device.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

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

static void close_device(slt_device *device) {
    slt_cuda *cuda = (slt_cuda *)device;
    slt_cuda_plans_close(cuda);
    slt_cuda_lock();
    if (cuda->blas) cublasDestroy(cuda->blas);
    for (int i = 0; i < SLT_CUDA_SIDES; i++)
        if (cuda->side[i].blas) cublasDestroy(cuda->side[i].blas);
    slt_cuda_unlock();
    slt_cuda_free(cuda, cuda->workspace);
    for (int i = 0; i < SLT_CUDA_SIDES; i++) slt_cuda_free(cuda, cuda->side[i].workspace);
    slt_cuda_memory_close(cuda);
    if (cuda->fork) cudaEventDestroy(cuda->fork);
    if (cuda->rest) cudaEventDestroy(cuda->rest);
    if (cuda->ready) cudaEventDestroy(cuda->ready);
    for (int i = 0; i < SLT_CUDA_SIDES; i++)
        if (cuda->side[i].stream) cudaStreamDestroy(cuda->side[i].stream);
    if (cuda->copies) cudaStreamDestroy(cuda->copies);
    if (cuda->stream) cudaStreamDestroy(cuda->stream);
    slt_free(&cuda->context->allocator, cuda);
}

// a handle of cuBLAS on a stream, with a workspace of its own
static slt_status open_blas(slt_cuda *cuda, cudaStream_t stream, cublasHandle_t *blas,
                            void **workspace) {
    SLT_TRY(slt_cuda_alloc(cuda, SLT_CUDA_WORKSPACE, workspace));
    slt_cuda_lock();
    cublasStatus_t made = cublasCreate(blas);
    slt_cuda_unlock();
    if (made != CUBLAS_STATUS_SUCCESS || cublasSetStream(*blas, stream) != CUBLAS_STATUS_SUCCESS ||
        cublasSetWorkspace(*blas, *workspace, SLT_CUDA_WORKSPACE) != CUBLAS_STATUS_SUCCESS)
        SLT_FAIL(SLT_DEVICE, "CUDA device %d: cuBLAS does not start", cuda->number);
    return SLT_OK;
}

static slt_status open_streams(slt_cuda *cuda) {
    int low = 0, high = 0;
    SLT_CUDA_TRY(cuda, cudaGetDevice(&cuda->number), "choosing the device");
    SLT_CUDA_TRY(cuda, cudaDeviceGetStreamPriorityRange(&low, &high), "asking for priorities");
    SLT_CUDA_TRY(cuda, cudaStreamCreateWithPriority(&cuda->stream, cudaStreamNonBlocking, high),
                 "making a stream");
    SLT_CUDA_TRY(cuda, cudaStreamCreateWithPriority(&cuda->copies, cudaStreamNonBlocking, high),
                 "making a stream");
    SLT_CUDA_TRY(cuda, cudaEventCreateWithFlags(&cuda->fork, cudaEventDisableTiming),
                 "making an event");
    SLT_CUDA_TRY(cuda, cudaEventCreateWithFlags(&cuda->ready, cudaEventDisableTiming),
                 "making an event");
    SLT_CUDA_TRY(cuda, cudaEventCreateWithFlags(&cuda->rest, slt_cuda_waiting(cuda)),
                 "making an event");
    SLT_TRY(slt_cuda_memory_open(cuda));
    SLT_TRY(open_blas(cuda, cuda->stream, &cuda->blas, &cuda->workspace));
    cuda->forked = -1;
    for (int i = 0; i < SLT_CUDA_SIDES; i++) {
        slt_cuda_side *side = &cuda->side[i];
        SLT_CUDA_TRY(cuda,
                     cudaStreamCreateWithPriority(&side->stream, cudaStreamNonBlocking,
                                                  i == SLT_CUDA_BULK ? low : high + 1),
                     "making a stream");
        SLT_TRY(open_blas(cuda, side->stream, &side->blas, &side->workspace));
    }
    return SLT_OK;
}

static slt_status open_device(slt_context *context, slt_device **out) {
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error != cudaSuccess || count < 1)
        SLT_FAIL(SLT_DEVICE, "no CUDA device: %s; use --device cpu",
                 error != cudaSuccess ? cudaGetErrorString(error) : "none is there");
    slt_cuda *cuda;
    SLT_TRY(SLT_ALLOC(&context->allocator, &cuda, 1));
    cuda->device.kind = &slt_device_cuda;
    cuda->context = context;
    slt_status status = open_streams(cuda);
    if (status != SLT_OK) {
        close_device(&cuda->device);
        return status;
    }
    *out = &cuda->device;
    return SLT_OK;
}

const slt_device_kind slt_device_cuda = {.name = "cuda",
                                         .lag = SLT_CUDA_LAG,
                                         .runs = slt_cuda_runs,
                                         .open = open_device,
                                         .close = close_device,
                                         .store_open = slt_cuda_store_open,
                                         .store_close = slt_cuda_store_close,
                                         .store_fetch = slt_cuda_store_fetch,
                                         .gradients_fetch = slt_cuda_gradients_fetch,
                                         .gradients_send = slt_cuda_gradients_send,
                                         .norms_fetch = slt_cuda_norms_fetch,
                                         .shelf_open = slt_cuda_shelf_open,
                                         .shelf_close = slt_cuda_shelf_close,
                                         .shelf_add = slt_cuda_shelf_add,
                                         .knows = slt_cuda_knows,
                                         .tape_open = slt_cuda_tape_open,
                                         .tape_close = slt_cuda_tape_close,
                                         .forward = slt_cuda_forward,
                                         .backward = slt_cuda_backward,
                                         .adam = slt_cuda_adam_step,
                                         .step = slt_cuda_step,
                                         .wait = slt_cuda_wait,
                                         .ahead = SLT_CUDA_TURNS,
                                         .begin = slt_cuda_begin,
                                         .end = slt_cuda_end,
                                         .value = slt_cuda_value,
                                         .gradient = slt_cuda_gradient};
