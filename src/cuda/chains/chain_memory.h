// Memory of chains on the CUDA device, and copies to and from it in the order of its stream.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_CHAIN_MEMORY_H
#define SLT_CUDA_CHAIN_MEMORY_H

#include "cuda/device/cuda_device.h"

enum { SLT_CHAIN_BLOCKS = 40 };

typedef struct {
    slt_cuda *cuda;
    void *block[SLT_CHAIN_BLOCKS];
    int blocks;
} slt_chain_memory;

// *out, a pointer, is zeroed memory for `count` values of `size` bytes
slt_status slt_chain_reserve(slt_chain_memory *memory, size_t count, size_t size, void *out);
void slt_chain_release(slt_chain_memory *memory);

slt_status slt_chain_send(const slt_chain_memory *memory, const void *to, const void *from,
                          size_t bytes);
// after the kernels so far
slt_status slt_chain_fetch(const slt_chain_memory *memory, void *to, const void *from,
                           size_t bytes);

#endif
