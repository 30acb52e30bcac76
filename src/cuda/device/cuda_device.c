// Opening and closing the device.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/device/cuda_device.h"

void slt_cuda_close(slt_device *device) {
    slt_cuda *cuda = (slt_cuda *)device;
    slt_cuda_plans_close(cuda);
    slt_cuda_lock();
    if (cuda->blas) cublasDestroy(cuda->blas);
    for (int i = 0; i < SLT_CUDA_SIDE_STREAMS; i++)
        if (cuda->side[i].blas) cublasDestroy(cuda->side[i].blas);
    slt_cuda_unlock();
    slt_cuda_free(cuda, cuda->workspace);
    for (int i = 0; i < SLT_CUDA_SIDE_STREAMS; i++) slt_cuda_free(cuda, cuda->side[i].workspace);
    slt_cuda_memory_close(cuda);
    if (cuda->fork) cudaEventDestroy(cuda->fork);
    if (cuda->rest) cudaEventDestroy(cuda->rest);
    if (cuda->ready) cudaEventDestroy(cuda->ready);
    for (int i = 0; i < SLT_CUDA_SIDE_STREAMS; i++)
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
    cuda->side_stream = -1;
    for (int i = 0; i < SLT_CUDA_SIDE_STREAMS; i++) {
        slt_cuda_stream *side = &cuda->side[i];
        SLT_CUDA_TRY(cuda,
                     cudaStreamCreateWithPriority(&side->stream, cudaStreamNonBlocking,
                                                  i == SLT_CUDA_FINAL_STREAM ? low : high + 1),
                     "making a stream");
        SLT_TRY(open_blas(cuda, side->stream, &side->blas, &side->workspace));
    }
    return SLT_OK;
}

slt_status slt_cuda_usable(void) {
    int count = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    const char *why = error == cudaSuccess ? count < 1 ? "none is there" : slt_cuda_kernels_fail()
                                           : cudaGetErrorString(error);
    if (why) SLT_FAIL(SLT_DEVICE, "no CUDA device: %s", why);
    return SLT_OK;
}

slt_status slt_cuda_open(slt_context *context, slt_device **out) {
    SLT_TRY(slt_cuda_usable());
    slt_cuda *cuda;
    SLT_TRY(SLT_ALLOC(&context->allocator, &cuda, 1));
    cuda->context = context;
    slt_status status = open_streams(cuda);
    if (status != SLT_OK) {
        slt_cuda_close(&cuda->device);
        return status;
    }
    *out = &cuda->device;
    return SLT_OK;
}
