// Which variables of a tape are in bf16 on a device that multiplies in bf16: rows of tokens that
// nobody outside reads, where the operation that makes them and all that read them have kernels for
// it. An operation may want all of its rows alike: one that is not in bf16 then keeps the others
// from it, and so on.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "engine/tape_impl.h"

static unsigned rows_of(const slt_tape *tape, const slt_node *node) {
    if (!node->op->bf16_rows) return 0;
    slt_sizes sizes = slt_node_sizes(tape, node, NULL);
    return node->op->bf16_rows(&sizes);
}

// rows of eights: kernels and libraries read 16 bytes at once
static bool may_be(const slt_tape *tape, const slt_var_info *info) {
    bool tokens = info->shape.space == SLT_TOKENS || info->shape.space == SLT_SLOT_TOKENS;
    return info->origin == SLT_FROM_NODE && !info->kept && tokens && info->type == SLT_NUMBERS &&
           info->shape.width % 8 == 0 && rows_of(tape, &tape->nodes[info->node].node);
}

// a node's variable with bit i; 0: it has none
static slt_var var_at(const slt_node *node, int i) {
    if (i >= SLT_BF16_OUT)
        return i - SLT_BF16_OUT < node->outputs ? node->out[i - SLT_BF16_OUT] : 0;
    return i < node->inputs ? node->in[i] : 0;
}

enum { BITS = SLT_BF16_OUT + SLT_OUTPUTS };
_Static_assert((int)SLT_INPUTS <= (int)SLT_BF16_OUT && (int)BITS <= 32, "bits of a node's rows");

static bool unmark(slt_tape *tape, slt_var var) {
    bool was = tape->vars[var].bf16;
    tape->vars[var].bf16 = false;
    return was;
}

// what a node does not take in bf16 is not; true: something changed
static bool ask_node(slt_tape *tape, const slt_node *node) {
    unsigned taken = rows_of(tape, node);
    bool changed = false, all = true;
    for (int i = 0; i < BITS; i++) {
        slt_var var = var_at(node, i);
        if (!var) continue;
        if (!(taken >> i & 1))
            changed |= unmark(tape, var);
        else
            all &= tape->vars[var].bf16;
    }
    for (int i = 0; i < BITS && node->op->bf16_alike && !all; i++)
        if (taken >> i & 1 && var_at(node, i)) changed |= unmark(tape, var_at(node, i));
    return changed;
}

void slt_tape_plan_bf16(slt_tape *tape) {
    if (!tape->store->device || tape->context->precision != SLT_BF16) return;
    for (slt_var v = 1; v < tape->var_count; v++) tape->vars[v].bf16 = may_be(tape, &tape->vars[v]);
    for (bool changed = true; changed;) {
        changed = false;
        for (int n = 0; n < tape->node_count; n++) changed |= ask_node(tape, &tape->nodes[n].node);
    }
}
