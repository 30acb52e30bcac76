// Side work that waits for its time. While the decoder goes backward its kernels fill the device,
// and weight gradients next to them would only be in their way; after it the chain is of small
// kernels, which leave most of the device free. In a captured step the side work of rows per slot
// and token is therefore held until the chain has left them: a node without work before it,
// and an edge from the chain to that node. Node by node, and with an older CUDA, nothing is held.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/device/cuda_device.h"

#if !defined(SLT_EMULATED) && CUDART_VERSION >= 13000

// what a stream that is captured would wait for next
typedef struct {
    cudaGraph_t graph;
    const cudaGraphNode_t *nodes;
    size_t count;
} front;

static bool front_of(slt_cuda *cuda, cudaStream_t stream, front *out) {
    enum cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    const cudaGraphEdgeData *edges = NULL;
    cudaError_t error = cudaStreamGetCaptureInfo(stream, &status, NULL, &out->graph, &out->nodes,
                                                 &edges, &out->count);
    return slt_cuda_check(cuda, error, "looking at a capture") == SLT_OK &&
           status == cudaStreamCaptureStatusActive;
}

void slt_cuda_hold(slt_cuda *cuda, cudaStream_t side) {
    front at;
    cudaGraphNode_t node;
    if (cuda->held_count == SLT_CUDA_HELD || !front_of(cuda, side, &at)) return;
    cudaError_t error = cudaGraphAddEmptyNode(&node, at.graph, at.nodes, at.count);
    if (error == cudaSuccess)
        error = cudaStreamUpdateCaptureDependencies(side, &node, NULL, 1,
                                                    cudaStreamSetCaptureDependencies);
    if (slt_cuda_check(cuda, error, "holding the side") == SLT_OK) // sticks
        cuda->held[cuda->held_count++] = node;
}

// what a held node waits for already must not be said again
static bool waits_for(cudaGraphNode_t held, cudaGraphNode_t other) {
    enum { MOST = 16 }; // it was made with a few
    cudaGraphNode_t from[MOST];
    cudaGraphEdgeData edges[MOST];
    size_t count = MOST;
    if (cudaGraphNodeGetDependencies(held, from, edges, &count) != cudaSuccess) return false;
    for (size_t i = 0; i < count && i < MOST; i++)
        if (from[i] == other) return true;
    return false;
}

void slt_cuda_release(slt_cuda *cuda) {
    front at;
    if (!cuda->held_count || !front_of(cuda, cuda->stream, &at)) return;
    for (size_t i = 0; i < at.count; i++)
        for (int k = 0; k < cuda->held_count; k++) {
            if (waits_for(cuda->held[k], at.nodes[i])) continue;
            slt_cuda_check(
                cuda, cudaGraphAddDependencies(at.graph, &at.nodes[i], &cuda->held[k], NULL, 1),
                "holding the side");
        }
    cuda->held_count = 0;
}

#else

void slt_cuda_hold(slt_cuda *cuda, cudaStream_t side) { (void)cuda, (void)side; }
void slt_cuda_release(slt_cuda *cuda) { cuda->held_count = 0; }

#endif
