// A layer norm and the narrow layer behind it, which is the model's output, in one launch
// (head_run.cu).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_HEAD_RUN_H
#define SLT_CUDA_HEAD_RUN_H

#include "cuda/kernels/cuda_op.h"

enum { SLT_HEAD_OUT = 8 }; // columns of the narrow layer, at most

typedef struct {
    void *stream;
    slt_cuda_args norm, dense;
} slt_head_run;

#ifdef __cplusplus
extern "C" {
#endif

void slt_cuda_head_forward(const slt_head_run *run);
void slt_cuda_head_backward(const slt_head_run *run);
// blocks of backward, each with sums for the norm's weights
int slt_cuda_head_blocks(const slt_head_run *run);

#ifdef __cplusplus
}
#endif
#endif
