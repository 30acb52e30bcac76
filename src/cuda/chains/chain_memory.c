// Memory of chains (chain_memory.h).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/chains/chain_memory.h"

#include <string.h>
#include "core/memory.h"

slt_status slt_chain_reserve(slt_chain_memory *memory, size_t count, size_t size, void *out) {
    size_t bytes;
    void *block;
    if (!slt_size_mul(count, size, &bytes))
        SLT_FAIL(SLT_RANGE, "%zu numbers are too many for a device", count);
    if (memory->blocks == SLT_CHAIN_BLOCKS)
        SLT_FAIL(SLT_INTERNAL, "chains have more than %d blocks", SLT_CHAIN_BLOCKS);
    SLT_TRY(slt_cuda_alloc(memory->cuda, bytes, &block));
    memory->block[memory->blocks++] = block;
    memcpy(out, &block, sizeof block);
    return SLT_OK;
}

void slt_chain_release(slt_chain_memory *memory) {
    for (int i = 0; i < memory->blocks; i++) slt_cuda_free(memory->cuda, memory->block[i]);
}

slt_status slt_chain_send(const slt_chain_memory *memory, const void *to, const void *from,
                          size_t bytes) {
    slt_cuda *cuda = memory->cuda;
    cudaError_t error =
        cudaMemcpyAsync((void *)(uintptr_t)to, from, bytes, cudaMemcpyHostToDevice, cuda->stream);
    return slt_cuda_check(cuda, error, "sending data of chains");
}

slt_status slt_chain_fetch(const slt_chain_memory *memory, void *to, const void *from,
                           size_t bytes) {
    slt_cuda *cuda = memory->cuda;
    SLT_CUDA_TRY(cuda, cudaGetLastError(), "a kernel of chains");
    cudaError_t error = cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, cuda->stream);
    return slt_cuda_check(cuda, error, "fetching sums of chains");
}
