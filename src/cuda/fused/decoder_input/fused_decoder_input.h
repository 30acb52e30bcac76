// The decoder's first rows, where a slot is laid over a sequence and nothing else is joined to it:
//     x_{s,l} = LN(relu(slot_s)) + position_l,  qkv_{s,l} = x_{s,l}·W + c
// A row is a sum of one of its slot and one of its position, and the product is linear: it is made
// for slots and positions, some hundreds of rows instead of many thousands, and attention adds them
// up as it reads. Backward, attention sums dqkv over every sequence, and the product, the norm and
// the ReLU are turned for slots alone; W's gradient is that of slots and positions, with dqkv
// summed over the sequences, too (fused_decoder_input.cu, tensor_attention.cu). In tf32, rows of
// the widths that a layer may have.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FUSED_DECODER_INPUT_H
#define SLT_CUDA_FUSED_DECODER_INPUT_H

#include "cuda/fused/common/widths.h"
#include "cuda/kernels/broadcast_rows.h"

typedef struct {
    void *stream;
    slt_cuda_args norm; // of slots: no positions, a row of each sequence
    bool early;         // nobody writes weights but Adam: they are read before the wait
    int sequences, positions;
    slt_cuda_view slot, dslot;
    bool add_slot;
    slt_cuda_view y; // relu(slot), kept
    slt_cuda_view w, c;
    slt_decoder_input_rows rows;
} slt_fused_decoder_input;

#ifdef __cplusplus
extern "C" {
#endif

void slt_decoder_input_forward(const slt_fused_decoder_input *run);
void slt_decoder_input_backward(const slt_fused_decoder_input *run);
// blocks of backward, each with sums for the norm's weights
int slt_decoder_input_blocks(int sequences);
// dpositions, from attention's node
void slt_decoder_input_positions(const slt_cuda_args *args, slt_cuda_view dpositions);

#ifdef __cplusplus
}
#endif
#endif
