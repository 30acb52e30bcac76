// The inside of OMPN's recurrence: what its files share.
//
// Rows are time-major: trajectories, longest first, are cut into groups of about as many rows, and
// inside a group the rows of one time step lie together, so that a step is one product per matrix
// and finished trajectories drop out at the end of its rows. A group is one task from the first
// step to the last.
//
// A row of `state` is x, m_{n-1}, c_{n-1}, ..., m_0, c_0: the memory before the step and the
// candidate of each level, from leaf to root. The two inputs of Com_i (child, memory) and the two
// of the gate (memory, candidate) are then neighbours.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_OMPN_IMPL_H
#define SLT_OPS_OMPN_IMPL_H

#include "ops/ompn/ompn_layout.h"
#include "ops/common/op_tools.h"

// a cell: its weights, and what it keeps of every row
typedef struct {
    slt_ompn_cell at;
    bool leaf;         // the child of Com_{n-1} is x itself
    slt_real *hidden;  // [rows, 4d] relu of the first layer
    slt_real *record;  // [rows, (2q+1)d] normalised gates, gates, cell; q = inputs + 1
    slt_real *inverse; // [rows, 2] 1/τ of the gates and of the output
    slt_real *packed1; // the first kernel without x; backward turned round, like the next
    slt_real *packed2;
    slt_real *dhidden; // [rows, 4d]; backward only, like the next
    slt_real *dsecond; // [rows, (q+1)d] of the second layer's output
} slt_ompn_part;

typedef struct {
    const slt_args *args;
    const slt_real *w;
    int n, d, rows, groups;
    slt_real epsilon, slope;
    bool alias;
    int bptt;
    const int32_t *order;                // [B] trajectories, longest first
    slt_ompn_part com[SLT_OMPN_DEPTH];   // by level
    slt_ompn_part decom[SLT_OMPN_DEPTH]; // parent level
    slt_ompn_gate gate;
    slt_real *gate_packed;            // memory and candidate; backward turned round
    slt_real *leaf_kernel;            // [d, 4d] of x in Com_{n-1}, as child and as x
    slt_real *state;                  // [rows, (2n+1)d]
    slt_real *family[SLT_OMPN_DEPTH]; // [rows, 2d] parent and child of Decom_i
    slt_real *gate_x;                 // [rows, d] the gate's share of x
    slt_real *gate_hidden;            // [rows, n·d] leaky relu
    slt_real *chance;                 // [rows, 2n+1] β (n), p̂ (n+1)
    // backward only
    slt_real *dgate_x, *dgate_hidden, *dx; // [rows, d] [rows, n·d] [rows, d]
    slt_real *partial;                     // [groups, slt_ompn_partial]
} slt_ompn;

// the trajectories of a group, longest first: member r is order[first + r]
typedef struct {
    int number, first, count;
    int row;  // its first row
    int rows; // all its rows
    int most; // time steps
} slt_ompn_group;

// one time step of a group: rows `row` to `row + live - 1`
typedef struct {
    int t, row, live;
} slt_ompn_moment;

static inline size_t slt_ompn_state_width(const slt_ompn *o) {
    return (size_t)(2 * o->n + 1) * (size_t)o->d;
}
// place of (child, memory) of a level in a state row; its candidate follows, and so the gate's
// inputs (memory, candidate) start one width later
static inline size_t slt_ompn_pair(const slt_ompn *o, int level) {
    return (size_t)(2 * (o->n - 1 - level)) * (size_t)o->d;
}
static inline int slt_ompn_member(const slt_ompn *o, const slt_ompn_group *g, int r) {
    return o->order[g->first + r];
}
// the token of member r at time t
static inline size_t slt_ompn_token(const slt_ompn *o, const slt_ompn_group *g, int r, int t) {
    return (size_t)o->args->batch->offset[slt_ompn_member(o, g, r)] + (size_t)t;
}

// ---- sizes (ompn_memory.c)

int slt_ompn_groups(int trajectories);
size_t slt_ompn_aux(const slt_sizes *sizes);
size_t slt_ompn_shared(const slt_sizes *sizes);
size_t slt_ompn_scratch(const slt_sizes *sizes);
size_t slt_ompn_partial(int n, int d); // γ and β of all cells, second layer of the gate

// puts the order of the trajectories into aux: longest first, stable
void slt_ompn_sort(const slt_args *args);
// lays the buffers out
void slt_ompn_open(slt_ompn *o, const slt_args *args, bool backward);
slt_ompn_group slt_ompn_group_at(const slt_ompn *o, int number);
// the moment after or before; `live` shrinks and grows with the lengths
slt_ompn_moment slt_ompn_first(const slt_ompn_group *g);
slt_ompn_moment slt_ompn_last(const slt_ompn *o, const slt_ompn_group *g);
slt_ompn_moment slt_ompn_next(const slt_ompn *o, const slt_ompn_group *g, slt_ompn_moment at);
slt_ompn_moment slt_ompn_before(const slt_ompn *o, const slt_ompn_group *g, slt_ompn_moment at);

// ---- kernels as the steps read them (ompn_kernels.c)

// a kernel, and where it lies
typedef struct {
    size_t at; // among the weights
    int rows, columns;
} slt_ompn_kernel;

// without the rows of x, which is the child of the leaf as well
static inline slt_ompn_kernel slt_ompn_first_kernel(const slt_ompn_part *part, int d) {
    int skip = part->leaf ? 1 : 0;
    return (slt_ompn_kernel){part->at.w1 + (size_t)(skip * d) * 4 * (size_t)d,
                             (part->at.inputs - skip) * d, 4 * d};
}

static inline slt_ompn_kernel slt_ompn_second_kernel(const slt_ompn_part *part, int d) {
    return (slt_ompn_kernel){part->at.w2, 4 * d, (part->at.inputs + 2) * d};
}

// of memory and candidate
static inline slt_ompn_kernel slt_ompn_gate_kernel(const slt_ompn *o) {
    return (slt_ompn_kernel){o->gate.w1 + 2 * (size_t)o->d * (size_t)o->d, 2 * o->d, o->d};
}

static inline size_t slt_ompn_packed_size(slt_ompn_kernel k, bool backward) {
    return backward ? slt_gemm_packed_size(k.rows, k.columns)
                    : slt_gemm_packed_size(k.columns, k.rows);
}

int slt_ompn_kernel_tasks(const slt_args *args, bool backward);
void slt_ompn_forward_kernel(const slt_args *args, int task, slt_real *scratch);
void slt_ompn_backward_kernel(const slt_args *args, int task, slt_real *scratch);

// ---- cells (ompn_cell.c)

// x's share of the first layer, for all rows of a group at once
void slt_ompn_cell_observe(const slt_ompn *o, const slt_ompn_part *part, int row, int rows);
// out = norm(Σ gate_j∘in_j + gate_q∘cell) for the rows of a moment; in and out point to row 0
void slt_ompn_cell_forward(const slt_ompn *o, const slt_ompn_part *part, slt_ompn_moment at,
                           const slt_real *in, size_t stride, slt_real *out);
// dout [live, d] is given up; adds into din [live, inputs·d], and into dγ and, after it, dβ
void slt_ompn_cell_backward(const slt_ompn *o, const slt_ompn_part *part, slt_ompn_moment at,
                            const slt_real *in, size_t stride, const slt_real *out, slt_real *dout,
                            size_t dout_stride, slt_real *din, size_t din_stride, slt_real *dgamma);
// dx += x's share, for all rows of a group at once
void slt_ompn_cell_unobserve(const slt_ompn *o, const slt_ompn_part *part, int row, int rows);

// ---- a group from the first step to the last (ompn_forward.c, ompn_backward.c)

void slt_ompn_forward_group(const slt_args *args, int group, slt_real *scratch);
void slt_ompn_backward_group(const slt_args *args, int group, slt_real *scratch);

// ---- weight gradients over all rows (ompn_weights.c)

int slt_ompn_weight_tasks(const slt_args *args);
void slt_ompn_weight_task(const slt_args *args, int task, slt_real *scratch);

#endif
