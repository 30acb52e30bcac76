// What both ways of a layer's launch share (layer_run.h). A block has 64 rows and two groups of
// four warps; lane (g, t) of warp w of a group has rows 16w+g and 16w+g+8, and of every sixteen
// channels four, 16i+4t .. 16i+4t+3. Weights are laid down so that a product leaves them like that,
// and the next one takes them as they are (slt_group_number, slt_layer_column): rows stay in
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
#include "cuda/layer_lay.cuh"
#include "cuda/layer_ring.cuh"
#include "cuda/norm_row.cuh"

enum { SLT_LAYER_THREADS = SLT_LAYER_GROUPS * SLT_GROUP };
enum { SLT_LAYER_EIGHTS = SLT_LAYER_WIDTH / 8, SLT_LAYER_HALF = SLT_LAYER_EIGHTS / 2 };
enum { SLT_LAYER_FOURS = SLT_LAYER_WIDTH / 16 }; // of a lane in a row

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

SLT_DEVICE_INLINE void slt_layer_fence(void) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
SLT_DEVICE_INLINE void slt_layer_await(void) {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
// nothing of x moves in front of the end
template <int N> SLT_DEVICE_INLINE void slt_layer_pin(float (*x)[4]) {
#pragma unroll
    for (int i = 0; i < 4 * N; i++) asm volatile("" : "+f"(x[i / 4][i % 4])::"memory");
}

// c (64,128) += a (64,64)·b
SLT_DEVICE_INLINE void slt_layer_wide(float (*c)[4], float (*a)[4], const float *b) {
    slt_layer_fence();
#pragma unroll
    for (int s = 0; s < SLT_LAYER_HALF; s++) slt_group_step(c, a[s], slt_layer_view(b, s, 128), 0);
    slt_layer_await();
    slt_layer_pin<SLT_LAYER_HALF>(a);
    slt_layer_pin<SLT_LAYER_EIGHTS>(c);
}

// c (64,64) = a (64,128)·b
SLT_DEVICE_INLINE void slt_layer_deep(float (*c)[4], float (*a)[4], const float *b) {
    slt_layer_fence();
#pragma unroll
    for (int s = 0; s < SLT_LAYER_EIGHTS; s++)
        slt_layer_step(c, a[s], slt_layer_view(b, s, 64), s == 0);
    slt_layer_await();
    slt_layer_pin<SLT_LAYER_EIGHTS>(a);
    slt_layer_pin<SLT_LAYER_HALF>(c);
}

#else

// every warp for itself: EIGHTS of columns, STEPS of k
template <int EIGHTS, int STEPS>
SLT_DEVICE_INLINE void slt_layer_multiply(float (*c)[4], float (*a)[4], const float *b,
                                          bool first) {
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
SLT_DEVICE_INLINE void slt_layer_wide(float (*c)[4], float (*a)[4], const float *b) {
    slt_layer_multiply<SLT_LAYER_EIGHTS, SLT_LAYER_HALF>(c, a, b, false);
}
SLT_DEVICE_INLINE void slt_layer_deep(float (*c)[4], float (*a)[4], const float *b) {
    slt_layer_multiply<SLT_LAYER_HALF, SLT_LAYER_EIGHTS>(c, a, b, true);
}

#endif

SLT_DEVICE_INLINE void slt_layer_clear(float (*c)[4]) {
#pragma unroll
    for (int i = 0; i < 4 * SLT_LAYER_EIGHTS; i++) c[i / 4][i % 4] = 0;
}

// the lane's four i of the upper or the lower row of a product
SLT_DEVICE_INLINE float4 slt_layer_four(const float (*c)[4], int i, bool lower) {
    const float *x = c[2 * i], *y = c[2 * i + 1];
    return lower ? slt_four(x[2], x[3], y[2], y[3]) : slt_four(x[0], x[1], y[0], y[1]);
}
// four i of both rows as factors
SLT_DEVICE_INLINE void slt_layer_pair(float (*a)[4], int i, float4 upper, float4 lower) {
    float *x = a[2 * i], *y = a[2 * i + 1];
    x[0] = upper.x, x[1] = lower.x, x[2] = upper.y, x[3] = lower.y;
    y[0] = upper.z, y[1] = lower.z, y[2] = upper.w, y[3] = lower.w;
}
SLT_DEVICE_INLINE float4 slt_layer_rounded(float4 x) {
    return slt_four(slt_rounded(x.x), slt_rounded(x.y), slt_rounded(x.z), slt_rounded(x.w));
}

// ---- rows between the groups, in two halves

enum { SLT_LAYER_SWAP = SLT_LAYER_FOURS / 2 * SLT_LAYER_THREADS }; // float4

// the thread of the other group with the same rows
SLT_DEVICE_INLINE int slt_layer_other(void) { return (int)threadIdx.x ^ SLT_GROUP; }

// the lane's own row of both groups' sums
SLT_DEVICE_INLINE void slt_layer_gather(float4 *own, const float (*c)[4], float4 *swap) {
    bool lower = threadIdx.x >= SLT_GROUP;
#pragma unroll
    for (int half = 0; half < SLT_LAYER_FOURS; half += SLT_LAYER_FOURS / 2) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SLT_LAYER_FOURS / 2; i++)
            swap[i * SLT_LAYER_THREADS + (int)threadIdx.x] = slt_layer_four(c, half + i, !lower);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SLT_LAYER_FOURS / 2; i++)
            own[half + i] = slt_plus4(slt_layer_four(c, half + i, lower),
                                      swap[i * SLT_LAYER_THREADS + slt_layer_other()]);
    }
}

// both rows of the lane as factors of a product
SLT_DEVICE_INLINE void slt_layer_share(float (*a)[4], const float4 *own, float4 *swap) {
    bool lower = threadIdx.x >= SLT_GROUP;
#pragma unroll
    for (int half = 0; half < SLT_LAYER_FOURS; half += SLT_LAYER_FOURS / 2) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SLT_LAYER_FOURS / 2; i++)
            swap[i * SLT_LAYER_THREADS + (int)threadIdx.x] = slt_layer_rounded(own[half + i]);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SLT_LAYER_FOURS / 2; i++) {
            float4 mine = slt_layer_rounded(own[half + i]);
            float4 got = swap[i * SLT_LAYER_THREADS + slt_layer_other()];
            slt_layer_pair(a, half + i, lower ? got : mine, lower ? mine : got);
        }
    }
}

// ---- a lane's own row: four lanes next to each other have all of it

SLT_DEVICE_INLINE float slt_layer_sum(float x) {
    x += __shfl_xor_sync(0xffffffffu, x, 1);
    return x + __shfl_xor_sync(0xffffffffu, x, 2);
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

// the lane's four i of a row
SLT_DEVICE_INLINE float4 *slt_layer_at(float *row, int i, int t) {
    return (float4 *)row + 4 * i + t;
}
SLT_DEVICE_INLINE const float4 *slt_layer_at(const float *row, int i, int t) {
    return (const float4 *)row + 4 * i + t;
}

SLT_DEVICE_INLINE void slt_layer_load(float4 *own, const float *row, int t) {
#pragma unroll
    for (int i = 0; i < SLT_LAYER_FOURS; i++) own[i] = *slt_layer_at(row, i, t);
}
SLT_DEVICE_INLINE void slt_layer_store(float *row, const float4 *own, int t) {
#pragma unroll
    for (int i = 0; i < SLT_LAYER_FOURS; i++) *slt_layer_at(row, i, t) = own[i];
}

// factors of a product from memory: 64 columns of both rows of a lane, from `column` on
SLT_DEVICE_INLINE void slt_layer_rows(float (*a)[4], const slt_layer_spot &at, const float *from,
                                      int rows, int width, int column) {
    const float *upper = from + (int64_t)slt_least(at.upper, rows - 1) * width + column;
    const float *lower = from + (int64_t)slt_least(at.upper + 8, rows - 1) * width + column;
#pragma unroll
    for (int i = 0; i < SLT_LAYER_FOURS / 2; i++)
        slt_layer_pair(a, i, slt_layer_rounded(*slt_layer_at(upper, i, at.t)),
                       slt_layer_rounded(*slt_layer_at(lower, i, at.t)));
}

// a product's 64 columns to memory
SLT_DEVICE_INLINE void slt_layer_put(const float (*c)[4], const slt_layer_spot &at, float *to,
                                     int rows, int width, int column, bool add) {
    float *upper = to + (int64_t)at.upper * width + column;
#pragma unroll
    for (int k = 0; k < 2; k++)
#pragma unroll
        for (int i = 0; i < SLT_LAYER_FOURS / 2; i++) {
            float4 x = slt_layer_four(c, i, k);
            float4 *place = slt_layer_at(upper + (int64_t)8 * k * width, i, at.t);
            if (at.upper + 8 * k >= rows) continue;
            *place = add ? slt_plus4(x, *place) : x;
        }
}

// The second group begins when the first has done its first product: from then on one multiplies
// while the other works on its rows
SLT_DEVICE_INLINE void slt_layer_wait_turn(const slt_layer_spot &at) {
    if (at.group == 1) slt_group_turn_wait();
}
SLT_DEVICE_INLINE void slt_layer_give_turn(const slt_layer_spot &at) {
    if (at.group == 0) slt_group_turn_give();
}

// ---- what a thread has at hand

// small parameters in shared memory, 128 numbers a place: bias, γ and β of every norm, then of an
// encoder's end, or of a narrow layer (a row for every column), and the middle's bias
enum {
    SLT_SMALL_HEAD = 3 * SLT_LAYER_NORMS,
    SLT_SMALL_HEAD_C = SLT_SMALL_HEAD + SLT_LAYER_OUT,
    SLT_SMALL_W = 3 * SLT_LAYER_ALL_NORMS,
    SLT_SMALL_END_C1,
    SLT_SMALL_C1 = SLT_SMALL_HEAD_C + 1,
    SLT_SMALL = SLT_SMALL_C1 * SLT_LAYER_WIDTH + SLT_LAYER_MOST
};
static_assert(SLT_SMALL_END_C1 < SLT_SMALL_C1, "small parameters have places of their own");
enum { SLT_LAYER_RING = SLT_LAYER_GATES * SLT_LAYER_PIECE };
enum { SLT_LAYER_BYTES = (SLT_LAYER_RING + 4 * SLT_LAYER_SWAP + SLT_SMALL) * 4 + SLT_GROUP_ALIGN };

static_assert(sizeof(slt_layer_run) <= 4096, "a kernel takes so many bytes of arguments");

typedef struct {
    slt_layer_spot at;
    slt_layer_ring ring;
    float *small;
    float4 *swap;
} slt_layer_bench;

SLT_DEVICE_INLINE void slt_layer_bring_one(float *small, int which, slt_cuda_view from) {
    int i = (int)threadIdx.x;
    if (i < SLT_LAYER_WIDTH) small[which * SLT_LAYER_WIDTH + i] = slt_at(from)[i];
}

SLT_DEVICE_INLINE void slt_layer_bring_head(const slt_layer_head &head, float *small) {
    const float *w = slt_at(head.w), *c = slt_at(head.c);
    for (int i = (int)threadIdx.x; i < SLT_LAYER_OUT * SLT_LAYER_WIDTH; i += SLT_LAYER_THREADS) {
        int o = i / SLT_LAYER_WIDTH, channel = i % SLT_LAYER_WIDTH;
        small[SLT_SMALL_HEAD * SLT_LAYER_WIDTH + i] = o < head.out ? w[channel * head.out + o] : 0;
    }
    int o = (int)threadIdx.x;
    if (o < SLT_LAYER_OUT)
        small[SLT_SMALL_HEAD_C * SLT_LAYER_WIDTH + o] = c && o < head.out ? c[o] : 0;
}

SLT_DEVICE_INLINE void slt_layer_bring_small(const slt_layer_run &p, float *small) {
#pragma unroll
    for (int n = 0; n < SLT_LAYER_ALL_NORMS; n++) {
        if (n >= p.norms) break;
        slt_layer_bring_one(small, 3 * n, p.norm[n].bias);
        slt_layer_bring_one(small, 3 * n + 1, p.norm[n].gamma);
        slt_layer_bring_one(small, 3 * n + 2, p.norm[n].beta);
    }
    for (int i = (int)threadIdx.x; i < p.mlp[0].wide; i += SLT_LAYER_THREADS)
        small[SLT_SMALL_C1 * SLT_LAYER_WIDTH + i] = slt_at(p.mlp[0].c1)[i];
    if (p.head.out) slt_layer_bring_head(p.head, small);
    if (p.norms == SLT_LAYER_NORMS) return;
    slt_layer_bring_one(small, SLT_SMALL_W, p.position);
    slt_layer_bring_one(small, SLT_SMALL_END_C1, p.mlp[1].c1);
}

// Nobody but Adam writes parameters; where who laid weights down has ended before this kernel
// began, both are asked for before the one in front has ended
SLT_DEVICE_INLINE slt_layer_bench slt_layer_open(const slt_layer_run &p, float *memory,
                                                 uint64_t *gates) {
    float *stages = slt_group_begin(memory);
    slt_layer_bench b;
    if (!p.early) slt_wait_for_last();
    b.at = slt_layer_here();
    b.swap = (float4 *)(stages + SLT_LAYER_RING);
    b.small = stages + SLT_LAYER_RING + 4 * SLT_LAYER_SWAP;
    b.ring = slt_ring_open(stages, gates, slt_at(p.laid),
                           slt_layer_pieces(p.mlp[0].wide, p.norms > SLT_LAYER_NORMS));
    slt_layer_bring_small(p, b.small);
    slt_wait_for_last();
    __syncthreads();
    return b;
}

// the lane's four i of a small parameter
SLT_DEVICE_INLINE float4 slt_layer_small(const slt_layer_bench &b, int which, int i) {
    return *slt_layer_at(b.small + which * SLT_LAYER_WIDTH, i, b.at.t);
}

#endif
