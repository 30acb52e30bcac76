// Where the kernels of OMPN's recurrence keep their numbers (cuda/ops/ompn).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_OMPN_KERNEL_LAYOUT_H
#define SLT_OPS_OMPN_KERNEL_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>
#include "ops/ompn/ompn_layout.h"

// ---- sizes

typedef struct {
    int n, d, rows;
    float epsilon, slope;
    bool alias;
    int bptt;
} slt_ompn_dims;

// cells: Com 0 ... Com n-1, then Decom 0 ... Decom n-2
SLT_HOST_DEVICE slt_ompn_cell slt_ompn_cell_number(slt_ompn_dims o, int cell) {
    return cell < o.n ? slt_ompn_com(o.d, cell) : slt_ompn_decom(o.n, o.d, cell - o.n);
}
SLT_HOST_DEVICE int slt_ompn_cells(slt_ompn_dims o) { return 2 * o.n - 1; }
// numbers before a cell's, where a Com has `com` widths and a Decom `decom`
SLT_HOST_DEVICE int64_t slt_ompn_numbers_before(slt_ompn_dims o, int cell, int com, int decom) {
    return (int64_t)o.d * (cell < o.n ? cell * com : o.n * com + (cell - o.n) * decom);
}

// ---- what is kept (aux). A row has, in this order: of every cell hidden (4d) and record
// (normalised gates, gates, cell); parent and child of every Decom; the state x, m_{n-1}, c_{n-1},
// ..., m_0, c_0; x's share of the gate; hidden of the gate at every level

SLT_HOST_DEVICE int64_t slt_ompn_hidden(slt_ompn_dims o, int cell) {
    return slt_ompn_numbers_before(o, cell, 11, 9);
}
SLT_HOST_DEVICE int64_t slt_ompn_record(slt_ompn_dims o, int cell) {
    return slt_ompn_hidden(o, cell) + 4 * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_family(slt_ompn_dims o, int level) {
    return slt_ompn_hidden(o, slt_ompn_cells(o)) + 2 * (int64_t)level * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_state(slt_ompn_dims o) { return slt_ompn_family(o, o.n - 1); }
SLT_HOST_DEVICE int slt_ompn_state_size(slt_ompn_dims o) { return (2 * o.n + 1) * o.d; }
SLT_HOST_DEVICE int64_t slt_ompn_gate_x(slt_ompn_dims o) {
    return slt_ompn_state(o) + slt_ompn_state_size(o);
}
SLT_HOST_DEVICE int64_t slt_ompn_gate_hidden(slt_ompn_dims o, int level) {
    return slt_ompn_gate_x(o) + (int64_t)(1 + level) * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_kept_width(slt_ompn_dims o) {
    return slt_ompn_gate_hidden(o, o.n);
}
// after the rows the kernel of x in Com_{n-1}, as child and as x (d, 4d); then small rows: two
// inverse deviations of every cell, and the record of the chances
SLT_HOST_DEVICE int64_t slt_ompn_leaf_kernel(slt_ompn_dims o) {
    return o.rows * slt_ompn_kept_width(o);
}
SLT_HOST_DEVICE int slt_ompn_small_width(slt_ompn_dims o) { return 6 * o.n - 1; }
SLT_HOST_DEVICE int64_t slt_ompn_small(slt_ompn_dims o, int row) {
    return slt_ompn_leaf_kernel(o) + 4 * (int64_t)o.d * o.d +
           (int64_t)row * slt_ompn_small_width(o);
}
SLT_HOST_DEVICE int slt_ompn_chance_place(slt_ompn_dims o) { return 2 * slt_ompn_cells(o); }

// place of (child, memory) of a level in a state; its candidate follows
SLT_HOST_DEVICE int slt_ompn_pair_place(slt_ompn_dims o, int level) {
    return 2 * (o.n - 1 - level) * o.d;
}
// x is the child of Com_{n-1}: its share of the first layer is known before the walk
SLT_HOST_DEVICE int slt_ompn_skip(slt_ompn_dims o, int cell) { return cell == o.n - 1 ? o.d : 0; }

// ---- what backward writes (shared), arrays of all rows: of every cell the gradients of hidden
// (4d), of the second layer (gates and cell), and of the gates before γ; then of the gate's share
// of x (d), of its hidden numbers (n·d) and of its logits (n)

// rows of an array: all arrays begin at multiples of 16 bytes
SLT_HOST_DEVICE int64_t slt_ompn_room(slt_ompn_dims o) { return (o.rows + 3) / 4 * 4; }
SLT_HOST_DEVICE int64_t slt_ompn_dhidden(slt_ompn_dims o, int cell) {
    return slt_ompn_room(o) * slt_ompn_numbers_before(o, cell, 11, 9);
}
SLT_HOST_DEVICE int64_t slt_ompn_dsecond(slt_ompn_dims o, int cell) {
    return slt_ompn_dhidden(o, cell) + slt_ompn_room(o) * 4 * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_dgates(slt_ompn_dims o, int cell) {
    return slt_ompn_dsecond(o, cell) + slt_ompn_room(o) * (cell < o.n ? 4 : 3) * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_dgate_x(slt_ompn_dims o) {
    return slt_ompn_dhidden(o, slt_ompn_cells(o));
}
SLT_HOST_DEVICE int64_t slt_ompn_dgate_hidden(slt_ompn_dims o) {
    return slt_ompn_dgate_x(o) + slt_ompn_room(o) * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_dlogit(slt_ompn_dims o) {
    return slt_ompn_dgate_hidden(o) + slt_ompn_room(o) * o.n * o.d;
}
// and kernels turned round: second (q·d, 4d) and first (4d, k·d) of every cell; the gate's (d, 2d)
SLT_HOST_DEVICE int64_t slt_ompn_turned2(slt_ompn_dims o, int cell) {
    return slt_ompn_dlogit(o) + slt_ompn_room(o) * o.n +
           o.d * slt_ompn_numbers_before(o, cell, 24, 16);
}
SLT_HOST_DEVICE int64_t slt_ompn_turned1(slt_ompn_dims o, int cell) {
    return slt_ompn_turned2(o, cell) + (int64_t)(cell < o.n ? 16 : 12) * o.d * o.d;
}
SLT_HOST_DEVICE int64_t slt_ompn_turned_gate(slt_ompn_dims o) {
    return slt_ompn_turned2(o, slt_ompn_cells(o));
}
SLT_HOST_DEVICE int64_t slt_ompn_work_size(slt_ompn_dims o) {
    return slt_ompn_turned_gate(o) + 2 * (int64_t)o.d * o.d;
}

#endif
