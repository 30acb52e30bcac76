// Attention whose rows are sums of one of a slot and one of a position (tensor_attention.cu): it
// adds them up as it reads. What the decoder's input gives to it
// (fused/decoder_input/fused_decoder_input.h).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_BROADCAST_ROWS_H
#define SLT_CUDA_BROADCAST_ROWS_H

#include "cuda/kernels/cuda_op.h"

// what attention reads and leaves
typedef struct {
    slt_cuda_view slots, positions; // (sequences,3d), (length,3d): parts of qkv
    slt_cuda_view normed, table, x; // forward: x = normed + table is written, for others; after
                                    // the rows of `normed` are those of the table once more
    slt_cuda_view dx;               // backward: what others left there; may be absent
    slt_cuda_view dslots, dnormed;  // sums over a sequence: of dqkv, of dx
    slt_cuda_view dpositions;       // after dslots: sums of dqkv over all sequences
} slt_decoder_input_rows;

#ifdef __cplusplus
extern "C" {
#endif

// attention with such rows (tensor_attention.cu); are there kernels for sequences so long?
void slt_decoder_input_attention(const slt_cuda_args *args, const slt_decoder_input_rows *rows,
                                 bool backward);
bool slt_decoder_input_fits(int width, int heads, int length);

#ifdef __cplusplus
}
#endif
#endif
