// The operations of the list in ops.h.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_TABLE_H
#define SLT_OPS_TABLE_H

#include "engine/op.h"
#include "ops/common/ops.h"

#define SLT_DECLARE_OP(name) SLT_PLUGIN extern const slt_op slt_op_##name;
SLT_OPS(SLT_DECLARE_OP)
#undef SLT_DECLARE_OP

extern const slt_op *const slt_op_table[]; // NULL after the last

#endif
