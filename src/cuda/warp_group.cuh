// Tensor cores by four warps at once (wgmma, Hopper): c (64,128) = a (64,128)·b (128,128), factors
// in tf32, sums in float32. Warp w has rows 16w .. 16w+15; its lane (g, t) = (lane/4, lane%4) holds
// factors and results as with one warp (tensor_core.cuh): a of every eight of k, c of every eight
// of columns. b lies in shared memory, where slt_group_place says, for all groups of the block.
//
// Lane (g, t) takes channels 16c + 4t .. 4t+3 of a row, so that it reads fours; b is laid down in
// the same order (slt_group_number). Elsewhere than on Hopper every warp multiplies for itself.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_WARP_GROUP_CUH
#define SLT_CUDA_WARP_GROUP_CUH

#include "cuda/tensor_core.cuh"

enum { SLT_GROUP = 128, SLT_GROUP_ROWS = 64, SLT_GROUP_COLUMNS = 128, SLT_GROUP_K = 128 };
enum { SLT_GROUP_STEPS = SLT_GROUP_K / 8, SLT_GROUP_EIGHTS = SLT_GROUP_COLUMNS / 8 };
// of b: numbers, bytes
enum { SLT_GROUP_SIZE = SLT_GROUP_K * SLT_GROUP_COLUMNS, SLT_GROUP_ALIGN = 1024 };

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define SLT_GROUP_CORE 1
#else
#define SLT_GROUP_CORE 0
#endif

// the number of a channel in the products
SLT_DEVICE_INLINE int slt_group_number(int channel) {
    return channel / 16 * 16 + channel / 2 % 2 * 8 + channel % 2 * 4 + channel / 4 % 4;
}
// where number k of column n is: 32 numbers of all columns behind one another, fours of a column
// where the last bits of n say, which keeps them in other banks
SLT_DEVICE_INLINE int slt_group_place(int k, int n) {
    return k / 32 * 32 * SLT_GROUP_COLUMNS + n * 32 + ((k / 4 % 8) ^ (n % 8)) * 4 + k % 4;
}

#ifdef SLT_EMULATED
SLT_DEVICE_INLINE float *slt_group_begin(float *memory) { return memory; }
SLT_DEVICE_INLINE void slt_group_laid(void) {}
SLT_DEVICE_INLINE void slt_group_sync(int) { __syncthreads(); }
#else
// where b may begin
SLT_DEVICE_INLINE float *slt_group_begin(float *memory) {
    unsigned place = (unsigned)__cvta_generic_to_shared(memory);
    return memory + (0u - place) % SLT_GROUP_ALIGN / sizeof(float);
}
// behind the last number of b, in front of a barrier
SLT_DEVICE_INLINE void slt_group_laid(void) {
#if SLT_GROUP_CORE
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}
// the threads of group i of the block wait for one another
SLT_DEVICE_INLINE void slt_group_sync(int i) {
    asm volatile("bar.sync %0, 128;" ::"r"(i + 1) : "memory");
}
#endif

#if SLT_GROUP_CORE

// eights of k lie side by side in 128 bytes, eights of columns 1024 bytes apart
SLT_DEVICE_INLINE uint64_t slt_group_view(const float *b, int step) {
    unsigned place = (unsigned)__cvta_generic_to_shared(b + step / 4 * 32 * SLT_GROUP_COLUMNS);
    uint64_t start = (place + (unsigned)step % 4 * 32u) >> 4 & 0x3fff;
    return start | (uint64_t)1 << 16 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 62;
}

#define SLT_FOUR_OUT(i)    "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3])
#define SLT_EIGHT_OUT(i)   SLT_FOUR_OUT(i), SLT_FOUR_OUT(i + 1)
#define SLT_SIXTEEN_OUT(i) SLT_EIGHT_OUT(i), SLT_EIGHT_OUT(i + 2)

// one eight of k; the first one does not look at what is in c
SLT_DEVICE_INLINE void slt_group_step(float (*c)[4], const float *a, uint64_t b, int first) {
    asm volatile("{\n"
                 ".reg .pred p;\n"
                 "setp.eq.b32 p, %69, 0;\n"
                 "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 "
                 "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                 "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
                 "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
                 "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, "
                 "{%64,%65,%66,%67}, %68, p, 1, 1;\n"
                 "}\n"
                 : SLT_SIXTEEN_OUT(0), SLT_SIXTEEN_OUT(4), SLT_SIXTEEN_OUT(8), SLT_SIXTEEN_OUT(12)
                 : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),
                   "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])), "l"(b), "r"(first));
}

// c = a·b. The cores read a and write c until the last line: nothing of them moves in front of it
SLT_DEVICE_INLINE void slt_group_multiply(float (*c)[4], float (*a)[4], const float *b, int, int) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (int s = 0; s < SLT_GROUP_STEPS; s++) slt_group_step(c, a[s], slt_group_view(b, s), s == 0);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
    for (int s = 0; s < SLT_GROUP_STEPS; s++)
#pragma unroll
        for (int i = 0; i < 4; i++) asm volatile("" : "+f"(a[s][i]), "+f"(c[s][i])::"memory");
}

#else

SLT_DEVICE_INLINE void slt_group_multiply(float (*c)[4], float (*a)[4], const float *b, int g,
                                          int t) {
#pragma unroll
    for (int j = 0; j < SLT_GROUP_EIGHTS; j++) {
        for (int i = 0; i < 4; i++) c[j][i] = 0;
#pragma unroll
        for (int s = 0; s < SLT_GROUP_STEPS; s++) {
            float right[2] = {b[slt_group_place(8 * s + t, 8 * j + g)],
                              b[slt_group_place(8 * s + t + 4, 8 * j + g)]};
            slt_mma(c[j], a[s], right);
        }
    }
}

#endif
#endif
