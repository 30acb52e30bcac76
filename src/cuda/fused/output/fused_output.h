// A layer norm and the narrow layer after it, which is the model's output, in one launch
// (fused_output.cu).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FUSED_OUTPUT_H
#define SLT_CUDA_FUSED_OUTPUT_H

#include "cuda/kernels/cuda_op.h"

enum { SLT_OUTPUT_MOST = 8 }; // columns of the narrow layer, at most

typedef struct {
    void *stream;
    slt_cuda_args norm, dense;
} slt_fused_output;

#ifdef __cplusplus
extern "C" {
#endif

void slt_cuda_output_forward(const slt_fused_output *run);
void slt_cuda_output_backward(const slt_fused_output *run);
// blocks of backward, each with sums for the norm's weights
int slt_cuda_output_blocks(const slt_fused_output *run);

#ifdef __cplusplus
}
#endif
#endif
