// The kernels of OMPN's recurrence as its steps read them.
//
// A step multiplies few rows with many kernels, so their numbers come from far away each time.
// Turned round (columns become rows) they come as long runs: 32 rows times 128 x 512 ran at 32
// instead of 25 GFLOP/s on a Neoverse N1, the whole of forward 5 % faster.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#include "ops/ompn_impl.h"

// to (columns,rows) = from (rows,columns), by squares that fit into the first cache
static void turn(slt_real *restrict to, const slt_real *restrict from, int rows, int columns) {
    enum { SIDE = 16 };
    for (int i = 0; i < rows; i += SIDE)
        for (int j = 0; j < columns; j += SIDE)
            for (int c = j; c < slt_min(j + SIDE, columns); c++)
                for (int r = i; r < slt_min(i + SIDE, rows); r++)
                    to[(size_t)c * (size_t)rows + (size_t)r] =
                        from[(size_t)r * (size_t)columns + (size_t)c];
}

static void turn_cell(const slt_ompn *o, const slt_ompn_part *part) {
    int d = o->d, skip = part->leaf ? d : 0;
    turn(part->turned1, o->w + part->at.w1 + (size_t)skip * 4 * (size_t)d,
         part->at.inputs * d - skip, 4 * d);
    turn(part->turned2, o->w + part->at.w2, 4 * d, (part->at.inputs + 2) * d);
}

// the kernels of x as child and as x of the leaf, added
static void join_leaf(const slt_ompn *o) {
    size_t count = (size_t)o->d * 4 * (size_t)o->d;
    const slt_real *child = o->w + o->com[o->n - 1].at.w1, *x = child + 2 * count;
    for (size_t i = 0; i < count; i++) o->leaf_kernel[i] = child[i] + x[i];
}

int slt_ompn_kernel_tasks(const slt_args *args) { return 2 * args->node->attributes.n[0] + 1; }

void slt_ompn_kernel_task(const slt_args *args, int task, slt_real *scratch) {
    (void)scratch;
    slt_ompn o;
    slt_ompn_open(&o, args, false);
    if (task < o.n)
        turn_cell(&o, &o.com[task]);
    else if (task < 2 * o.n - 1)
        turn_cell(&o, &o.decom[task - o.n]);
    else if (task == 2 * o.n - 1)
        turn(o.gate_turned, o.w + o.gate.w1 + 2 * (size_t)o.d * (size_t)o.d, 2 * o.d, o.d);
    else
        join_leaf(&o);
}
