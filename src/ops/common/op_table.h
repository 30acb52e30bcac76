// The list of operations: a row here and a file of this folder make one.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_TABLE_H
#define SLT_OPS_TABLE_H

#include "engine/op.h"

// clang-format off
#define SLT_OPS(X)                                                                                 \
    X(dense) X(dense_active) X(dense_bits) X(embed) X(mlp) X(layer_norm) X(activate) X(add)        \
    X(add_position) X(add_table) X(softmax) X(attention) X(join_tokens) X(join_slots) X(noise)     \
    X(slot_start) X(slot_attention) X(gru_cell) X(lstm) X(uniform) X(stack_slots)                  \
    X(boundary_sample) X(boundary_kl) X(boundary_readout) X(boundary_masks) X(segment_xent)        \
    X(gaussian_sample) X(gaussian_kl) X(concrete_sample) X(concrete_kl) X(segment_mask)            \
    X(count_mask) X(halting) X(halting_kl) X(prefix_xent) X(softmax_xent) X(squared_error)         \
    X(weighted_sum) X(add_loss) X(ompn) X(done_xent) X(end_probability) X(window_attention)        \
    X(add_slots) X(count_xent) X(count_kl) X(live_rows) X(mask_pool) X(segment_code) X(scale) X(exception_cost) \
    X(policy_loss) X(prefix_gaussian) X(segment_gaussian) X(done_gaussian) X(dropout)
// clang-format on

#define SLT_DECLARE_OP(name) extern const slt_op slt_op_##name;
SLT_OPS(SLT_DECLARE_OP)
#undef SLT_DECLARE_OP

extern const slt_op *const slt_op_table[]; // NULL after the last

#endif
