// Families of fused launches, and what they ask of a tape's nodes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FAMILY_H
#define SLT_CUDA_FAMILY_H

#include <string.h>
#include "cuda/device/cuda_tape.h"

// runs of one kind: the last node of the one that begins with `first`, which may be that node
// alone; its launch; what is left of node n's backward
typedef struct {
    int (*last)(const slt_tape *tape, int first);
    void (*run)(const slt_tape *tape, int first, int last, bool backward);
    void (*weights)(const slt_tape *tape, int first, int n); // NULL: they run forward only
    // weights that are laid down for it; NULL: none
    struct slt_layer_weights (*pack)(const slt_tape *tape, int first);
    bool fills; // backward, with groups beside it, the device: those that wait when it is launched,
                // with the weights of its last node, which need nothing of the run
} slt_cuda_family;

extern const slt_cuda_family slt_cuda_broadcasts;  // slots and positions (cuda_broadcast.c)
extern const slt_cuda_family slt_cuda_fronts;      // in front of attention (cuda_front.c)
extern const slt_cuda_family slt_cuda_heads;       // a norm and the output layer (cuda_heads.c)
extern const slt_cuda_family slt_cuda_layers;      // behind attention (cuda_layers.c)
extern const slt_cuda_family slt_cuda_inputs;      // what waits for nothing (cuda_inputs.c)
extern const slt_cuda_family slt_cuda_slots;       // the slots' part (cuda_slots.c)
extern const slt_cuda_family slt_cuda_rows_family; // rows on their way to a norm (cuda_rows.c)

// ---- nodes

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
// inputs of nodes that read it
static inline int slt_readers_of(const slt_tape *tape, slt_var var) {
    int readers = 0;
    for (int n = 0; n < tape->node_count; n++)
        for (int i = 0; i < slt_node_at(tape, n)->inputs; i++)
            readers += slt_node_at(tape, n)->in[i] == var;
    return readers;
}
// node n + 1 is the only one that reads what node n writes, and reads it as its rows
static inline bool slt_cuda_hands_on(const slt_tape *tape, int n) {
    slt_var var = slt_node_at(tape, n)->out[0];
    return slt_node_at(tape, n + 1)->in[0] == var && slt_readers_of(tape, var) == 1;
}
// nodes of which all or none have a backward
static inline bool slt_backward_alike(const slt_tape *tape, int n, int count) {
    for (int i = 1; i < count; i++)
        if (tape->nodes[n + i].runs_backward != tape->nodes[n].runs_backward) return false;
    return true;
}

#endif
