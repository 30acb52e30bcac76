// What families of runs ask of a tape's nodes (cuda_runs.c).
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_NODES_H
#define SLT_CUDA_NODES_H

#include <string.h>
#include "engine/tape_impl.h"

static inline const slt_node *slt_node_at(const slt_tape *tape, int n) {
    return &tape->nodes[n].node;
}
static inline bool slt_node_is(const slt_tape *tape, int n, const char *name) {
    return strcmp(slt_node_at(tape, n)->op->name, name) == 0;
}
// nothing of the pass writes it
static inline bool slt_is_weight(const slt_tape *tape, slt_var var) {
    return var && tape->vars[var].origin != SLT_FROM_NODE;
}
// nodes with a row for each slot and token are those that fill the device
static inline bool slt_is_large(const slt_tape *tape, int n) {
    return tape->vars[slt_node_at(tape, n)->out[0]].shape.space == SLT_SLOT_TOKENS;
}
static inline int slt_width_of(const slt_tape *tape, slt_var var) {
    return tape->vars[var].shape.width;
}

#endif
