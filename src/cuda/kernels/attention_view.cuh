// Where the numbers of one head of a sequence are, for both kinds of attention kernels.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_ATTENTION_VIEW_CUH
#define SLT_CUDA_ATTENTION_VIEW_CUH

#include "cuda/kernels/kernel.cuh"

enum { SLT_ATTENTION_HEADS, SLT_ATTENTION_SPACE }; // attributes

// one head of a sequence
typedef struct {
    slt_device_span run;
    int head, heads, size, width, keys;
    float scale;
} slt_attention_view;

SLT_DEVICE_INLINE slt_attention_view slt_attention_view_at(const slt_cuda_args &a, int sequence,
                                                           int head) {
    slt_attention_view v;
    slt_space space = (slt_space)a.n[SLT_ATTENTION_SPACE];
    v.head = head;
    v.heads = a.n[SLT_ATTENTION_HEADS];
    v.width = a.out_width[0];
    v.size = v.width / v.heads;
    v.scale = 1 / sqrtf((float)v.size);
    v.run = slt_span_of(a, space, sequence);
    int truth = slt_length(a)[v.run.b];
    if (space == SLT_SLOT_TOKENS) {
        int companion = slt_companion(a)[sequence];
        if (companion >= 0) truth = slt_length(a)[companion];
    }
    v.keys = slt_least(truth, v.run.computed);
    return v;
}

SLT_DEVICE_INLINE slt_attention_view slt_attention_view_of(const slt_cuda_args &a, int head) {
    return slt_attention_view_at(a, (int)blockIdx.x, head);
}

SLT_DEVICE_INLINE bool slt_attention_there(const slt_cuda_args &a, int sequence) {
    int slots = a.n[SLT_ATTENTION_SPACE] == SLT_SLOT_TOKENS ? a.slots : 1;
    return sequence < slt_header(a)->count * slots;
}
SLT_DEVICE_INLINE bool slt_sequence_there(const slt_cuda_args &a) {
    return slt_attention_there(a, (int)blockIdx.x);
}

// part 0, 1, 2 of row l: query, key, value
SLT_DEVICE_INLINE int64_t slt_attention_place(const slt_attention_view &v, int part, int l) {
    return (int64_t)(v.run.first + l) * 3 * v.width + part * v.width + v.head * v.size;
}
// row l of the output
SLT_DEVICE_INLINE int64_t slt_attention_out(const slt_attention_view &v, int l) {
    return (int64_t)(v.run.first + l) * v.width + v.head * v.size;
}
// what is kept of row l: the scaled maximum and 1/sum
SLT_DEVICE_INLINE int64_t slt_attention_kept(const slt_attention_view &v, int l) {
    return 2 * ((int64_t)(v.run.first + l) * v.heads + v.head);
}

// a block for some heads of a sequence, `times` over
static inline dim3 slt_attention_grid(const slt_cuda_args *args, int heads, int times) {
    int slots = args->n[SLT_ATTENTION_SPACE] == SLT_SLOT_TOKENS ? args->slots : 1;
    return dim3((unsigned)(args->trajectories * slots),
                (unsigned)(times * slt_pieces(args->n[SLT_ATTENTION_HEADS], heads)),
                (unsigned)args->members);
}

#endif
