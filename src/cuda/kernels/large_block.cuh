// Launches of blocks that ask for more shared memory than a kernel gets by itself: recurrences keep
// their weights there for a whole sequence.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_LARGE_BLOCK_CUH
#define SLT_CUDA_LARGE_BLOCK_CUH

#include "cuda/kernels/kernel.cuh"

// bytes of shared memory that a block may have
static inline size_t slt_shared_room(void) {
#ifdef SLT_EMULATED
    return 96 << 10; // less than a recurrence may want: both of its ways are run
#else
    int device = 0, bytes = 48 << 10;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    return (size_t)bytes - 2048; // some of it is the kernel's own
#endif
}

// blocks of all members that keep a device busy: with more trajectories, a block takes several
static inline int slt_enough_blocks(void) {
#ifdef SLT_EMULATED
    return 2;
#else
    return 128;
#endif
}

#ifdef SLT_EMULATED
#define SLT_LAUNCH_LARGE SLT_LAUNCH
#else
// the bound is the same for all: threads that launch a kernel with other sizes share it
#define SLT_LAUNCH_LARGE(args, kernel, grid, block, bytes, ...)                                    \
    do {                                                                                           \
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,                  \
                             (int)slt_shared_room());                                              \
        SLT_LAUNCH(args, kernel, grid, block, bytes, ##__VA_ARGS__);                               \
    } while (0)
#endif

#endif
