// The table of operations.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/common/op_table.h"

const slt_op *const slt_op_table[] = {
#define SLT_ROW_OF(name) &slt_op_##name,
    SLT_OPS(SLT_ROW_OF)
#undef SLT_ROW_OF
        NULL,
};
