// Memory of the device and page-locked memory here. Neither is given back while the device is open:
// cudaFree and cudaFreeHost wait for all that the GPU has to do, and stop whoever works next to.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/device/cuda_device.h"

// ---- on the device: the driver's pool, in the order of the stream

static slt_status no_room(const slt_cuda *cuda, size_t bytes) {
    size_t free_bytes = 0, total = 0;
    cudaGetLastError(); // not sticky: a smaller model may fit
    cudaMemGetInfo(&free_bytes, &total);
    SLT_FAIL(SLT_NOMEM,
             "CUDA device %d: no room for %.1f MB (%.0f of %.0f MB are free); use a smaller "
             "batch or population",
             cuda->number, 1e-6 * (double)bytes, 1e-6 * (double)free_bytes, 1e-6 * (double)total);
}

slt_status slt_cuda_alloc(slt_cuda *cuda, size_t bytes, void **out) {
    *out = NULL;
    slt_cuda_lock();
    cudaError_t error = cudaMallocAsync(out, bytes ? bytes : 1, cuda->stream);
    slt_cuda_unlock();
    if (error == cudaErrorMemoryAllocation) return no_room(cuda, bytes);
    SLT_CUDA_TRY(cuda, error, "reserving memory");
    return slt_cuda_check(cuda, cudaMemsetAsync(*out, 0, bytes, cuda->stream), "clearing memory");
}

void slt_cuda_free(slt_cuda *cuda, void *memory) {
    if (memory) cudaFreeAsync(memory, cuda->stream);
}

// the pool keeps what is freed for the next model
slt_status slt_cuda_memory_open(slt_cuda *cuda) {
    uint64_t all = UINT64_MAX;
    SLT_CUDA_TRY(cuda, cudaDeviceGetDefaultMemPool(&cuda->pool, cuda->number), "asking for memory");
    return slt_cuda_check(
        cuda, cudaMemPoolSetAttribute(cuda->pool, cudaMemPoolAttrReleaseThreshold, &all),
        "asking for memory");
}

// ---- page-locked, here: blocks that are taken and laid back

struct slt_cuda_pinned {
    struct slt_cuda_pinned *next;
    void *at;
    size_t room;
    bool taken;
};

static void drop(slt_cuda *cuda, struct slt_cuda_pinned **place) {
    struct slt_cuda_pinned *block = *place;
    *place = block->next;
    slt_cuda_lock();
    cudaFreeHost(block->at);
    slt_cuda_unlock();
    slt_free(&cuda->context->allocator, block);
}

// the smallest free one with room; else a free one that is too small makes place for a larger
static struct slt_cuda_pinned *find(slt_cuda *cuda, size_t bytes) {
    struct slt_cuda_pinned *best = NULL, **small = NULL;
    for (struct slt_cuda_pinned **place = &cuda->pinned; *place; place = &(*place)->next) {
        struct slt_cuda_pinned *block = *place;
        if (block->taken) continue;
        if (block->room < bytes)
            small = place;
        else if (!best || block->room < best->room)
            best = block;
    }
    if (!best && small) drop(cuda, small);
    return best;
}

static slt_status add(slt_cuda *cuda, size_t room, struct slt_cuda_pinned **out) {
    void *memory = NULL;
    slt_cuda_lock();
    cudaError_t error = cudaHostAlloc(&memory, room, cudaHostAllocMapped);
    slt_cuda_unlock();
    SLT_CUDA_TRY(cuda, error, "reserving page-locked memory");
    slt_status status = SLT_ALLOC(&cuda->context->allocator, out, 1);
    if (status != SLT_OK) {
        cudaFreeHost(memory);
        return status;
    }
    **out = (struct slt_cuda_pinned){.next = cuda->pinned, .at = memory, .room = room};
    cuda->pinned = *out;
    return SLT_OK;
}

slt_status slt_cuda_pin(slt_cuda *cuda, size_t bytes, void **out, size_t *room) {
    struct slt_cuda_pinned *block = find(cuda, bytes);
    if (!block) SLT_TRY(add(cuda, bytes + bytes / 4, &block));
    block->taken = true;
    *out = block->at;
    *room = block->room;
    return SLT_OK;
}

void slt_cuda_unpin(slt_cuda *cuda, void *memory) {
    for (struct slt_cuda_pinned *block = cuda->pinned; block; block = block->next)
        if (block->at == memory) block->taken = false;
}

void slt_cuda_memory_close(slt_cuda *cuda) {
    while (cuda->pinned) drop(cuda, &cuda->pinned);
    if (cuda->stream) cudaStreamSynchronize(cuda->stream);
    slt_cuda_lock();
    if (cuda->pool) cudaMemPoolTrimTo(cuda->pool, 0);
    slt_cuda_unlock();
}
