// An emulated grid: what kernels need of CUDA's C++, for a C++ compiler. Blocks run one after the
// other, the last one first, since nobody may rely on the order that a GPU seems to have; the
// threads of a block are coroutines that wait for each other at barriers and shuffles. A shuffle
// that not all lanes of a warp reach, and a barrier that not all threads reach, ends the program:
// on a GPU it would hang or give nonsense.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_EMULATED_GRID_H
#define SLT_EMULATED_GRID_H

#include <math.h>
#include <stdint.h>
#include <string.h>
#include <functional>
#include "cuda_runtime_api.h"

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __shared__      static
#define __launch_bounds__(...)
#define __grid_constant__

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};
struct alignas(8) float2 {
    float x, y;
};
struct alignas(8) uint2 {
    unsigned x, y;
};
struct alignas(16) uint4 {
    unsigned x, y, z, w;
};
struct alignas(16) float4 {
    float x, y, z, w;
};

extern dim3 threadIdx, blockIdx, blockDim, gridDim;

void slt_emulate(void *stream, dim3 grid, dim3 block, size_t bytes,
                 const std::function<void()> &kernel);
float *slt_emulated_shared(void);
void slt_emulated_barrier(bool whole_block);
float slt_emulated_shuffle(float value, int from);
// the tensor core (emulated_products.cc)
void slt_mma(float *c, const float *a, const float *b);
void slt_mma_pairs(float *c, const uint32_t *a, const uint32_t *b);
uint32_t slt_pair(float first, float second);
float slt_tf32(float x);
uint32_t slt_bf16_bits(float x);
float slt_bf16_number(uint32_t half);

#define SLT_LAUNCH(args, kernel, grid, block, bytes, ...)                                          \
    slt_emulated_launch((args)->stream, grid, block, bytes, kernel, *(args), ##__VA_ARGS__)
#define SLT_DYNAMIC_SHARED(name) float *name = slt_emulated_shared()

template <class Kernel, class... Arguments>
static inline void slt_emulated_launch(void *stream, dim3 grid, dim3 block, size_t bytes,
                                       Kernel kernel, Arguments... arguments) {
    slt_emulate(stream, grid, block, bytes, [=]() { kernel(arguments...); });
}

static inline int slt_emulated_lane(void) { return (int)(threadIdx.x % 32); }
static inline void __syncthreads(void) { slt_emulated_barrier(true); }
static inline void __syncwarp(void) { slt_emulated_barrier(false); }
static inline void __threadfence(void) {}
static inline void __threadfence_system(void) {}
static inline float __shfl_sync(unsigned, float x, int lane) {
    return slt_emulated_shuffle(x, lane % 32);
}
static inline float __shfl_xor_sync(unsigned, float x, int mask) {
    return slt_emulated_shuffle(x, slt_emulated_lane() ^ mask);
}
static inline float __shfl_up_sync(unsigned, float x, int delta) {
    int lane = slt_emulated_lane();
    return slt_emulated_shuffle(x, lane >= delta ? lane - delta : lane);
}
static inline float __shfl_down_sync(unsigned, float x, int delta) {
    int lane = slt_emulated_lane();
    return slt_emulated_shuffle(x, lane + delta < 32 ? lane + delta : lane);
}
static inline unsigned __float_as_uint(float x) {
    unsigned bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}
static inline float __uint_as_float(unsigned bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline int __ffs(int x) { return __builtin_ffs(x); }
static inline int __popc(unsigned x) { return __builtin_popcount(x); }
// in halves, which floats hold
static inline unsigned __ballot_sync(unsigned mask, int there) {
    int lane = slt_emulated_lane();
    float half[2] = {0, 0};
    half[lane / 16] = there ? (float)(1 << lane % 16) : 0;
    for (int d = 16; d > 0; d /= 2)
        for (int i = 0; i < 2; i++) half[i] += __shfl_xor_sync(mask, half[i], d);
    return (unsigned)half[0] | (unsigned)half[1] << 16;
}
static inline int atomicOr(int *place, int value) {
    int before = *place;
    *place |= value;
    return before;
}
static inline int atomicAdd(int *place, int value) {
    int before = *place;
    *place += value;
    return before;
}

#endif
