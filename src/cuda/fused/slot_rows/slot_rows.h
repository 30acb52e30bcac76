// The decoder's first rows, where a slot is laid over a sequence and nothing else is joined to it,
// at precisions and widths that have no launch of their own (fused_decoder_input.h):
//     x_{s,l} = LN(relu(slot_s)) + position_l,  qkv_{s,l} = x_{s,l}·W + c
// Norm and product are those of slots and positions, some hundreds of rows; rows of x and qkv are
// sums of one of each. Backward, dqkv is summed over sequences and over positions, and the product,
// the norm and the ReLU are turned for slots alone; W's gradient is that of slots and positions.
//
// Attention in bf16 of brief trajectories does without rows of qkv, and hands sums of their
// gradients back (summed_attention.cu).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_SLOT_ROWS_H
#define SLT_CUDA_SLOT_ROWS_H

#include "cuda/kernels/cuda_op.h"

enum {
    SLT_SLOT_ROWS_CHUNK = 64,
    SLT_SLOT_ROWS_COLUMNS = 128
}; // steps and columns that a block sums

// rows that are sums, of float32 or bf16, and what they are sums of
typedef struct {
    slt_cuda_view rows, slots, positions, bias; // bias may be absent
    int width;
    bool bf16;
} slt_summed_rows;

typedef struct {
    void *stream;
    slt_cuda_args norm; // of slots: no positions, a row of each sequence
    int rows, sequences, positions;
    slt_cuda_view slot, dslot, table;
    bool add_slot;
    slt_cuda_view y, normed; // relu(slot); LN(y), and the table after it
    slt_summed_rows x, qkv;  // forward
    slt_summed_rows dx,
        dqkv;               // backward: sums over a sequence and over a position; dx may be absent
    slt_cuda_view dy;       // of relu(slot)
    slt_cuda_view parts[2]; // sums of chunks of dqkv's sequences, and of dx's
    slt_cuda_view groups_parts; // sums of dqkv's positions over groups of sequences
    int chunks, groups;
    // attention makes the rows of qkv, and sums of its sequences and groups and of rows of dx in
    // bf16
    bool attends;
} slt_slot_rows;

#ifdef __cplusplus
extern "C" {
#endif

void slt_slot_rows_begin(const slt_slot_rows *run);  // y, and the table after `normed`
void slt_slot_rows_spread(const slt_slot_rows *run); // x and, but for attention, qkv
void slt_slot_rows_sum(const slt_slot_rows *run);    // of dqkv and dx, but for attention's
void slt_slot_rows_end(const slt_slot_rows *run);    // dslot from dy

// of longer trajectories most sequences have two tiles, and rows in memory are faster
enum { SLT_SUMMED_LENGTH = 80 };
bool slt_summed_attention_fits(int size, int length); // of a head, of trajectories
// groups of sequences that fill the device, backward
int slt_summed_attention_groups(const slt_cuda_args *attention);
void slt_summed_attention(const slt_cuda_args *attention, const slt_slot_rows *run, bool backward);

#ifdef __cplusplus
}
#endif
#endif
