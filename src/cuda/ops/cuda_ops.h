// The table of kernels (cuda_ops.c).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_OPS_H
#define SLT_CUDA_OPS_H

#include "engine/tape_impl.h"
#include "cuda/kernels/cuda_op.h"

typedef struct {
    const slt_op *op;
    void (*forward)(const slt_cuda_args *args);
    void (*backward)(const slt_cuda_args *args);
} slt_cuda_op;

const slt_cuda_op *slt_cuda_find(const slt_op *op); // NULL: there is none
bool slt_cuda_knows(const slt_op *op);
const char *slt_cuda_path(const slt_tape *tape, int n); // of a node that has a choice; else NULL

#endif
