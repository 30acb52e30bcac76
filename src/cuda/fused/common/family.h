// Families of fused launches, and what they ask of a tape's nodes.
//
// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the slottar authors
#ifndef SLT_CUDA_FAMILY_H
#define SLT_CUDA_FAMILY_H

#include "cuda/device/cuda_tape.h"
#include "ops/common/op_inputs.h"
#include "ops/common/op_table.h"

// Launches of one kind, for parts of a model that were declared so (slt_tape_fuse)
typedef struct {
    slt_fusion fusion;
    // the last node of the launch that begins with node `first` of a part that ends with node
    // `end`; `first` where there is none, and why
    int (*last)(const slt_tape *tape, int first, int end, const char **why);
    void (*run)(const slt_tape *tape, int first, int last, bool backward);
    void (*weights)(const slt_tape *tape, int first, int n); // NULL: they run forward only
    // weights that are packed for it; NULL: none
    struct slt_layer_weights (*pack)(const slt_tape *tape, int first);
    bool fills; // backward, with groups next to it, the device: those that wait when it is
                // launched, with the weights of its last node, which need nothing of the run
} slt_fusion_pattern;

extern const slt_fusion_pattern
    slt_fuse_decoder_input;                         // slots and positions (fuse_decoder_input.c)
extern const slt_fusion_pattern slt_fuse_slot_rows; // the same but for attention, of any width
extern const slt_fusion_pattern slt_fuse_encoder_input; // before attention (fuse_encoder_input.c)
extern const slt_fusion_pattern slt_fuse_output; // a norm and the output layer (fuse_output.c)
extern const slt_fusion_pattern slt_fuse_layer;  // after attention (fuse_layer.c)
extern const slt_fusion_pattern slt_fuse_leaves; // what waits for nothing (fuse_leaves.c)
extern const slt_fusion_pattern slt_fuse_slots;  // the slots' part (fuse_slots.c)
extern const slt_fusion_pattern slt_fuse_norm;   // rows on their way to a norm (fuse_norm.c)

static inline int slt_family_last(const slt_fusion_pattern *family, const slt_tape *tape,
                                  int first) {
    const char *why;
    int end = slt_group_end(tape, first, family->fusion);
    return end > first ? family->last(tape, first, end, &why) : first;
}
static inline int slt_no_launch(int first, const char *reason, const char **why) {
    *why = reason;
    return first;
}

// ---- nodes

static inline const slt_node *slt_node_at(const slt_tape *tape, int n) {
    return &tape->nodes[n].node;
}
static inline bool slt_node_is(const slt_tape *tape, int n, const slt_op *op) {
    return slt_node_at(tape, n)->op == op;
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
