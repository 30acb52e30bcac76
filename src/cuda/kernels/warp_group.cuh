// Tensor cores by four warps at once (wgmma, Hopper): c (64,128) += a (64,8)·b (8,128), factors in
// tf32, or c (64,N) += a (64,16)·b (16,N) in bf16; sums in float32. Warp w has rows 16w .. 16w+15;
// its lane (g, t) = (lane/4, lane%4) holds factors and results as with one warp (tensor_core.cuh).
// b lies in shared memory.
//
// Lane (g, t) takes channels 16c + 4t .. 4t+3 of a row, so that it reads fours; b is packed in
// the same order (slt_group_number). What there is elsewhere than on Hopper is up to the caller.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_WARP_GROUP_CUH
#define SLT_CUDA_WARP_GROUP_CUH

#include "cuda/kernels/tensor_core.cuh"

enum { SLT_GROUP = 128, SLT_GROUP_ALIGN = 1024 }; // threads; bytes, of b's begin

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define SLT_GROUP_CORE 1
#else
#define SLT_GROUP_CORE 0
#endif

// the number of a channel in the products
SLT_DEVICE_INLINE int slt_group_number(int channel) {
    return channel / 16 * 16 + channel / 2 % 2 * 8 + channel % 2 * 4 + channel / 4 % 4;
}

#ifdef SLT_EMULATED
SLT_DEVICE_INLINE float *slt_group_begin(float *memory) { return memory; }
SLT_DEVICE_INLINE void slt_group_sync(int) { __syncthreads(); }
#else
// where b may begin
SLT_DEVICE_INLINE float *slt_group_begin(float *memory) {
    unsigned place = (unsigned)__cvta_generic_to_shared(memory);
    return memory + (0u - place) % SLT_GROUP_ALIGN / sizeof(float);
}
// the threads of group i of the block wait for one another
SLT_DEVICE_INLINE void slt_group_sync(int i) {
    asm volatile("bar.sync %0, 128;" ::"r"(i + 1) : "memory");
}
#endif

#if SLT_GROUP_CORE

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

// one sixteen of k in bf16. TURNED: it is the columns of b that are next to each other in memory
template <int N, bool TURNED>
SLT_DEVICE_INLINE void slt_group_pairs(float (*c)[4], const uint32_t *a, uint64_t b, int first) {
    if constexpr (N == 64)
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "setp.eq.b32 p, %37, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                     "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                     "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
                     "{%32,%33,%34,%35}, %36, p, 1, 1, %38;\n"
                     "}\n"
                     : SLT_SIXTEEN_OUT(0), SLT_SIXTEEN_OUT(4)
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(first), "n"(TURNED));
    else
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "setp.eq.b32 p, %21, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 "
                     "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, "
                     "{%16,%17,%18,%19}, %20, p, 1, 1, %22;\n"
                     "}\n"
                     : SLT_SIXTEEN_OUT(0)
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b), "r"(first), "n"(TURNED));
}

// one sixteen of k, a (64,16) in shared memory, too. TURNED: it is the rows of a, and the columns
// of b, that are next to each other there
template <int N, bool TURNED>
SLT_DEVICE_INLINE void slt_group_pairs_of(float (*c)[4], uint64_t a, uint64_t b, int first) {
    if constexpr (N == 32)
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "setp.eq.b32 p, %18, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n32k16.f32.bf16.bf16 "
                     "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15}, "
                     "%16, %17, p, 1, 1, %19, %19;\n"
                     "}\n"
                     : SLT_SIXTEEN_OUT(0)
                     : "l"(a), "l"(b), "r"(first), "n"(TURNED));
    if constexpr (N == 64)
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "setp.eq.b32 p, %34, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 "
                     "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                     "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31}, "
                     "%32, %33, p, 1, 1, %35, %35;\n"
                     "}\n"
                     : SLT_SIXTEEN_OUT(0), SLT_SIXTEEN_OUT(4)
                     : "l"(a), "l"(b), "r"(first), "n"(TURNED));
    if constexpr (N == 128)
        asm volatile("{\n"
                     ".reg .pred p;\n"
                     "setp.eq.b32 p, %66, 0;\n"
                     "wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 "
                     "{%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15,"
                     "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31,"
                     "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47,"
                     "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63}, "
                     "%64, %65, p, 1, 1, %67, %67;\n"
                     "}\n"
                     : SLT_SIXTEEN_OUT(0), SLT_SIXTEEN_OUT(4), SLT_SIXTEEN_OUT(8),
                       SLT_SIXTEEN_OUT(12)
                     : "l"(a), "l"(b), "r"(first), "n"(TURNED));
}

// before the first product of some, when registers or shared memory have been written
SLT_DEVICE_INLINE void slt_group_fence(void) {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
// the products since the last call are on their way; all of them have ended
SLT_DEVICE_INLINE void slt_group_start(void) {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
SLT_DEVICE_INLINE void slt_group_await(void) {
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}
// what the thread wrote into shared memory is there for products behind the next barrier
SLT_DEVICE_INLINE void slt_group_publish(void) {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
// nothing of x moves before the end of products
template <int N> SLT_DEVICE_INLINE void slt_group_pin(float (*x)[4]) {
#pragma unroll
    for (int i = 0; i < 4 * N; i++) asm volatile("" : "+f"(x[i / 4][i % 4])::"memory");
}
template <int N> SLT_DEVICE_INLINE void slt_group_pin(uint32_t (*x)[4]) {
#pragma unroll
    for (int i = 0; i < 4 * N; i++) asm volatile("" : "+r"(x[i / 4][i % 4])::"memory");
}

#else

SLT_DEVICE_INLINE void slt_group_fence(void) {}
SLT_DEVICE_INLINE void slt_group_start(void) {}
SLT_DEVICE_INLINE void slt_group_await(void) {}
SLT_DEVICE_INLINE void slt_group_publish(void) {}
template <int N> SLT_DEVICE_INLINE void slt_group_pin(float (*)[4]) {}
template <int N> SLT_DEVICE_INLINE void slt_group_pin(uint32_t (*)[4]) {}

#endif
#endif
