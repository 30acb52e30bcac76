// One head of attention inside one sequence, as a record, and the ways to compute it: one per width
// of vectors. Only the order of arithmetic is theirs, and it is the same for all of them.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_ATTENTION_HEAD_H
#define SLT_OPS_ATTENTION_HEAD_H

#include <stdbool.h>
#include <stddef.h>
#include "engine/real.h"

enum { SLT_HEAD_CHUNK = 64, SLT_HEAD_WIDEST = 16 }; // queries at a time; lanes of any vector

// o = softmax_keys(scale·q·kᵀ)·v. Rows of q, k and v are `stride` numbers apart, those of their
// gradients as well; rows of o and its gradient are `out_stride` apart.
typedef struct {
    int queries, keys, size; // size: channels; keys <= queries
    size_t stride, out_stride;
    slt_real scale;
    const slt_real *q, *k, *v;
    slt_real *most, *inverse; // [queries] kept for backward: maximum (over ln 2), 1/sum of powers
    slt_real *out;            // forward writes it
    const slt_real *dout;     // backward reads it, and writes or adds to
    slt_real *dq, *dk, *dv;   // rows of dk and dv after the keys stay as they are
    bool add;
    slt_real *scratch; // slt_head_scratch numbers
} slt_head;

// numbers of scratch for sequences of this length
size_t slt_head_scratch(int length, int size);

typedef struct {
    int lanes;
    void (*forward)(const slt_head *head), (*backward)(const slt_head *head);
} slt_head_kernel;

extern const slt_head_kernel slt_head_base, slt_head_avx2, slt_head_avx512;

// the one for this processor and heads of this size
const slt_head_kernel *slt_head_chosen(int size);

#endif
