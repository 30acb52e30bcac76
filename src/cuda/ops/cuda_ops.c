// The table of kernels. What they need is said by the operation (slt_op).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "cuda/ops/cuda_ops.h"

#include "cuda/device/cuda_tape.h"
#include "ops/common/op_table.h"

_Static_assert((int)SLT_GATED_ROWS >= (int)SLT_ROW_BLOCK, "an MLP has room for its sums (mlp.c)");

static const slt_cuda_op table[] = {
#define ROW(name) {&slt_op_##name, slt_cuda_##name##_forward, slt_cuda_##name##_backward},
    SLT_OPS_WITH_KERNELS(ROW)
#undef ROW
};

const slt_cuda_op *slt_cuda_find(const slt_op *op) {
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].op == op) return &table[i];
    return NULL;
}

bool slt_cuda_knows(const slt_op *op) { return slt_cuda_find(op) != NULL; }

const char *slt_cuda_path(const slt_tape *tape, int n) {
    if (tape->nodes[n].node.op != &slt_op_attention) return NULL;
    slt_cuda_args args = slt_cuda_args_of(tape, n, false);
    return slt_cuda_attention_kind(&args);
}
