// Where the weights of OMPN's recurrence lie: all of them end to end in one row.
//     Com_0 ... Com_{n-1}, Decom_0 ... Decom_{n-2}, gate; level 0 is the root
// A cell is kernel 1, bias 1, kernel 2, bias 2, γ, β. Com takes (child, memory, x, task), Decom
// (parent, x, task), the gate (x, task, memory, candidate); the task is always zero.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_OPS_OMPN_LAYOUT_H
#define SLT_OPS_OMPN_LAYOUT_H

#include <stddef.h>
#include "core/host_device.h"

enum { SLT_OMPN_DEPTH = 16 }; // levels, at most

// places of a cell's weights; `inputs` is 2 for Com and 1 for Decom
typedef struct {
    size_t w1, c1, w2, c2, gamma, beta, end;
    int inputs;
} slt_ompn_cell;

SLT_HOST_DEVICE slt_ompn_cell slt_ompn_cell_at(size_t first, int inputs, int width) {
    size_t d = (size_t)width, gates = (size_t)inputs + 1;
    slt_ompn_cell c;
    c.inputs = inputs;
    c.w1 = first;
    c.c1 = c.w1 + (gates + 1) * d * 4 * d;
    c.w2 = c.c1 + 4 * d;
    c.c2 = c.w2 + 4 * d * (gates + 1) * d;
    c.gamma = c.c2 + (gates + 1) * d;
    c.beta = c.gamma + gates * d;
    c.end = c.beta + gates * d;
    return c;
}

SLT_HOST_DEVICE slt_ompn_cell slt_ompn_com(int width, int level) {
    size_t size = slt_ompn_cell_at(0, 2, width).end;
    return slt_ompn_cell_at(size * (size_t)level, 2, width);
}

SLT_HOST_DEVICE slt_ompn_cell slt_ompn_decom(int depth, int width, int level) {
    size_t first = slt_ompn_com(width, depth).w1, size = slt_ompn_cell_at(0, 1, width).end;
    return slt_ompn_cell_at(first + size * (size_t)level, 1, width);
}

typedef struct {
    size_t w1, c1, w2, c2, end;
} slt_ompn_gate;

SLT_HOST_DEVICE slt_ompn_gate slt_ompn_gate_at(int depth, int width) {
    size_t d = (size_t)width;
    slt_ompn_gate g;
    g.w1 = slt_ompn_decom(depth, width, depth - 1).w1;
    g.c1 = g.w1 + 4 * d * d;
    g.w2 = g.c1 + d;
    g.c2 = g.w2 + d;
    g.end = g.c2 + 1;
    return g;
}

#endif
