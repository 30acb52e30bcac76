// The kernels of OMPN's recurrence as its steps read them.
//
// A step multiplies few rows with many kernels, and the next step does so again: laid out once for
// the products of all steps, forward as they are, backward turned round. Laying them out in every
// product took a sixth of a training step.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/ompn/ompn_impl.h"

static void pack(const slt_ompn *o, slt_ompn_kernel k, bool backward, slt_real *to) {
    if (backward)
        slt_gemm_pack(true, k.rows, k.columns, o->w + k.at, k.columns, to);
    else
        slt_gemm_pack(false, k.columns, k.rows, o->w + k.at, k.columns, to);
}

// the kernels of x as child and as x of the leaf, added
static void join_leaf(const slt_ompn *o) {
    size_t count = (size_t)o->d * 4 * (size_t)o->d;
    const slt_real *child = o->w + o->com[o->n - 1].at.w1, *x = child + 2 * count;
    for (size_t i = 0; i < count; i++) o->leaf_kernel[i] = child[i] + x[i];
}

// two for each cell, one for the gate, and forward one for the leaf
int slt_ompn_kernel_tasks(const slt_args *args, bool backward) {
    int cells = 2 * args->node->attributes.n[0] - 1;
    return 2 * cells + (backward ? 1 : 2);
}

static void run_task(const slt_args *args, int task, bool backward) {
    slt_ompn o;
    slt_ompn_open(&o, args, backward);
    int cell = task / 2, cells = 2 * o.n - 1;
    const slt_ompn_part *part = cell < o.n ? &o.com[cell] : &o.decom[cell - o.n];
    if (task == 2 * cells)
        pack(&o, slt_ompn_gate_kernel(&o), backward, o.gate_packed);
    else if (cell == cells)
        join_leaf(&o);
    else if (task % 2 == 0)
        pack(&o, slt_ompn_first_kernel(part, o.d), backward, part->packed1);
    else
        pack(&o, slt_ompn_second_kernel(part, o.d), backward, part->packed2);
}

void slt_ompn_forward_kernel(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    run_task(args, task, false);
}

void slt_ompn_backward_kernel(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    run_task(args, task, true);
}
