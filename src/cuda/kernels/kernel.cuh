// What kernels share: launches, views, rows and places of a batch, sums inside warps and blocks.
// The same files are compiled by nvcc, and by a C++ compiler with an emulated grid (tests/emulated)
// where there is no GPU.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_KERNEL_CUH
#define SLT_CUDA_KERNEL_CUH

#include <math.h>
#include "cuda/kernels/cuda_op.h"
#include "ops/common/activation_kind.h"

#ifdef SLT_EMULATED
#include "emulated_grid.h"
#else
#include <cuda_runtime.h>
#define SLT_LAUNCH(args, kernel, grid, block, bytes, ...)                                          \
    slt_launch((args)->stream, grid, block, bytes, kernel, *(args), ##__VA_ARGS__)
#define SLT_DYNAMIC_SHARED(name)                                                                   \
    extern __shared__ float slt_dynamic_shared[];                                                  \
    float *name = slt_dynamic_shared
#endif

#define SLT_KERNEL        static __global__ void
#define SLT_DEVICE_INLINE static __device__ __forceinline__

#ifndef SLT_CUDA_OVERLAP
#define SLT_CUDA_OVERLAP 1 // a kernel may be set up while the one before it ends
#endif

// the next kernel may be set up: it holds room on the device from then on, which others lack
SLT_DEVICE_INLINE void slt_let_next(void) {
#if SLT_CUDA_OVERLAP && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;");
#endif
}
// the previous kernel has ended
SLT_DEVICE_INLINE void slt_wait_for_last(void) {
#if SLT_CUDA_OVERLAP && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}
// the first line of a kernel: nothing is read or written before the previous one has ended. The
// next one is let in when this one works, so that no more than one waits
SLT_DEVICE_INLINE void slt_begin(void) {
    slt_wait_for_last();
    slt_let_next();
}

enum { SLT_WARP = 32, SLT_THREADS = 256 };

// ---- launches

#ifndef SLT_EMULATED
template <class... Parameters, class... Arguments>
static inline void slt_launch(void *stream, dim3 grid, dim3 block, size_t bytes,
                              void (*kernel)(Parameters...), Arguments... arguments) {
    cudaLaunchAttribute overlap = {};
    overlap.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    overlap.val.programmaticStreamSerializationAllowed = SLT_CUDA_OVERLAP;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = block;
    config.dynamicSmemBytes = bytes;
    config.stream = (cudaStream_t)stream;
    config.attrs = &overlap;
    config.numAttrs = SLT_CUDA_OVERLAP;
    cudaLaunchKernelEx(&config, kernel, Parameters(arguments)...);
}
#endif

static inline int slt_pieces(int64_t count, int size) { return (int)((count + size - 1) / size); }

// blocks of threads over `count` things of every member
static inline dim3 slt_grid(const slt_cuda_args *args, int64_t count, int size) {
    int blocks = slt_pieces(count, size);
    return dim3((unsigned)(blocks < 1 ? 1 : blocks), 1, (unsigned)args->members);
}

// ---- views

SLT_DEVICE_INLINE float *slt_at(slt_cuda_view view) {
    return view.at ? view.at + (int64_t)blockIdx.z * view.stride : NULL;
}
SLT_DEVICE_INLINE const int32_t *slt_ints(slt_cuda_view view) {
    return (const int32_t *)slt_at(view);
}
SLT_DEVICE_INLINE void slt_put(float *out, bool add, float value) {
    *out = add ? *out + value : value;
}
// numbers c .. c+3 of a row of `width`, zeros beyond it; rows of fours begin at multiples of 16
// bytes
SLT_DEVICE_INLINE float4 slt_load4(const float *row, int c, int width) {
    float4 x = {0, 0, 0, 0};
    if (c >= width) return x;
    if (width % 4 == 0) return *(const float4 *)(row + c);
    x.x = row[c];
    if (c + 1 < width) x.y = row[c + 1];
    if (c + 2 < width) x.z = row[c + 2];
    if (c + 3 < width) x.w = row[c + 3];
    return x;
}
SLT_DEVICE_INLINE void slt_store4(float *row, int c, int width, bool add, float4 x) {
    if (c >= width) return;
    if (add) {
        float4 there = slt_load4(row, c, width);
        x.x += there.x;
        x.y += there.y;
        x.z += there.z;
        x.w += there.w;
    }
    if (width % 4 == 0) {
        *(float4 *)(row + c) = x;
        return;
    }
    row[c] = x.x;
    if (c + 1 < width) row[c + 1] = x.y;
    if (c + 2 < width) row[c + 2] = x.z;
    if (c + 3 < width) row[c + 3] = x.w;
}
SLT_DEVICE_INLINE float4 slt_four(float x, float y, float z, float w) {
    float4 four = {x, y, z, w};
    return four;
}
SLT_DEVICE_INLINE void slt_add4(float *sum, float weight, float4 x) {
    sum[0] += weight * x.x;
    sum[1] += weight * x.y;
    sum[2] += weight * x.z;
    sum[3] += weight * x.w;
}
SLT_DEVICE_INLINE int slt_least(int a, int b) { return a < b ? a : b; }

// thing number of this thread, over the blocks of x; a variable has less than 2^31 numbers
SLT_DEVICE_INLINE unsigned slt_thread(void) { return blockIdx.x * blockDim.x + threadIdx.x; }
SLT_DEVICE_INLINE unsigned slt_stride(void) { return gridDim.x * blockDim.x; }
SLT_DEVICE_INLINE int slt_block_warp(void) { return (int)threadIdx.x / SLT_WARP; }
SLT_DEVICE_INLINE int slt_block_warps(void) { return (int)blockDim.x / SLT_WARP; }

// a line of 32 numbers on its way to the second cache
SLT_DEVICE_INLINE void slt_prefetch_line(const float *at) {
    (void)at;
#ifdef __CUDA_ARCH__
    asm volatile("prefetch.global.L2 [%0];" ::"l"(at));
#endif
}

// ---- the batch

SLT_DEVICE_INLINE const slt_cuda_frame_header *slt_header(const slt_cuda_args &a) {
    return (const slt_cuda_frame_header *)(a.frames.at + (int64_t)blockIdx.z * a.frames.stride);
}
SLT_DEVICE_INLINE const int32_t *slt_frame_array(const slt_cuda_args &a, int32_t distance) {
    return (const int32_t *)(a.frames.at + (int64_t)blockIdx.z * a.frames.stride + distance);
}
SLT_DEVICE_INLINE const int32_t *slt_offset(const slt_cuda_args &a) {
    return slt_frame_array(a, a.frames.offset);
}
SLT_DEVICE_INLINE const int32_t *slt_length(const slt_cuda_args &a) {
    return slt_frame_array(a, a.frames.length);
}
SLT_DEVICE_INLINE const int32_t *slt_companion(const slt_cuda_args &a) {
    return slt_frame_array(a, a.frames.companion);
}

// rows of a space that the step has; `fixed` for SLT_FIXED
SLT_DEVICE_INLINE int slt_count(const slt_cuda_args &a, slt_space space, int fixed) {
    const slt_cuda_frame_header *head = slt_header(a);
    switch (space) {
    case SLT_TRAJECTORIES:
        return head->count;
    case SLT_SLOTS:
        return head->count * a.slots;
    case SLT_TOKENS:
        return head->tokens;
    case SLT_SLOT_TOKENS:
        return head->tokens * a.slots;
    case SLT_LIVE:
        return head->live;
    default:
        return fixed;
    }
}

// where a row of tokens or slot tokens stands: position l of trajectory b, slot k
typedef struct {
    int b, k, l, computed;
} slt_token_place;

SLT_DEVICE_INLINE slt_token_place slt_token_place_of(const slt_cuda_args &a, slt_space space,
                                                     int row) {
    int slots = space == SLT_SLOT_TOKENS ? a.slots : 1;
    const int32_t *offset = slt_offset(a);
    slt_token_place spot;
    spot.b = slt_frame_array(a, a.frames.place)[row / slots];
    spot.computed = offset[spot.b + 1] - offset[spot.b];
    int rest = row - slots * offset[spot.b];
    spot.k = rest / spot.computed;
    spot.l = rest - spot.k * spot.computed;
    return spot;
}

// sequence i of a space: its first row and how many it has
typedef struct {
    int first, computed, b, k;
} slt_device_span;

SLT_DEVICE_INLINE slt_device_span slt_span_of(const slt_cuda_args &a, slt_space space, int i) {
    int slots = space == SLT_SLOT_TOKENS ? a.slots : 1;
    const int32_t *offset = slt_offset(a);
    slt_device_span run;
    run.b = i / slots;
    run.k = i % slots;
    run.computed = offset[run.b + 1] - offset[run.b];
    run.first = slots * offset[run.b] + run.k * run.computed;
    return run;
}

// zeros in rows [count, rows), shared out over all threads of the grid's x
SLT_DEVICE_INLINE void slt_clear_tail(float *out, int count, int rows, int width) {
    for (unsigned i = (unsigned)(count * width) + slt_thread(); i < (unsigned)(rows * width);
         i += slt_stride())
        out[i] = 0;
}

// ---- sums: every thread gets the result, always in the same order

SLT_DEVICE_INLINE float slt_warp_sum(float x) {
    for (int d = SLT_WARP / 2; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
    return x;
}
SLT_DEVICE_INLINE float slt_warp_most(float x) {
    for (int d = SLT_WARP / 2; d > 0; d /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffffu, x, d));
    return x;
}
// sum of lanes 0..own
SLT_DEVICE_INLINE float slt_warp_scan(float x) {
    int lane = threadIdx.x % SLT_WARP;
    for (int d = 1; d < SLT_WARP; d *= 2) {
        float other = __shfl_up_sync(0xffffffffu, x, d);
        if (lane >= d) x += other;
    }
    return x;
}
// sum of lanes own..31
SLT_DEVICE_INLINE float slt_warp_scan_down(float x) {
    int lane = threadIdx.x % SLT_WARP;
    for (int d = 1; d < SLT_WARP; d *= 2) {
        float other = __shfl_down_sync(0xffffffffu, x, d);
        if (lane + d < SLT_WARP) x += other;
    }
    return x;
}
SLT_DEVICE_INLINE float slt_warp_lane(float x, int lane) {
    return __shfl_sync(0xffffffffu, x, lane);
}

// over a block of whole warps, one dimension; called by all threads
SLT_DEVICE_INLINE float slt_block_sum(float x) {
    __shared__ float part[SLT_WARP];
    int warp = threadIdx.x / SLT_WARP, warps = blockDim.x / SLT_WARP;
    x = slt_warp_sum(x);
    __syncthreads();
    if (threadIdx.x % SLT_WARP == 0) part[warp] = x;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < warps; i++) sum += part[i];
    return sum;
}

// true in all threads of the block that comes last of `total`; what the others wrote is visible
SLT_DEVICE_INLINE bool slt_last_block(int32_t *counter, int total) {
    __shared__ int last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0 && threadIdx.y == 0) {
        last = atomicAdd(counter, 1) == total - 1;
        if (last) *counter = 0;
    }
    __syncthreads();
    if (last) __threadfence();
    return last;
}
SLT_DEVICE_INLINE int32_t *slt_counter(const slt_cuda_args &a, int i) {
    return a.counters + (int64_t)blockIdx.z * a.counter_stride + i;
}

SLT_DEVICE_INLINE float slt_sigmoid(float x) { return 1 / (1 + expf(-x)); }

#endif
