// Frames: rows of device rows are put where the host's would have arrived, next to the step before;
// what is there then goes to its places, 16 bytes at a time.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/kernels/kernel.cuh"

enum { PARTS = 16, FEW = 128 }; // blocks of a move; threads of a trajectory

// ---- gathering: a block has a trajectory, the next one the last has the tail

SLT_DEVICE_INLINE void put_place(int32_t *place, int b, int first, int end) {
    for (int i = first + (int)threadIdx.x; i < end; i += FEW) place[i] = b;
}

SLT_DEVICE_INLINE void put_words(const slt_cuda_gather &g, const uint32_t *from, uint32_t *to,
                                 int first, int end) {
    int64_t words = (int64_t)(end - first) * g.width;
    to += (int64_t)first * g.width;
    for (int64_t i = threadIdx.x; i < words; i += FEW) to[i] = from ? from[i] : 0;
}

// offset: of the trajectory's rows on the device rows; `before` ones come before its own
SLT_DEVICE_INLINE void put_bits(const slt_cuda_gather &g, const int64_t *offset, int32_t *to,
                                uint16_t *to_ones, int before, int rows) {
    const uint16_t *ones = g.ones + offset[0];
    int count = (int)(offset[rows] - offset[0]);
    for (int r = threadIdx.x; r < rows; r += FEW) to[r] = before + (int)(offset[r] - offset[0]);
    for (int i = threadIdx.x; i < count; i += FEW) to_ones[before + i] = ones[i];
}

SLT_KERNEL gather(const slt_cuda_fetch a) {
    slt_begin();
    const slt_cuda_gather g = ((const slt_cuda_gather *)(a.stage + a.list))[blockIdx.y];
    const int32_t *offset = (const int32_t *)(a.stage + g.batch + a.offset);
    int b = (int)blockIdx.x, count = ((const slt_cuda_frame_header *)(a.stage + g.batch))->count;
    if (b > count) return;
    bool tail = b == count;
    int first = offset[b], end = tail ? g.rows : offset[b + 1];
    int64_t row = tail || !g.rows_of_device ? 0 : ((const int64_t *)(a.stage + g.first))[b];
    char *to = a.stage + g.to;
    if (!g.rows_of_device) {
        if (!tail) put_place((int32_t *)to, b, first, end);
    } else if (!g.ones) {
        const uint32_t *from = (const uint32_t *)g.rows_of_device + row * g.width;
        put_words(g, tail ? NULL : from, (uint32_t *)to, first, end);
    } else {
        int before = ((const int32_t *)(a.stage + g.before))[b];
        int32_t *rows = (int32_t *)to + first;
        if (!tail)
            put_bits(g, (const int64_t *)g.rows_of_device + row, rows,
                     (uint16_t *)(a.stage + g.to_ones), before, end - first);
        else
            for (int i = threadIdx.x; i <= end - first; i += FEW) rows[i] = before;
    }
}

const char *slt_cuda_kernels_fail(void) {
#ifndef SLT_EMULATED
    cudaFuncAttributes attributes;
    cudaError_t error = cudaFuncGetAttributes(&attributes, (const void *)gather);
    if (error != cudaSuccess) return cudaGetErrorString(error);
#endif
    return NULL;
}

void slt_cuda_frames_gather(const slt_cuda_fetch *args) {
    SLT_LAUNCH(args, gather, dim3((unsigned)args->blocks, (unsigned)args->gathers, 1), FEW, 0);
}

// ---- spreading

SLT_KERNEL spread(const slt_cuda_spread a) {
    slt_begin();
    const slt_cuda_move move = ((const slt_cuda_move *)a.from)[blockIdx.y];
    const float4 *from = (const float4 *)(a.from + move.from);
    float4 *to = (float4 *)(a.to + move.to);
    for (int64_t i = slt_thread(); i < move.fours; i += slt_stride()) to[i] = from[i];
}

void slt_cuda_frames_spread(const slt_cuda_spread *args) {
    SLT_LAUNCH(args, spread, dim3(PARTS, (unsigned)args->moves, 1), SLT_THREADS, 0);
}
