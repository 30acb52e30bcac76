// The part of CUDA's runtime that src/cuda uses, on the CPU (emulated.cc): memory of the device is
// memory of the host; a stream does everything at once, but one of low priority only when another
// one waits for it, as late as it may; a graph is a list of calls. For tests where there is no GPU;
// what a real device does with the same kernels is tested there (lab/gpu-check).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EMULATED_CUDA_RUNTIME_API_H
#define SLT_EMULATED_CUDA_RUNTIME_API_H

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { cudaSuccess, cudaErrorInvalidValue, cudaErrorMemoryAllocation } cudaError_t;
typedef enum {
    cudaMemcpyHostToDevice,
    cudaMemcpyDeviceToHost,
    cudaMemcpyDeviceToDevice
} cudaMemcpyKind;
typedef enum { cudaStreamCaptureModeRelaxed } cudaStreamCaptureMode;
enum { cudaStreamNonBlocking, cudaEventDisableTiming, cudaEventBlockingSync, cudaHostAllocMapped };
typedef enum { cudaMemPoolAttrReleaseThreshold } cudaMemPoolAttr;
typedef struct slt_emulated_pool *cudaMemPool_t;
typedef struct slt_emulated_stream *cudaStream_t;
typedef struct slt_emulated_event *cudaEvent_t;
typedef struct slt_emulated_graph *cudaGraph_t;
typedef struct slt_emulated_graph *cudaGraphExec_t;
typedef struct slt_emulated_node *cudaGraphNode_t;

const char *cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError(void);
cudaError_t cudaPeekAtLastError(void);
cudaError_t cudaGetDeviceCount(int *count);
cudaError_t cudaGetDevice(int *device);
cudaError_t cudaMemGetInfo(size_t *free_bytes, size_t *total);
cudaError_t cudaMallocAsync(void **memory, size_t bytes, cudaStream_t stream);
cudaError_t cudaFreeAsync(void *memory, cudaStream_t stream);
cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int device);
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void *value);
cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t least);
cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void *memory);
cudaError_t cudaHostGetDevicePointer(void **there, void *here, unsigned flags);
cudaError_t cudaMemsetAsync(void *memory, int value, size_t bytes, cudaStream_t stream);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream);
cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *stream, unsigned flags, int priority);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaEventCreate(cudaEvent_t *event);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float *ms, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode);
cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph);
enum { cudaGraphInstantiateFlagUseNodePriority = 8 };
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *run, cudaGraph_t graph, unsigned long long flags);
cudaError_t cudaGraphDestroy(cudaGraph_t graph);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t run);
cudaError_t cudaGraphLaunch(cudaGraphExec_t run, cudaStream_t stream);

#ifdef __cplusplus
}
#endif
#endif
