// Places of the inputs of operations that more than one file reads: their own, their kernels', and
// those of fused launches. The rows are the first input of all but join_tokens.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_INPUTS_H
#define SLT_OPS_INPUTS_H

#include "core/host_device.h"

enum { SLT_DENSE_X, SLT_DENSE_W, SLT_DENSE_C };
enum { SLT_NARROW_OUT = 16 }; // columns of a narrow result
enum { SLT_MLP_X, SLT_MLP_W1, SLT_MLP_C1, SLT_MLP_W2, SLT_MLP_C2 };
enum { SLT_NORM_X, SLT_NORM_RESIDUAL, SLT_NORM_GAMMA, SLT_NORM_BETA, SLT_NORM_POSITIONS };
enum { SLT_SHORT_ROW = 128, SLT_NORM_PARTS = 2 * SLT_SHORT_ROW }; // numbers; sums of a block
// the same of wider rows: of a block, so that all are at work at once, four of a multiprocessor
enum { SLT_WIDE_ROW = 512, SLT_WIDE_BLOCKS = 512, SLT_WIDE_FEW = 8, SLT_WIDE_MANY = 64 };
SLT_HOST_DEVICE int slt_wide_rows(int rows) {
    int each = (rows + 4 * SLT_WIDE_BLOCKS - 1) / (4 * SLT_WIDE_BLOCKS) * 4;
    return each < SLT_WIDE_FEW ? SLT_WIDE_FEW : each < SLT_WIDE_MANY ? each : SLT_WIDE_MANY;
}
// blocks of so many rows, or of fewer
SLT_HOST_DEVICE int slt_wide_blocks(int rows) {
    int few = rows / SLT_WIDE_FEW + 1, many = rows / SLT_WIDE_MANY + 1;
    few = few < SLT_WIDE_BLOCKS ? few : SLT_WIDE_BLOCKS;
    return few > many ? few : many;
}
enum { SLT_POSITION_X, SLT_POSITION_W, SLT_POSITION_C }; // of add_position
enum { SLT_JOIN_IDS, SLT_JOIN_TABLE, SLT_JOIN_X };       // of join_tokens
enum { SLT_JOIN_SLOT, SLT_JOIN_TOKEN };                  // of join_slots
// of slot_attention: does a trajectory have several blocks, being long or its slots wide; positions
// of a block; what a block leaves of slots with so many numbers each: sums of values, and of
// weights
enum { SLT_SLOT_LONG = 128, SLT_SLOT_WIDE = 128 };
SLT_HOST_DEVICE int slt_slot_shared(int length, int width) {
    return length > SLT_SLOT_LONG || width > SLT_SLOT_WIDE;
}
SLT_HOST_DEVICE int slt_slot_chunk(int width) { return width > SLT_SLOT_WIDE ? 16 : 64; }
SLT_HOST_DEVICE int slt_slot_part(int slots, int width) {
    return (slots * (width + 1) + 3) / 4 * 4;
}
enum { SLT_START_MU, SLT_START_RHO, SLT_START_NOISE }; // of slot_start

#endif
