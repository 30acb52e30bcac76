// Layer norms and what is done to the same rows before them, in one launch: a warp takes a row
// through all of the nodes (fused_norm.cu).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FUSED_NORM_H
#define SLT_CUDA_FUSED_NORM_H

#include "cuda/kernels/cuda_op.h"

typedef enum {
    SLT_ROW_TOKENS,   // join_tokens
    SLT_ROW_SLOTS,    // join_slots
    SLT_ROW_POSITION, // add_position
    SLT_ROW_NORM,     // layer_norm
} slt_row_kind;

enum { SLT_ROW_NODES = 3, SLT_ROW_NORMS = 2 };

// nodes in the order of the tape, both ways
typedef struct {
    void *stream;
    int nodes;
    slt_row_kind kind[SLT_ROW_NODES];
    slt_cuda_args node[SLT_ROW_NODES];
} slt_fused_norm;

#ifdef __cplusplus
extern "C" {
#endif

void slt_cuda_rows_forward(const slt_fused_norm *run);
void slt_cuda_rows_backward(const slt_fused_norm *run);
// blocks of backward, each with sums for the norms' weights
int slt_cuda_rows_blocks(const slt_fused_norm *run);

#ifdef __cplusplus
}
#endif
#endif
