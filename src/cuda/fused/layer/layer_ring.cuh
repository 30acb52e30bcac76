// Weights of a layer's launch on their way (fused_layer.h): pieces of 64 x W numbers (32 KB with
// rows of W = 128), copied whole into shared memory, three of each group of warps on their way or
// at work.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_LAYER_RING_CUH
#define SLT_CUDA_LAYER_RING_CUH

#include "cuda/fused/layer/fused_layer.h"
#include "cuda/kernels/warp_group.cuh"

// ---- copies of whole pieces, which nobody waits for until the gate opens

#if !defined(SLT_EMULATED) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900

SLT_DEVICE_INLINE unsigned slt_shared_place(const void *at) {
    return (unsigned)__cvta_generic_to_shared(at);
}
SLT_DEVICE_INLINE void slt_gate_init(uint64_t *gate) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(slt_shared_place(gate)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
SLT_DEVICE_INLINE void slt_gate_prefetch(uint64_t *gate, float *to, const float *from, int bytes) {
    asm volatile(
        "mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(slt_shared_place(gate)),
        "r"(bytes)
        : "memory");
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                 "[%0], [%1], %2, [%3];" ::"r"(slt_shared_place(to)),
                 "l"(from), "r"(bytes), "r"(slt_shared_place(gate))
                 : "memory");
}
SLT_DEVICE_INLINE void slt_gate_wait(uint64_t *gate, int turn) {
    asm volatile("{\n"
                 ".reg .pred open;\n"
                 "again:\n"
                 "mbarrier.try_wait.parity.shared::cta.b64 open, [%0], %1;\n"
                 "@!open bra again;\n"
                 "}\n" ::"r"(slt_shared_place(gate)),
                 "r"(turn % 2)
                 : "memory");
}

#else

// whoever asks copies
SLT_DEVICE_INLINE void slt_gate_init(uint64_t *) {}
SLT_DEVICE_INLINE void slt_gate_prefetch(uint64_t *, float *to, const float *from, int bytes) {
    for (int i = 0; i < bytes / 16; i++) ((float4 *)to)[i] = ((const float4 *)from)[i];
}
SLT_DEVICE_INLINE void slt_gate_wait(uint64_t *, int) {}

#endif

// ---- turns of two groups, once: nothing but their pace depends on it

#if defined SLT_EMULATED || defined SLT_NO_TURNS
SLT_DEVICE_INLINE void slt_group_turn_wait(void) {}
SLT_DEVICE_INLINE void slt_group_turn_give(void) {}
#else
SLT_DEVICE_INLINE void slt_group_turn_wait(void) { asm volatile("bar.sync 5, 256;" ::: "memory"); }
SLT_DEVICE_INLINE void slt_group_turn_give(void) {
    asm volatile("bar.arrive 5, 256;" ::: "memory");
}
#endif

// ---- the pieces of a group, three on their way or at work

enum { SLT_LAYER_STAGES = 3, SLT_LAYER_GATES = SLT_LAYER_GROUPS * SLT_LAYER_STAGES };

typedef struct {
    float *stages;
    const float *from;
    uint64_t *gates;
    int count, at; // pieces; the current one
} slt_layer_ring;

template <int W> SLT_DEVICE_INLINE void slt_ring_ask(const slt_layer_ring &r, int piece) {
    enum { PIECE = SLT_LAYER_PART * W };
    int stage = piece % SLT_LAYER_STAGES;
    if (threadIdx.x % SLT_GROUP == 0 && piece < r.count) // one thread of the group does
        slt_gate_prefetch(r.gates + stage, r.stages + stage * PIECE,
                          r.from + (int64_t)piece * PIECE, PIECE * 4);
}

// the first pieces are on their way; a barrier of the block comes before one is taken
template <int W>
SLT_DEVICE_INLINE slt_layer_ring slt_ring_open(float *stages, uint64_t *gates, const float *packed,
                                               int count) {
    enum { PIECE = SLT_LAYER_PART * W };
    int group = (int)threadIdx.x / SLT_GROUP;
    slt_layer_ring r;
    r.count = count, r.at = 0;
    r.stages = stages + group * SLT_LAYER_STAGES * PIECE;
    r.gates = gates + group * SLT_LAYER_STAGES;
    r.from = packed + (int64_t)group * count * PIECE;
    for (int i = 0; threadIdx.x % SLT_GROUP == 0 && i < SLT_LAYER_STAGES; i++)
        slt_gate_init(r.gates + i);
    for (int i = 0; i < SLT_LAYER_STAGES; i++) slt_ring_ask<W>(r, i);
    return r;
}

template <int W> SLT_DEVICE_INLINE const float *slt_ring_take(const slt_layer_ring &r) {
    int stage = r.at % SLT_LAYER_STAGES;
    slt_gate_wait(r.gates + stage, r.at / SLT_LAYER_STAGES);
    return r.stages + stage * SLT_LAYER_PART * W;
}

// the group has done with the piece at hand: its place is filled again
template <int W> SLT_DEVICE_INLINE void slt_ring_next(slt_layer_ring &r) {
    slt_group_sync((int)threadIdx.x / SLT_GROUP);
    slt_ring_ask<W>(r, r.at + SLT_LAYER_STAGES);
    r.at++;
}

#endif
