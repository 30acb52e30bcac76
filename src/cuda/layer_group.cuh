// What both ways of a layer's launch share (layer_run.h). A block has 64 rows and two groups of
// four warps; lane (g, t) of warp w of a group has rows 16w+g and 16w+g+8, and of every eight
// columns two, 8j+2t and 8j+2t+1: as tensor cores leave a product. The next product takes them as
// they are, for weights are laid down in that order (slt_layer_number), so that rows stay in
// registers from the first product to the last.
//
// Group i takes the i-th half of all that is summed over. A sum over both groups goes through
// shared memory: each ends up with the upper or the lower row of a lane.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_LAYER_GROUP_CUH
#define SLT_CUDA_LAYER_GROUP_CUH

#include "cuda/large_block.cuh"
#include "cuda/layer_ring.cuh"

enum { SLT_LAYER_THREADS = SLT_LAYER_GROUPS * SLT_GROUP };
enum { SLT_LAYER_EIGHTS = SLT_LAYER_WIDTH / 8, SLT_LAYER_HALF = SLT_LAYER_EIGHTS / 2 };

// ---- weights

// the place of a channel in a product
SLT_DEVICE_INLINE int slt_layer_number(int channel) {
    return channel / 8 * 8 + channel % 2 * 4 + channel % 8 / 2;
}
// where number k of column n of a piece with `columns` is
SLT_DEVICE_INLINE int slt_layer_place(int k, int n, int columns) {
    return k / 32 * 32 * columns + n * 32 + ((k / 4 % 8) ^ (n % 8)) * 4 + k % 4;
}

// ---- products

#if SLT_GROUP_CORE

SLT_DEVICE_INLINE uint64_t slt_layer_view(const float *b, int step, int columns) {
    unsigned place = (unsigned)__cvta_generic_to_shared(b + step / 4 * 32 * columns);
    uint64_t start = (place + (unsigned)step % 4 * 32u) >> 4 & 0x3fff;
    return start | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

// one eight of k for 64 columns
SLT_DEVICE_INLINE void slt_layer_step(float (*c)[4], const float *a, uint64_t b, int first) {
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.eq.b32 p, %37, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
                 "{%32,%33,%34,%35}, %36, p, 1, 1;\n"
                 "}\n"
                 : SLT_SIXTEEN_OUT(0), SLT_SIXTEEN_OUT(4)
                 : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),
                   "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])), "l"(b), "r"(first));
}

SLT_DEVICE_INLINE void slt_layer_begin(void) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
SLT_DEVICE_INLINE void slt_layer_end(void) {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
// nothing of x moves in front of the end
template <int N> SLT_DEVICE_INLINE void slt_layer_pin(float (*x)[4]) {
#pragma unroll
    for (int i = 0; i < 4 * N; i++) asm volatile("" : "+f"(x[i / 4][i % 4])::"memory");
}

// c (64,128) (+)= a (64,64)·b
SLT_DEVICE_INLINE void slt_layer_wide(float (*c)[4], float (*a)[4], const float *b, int first) {
    slt_layer_begin();
#pragma unroll
    for (int s = 0; s < SLT_LAYER_HALF; s++)
        slt_group_step(c, a[s], slt_layer_view(b, s, 128), first && s == 0);
    slt_layer_end();
    slt_layer_pin<SLT_LAYER_HALF>(a);
    slt_layer_pin<SLT_LAYER_EIGHTS>(c);
}

// c (64,64) = a (64,128)·b
SLT_DEVICE_INLINE void slt_layer_deep(float (*c)[4], float (*a)[4], const float *b) {
    slt_layer_begin();
#pragma unroll
    for (int s = 0; s < SLT_LAYER_EIGHTS; s++)
        slt_layer_step(c, a[s], slt_layer_view(b, s, 64), s == 0);
    slt_layer_end();
    slt_layer_pin<SLT_LAYER_EIGHTS>(a);
    slt_layer_pin<SLT_LAYER_HALF>(c);
}

#else

// every warp for itself: EIGHTS of columns, STEPS of k
template <int EIGHTS, int STEPS>
SLT_DEVICE_INLINE void slt_layer_multiply(float (*c)[4], float (*a)[4], const float *b, int first) {
    int lane = (int)(threadIdx.x % SLT_WARP), g = lane / 4, t = lane % 4;
#pragma unroll
    for (int j = 0; j < EIGHTS; j++) {
        for (int i = 0; first && i < 4; i++) c[j][i] = 0;
#pragma unroll
        for (int s = 0; s < STEPS; s++) {
            float right[2] = {b[slt_layer_place(8 * s + t, 8 * j + g, 8 * EIGHTS)],
                              b[slt_layer_place(8 * s + t + 4, 8 * j + g, 8 * EIGHTS)]};
            slt_mma(c[j], a[s], right);
        }
    }
}
SLT_DEVICE_INLINE void slt_layer_wide(float (*c)[4], float (*a)[4], const float *b, int first) {
    slt_layer_multiply<SLT_LAYER_EIGHTS, SLT_LAYER_HALF>(c, a, b, first);
}
SLT_DEVICE_INLINE void slt_layer_deep(float (*c)[4], float (*a)[4], const float *b) {
    slt_layer_multiply<SLT_LAYER_HALF, SLT_LAYER_EIGHTS>(c, a, b, 1);
}

#endif

// four numbers of a product as factors of another: both rows of the first column, then of the
// second
SLT_DEVICE_INLINE void slt_layer_factors(float *x) {
    float second = x[1];
    x[1] = x[2], x[2] = second;
}

// ---- rows between the groups, in two halves

enum { SLT_LAYER_SWAP = SLT_LAYER_HALF * SLT_LAYER_THREADS }; // float2

// the thread of the other group with the same rows
SLT_DEVICE_INLINE int slt_layer_other(void) { return (int)threadIdx.x ^ SLT_GROUP; }

// the lane's own row of both groups' sums
SLT_DEVICE_INLINE void slt_layer_gather(float2 *own, float (*c)[4], float2 *swap) {
    bool lower = threadIdx.x >= SLT_GROUP;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SLT_LAYER_HALF; i++) {
            const float *x = c[half * SLT_LAYER_HALF + i];
            float2 given = {lower ? x[0] : x[2], lower ? x[1] : x[3]};
            swap[i * SLT_LAYER_THREADS + (int)threadIdx.x] = given;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SLT_LAYER_HALF; i++) {
            const float *x = c[half * SLT_LAYER_HALF + i];
            float2 got = swap[i * SLT_LAYER_THREADS + slt_layer_other()];
            float2 sum = {(lower ? x[2] : x[0]) + got.x, (lower ? x[3] : x[1]) + got.y};
            own[half * SLT_LAYER_HALF + i] = sum;
        }
    }
}

// both rows of the lane as factors of a product
SLT_DEVICE_INLINE void slt_layer_share(float (*a)[4], const float2 *own, float2 *swap) {
    bool lower = threadIdx.x >= SLT_GROUP;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SLT_LAYER_HALF; i++) {
            const float2 x = own[half * SLT_LAYER_HALF + i];
            float2 given = {slt_rounded(x.x), slt_rounded(x.y)};
            swap[i * SLT_LAYER_THREADS + (int)threadIdx.x] = given;
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SLT_LAYER_HALF; i++) {
            const float2 x = own[half * SLT_LAYER_HALF + i];
            float2 mine = {slt_rounded(x.x), slt_rounded(x.y)};
            float2 got = swap[i * SLT_LAYER_THREADS + slt_layer_other()];
            float *to = a[half * SLT_LAYER_HALF + i];
            to[0] = lower ? got.x : mine.x, to[1] = lower ? mine.x : got.x;
            to[2] = lower ? got.y : mine.y, to[3] = lower ? mine.y : got.y;
        }
    }
}

// ---- a lane's own row: four lanes next to each other have all of it

SLT_DEVICE_INLINE float slt_layer_sum(float x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
}

SLT_DEVICE_INLINE float2 *slt_pairs(float *at) { return (float2 *)at; }
SLT_DEVICE_INLINE const float2 *slt_pairs(const float *at) { return (const float2 *)at; }

// sum += x·w, eight numbers
SLT_DEVICE_INLINE void slt_add8(float *sum, float x, const float *w) {
    slt_add4(sum, x, *(const float4 *)w);
    slt_add4(sum + 4, x, *(const float4 *)(w + 4));
}

// where the thread is
typedef struct {
    int group, thread, t; // of the block; of the group; the lane's columns
    int upper, own;       // rows: the first of the lane's two, the one that it finishes
} slt_layer_spot;

SLT_DEVICE_INLINE slt_layer_spot slt_layer_here(void) {
    int lane = (int)(threadIdx.x % SLT_WARP);
    slt_layer_spot at;
    at.group = (int)threadIdx.x / SLT_GROUP, at.thread = (int)threadIdx.x % SLT_GROUP;
    at.t = lane % 4;
    at.upper = (int)blockIdx.x * SLT_LAYER_ROWS + at.thread / SLT_WARP * 16 + lane / 4;
    at.own = at.upper + 8 * at.group;
    return at;
}

// the lane's pairs of a row; numbers of pairs, four apart
SLT_DEVICE_INLINE void slt_layer_load(float2 *own, const float *row, int t) {
#pragma unroll
    for (int j = 0; j < SLT_LAYER_EIGHTS; j++) own[j] = slt_pairs(row)[4 * j + t];
}
SLT_DEVICE_INLINE void slt_layer_store(float *row, const float2 *own, int t) {
#pragma unroll
    for (int j = 0; j < SLT_LAYER_EIGHTS; j++) slt_pairs(row)[4 * j + t] = own[j];
}

// ---- what a thread has at hand

// small parameters in shared memory, 128 numbers a place: biases, norms, the narrow layer's weights
// (a row of eight for every channel), the middle's bias
enum {
    SLT_SMALL_C,
    SLT_SMALL_NORM1, // γ, β
    SLT_SMALL_C2 = SLT_SMALL_NORM1 + 2,
    SLT_SMALL_NORM2,
    SLT_SMALL_HEAD = SLT_SMALL_NORM2 + 2,
    SLT_SMALL_C1 = SLT_SMALL_HEAD + SLT_LAYER_OUT,
    SLT_SMALL = SLT_SMALL_C1 * SLT_LAYER_WIDTH + SLT_LAYER_MOST
};
enum { SLT_LAYER_RING = SLT_LAYER_GATES * SLT_LAYER_PIECE };
enum { SLT_LAYER_BYTES = (SLT_LAYER_RING + 2 * SLT_LAYER_SWAP + SLT_SMALL) * 4 + SLT_GROUP_ALIGN };

static_assert(sizeof(slt_layer_run) <= 4096, "a kernel takes so many bytes of arguments");

typedef struct {
    slt_layer_spot at;
    slt_layer_ring ring;
    float *small;
    float2 *swap;
} slt_layer_bench;

SLT_DEVICE_INLINE void slt_layer_bring_small(const slt_layer_run &p, float *small) {
    const slt_cuda_view from[] = {p.c,  p.norm[0].gamma, p.norm[0].beta,
                                  p.c2, p.norm[1].gamma, p.norm[1].beta};
    int thread = (int)threadIdx.x;
#pragma unroll
    for (int i = 0; i < SLT_SMALL_HEAD; i++)
        if (thread < SLT_LAYER_WIDTH) small[i * SLT_LAYER_WIDTH + thread] = slt_at(from[i])[thread];
    const float *w = slt_at(p.head.w);
    for (int i = thread; w && i < SLT_LAYER_OUT * SLT_LAYER_WIDTH; i += SLT_LAYER_THREADS) {
        int channel = i / SLT_LAYER_OUT, o = i % SLT_LAYER_OUT;
        small[SLT_SMALL_HEAD * SLT_LAYER_WIDTH + i] =
            o < p.head.out ? w[channel * p.head.out + o] : 0;
    }
    for (int i = thread; i < p.wide; i += SLT_LAYER_THREADS)
        small[SLT_SMALL_C1 * SLT_LAYER_WIDTH + i] = slt_at(p.c1)[i];
}

// Nobody but Adam writes parameters, and who laid weights down has ended before this kernel began:
// both are asked for before the one in front has ended
SLT_DEVICE_INLINE slt_layer_bench slt_layer_open(const slt_layer_run &p, float *memory,
                                                 uint64_t *gates) {
    float *stages = slt_group_begin(memory);
    slt_layer_bench b;
    b.at = slt_layer_here();
    b.swap = (float2 *)(stages + SLT_LAYER_RING);
    b.small = stages + SLT_LAYER_RING + 2 * SLT_LAYER_SWAP;
    b.ring = slt_ring_open(stages, gates, slt_at(p.laid), slt_layer_pieces(p.wide));
    slt_layer_bring_small(p, b.small);
    return b;
}

// the lane's pair j of a small parameter
SLT_DEVICE_INLINE float2 slt_layer_small(const slt_layer_bench &b, int which, int j) {
    return slt_pairs(b.small + which * SLT_LAYER_WIDTH)[4 * j + b.at.t];
}

// the narrow layer's weights of channel i of the lane's pair j
SLT_DEVICE_INLINE const float *slt_layer_head_row(const slt_layer_bench &b, int j, int i) {
    return b.small + SLT_SMALL_HEAD * SLT_LAYER_WIDTH + (8 * j + 2 * b.at.t + i) * SLT_LAYER_OUT;
}

#endif
