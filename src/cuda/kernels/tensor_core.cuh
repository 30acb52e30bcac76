// Tensor cores: c (16,8) += a (16,8)·b (8,8) by a warp, factors in tf32, sums in float32. A lane
// (g, t) = (lane/4, lane%4) holds a = {(g,t), (g+8,t), (g,t+4), (g+8,t+4)}, b = {(t,g), (t+4,g)}
// and c = {(g,2t), (g,2t+1), (g+8,2t), (g+8,2t+1)}. The same in bf16, with pairs of k for one: a
// (16,16) = {(g,t), (g+8,t), (g,t+4), (g+8,t+4)} and b (16,8) = {(t,g), (t+4,g)}, t counting pairs.
// And copies into shared memory that a thread does not wait for, 16 bytes each.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_TENSOR_CORE_CUH
#define SLT_CUDA_TENSOR_CORE_CUH

#include "cuda/kernels/kernel.cuh"

#ifdef SLT_EMULATED

SLT_DEVICE_INLINE float slt_rounded(float x) { return slt_tf32(x); }
SLT_DEVICE_INLINE float slt_power(float x) { return exp2f(x); }
SLT_DEVICE_INLINE void slt_copy_fours(float *to, const float *from) {
    *(float4 *)to = *(const float4 *)from;
}
SLT_DEVICE_INLINE void slt_copy_fours_if(float *to, const float *from, bool there) {
    *(float4 *)to = there ? *(const float4 *)from : slt_four(0, 0, 0, 0);
}
SLT_DEVICE_INLINE void slt_copy_word_if(float *to, const float *from, bool there) {
    *(uint32_t *)to = there ? *(const uint32_t *)from : 0;
}
SLT_DEVICE_INLINE void slt_copy_group(void) {}
template <int N> SLT_DEVICE_INLINE void slt_copy_wait(void) {}

#else

// the nearest number with 10 bits after the point
SLT_DEVICE_INLINE float slt_tf32(float x) {
    unsigned bits;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(bits) : "f"(x));
    return __uint_as_float(bits);
}
// the same for a factor, which the tensor core cuts off after these bits: one instruction, not
// three. A NaN may be lost
SLT_DEVICE_INLINE float slt_rounded(float x) {
    return __uint_as_float(__float_as_uint(x) + 0x1000u);
}
SLT_DEVICE_INLINE void slt_mma(float *c, const float *a, const float *b) {
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(__float_as_uint(a[0])), "r"(__float_as_uint(a[1])),
                   "r"(__float_as_uint(a[2])), "r"(__float_as_uint(a[3])),
                   "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])));
}

SLT_DEVICE_INLINE void slt_mma_pairs(float *c, const uint32_t *a, const uint32_t *b) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
// the nearest numbers in bf16, the first in the lower half
SLT_DEVICE_INLINE uint32_t slt_pair(float first, float second) {
    uint32_t pair;
    asm("cvt.rn.bf16x2.f32 %0, %1, %2;" : "=r"(pair) : "f"(second), "f"(first));
    return pair;
}

// 2 to the x, to some units of the last place
SLT_DEVICE_INLINE float slt_power(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

SLT_DEVICE_INLINE void slt_copy_fours(float *to, const float *from) {
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(from) : "memory");
}
// zeros where it is not there
SLT_DEVICE_INLINE void slt_copy_fours_if(float *to, const float *from, bool there) {
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(place), "l"(from),
                 "r"(there ? 16 : 0)
                 : "memory");
}
SLT_DEVICE_INLINE void slt_copy_word_if(float *to, const float *from, bool there) {
    unsigned place = (unsigned)__cvta_generic_to_shared(to);
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(place), "l"(from),
                 "r"(there ? 4 : 0)
                 : "memory");
}
// what was copied since the last group is one
SLT_DEVICE_INLINE void slt_copy_group(void) { asm volatile("cp.async.commit_group;" ::: "memory"); }
// all groups but the last N are there
template <int N> SLT_DEVICE_INLINE void slt_copy_wait(void) {
    asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

#endif
#endif
